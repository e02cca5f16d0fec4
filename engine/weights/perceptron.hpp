// The averaged perceptron while it learns: integer weights that grow without collisions, averaged exactly.
//
// A weight w that changed by d_i at times t_i has, at time T, the sum over all times T * w - sum(t_i * d_i); so each
// weight keeps that second sum beside it, and nothing else need be touched as time goes by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "features/program.hpp"
#include "weights/changes.hpp"

namespace panparser {

using Score = std::int64_t;

inline double average(std::int32_t weight, std::int64_t dated, std::int64_t time) {
  return time == 0 ? 0 : static_cast<double>(time * weight - dated) / static_cast<double>(time);
}

struct KeyRange {
  Key first = 1, last = ~Key(0);
  bool has(Key key) const { return key >= first && key <= last; }
};

// Rows of a few weights each, by key: one weight for each action.
class DenseWeights {
 public:
  explicit DenseWeights(int classes);

  int classes() const { return classes_; }
  std::int64_t size() const { return size_; }  // rows
  void prefetch(const Key* keys, int count) const {
    for (int i = 0; i < count; ++i) prefetch_line(slots_.data() + slot(keys[i]) * stride_);
  }
  void add_to(const Key* keys, int count, std::int32_t* sums) const;
  // Not more keys at once than a program has templates.
  void change(const Key* keys, int count, int c, std::int32_t by, std::int64_t time);
  void apply(const Changes& changes, std::int64_t time);  // those of classes

  // All rows: keys, weights and dated sums ([row][class]), by key.
  struct Rows {
    std::vector<Key> keys;
    std::vector<std::int32_t> weights;
    std::vector<std::int64_t> dated;
  };
  Rows rows() const;
  void load(const Rows& rows);

  // The slots of the rows, by key, and what is in a slot.
  std::vector<std::uint32_t> order(KeyRange range = {}) const;
  Key key(std::uint32_t at) const { return key_at(slots_.data() + at * stride_); }
  // Averaged up to `time`, times `scale`, rounded.
  void add_averages_to(const Key* keys, int count, std::int64_t time, double scale, std::int32_t* sums) const;
  void prefetch_averages(std::uint32_t at) const {
    prefetch_line(dated_.data() + std::int64_t(slots_[at * stride_ + 2]) * classes_);
  }
  void add_averages(std::uint32_t at, std::int64_t time, float* sums) const {
    const std::int32_t* here = slots_.data() + at * stride_;
    const std::int64_t* dated = dated_.data() + std::int64_t(here[2]) * classes_;
    for (int c = 0; c < classes_; ++c) sums[c] += static_cast<float>(average(here[3 + c], dated[c], time));
  }

 private:
  std::size_t slot(Key key) const { return static_cast<std::size_t>((key >> 32) * capacity_ >> 32); }
  static Key key_at(const std::int32_t* slot) {
    return static_cast<std::uint32_t>(slot[0]) | Key(static_cast<std::uint32_t>(slot[1])) << 32;
  }
  // The slot of a key, or the empty one where it would be.
  std::size_t place(Key key) const {
    for (std::size_t at = slot(key);; at = at + 1 == capacity_ ? 0 : at + 1) {
      const Key found = key_at(slots_.data() + at * stride_);
      if (found == key || found == 0) return at;
    }
  }
  const std::int32_t* find(Key key) const {
    const std::int32_t* const here = slots_.data() + place(key) * stride_;
    return key_at(here) == key ? here + 3 : nullptr;
  }
  std::int32_t* insert(Key key);  // the weights of a row, new if need be
  void grow();

  int classes_;
  std::size_t stride_;  // 32-bit words in a slot: key (two), number of the row, weights
  std::size_t capacity_;
  std::int64_t size_ = 0;
  LargeVector<std::int32_t> slots_;
  LargeVector<std::int64_t> dated_;  // by number of the row
};

// Rows of weights for only those classes that ever changed: labels are many, and a feature meets few of them.
class SparseWeights {
 public:
  SparseWeights();

  std::int64_t size() const { return size_; }
  std::int64_t weights() const { return weights_; }
  void prefetch(const Key* keys, int count) const {
    for (int i = 0; i < count; ++i) prefetch_line(slots_.data() + slot(keys[i]));
  }
  void add_to(const Key* keys, int count, std::int32_t* sums) const;
  void add_averages_to(const Key* keys, int count, std::int64_t time, double scale, std::int32_t* sums) const;
  void change(const Key* keys, int count, int label, std::int32_t by, std::int64_t time);
  void apply(const Changes& changes, std::int64_t time);
  // One label loses what another gains.
  void shift(const Key* keys, int count, int from, int to, std::int32_t by, std::int64_t time);

  struct Rows {
    std::vector<Key> keys;
    std::vector<std::int32_t> counts;  // of entries, by row
    std::vector<std::int32_t> labels, weights;
    std::vector<std::int64_t> dated;
  };
  Rows rows(KeyRange range = {}) const;  // by key, then by label
  void load(const Rows& rows);

 private:
  struct Slot {
    Key key = 0;
    std::uint32_t first = 0;
    std::uint16_t count = 0, room = 0;
  };
  struct Entry {
    std::int32_t label, weight;
  };
  std::size_t slot(Key key) const { return static_cast<std::size_t>((key >> 32) * slots_.size() >> 32); }
  // The slot of a key, or the empty one where it would be.
  std::size_t place(Key key) const {
    std::size_t at = slot(key);
    while (slots_[at].key != key && slots_[at].key != 0) at = at + 1 == slots_.size() ? 0 : at + 1;
    return at;
  }
  const Slot* find(Key key) const {
    const Slot& here = slots_[place(key)];
    return here.key == key ? &here : nullptr;
  }
  Slot& insert(Key key);
  void prefetch_rows(const Key* keys, int count) const;
  void change(Slot& row, int label, std::int32_t by, std::int64_t time);
  std::uint32_t make_room(int room);  // where that many entries fit
  void grow();

  std::int64_t size_ = 0, weights_ = 0;
  LargeVector<Slot> slots_;
  LargeVector<Entry> entries_;
  LargeVector<std::int64_t> dated_;               // by entry
  std::vector<std::vector<std::uint32_t>> free_;  // rooms of 2^i entries that were left for larger ones
};

}  // namespace panparser
