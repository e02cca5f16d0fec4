// Lookups of weights: all lines of memory are prefetched first and read later, so that they are fetched together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hashing.hpp"
#include "weights/lines.hpp"

namespace panparser {

// Numbers by number; cleared all at once.
class Memo {
 public:
  Memo() : slots_(std::size_t(1) << (64 - shift_)) {}
  void forget() {
    ++generation_;
    used_ = 0;
  }
  // Where the value for a number is, and whether it is new.
  std::pair<std::int32_t*, bool> find(std::uint64_t number) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = at(number);
    if (slot.generation == generation_) return {&slot.value, false};
    slot = {number, generation_, 0};
    ++used_;
    return {&slot.value, true};
  }

 private:
  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t generation = 0;
    std::int32_t value = 0;
  };
  Slot& at(std::uint64_t number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = number * kGolden >> shift_;  // the high bits depend on all of a number
    while (slots_[at].generation == generation_ && slots_[at].number != number) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(2 * old.size(), Slot{});
    --shift_;
    for (const Slot& slot : old) {
      if (slot.generation == generation_) at(slot.number) = slot;
    }
  }

  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
  int shift_ = 58;  // by which a hash of 64 bits is that of a slot
  std::vector<Slot> slots_;
};

// Features whose weights are on their way. WeightLookup has lines_per_feature(program), and for one kind of weights,
// actions or labels, Kind::prefetch(weights, keys, count, program, lines) and Kind::add(weights, keys, lines, count,
// program, sums).
template <class WeightLookup, class Kind>
class Pending {
 public:
  explicit Pending(const WeightLookup& weights) : weights_(weights) {}

  void clear() {
    parts_.clear();
    used_keys_ = used_lines_ = 0;
  }
  Key* room(int keys) {  // for features to come, until the next call
    if (keys_.size() < used_keys_ + keys) keys_.resize(2 * (used_keys_ + keys));
    return keys_.data() + used_keys_;
  }
  // Prefetches the weights of the features that were written to the room; their sums go to a row of the owner's.
  void prefetch(int count, std::size_t program, std::size_t row) {
    const std::size_t lines = weights_.lines_per_feature(program) * count;
    if (lines_.size() < used_lines_ + lines) lines_.resize(2 * (used_lines_ + lines));
    Kind::prefetch(weights_, keys_.data() + used_keys_, count, program, lines_.data() + used_lines_);
    parts_.push_back({used_keys_, used_lines_, row, program, count});
    used_keys_ += count;
    used_lines_ += lines;
  }
  // Adds all weights to the rows.
  void read(std::int32_t* rows, std::size_t width) const {
    for (const Part& part : parts_) {
      Kind::add(weights_, keys_.data() + part.first_key, lines_.data() + part.first_line, part.count, part.program,
                rows + part.row * width);
    }
  }

 private:
  struct Part {
    std::size_t first_key, first_line, row, program;
    int count;
  };
  const WeightLookup& weights_;
  std::size_t used_keys_ = 0, used_lines_ = 0;
  std::vector<Key> keys_;
  std::vector<LineIndex> lines_;
  std::vector<Part> parts_;
};

struct ActionWeights {
  template <class WeightLookup>
  static void prefetch(const WeightLookup& weights, const Key* keys, int count, std::size_t program, LineIndex* lines) {
    weights.prefetch_actions(keys, count, program, lines);
  }
  template <class WeightLookup>
  static void add(const WeightLookup& weights, const Key* keys, const LineIndex* lines, int count, std::size_t program,
                  std::int32_t* sums) {
    weights.actions(keys, lines, count, program, sums);
  }
};
struct LabelWeights {
  template <class WeightLookup>
  static void prefetch(const WeightLookup& weights, const Key* keys, int count, std::size_t program, LineIndex* lines) {
    weights.prefetch_labels(keys, count, program, lines);
  }
  template <class WeightLookup>
  static void add(const WeightLookup& weights, const Key* keys, const LineIndex* lines, int count, std::size_t program,
                  std::int32_t* sums) {
    weights.labels(keys, lines, count, program, sums);
  }
};

// Rows of sums, all zero at first; they may move when one is added.
class SumRows {
 public:
  explicit SumRows(std::size_t width) : width_(width) {}
  std::size_t width() const { return width_; }
  std::size_t size() const { return used_; }
  void clear() { used_ = 0; }
  std::size_t add() {  // its number
    if (rows_.size() < (used_ + 1) * width_) rows_.resize(2 * (used_ + 1) * width_);
    std::fill_n(rows_.data() + used_ * width_, width_, 0);
    return used_++;
  }
  std::int32_t* at(std::size_t row) { return rows_.data() + row * width_; }

 private:
  std::size_t width_, used_ = 0;
  std::vector<std::int32_t> rows_;
};

}  // namespace panparser
