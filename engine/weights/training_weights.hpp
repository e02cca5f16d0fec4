// What a perceptron has learned so far, on top of what it began with.
#pragma once

#include <cstdint>
#include <span>

#include "weights/changes.hpp"
#include "weights/model.hpp"
#include "weights/perceptron.hpp"
#include "weights/vectors.hpp"

namespace panparser {

struct TrainingWeights {
  DenseWeights actions_;
  SparseWeights labels_;

  LayeredModel base_;  // what the weights are learned on top of
  std::int32_t unit_;  // what an update adds: 1, or more where parts of it are needed
  VectorWeights vector_actions_, vector_labels_;
  static constexpr bool kLearns = true;

  std::size_t lines_per_feature(std::size_t program) const { return base_.lines_per_feature(program); }
  void prefetch_actions(const Key* keys, int count, std::size_t program, LineIndex* lines) const {
    actions_.prefetch(keys, count);
    base_.prefetch_actions(keys, count, program, lines);
  }
  void prefetch_labels(const Key* keys, int count, std::size_t program, LineIndex* lines) const {
    labels_.prefetch(keys, count);
    base_.prefetch_labels(keys, count, program, lines);
  }
  void actions(const Key* keys, const LineIndex* lines, int count, std::size_t program, std::int32_t* sums) const {
    actions_.add_to(keys, count, sums);
    base_.actions(keys, lines, count, program, sums);
  }
  void labels(const Key* keys, const LineIndex* lines, int count, std::size_t program, std::int32_t* sums) const {
    labels_.add_to(keys, count, sums);
    base_.labels(keys, lines, count, program, sums);
  }
  void apply(const Changes& changes, std::int64_t time) {
    const Key* keys = changes.label_keys.data();
    for (const Changes::OfLabels& change : changes.labels) {
      labels_.shift(keys, change.count, change.from, change.to, unit_, time);
      keys += change.count;
    }
    actions_.apply(changes, time);
    for (const Changes::OfVector& change : changes.vectors) {
      (change.is_of_label ? vector_labels_ : vector_actions_).change(change.row, change.c, change.by, time);
    }
  }
  void vector_actions(std::size_t address, std::int32_t row, std::span<std::int32_t> sums) const {
    vector_actions_.add_to(row, address * sums.size(), sums);
    base_.vector_actions(address, row, sums);
  }
  void vector_labels(std::size_t address, int action, std::int32_t row, std::span<std::int32_t> sums) const {
    const std::size_t first = (address * static_cast<std::size_t>(actions_.classes()) + action) * sums.size();
    vector_labels_.add_to(row, first, sums);
    base_.vector_labels(address, action, row, sums);
  }
};

}  // namespace panparser
