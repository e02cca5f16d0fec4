// Weights for parsing: compact, quantised, immutable; the arrays may lie in a file that is mapped into memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features.hpp"
#include "perceptron.hpp"

namespace panparser {

// Open addressing over flat arrays. A tag of 32 bits stands for the rest of a key: of a hundred features that were
// never learned, less than one in a million is taken for another.
class Model {
 public:
  struct Arrays {
    std::vector<std::uint16_t> actions;      // [slot][2 + actions]: tag (low, high), weights
    std::vector<std::uint32_t> label_rows;   // [slot][2]: tag, first entry
    std::vector<std::uint16_t> label_cells;  // [entry][2]: label (highest bit: the last of its row), weight
  };
  struct View {
    std::span<const std::uint16_t> actions;
    std::span<const std::uint32_t> label_rows;
    std::span<const std::uint16_t> label_cells;
  };
  // Throws std::invalid_argument unless every number in the arrays is in range.
  Model(int classes, int labels, View view);

  // Averages `rows` up to `time`, multiplies by `scale`, rounds, and leaves out rows whose weights are all below
  // `least` in size.
  static Arrays compact(int classes, const DenseWeights::Rows& actions, const SparseWeights::Rows& labels,
                        std::int64_t time, double scale, double least);

  int classes() const { return classes_; }
  int labels() const { return labels_; }

  void prefetch_action(Key key) const { __builtin_prefetch(view_.actions.data() + action_slot(key) * stride_); }
  void add_actions(Key key, std::int32_t* sums) const {
    const std::uint16_t low = static_cast<std::uint16_t>(tag(key)), high = static_cast<std::uint16_t>(tag(key) >> 16);
    for (std::size_t at = action_slot(key);; at = at + 1 == action_slots_ ? 0 : at + 1) {
      const std::uint16_t* here = view_.actions.data() + at * stride_;
      if (here[0] == low && here[1] == high) {
        for (int c = 0; c < classes_; ++c) sums[c] += static_cast<std::int16_t>(here[2 + c]);
        return;
      }
      if ((here[0] | here[1]) == 0) return;
    }
  }
  void prefetch_label(Key key) const { __builtin_prefetch(view_.label_rows.data() + label_slot(key) * 2); }
  void add_labels(Key key, std::int32_t* sums) const {
    for (std::size_t at = label_slot(key);; at = at + 1 == label_slots_ ? 0 : at + 1) {
      const std::uint32_t* here = view_.label_rows.data() + at * 2;
      if (here[0] == tag(key)) {
        for (const std::uint16_t* cell = view_.label_cells.data() + std::size_t(here[1]) * 2;; cell += 2) {
          sums[cell[0] & 0x7FFF] += static_cast<std::int16_t>(cell[1]);
          if (cell[0] & 0x8000) return;
        }
      }
      if (here[0] == 0) return;
    }
  }

 private:
  static std::uint32_t tag(Key key) { return static_cast<std::uint32_t>(key) | 1; }  // never 0, which is a free slot
  std::size_t action_slot(Key key) const { return static_cast<std::size_t>((key >> 32) * action_slots_ >> 32); }
  std::size_t label_slot(Key key) const { return static_cast<std::size_t>((key >> 32) * label_slots_ >> 32); }

  int classes_, labels_;
  std::size_t stride_, action_slots_, label_slots_;
  View view_;
};

}  // namespace panparser
