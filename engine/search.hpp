// Search: hypotheses, their expansion and scores. Training and parsing share it; they differ in the scorer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "features.hpp"
#include "perceptron.hpp"
#include "system.hpp"
#include "walk.hpp"

namespace panparser {

// Which labels an arc may have: those that Root's children have, and those that the others have.
struct Labels {
  std::int32_t size = 0;  // 0: arcs go without labels
  std::vector<std::uint8_t> of_root, of_words;

  const std::vector<std::uint8_t>& allowed(bool root) const { return root ? of_root : of_words; }
};

struct Grammar {  // what search needs to know beside the weights
  const System& system;
  const Program& program;
  const Labels& labels;
};

inline Key label_key(Key key, int action) { return key + mix(static_cast<Key>(action) + 0x51ED270B); }

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

// Steps from state to state of one sentence. Scorer has prefetch_action, add_actions, prefetch_label, add_labels.
template <class Scorer>
class Search {
 public:
  Search(const Grammar& grammar, const Scorer& scorer)
      : grammar_(grammar), scorer_(scorer), label_sums_(grammar.labels.size) {}

  Arena& arena() { return arena_; }
  void look_at(const SentenceTokens& tokens) { tokens_ = tokens; }
  Hypothesis start(const SentenceTokens& tokens, bool tracking) {
    tokens_ = tokens;
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
    Key* keys = room_for_keys(from);
    grammar_.program.extract(state.window(), tokens_, keys);
    std::array<std::int32_t, System::kMaxRows> sums{}, costs;
    score_actions(keys, sums.data());
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
      if (arc.head != kNone) label = best_label(room_for_keys(candidate.from), candidate.action, arc);
    }
    LinkedState after = before.fork(candidate.action);
    grammar_.system.apply(after, candidate.action, label);
    return {after.index(), candidate.loss, candidate.score, parent.length + 1, is_final(after.index())};
  }

  void extract(std::int32_t state, Key* keys) {
    grammar_.program.extract(LinkedState(arena_, state).window(), tokens_, keys);
  }
  void score_actions(const Key* keys, std::int32_t* sums) const {
    const int templates = grammar_.program.templates();
    for (int t = 0; t < templates; ++t) scorer_.prefetch_action(keys[t]);
    for (int t = 0; t < templates; ++t) scorer_.add_actions(keys[t], sums);
  }
  std::int32_t best_label(const Key* keys, int action, const Arc& arc) {
    const int templates = grammar_.program.templates();
    std::fill(label_sums_.begin(), label_sums_.end(), 0);
    for (int t = 0; t < templates; ++t) scorer_.prefetch_label(label_key(keys[t], action));
    for (int t = 0; t < templates; ++t) scorer_.add_labels(label_key(keys[t], action), label_sums_.data());
    const auto& allowed = grammar_.labels.allowed(arc.head == grammar_.system.table().shape.root(tokens_.words));
    std::int32_t best = -1;
    for (std::int32_t label = 0; label < grammar_.labels.size; ++label) {
      if (allowed[label] && (best < 0 || label_sums_[label] > label_sums_[best])) best = label;
    }
    return best;
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
  Key* room_for_keys(int from) {
    const std::size_t templates = grammar_.program.templates();
    if (keys_.size() < (from + std::size_t(1)) * templates) keys_.resize((from + std::size_t(1)) * templates);
    return keys_.data() + from * templates;
  }

  const Grammar grammar_;
  const Scorer& scorer_;
  SentenceTokens tokens_;
  Arena arena_;
  System::Scratch scratch_;
  std::vector<Key> keys_;  // of the hypotheses in the beam
  std::vector<std::int32_t> label_sums_;
};

}  // namespace panparser
