// Parsing with a trained model: greedy, or with a beam.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/confidence.hpp"
#include "search/greedy_scoring.hpp"
#include "search/search.hpp"
#include "weights/model.hpp"

namespace panparser {

struct Tree {
  std::vector<std::int32_t> heads, labels;  // of words 1..n; Root is 0, headless or without label -1
  Score score = 0;
};

// For one thread. WeightLookup is LayeredModel, or AveragedWeights.
template <class WeightLookup>
class SentenceParser {
 public:
  SentenceParser(const ScoringPlan& plan, const WeightLookup& model)
      : plan_(plan), search_(plan, model), scoring_(plan, model) {}

  static constexpr Score kAnyMargin = std::numeric_limits<Score>::max();

  // Writes the best tree that a beam finds; a beam of 1 takes a faster path without shared structure. Hypotheses that
  // are behind the best by more than the margin leave the beam. Returns the largest distance of the tree behind the
  // best. A constraint, if any, restricts the search. `signals`: of each word, if requested.
  Score find_tree(const SentenceTokens& tokens, int beam, Score margin, std::int32_t* heads, std::int32_t* labels,
                  const Constraint* constraint = nullptr, Signals* signals = nullptr);
  // Different trees, best first: at most `count`. A beam of 0 has no bounds: exhaustive search.
  std::vector<Tree> best(const SentenceTokens& tokens, int beam, int count, const Constraint* constraint = nullptr);
  // Appends the derivation of the tree that `find_tree` writes: steps, and labels of their arcs (-1: it makes none).
  void derivation(const SentenceTokens& tokens, int beam, Score margin, std::vector<std::int32_t>& actions,
                  std::vector<std::int32_t>& labels);

 private:
  std::int32_t choose_label(const Frame& frame, int action, const Constraint* constraint);
  void greedy(const SentenceTokens& tokens, std::int32_t* heads, std::int32_t* labels, const Constraint* constraint);
  const std::vector<Hypothesis>& decode(const SentenceTokens& tokens, int beam, Score margin,
                                        const Constraint* constraint, bool heard = false);

  ScoringPlan plan_;
  Search<WeightLookup> search_;
  GreedyScoring<WeightLookup> scoring_;
  MutableState state_;
  std::vector<Hypothesis> beam_, next_;
  std::vector<Candidate> candidates_;
  SignalReader<WeightLookup> reader_;
};

extern template class SentenceParser<LayeredModel>;
extern template class SentenceParser<AveragedWeights>;

}  // namespace panparser
