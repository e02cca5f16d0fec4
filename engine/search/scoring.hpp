// Scores of states: sums of the weights of their features. What states of one sentence share is computed once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "search/labels.hpp"
#include "search/vector_scoring.hpp"
#include "systems/system.hpp"

namespace panparser {

struct Grammar {  // what search needs in addition to the weights
  const System& system;
  const Program& program;
  const Labels& labels;
  std::span<const Program* const> further = {};  // programs, if parsers with other templates vote

  std::size_t programs() const { return 1 + further.size(); }
  const Program& program_at(std::size_t i) const { return i == 0 ? program : *further[i - 1]; }

  // Labels use only the two words of the arc, what is known about them, and B0: more does not help. If arcs reach down
  // to S2, they use everything but what is for actions alone.
  bool labels_see(Group group) const {
    if (system.attaches_deepest()) return true;
    if (group == kTripleGroup) return system.attaches_deeper();
    return group != kStackGroup && group != kOtherGroup;
  }
  Reach label_reach() const { return system.attaches_deepest() ? kAhead : kToFront; }
  std::vector<int> label_templates() const {  // numbers of those that labels use, in the first program
    std::vector<int> found;
    for (int g = 0; g < kGroups; ++g) {
      if (!labels_see(Group(g))) continue;
      for (const std::uint16_t number : program.numbers(Group(g), label_reach())) found.push_back(number);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  std::vector<bool> labels_see_vectors() const {  // by address with a vector
    std::vector<bool> seen;
    for (std::size_t i = 0; i < program.vectors().size(); ++i) {
      seen.push_back(labels_see(program.vector_group(i)) && program.vector_reach(i) <= label_reach());
    }
    return seen;
  }
};

// Rows of sums, by a number; cleared all at once.
class Memo {
 public:
  explicit Memo(std::size_t width) : width_(width), slots_(64) {}
  void forget() {
    ++generation_;
    used_ = 0;
  }
  // Where the row for a number is, and whether it is new and all zero.
  std::pair<std::uint32_t, bool> find_row(std::uint64_t number) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = find(number);
    if (slot.generation == generation_) return {slot.row, false};
    slot = {number, generation_, static_cast<std::uint32_t>(used_++)};
    if (rows_.size() < used_ * width_) rows_.resize(std::max(2 * rows_.size(), 64 * width_));
    std::fill_n(row(slot.row), width_, 0);
    return {slot.row, true};
  }
  std::int32_t* row(std::uint32_t at) { return rows_.data() + at * width_; }

 private:
  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t generation = 0, row = 0;
  };
  Slot& find(std::uint64_t number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(number) & mask;
    while (slots_[at].generation == generation_ && slots_[at].number != number) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(2 * old.size(), Slot{});
    for (const Slot& slot : old) {
      if (slot.generation == generation_) find(slot.number) = slot;
    }
  }

  std::size_t width_, used_ = 0;
  std::uint32_t generation_ = 1;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> rows_;
};

// Questions about states, of one kind (actions or labels), are first collected for a whole beam and then answered, so
// that all their weights are prefetched together. A question uses some groups of features; the sums of shared groups
// come from a memo.
class Questions {
 public:
  Questions(std::size_t width, std::size_t kinds) : width_(width) {
    for (std::size_t i = 0; i < kinds * kOtherGroup; ++i) memos_.emplace_back(width);
  }

  void forget() {
    for (Memo& memo : memos_) memo.forget();
  }
  void start() {
    asked_.clear();
    parts_.clear();
    own_.clear();
    used_ = 0;
  }
  void ask() {
    asked_.push_back({});
    own_.resize(own_.size() + width_);
  }
  // Adds a group to the last question; must its sums be looked up?
  bool see(int kind, Group group, std::uint64_t sight) {
    const auto memo = static_cast<std::uint32_t>(kind * kOtherGroup + group);
    const auto [row, is_new] = memos_[memo].find_row(sight);
    Asked& asked = asked_.back();
    asked.sums[asked.count++] = {memo, row};
    return is_new;
  }
  Key* room(int keys) {  // for features to be looked up
    if (keys_.size() < used_ + keys) keys_.resize(2 * (used_ + keys));
    return keys_.data() + used_;
  }
  void add_part(int keys, bool shared, std::size_t program) {
    const Asked& asked = asked_.back();
    const Sums sums = shared ? asked.sums[asked.count - 1] : Sums{kOwn, static_cast<std::uint32_t>(asked_.size() - 1)};
    parts_.push_back({used_, keys, program, sums});
    used_ += keys;
  }

  // Calls look_up(keys, count, sums, program) for all pending sums.
  template <class LookUp>
  void fetch(const LookUp& look_up) {
    for (const Part& part : parts_) look_up(keys_.data() + part.first, part.count, row(part.sums), part.program);
  }
  std::int32_t* answer(std::size_t question) {
    std::int32_t* __restrict const sums = own_.data() + question * width_;
    for (int i = 0; i < asked_[question].count; ++i) {
      const std::int32_t* __restrict const shared = row(asked_[question].sums[i]);
      for (std::size_t c = 0; c < width_; ++c) sums[c] += shared[c];
    }
    return sums;
  }

 private:
  static constexpr std::uint32_t kOwn = 0xFFFFFFFF;
  struct Sums {  // a row of a memo, or of `own_`
    std::uint32_t memo, row;
  };
  struct Asked {
    std::array<Sums, kOtherGroup> sums;
    int count = 0;
  };
  struct Part {  // features of one question, group and program
    std::size_t first;
    int count;
    std::size_t program;
    Sums sums;
  };
  std::int32_t* row(const Sums& sums) {
    return sums.memo == kOwn ? own_.data() + sums.row * width_ : memos_[sums.memo].row(sums.row);
  }

  std::size_t width_, used_ = 0;  // keys
  std::vector<Memo> memos_;       // by kind and group
  std::vector<Asked> asked_;
  std::vector<Part> parts_;
  std::vector<Key> keys_;
  std::vector<std::int32_t> own_;  // [question][width]
};

// Scorer has prefetch_actions(keys, count, program), actions(keys, count, sums, program), and the same for labels.
template <class Scorer>
class Scoring {
 public:
  Scoring(const Grammar& grammar, const Scorer& scorer)
      : grammar_(grammar),
        scorer_(scorer),
        actions_(grammar.system.actions(), 1),
        labels_(grammar.labels.size, grammar.system.actions()),
        vectors_(grammar.program, scorer, grammar.system.actions(), grammar.labels.size, grammar.labels_see_vectors()) {
    // Words that return to the buffer make it differ even if B0 is the same.
    shares_ = !grammar.system.has_back();
  }

  // `shared`: sums of this group and later ones are not kept, since no state will need them again.
  void start(const SentenceTokens& tokens, Group shared) {
    tokens_ = tokens;
    shared_ = shares_ ? shared : kBufferGroup;
    forget();
  }
  void forget() {  // after a change of weights
    actions_.forget();
    labels_.forget();
    vectors_.forget();
  }

  // Scores of actions, for any number of states: start, ask for each, fetch, and answer each by its number.
  void start_actions() { actions_.start(); }
  void ask_actions(const Window& window) {
    actions_.ask();
    for (int g = 0; g < kGroups; ++g) {
      const bool shared = g < shared_;
      if (shared && !actions_.see(0, Group(g), Program::sight(Group(g), window))) continue;
      for (std::size_t p = 0; p < grammar_.programs(); ++p) {
        const Program& program = grammar_.program_at(p);
        Key* const keys = actions_.room(program.templates());
        const int count = program.extract(Group(g), window, tokens_, keys);
        scorer_.prefetch_actions(keys, count, p);
        actions_.add_part(count, shared, p);
      }
    }
  }
  void fetch_actions() {
    actions_.fetch([&](const Key* keys, int count, std::int32_t* sums, std::size_t program) {
      scorer_.actions(keys, count, sums, program);
    });
  }
  const std::int32_t* actions(std::size_t question, const Window& window) {
    std::int32_t* const sums = actions_.answer(question);
    if (vectors_.any()) vectors_.add_actions(window, tokens_, sums);
    return sums;
  }

  // The same for labels of the arcs that actions make.
  void start_labels() { labels_.start(); }
  void ask_label(const Window& window, int action) {
    labels_.ask();
    for (int g = 0; g < kGroups; ++g) {
      if (!grammar_.labels_see(Group(g))) continue;
      const bool shared = g < shared_;
      if (shared && !labels_.see(action, Group(g), Program::sight(Group(g), window))) continue;
      for (std::size_t p = 0; p < grammar_.programs(); ++p) {
        const Program& program = grammar_.program_at(p);
        Key* const keys = labels_.room(program.templates());
        const int count = program.extract(Group(g), window, tokens_, keys, grammar_.label_reach());
        for (int i = 0; i < count; ++i) keys[i] = label_key(keys[i], action);
        scorer_.prefetch_labels(keys, count, p);
        labels_.add_part(count, shared, p);
      }
    }
  }
  void fetch_labels() {
    labels_.fetch([&](const Key* keys, int count, std::int32_t* sums, std::size_t program) {
      scorer_.labels(keys, count, sums, program);
    });
  }
  // Scores of all labels, and which of them the arc may have.
  std::pair<const std::int32_t*, const std::vector<std::uint8_t>*> label_sums(std::size_t question,
                                                                              const Window& window, int action,
                                                                              const Arc& arc) {
    std::int32_t* const sums = labels_.answer(question);
    if (vectors_.any()) vectors_.add_labels(window, tokens_, action, sums);
    return {sums, &grammar_.labels.allowed(arc.head == grammar_.system.table().shape.root(tokens_.words))};
  }
  // The best label that the arc may have; none of those that `excluded` flags, if it is not empty.
  std::int32_t label(std::size_t question, const Window& window, int action, const Arc& arc,
                     std::span<const std::uint8_t> excluded = {}) {
    const auto [sums, allowed] = label_sums(question, window, action, arc);
    std::int32_t best = -1;
    for (std::int32_t l = 0; l < grammar_.labels.size; ++l) {
      if ((*allowed)[l] && (excluded.empty() || !excluded[l]) && (best < 0 || sums[l] > sums[best])) best = l;
    }
    return best;
  }

 private:
  const Grammar grammar_;
  const Scorer& scorer_;
  SentenceTokens tokens_{};
  bool shares_;
  int shared_ = 0;
  Questions actions_, labels_;
  VectorScoring<Scorer> vectors_;
};

}  // namespace panparser
