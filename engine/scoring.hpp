// Scores of states: sums of the weights of their features. What states of one sentence share is computed once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
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

  // Labels look only at the two words of the arc, what is known of them, and the buffer: more does not help. Where arcs
  // reach down to S2, that is nearly everything.
  bool labels_see(Group group) const {
    if (system.attaches_deepest()) return true;
    if (group == kTripleGroup) return system.attaches_deeper();
    return group != kStackGroup && group != kOtherGroup;
  }
  std::vector<bool> labels_see_vectors() const {  // by address with a vector
    std::vector<bool> seen;
    for (std::size_t i = 0; i < program.vectors().size(); ++i) seen.push_back(labels_see(program.vector_group(i)));
    return seen;
  }
};

inline Key label_key(Key key, int action) {
  return key + (mix(static_cast<Key>(action) + 0x51ED270B) & ~kTemplateMask);  // of the same template
}

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

// Scorer has prefetch_actions(keys, count), actions(keys, count, sums), and the same for labels.
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
    start_parts();
    std::array<const std::int32_t*, kGroups> rows{};
    for (int g = 0; g < kGroups; ++g) {
      if (g >= shared_) {
        add_part(Group(g), window, sums);
        continue;
      }
      const auto [row, is_new] = actions_[g].row(Program::sight(Group(g), window));
      rows[g] = row;
      if (is_new) add_part(Group(g), window, row);
    }
    for (const Part& part : parts()) scorer_.prefetch_actions(part.keys, part.count);
    for (const Part& part : parts()) scorer_.actions(part.keys, part.count, part.sums);
    add_rows(rows, grammar_.system.actions(), sums);
    if (vectors_.any()) vectors_.add_actions(window, tokens_, sums);
  }

  // The best label for the arc that an action makes.
  std::int32_t label(const Window& window, int action, const Arc& arc) {
    const std::int32_t size = grammar_.labels.size;
    std::fill(sums_.begin(), sums_.end(), 0);
    start_parts();
    std::array<const std::int32_t*, kGroups> rows{};
    for (int g = 0; g < kGroups; ++g) {
      if (!grammar_.labels_see(Group(g))) continue;
      if (g >= shared_) {
        add_part(Group(g), window, sums_.data());
        continue;
      }
      const auto [row, is_new] = labels_[action * kOtherGroup + g].row(Program::sight(Group(g), window));
      rows[g] = row;
      if (is_new) add_part(Group(g), window, row);
    }
    for (int t = 0; t < used_; ++t) keys_[t] = label_key(keys_[t], action);
    for (const Part& part : parts()) scorer_.prefetch_labels(part.keys, part.count);
    for (const Part& part : parts()) scorer_.labels(part.keys, part.count, part.sums);
    add_rows(rows, size, sums_.data());
    if (vectors_.any()) vectors_.add_labels(window, tokens_, action, sums_.data());
    const auto& allowed = grammar_.labels.allowed(arc.head == grammar_.system.table().shape.root(tokens_.words));
    std::int32_t best = -1;
    for (std::int32_t l = 0; l < size; ++l) {
      if (allowed[l] && (best < 0 || sums_[l] > sums_[best])) best = l;
    }
    return best;
  }

 private:
  // Features that must be looked up, and where their weights go. All are asked for before the first is needed.
  struct Part {
    const Key* keys;
    int count;
    std::int32_t* sums;
  };
  void start_parts() { used_ = part_count_ = 0; }
  void add_part(Group group, const Window& window, std::int32_t* sums) {
    Key* keys = keys_.data() + used_;
    const int count = grammar_.program.extract(group, window, tokens_, keys);
    used_ += count;
    parts_[part_count_++] = {keys, count, sums};
  }
  std::span<const Part> parts() const { return {parts_.data(), static_cast<std::size_t>(part_count_)}; }
  static void add_rows(const std::array<const std::int32_t*, kGroups>& rows, int width, std::int32_t* sums) {
    for (const std::int32_t* row : rows) {
      for (int i = 0; row && i < width; ++i) sums[i] += row[i];
    }
  }

  const Grammar grammar_;
  const Scorer& scorer_;
  SentenceTokens tokens_{};
  std::array<Part, kGroups> parts_;
  int used_ = 0, part_count_ = 0;  // keys and parts
  bool shares_;
  int shared_ = 0;
  std::vector<Memo> actions_, labels_;  // by group; labels by action and group
  std::vector<std::int32_t> sums_;
  std::vector<Key> keys_;
  VectorScoring<Scorer> vectors_;
};

}  // namespace panparser
