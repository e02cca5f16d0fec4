// Trained weights for classes of items.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sequences/decode.hpp"
#include "sequences/items.hpp"
#include "weights/class_weights.hpp"

namespace panparser {

class SequenceModel {
 public:
  // The program and the arrays of the weights must outlive it. Throws std::invalid_argument on parts that do not fit.
  SequenceModel(const SequenceProgram& program, SequenceClasses classes, const ClassModel& weights);

  // The class of every item, the same for any number of threads: each sequence is decoded by one.
  std::vector<std::int32_t> predict(const Items& items, int beam, int threads) const;
  // Different classes for one sequence, best first, at most `count`. A beam of 0: exhaustive search.
  std::vector<Labeling> best(const Items& items, std::int64_t sequence, int beam, int count) const;
  double scale() const { return weights_.scale(); }  // the size of an update in the scores

 private:
  const SequenceProgram& program_;
  SequenceClasses classes_;
  ClassModel weights_;
};

}  // namespace panparser
