// Scores of states: sums of the weights of their features. What states of one sentence share is computed once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "features.hpp"
#include "system.hpp"
#include "vector_scoring.hpp"

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

  // Labels look only at the two words of the arc, what is known of them, and the buffer: more does not help.
  bool labels_see(Group group) const {
    if (group == kTripleGroup) return system.attaches_deeper();
    return group != kStackGroup && group != kOtherGroup;
  }
  std::vector<bool> labels_see_vectors() const {  // by address with a vector
    std::vector<bool> seen;
    for (std::size_t i = 0; i < program.vectors().size(); ++i) seen.push_back(labels_see(program.vector_group(i)));
    return seen;
  }
};

inline Key label_key(Key key, int action) { return key + mix(static_cast<Key>(action) + 0x51ED270B); }

// Rows of sums, by a number; forgotten all at once.
class Memo {
 public:
  explicit Memo(std::size_t width) : width_(width), slots_(64) {}
  void forget() {
    ++generation_;
    used_ = 0;
  }
  // The row for a number, and whether it is new and all zero.
  std::pair<std::int32_t*, bool> row(std::uint64_t number) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = find(number);
    if (slot.generation == generation_) return {rows_.data() + slot.row * width_, false};
    slot = {number, generation_, static_cast<std::uint32_t>(used_++)};
    if (rows_.size() < used_ * width_) rows_.resize(std::max(2 * rows_.size(), 64 * width_));
    std::int32_t* row = rows_.data() + slot.row * width_;
    std::fill_n(row, width_, 0);
    return {row, true};
  }

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

// Scorer has actions(keys, count, sums) and labels(keys, count, sums).
template <class Scorer>
class Scoring {
 public:
  Scoring(const Grammar& grammar, const Scorer& scorer)
      : grammar_(grammar),
        scorer_(scorer),
        sums_(grammar.labels.size),
        keys_(grammar.program.templates()),
        vectors_(grammar.program, scorer, grammar.system.actions(), grammar.labels.size, grammar.labels_see_vectors()) {
    for (int group = 0; group < kOtherGroup; ++group) actions_.emplace_back(grammar.system.actions());
    for (int i = 0; i < grammar.system.actions() * kOtherGroup; ++i) labels_.emplace_back(grammar.labels.size);
    // Words that come back to the buffer make it differ where B0 is the same.
    shares_ = !grammar.system.has_back();
  }

  // `shared`: groups beyond it are not looked up, since no state will ask again.
  void start(const SentenceTokens& tokens, Group shared) {
    tokens_ = tokens;
    shared_ = shares_ ? shared : kBufferGroup;
    forget();
  }
  void forget() {  // after a change of weights
    for (Memo& memo : actions_) memo.forget();
    for (Memo& memo : labels_) memo.forget();
    vectors_.forget();
  }

  void actions(const Window& window, std::int32_t* sums) {
    const int classes = grammar_.system.actions();
    for (int g = 0; g < kGroups; ++g) {
      if (g >= shared_) {
        add_actions(Group(g), window, sums);
        continue;
      }
      const auto [row, is_new] = actions_[g].row(Program::sight(Group(g), window));
      if (is_new) add_actions(Group(g), window, row);
      for (int c = 0; c < classes; ++c) sums[c] += row[c];
    }
    if (vectors_.any()) vectors_.add_actions(window, tokens_, sums);
  }

  // The best label for the arc that an action makes.
  std::int32_t label(const Window& window, int action, const Arc& arc) {
    const std::int32_t size = grammar_.labels.size;
    std::fill(sums_.begin(), sums_.end(), 0);
    for (int g = 0; g < kGroups; ++g) {
      if (!grammar_.labels_see(Group(g))) continue;
      if (g >= shared_) {
        add_labels(Group(g), window, action, sums_.data());
        continue;
      }
      const auto [row, is_new] = labels_[action * kOtherGroup + g].row(Program::sight(Group(g), window));
      if (is_new) add_labels(Group(g), window, action, row);
      for (std::int32_t l = 0; l < size; ++l) sums_[l] += row[l];
    }
    if (vectors_.any()) vectors_.add_labels(window, tokens_, action, sums_.data());
    const auto& allowed = grammar_.labels.allowed(arc.head == grammar_.system.table().shape.root(tokens_.words));
    std::int32_t best = -1;
    for (std::int32_t l = 0; l < size; ++l) {
      if (allowed[l] && (best < 0 || sums_[l] > sums_[best])) best = l;
    }
    return best;
  }

 private:
  void add_actions(Group group, const Window& window, std::int32_t* sums) {
    scorer_.actions(keys_.data(), grammar_.program.extract(group, window, tokens_, keys_.data()), sums);
  }
  void add_labels(Group group, const Window& window, int action, std::int32_t* sums) {
    const int count = grammar_.program.extract(group, window, tokens_, keys_.data());
    for (int t = 0; t < count; ++t) keys_[t] = label_key(keys_[t], action);
    scorer_.labels(keys_.data(), count, sums);
  }

  const Grammar grammar_;
  const Scorer& scorer_;
  SentenceTokens tokens_{};
  bool shares_;
  int shared_ = 0;
  std::vector<Memo> actions_, labels_;  // by group; labels by action and group
  std::vector<std::int32_t> sums_;
  std::vector<Key> keys_;
  VectorScoring<Scorer> vectors_;
};

}  // namespace panparser
