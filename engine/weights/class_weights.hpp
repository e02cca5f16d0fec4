// Weights for classes of items, all of one kind: while they are learned, and finished.
//
// Few classes have a weight each in every row; of many, a row has only those that a feature has met. Finished weights
// are stored as those of a parser are: few classes where a parser has its actions, many where it has its labels.
#pragma once

#include <array>
#include <cstdint>

#include "weights/model.hpp"
#include "weights/perceptron.hpp"

namespace panparser {

inline constexpr std::int32_t kFewClasses = 4;

class ClassWeights {
 public:
  explicit ClassWeights(std::int32_t classes)
      : classes_(classes), is_few_(classes <= kFewClasses), few_(is_few_ ? classes : 1) {}

  void prefetch(const Key* keys, int count) const {
    is_few_ ? few_.prefetch(keys, count) : many_.prefetch(keys, count);
  }
  void add_to(const Key* keys, int count, std::int32_t* sums) const {
    is_few_ ? few_.add_to(keys, count, sums) : many_.add_to(keys, count, sums);
  }
  void apply(const Changes& changes, std::int64_t time) {
    is_few_ ? few_.apply(changes, time) : many_.apply(changes, time);
  }

  std::int32_t classes() const { return classes_; }
  int stored_labels() const { return is_few_ ? 0 : classes_; }
  Model::Source source(std::int64_t time) const { return {few_, many_, time}; }
  SparseWeights::Rows rows() const;  // by key, then by class

 private:
  std::int32_t classes_;
  bool is_few_;
  DenseWeights few_;
  SparseWeights many_;
};

class ClassModel {
 public:
  // As they are stored: `labels` and the two scales are those of Model::Arrays. Throws std::invalid_argument unless
  // every number in the arrays is in range. The arrays must outlive it.
  ClassModel(std::int32_t classes, int labels, Model::View view, double action_scale, double label_scale);

  void prefetch(const Key* keys, int count) const {
    std::array<LineIndex, Program::kMaxTemplates> lines;
    is_few_ ? model_.prefetch_actions(keys, count, lines.data()) : model_.prefetch_labels(keys, count, lines.data());
  }
  void add_to(const Key* keys, int count, std::int32_t* sums) const {
    std::array<LineIndex, Program::kMaxTemplates> lines;
    if (is_few_) {
      model_.prefetch_actions(keys, count, lines.data());
      model_.actions(keys, lines.data(), count, sums);
    } else {
      model_.prefetch_labels(keys, count, lines.data());
      model_.labels(keys, lines.data(), count, sums);
    }
  }
  int templates() const { return model_.templates(); }
  double scale() const { return scale_; }  // what one update became

 private:
  bool is_few_;
  Model model_;
  double scale_;
};

}  // namespace panparser
