#include "weights/class_weights.hpp"

#include <utility>

#include "base/require.hpp"

namespace panparser {

SparseWeights::Rows ClassWeights::rows() const {
  SparseWeights::Rows rows = many_.rows();
  if (!is_few_) return rows;
  DenseWeights::Rows all = few_.rows();
  rows.keys = std::move(all.keys);
  rows.counts.assign(rows.keys.size(), classes_);
  for (std::size_t i = 0; i < all.weights.size(); ++i) {
    rows.labels.push_back(static_cast<std::int32_t>(i % static_cast<std::size_t>(classes_)));
  }
  rows.weights = std::move(all.weights);
  rows.dated = std::move(all.dated);
  return rows;
}

ClassModel::ClassModel(std::int32_t classes, int labels, Model::View view, double action_scale, double label_scale)
    : is_few_(classes <= kFewClasses),
      model_(is_few_ ? classes : 1, labels, view),
      scale_(is_few_ ? action_scale : label_scale) {
  require(labels == (is_few_ ? 0 : classes), "the weights are of other classes");
}

}  // namespace panparser
