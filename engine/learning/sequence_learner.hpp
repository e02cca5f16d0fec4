// Classes of items, learned: an averaged perceptron over sequences.
#pragma once

#include <cstdint>
#include <span>

#include "learning/learner.hpp"
#include "learning/sequence_task.hpp"
#include "sequences/items.hpp"

namespace panparser {

class SequenceLearner {
 public:
  struct Options {
    std::int32_t unit = 1;  // size of an update: 1, or more if fractions are needed
    int beam = 1;
    std::uint64_t seed = 1;
  };
  // The program must outlive it. Throws std::invalid_argument if something does not fit.
  SequenceLearner(const SequenceProgram& program, SequenceClasses classes, const Options& options);
  SequenceLearner(const SequenceLearner&) = delete;
  SequenceLearner& operator=(const SequenceLearner&) = delete;

  // Learns from sequences, by number, in their order. `right`: the class of each item, -1 if it is unknown.
  void train(const Items& items, std::span<const std::int32_t> right, std::span<const std::int64_t> order,
             const Strategy& strategy, const Listener& listener = {}, const Sharing& sharing = {});

  int templates() const { return program_.templates(); }
  std::int32_t unit() const { return unit_; }
  const Progress& progress() const { return learner_.progress(); }
  std::int64_t time() const { return learner_.time(); }  // sequences that the average is over
  const ClassWeights& weights() const { return learner_.weights(); }

 private:
  const SequenceProgram& program_;
  SequenceClasses classes_;
  std::int32_t unit_;
  Learner<SequenceTask> learner_;
};

}  // namespace panparser
