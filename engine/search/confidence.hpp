// How certain a search was of each arc of its tree, read off its beams and the winning derivation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "search/search.hpp"
#include "weights/model.hpp"

namespace panparser {

// Margins of the winner over its best rival, in the model's scores; kNoRival if there is no rival, and for a word
// without a head. A word that is left over, and so becomes a root, has no arc; another head is one that an arc gives.
enum Signal : std::uint8_t {
  kArcMargin,    // the action that made the arc, over the best other one; below 0 where the beam saw further
  kLeastMargin,  // the least of such margins while the word waited for its head as S0 or B0, that one too
  kLabelMargin,  // the label, over the next
  kRivalMargin,  // at any step, over the best hypothesis that had given the word another head
  kTreeMargin,   // at the end, over the best tree where the word has another head
  kSignals
};
inline constexpr std::int32_t kNoRival = 1 << 30;
using Signals = std::array<std::int32_t, kSignals>;

// For one thread; WeightLookup as in Search.
template <class WeightLookup>
class SignalReader {
 public:
  // Follows a search from its start: every beam, including the last, before `read`.
  void start() {
    scores_.clear();
    lengths_.clear();
  }
  void hear(std::span<const Hypothesis> beam);
  // The signals of words 1..n; the best tree is that of the first hypothesis of the last beam.
  void read(Search<WeightLookup>& search, const ScoringPlan& plan, std::span<const Hypothesis> beam, Token words,
            Signals* signals);

 private:
  static constexpr int kAtOnce = 32;  // states whose weights are fetched together

  bool is_word(Token token) const { return token >= 1 && token <= static_cast<Token>(made_.size()); }
  bool has_arc(const Arena& arena, Token word) const {  // of the tree that won; `word` counts from 0
    return made_[word] >= 0 && arena.arc(path_[made_[word]]).dependent == word + 1;
  }
  Token head(const Arena& arena, Token word) const {
    return has_arc(arena, word) ? arena.arc(path_[made_[word]]).head : kNone;
  }
  void read_actions(Search<WeightLookup>& search, const ScoringPlan& plan, Signals* signals);
  void read_steps(Search<WeightLookup>& search, Signals* signals);
  void set_margin(std::size_t at, Score margin, Token top, Token front, const Arc& arc, Signals* signals) const;
  void read_labels(Search<WeightLookup>& search, const ScoringPlan& plan, Signals* signals);
  void read_rivals(Arena& arena, Signals* signals);
  void read_trees(Arena& arena, std::span<const Hypothesis> beam, Signals* signals);

  std::vector<Score> scores_;          // by state
  std::vector<std::int32_t> lengths_;  // of derivations, by state
  std::vector<std::int32_t> path_;     // states of the derivation that won
  std::vector<std::int32_t> made_;     // by word: where in the path its head was decided: its arc, or the end; or -1
  std::vector<Score> gaps_;            // by state: how far it, or what followed, was behind the winner, at least
  std::vector<Token> heads_;           // by word, of the tree that won
  std::vector<Candidate> candidates_;
};

extern template class SignalReader<LayeredModel>;
extern template class SignalReader<AveragedWeights>;

}  // namespace panparser
