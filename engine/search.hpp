// Search: hypotheses, their expansion and scores. Training and parsing share it; they differ in the scorer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "perceptron.hpp"
#include "scoring.hpp"
#include "walk.hpp"

namespace panparser {

// No sound system takes more steps: a swap system swaps each pair of words once at most, and shifts one again.
inline std::int64_t most_steps(Token words) { return 2 * std::int64_t(words + 2) * (words + 2); }
inline void check_steps(std::int64_t steps, Token words) {
  if (steps > most_steps(words)) throw Stuck("the derivation of a sentence does not end");
}

struct Hypothesis {
  std::int32_t state = 0;
  std::int32_t loss = 0;  // correct attachments lost so far
  Score score = 0;
  std::int32_t length = 0;  // of its derivation
  bool is_final = false;
};

struct Candidate {
  std::int32_t from = 0;     // in the beam
  std::int32_t action = -1;  // none: a final state stays as it is
  std::int32_t loss = 0;
  Score score = 0;
  std::int32_t order = 0;  // among equals, what came first is better
};
inline bool better(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.order < b.order;
}

// Steps from state to state of one sentence.
template <class Scorer>
class Search {
 public:
  Search(const Grammar& grammar, const Scorer& scorer) : grammar_(grammar), scoring_(grammar, scorer) {}

  Arena& arena() { return arena_; }
  Scoring<Scorer>& scoring() { return scoring_; }
  System::Scratch& scratch() { return scratch_; }
  Hypothesis start(const SentenceTokens& tokens, bool tracking) {
    tokens_ = tokens;
    scoring_.start(tokens, kOtherGroup);
    arena_.reset(grammar_.system.table().shape, tokens.words, tracking);
    return {arena_.initial(), 0, 0, 0, is_final(arena_.initial())};
  }
  bool is_final(std::int32_t state) { return grammar_.system.is_final(LinkedState(arena_, state).frame()); }

  // Appends what can follow a hypothesis, number `from` of its beam; with a reference, losses too.
  void expand(const Hypothesis& hypothesis, int from, const Reference* reference, std::vector<Candidate>& out) {
    if (hypothesis.is_final) {
      out.push_back({from, -1, hypothesis.loss, hypothesis.score});
      return;
    }
    const System& system = grammar_.system;
    const LinkedState state(arena_, hypothesis.state);
    const Frame frame = state.frame();
    const Bits truths = system.truths(frame);
    const std::uint32_t legal = system.legal(truths);
    if (!legal) throw Stuck("no legal transition in a state that is not final");
    std::array<std::int32_t, System::kMaxRows> sums{}, costs;
    scoring_.actions(state.window(), sums.data());
    std::int32_t least = 0;
    if (reference) {
      system.costs(state, frame, truths, legal, *reference, scratch_, costs);
      least = std::numeric_limits<std::int32_t>::max();
      for (std::uint32_t rest = legal; rest; rest &= rest - 1) least = std::min(least, costs[std::countr_zero(rest)]);
    }
    for (std::uint32_t rest = legal; rest; rest &= rest - 1) {
      const int action = std::countr_zero(rest);
      const std::int32_t cost = reference ? costs[action] - least : 0;
      out.push_back({from, action, hypothesis.loss + cost, hypothesis.score + sums[action]});
    }
  }

  // The hypothesis that a candidate stands for, with the best label for its arc.
  Hypothesis make(const Hypothesis& parent, const Candidate& candidate) {
    if (candidate.action < 0) return parent;
    const LinkedState before(arena_, parent.state);
    std::int32_t label = -1;
    if (grammar_.labels.size > 0) {
      const Arc arc = made_arc(before.frame(), candidate.action);
      if (arc.head != kNone) label = scoring_.label(before.window(), candidate.action, arc);
    }
    LinkedState after = before.fork(candidate.action);
    grammar_.system.apply(after, candidate.action, label);
    return {after.index(), candidate.loss, candidate.score, parent.length + 1, is_final(after.index())};
  }

  void extract(std::int32_t state, Key* keys) {
    grammar_.program.extract(LinkedState(arena_, state).window(), tokens_, keys);
  }
  std::int32_t vector_row(std::int32_t state, std::size_t i) {
    return grammar_.program.vector_row(i, LinkedState(arena_, state).window(), tokens_);
  }
  int extract_for_labels(std::int32_t state, Key* keys) {
    const Window window = LinkedState(arena_, state).window();
    int count = 0;
    for (int g = 0; g < kGroups; ++g) {
      if (grammar_.labels_see(Group(g))) count += grammar_.program.extract(Group(g), window, tokens_, keys + count);
    }
    return count;
  }
  Arc made_arc(const Frame& frame, int action) const {
    const Arc arc = grammar_.system.arc(frame, action);
    return arc.head != kNone ? arc : grammar_.system.arc(frame, action, EffectKind::kPropose);
  }

  // The best `width` candidates, best first.
  static void cut(std::vector<Candidate>& candidates, std::size_t width) {
    for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].order = static_cast<std::int32_t>(i);
    const std::size_t kept = std::min(width, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                      better);
    candidates.resize(kept);
  }

 private:
  const Grammar grammar_;
  Scoring<Scorer> scoring_;
  SentenceTokens tokens_{};
  Arena arena_;
  System::Scratch scratch_;
};

}  // namespace panparser
