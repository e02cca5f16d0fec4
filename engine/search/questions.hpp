// Sums of weights that are asked for first and read later, so that all memory they need is on its way together.
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

// Features whose weights are on their way. Scorer has spots(program), and for one kind of weights, actions or labels,
// Kind::seek(scorer, keys, count, program, spots) and Kind::add(scorer, keys, spots, count, program, sums).
template <class Scorer, class Kind>
class Pending {
 public:
  explicit Pending(const Scorer& scorer) : scorer_(scorer) {}

  void clear() {
    parts_.clear();
    used_keys_ = used_spots_ = 0;
  }
  Key* room(int keys) {  // for features to come, until the next call
    if (keys_.size() < used_keys_ + keys) keys_.resize(2 * (used_keys_ + keys));
    return keys_.data() + used_keys_;
  }
  // Asks for the weights of the features that were written to the room; their sums go to a row of the owner's.
  void seek(int count, std::size_t program, std::size_t row) {
    const std::size_t spots = scorer_.spots(program) * count;
    if (spots_.size() < used_spots_ + spots) spots_.resize(2 * (used_spots_ + spots));
    Kind::seek(scorer_, keys_.data() + used_keys_, count, program, spots_.data() + used_spots_);
    parts_.push_back({used_keys_, used_spots_, row, program, count});
    used_keys_ += count;
    used_spots_ += spots;
  }
  // Adds all weights to the rows.
  void read(std::int32_t* rows, std::size_t width) const {
    for (const Part& part : parts_) {
      Kind::add(scorer_, keys_.data() + part.first_key, spots_.data() + part.first_spot, part.count, part.program,
                rows + part.row * width);
    }
  }

 private:
  struct Part {
    std::size_t first_key, first_spot, row, program;
    int count;
  };
  const Scorer& scorer_;
  std::size_t used_keys_ = 0, used_spots_ = 0;
  std::vector<Key> keys_;
  std::vector<Spot> spots_;
  std::vector<Part> parts_;
};

struct ActionWeights {
  template <class Scorer>
  static void seek(const Scorer& scorer, const Key* keys, int count, std::size_t program, Spot* spots) {
    scorer.seek_actions(keys, count, program, spots);
  }
  template <class Scorer>
  static void add(const Scorer& scorer, const Key* keys, const Spot* spots, int count, std::size_t program,
                  std::int32_t* sums) {
    scorer.actions(keys, spots, count, program, sums);
  }
};
struct LabelWeights {
  template <class Scorer>
  static void seek(const Scorer& scorer, const Key* keys, int count, std::size_t program, Spot* spots) {
    scorer.seek_labels(keys, count, program, spots);
  }
  template <class Scorer>
  static void add(const Scorer& scorer, const Key* keys, const Spot* spots, int count, std::size_t program,
                  std::int32_t* sums) {
    scorer.labels(keys, spots, count, program, sums);
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
