// Parsing by a table of transitions, as a task of the learner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "search/corpus.hpp"
#include "search/search.hpp"
#include "weights/changes.hpp"
#include "weights/training_weights.hpp"

namespace panparser {

class TableTask {
 public:
  using Example = panparser::Example;
  static constexpr bool kHasLabels = true;

  using Weights = TrainingWeights;

  // The weights must outlive it.
  TableTask(const ScoringPlan& plan, const TrainingWeights& weights, std::span<const std::int32_t> ties);
  static TrainingWeights make_weights(const ScoringPlan& plan, LayeredModel base, std::int32_t unit,
                                      const Vectors& vectors);

  std::int32_t unit() const { return weights_.unit_; }

  Hypothesis start(const Example& example) { return search_.start(example.tokens, true, example.constraint); }
  bool derive(const Example& example, std::vector<std::int32_t>& derivation);
  void expand(std::span<const Hypothesis> beam, const Example* example, std::vector<Candidate>& out) {
    search_.expand(beam, example ? &example->reference : nullptr, out);
  }
  void make(std::span<const Hypothesis> parents, std::span<const Candidate> candidates, std::vector<Hypothesis>& out) {
    search_.make(parents, candidates, out);
  }
  void forget() { search_.scoring().forget(); }
  void check_steps(std::int64_t steps, const Example& example) { panparser::check_steps(steps, example.tokens.words); }
  std::int32_t parent(std::int32_t state) { return search_.arena().parent(state); }
  std::int32_t action(std::int32_t state) { return search_.arena().action(state); }

  void reward(std::int32_t state, std::int32_t by, Changes& changes);
  bool has_labels() const { return plan_.labels.size > 0; }
  void learn_labels(const Example& example, std::span<const std::int32_t> states, Changes& changes);
  void finish(const Example& example, Progress& progress);

 private:
  void change_vectors(std::int32_t state, std::int32_t step, std::int32_t by, Changes& changes);
  void change_vectors(std::int32_t state, std::int32_t step, std::int32_t label, std::int32_t by, Changes& changes);

  ScoringPlan plan_;
  std::vector<bool> labels_see_;  // by address with a vector
  std::vector<std::int32_t> ties_;
  const TrainingWeights& weights_;
  Search<TrainingWeights> search_;
};

}  // namespace panparser
