#include "learning/sequence_learner.hpp"

#include <stdexcept>
#include <utility>

#include "base/require.hpp"

namespace panparser {

namespace {

const SequenceLearner::Options& checked(const SequenceLearner::Options& options) {
  require(options.beam >= 1, "a beam must hold at least one hypothesis");
  require(options.unit >= 1, "an update must add something");
  return options;
}

}  // namespace

SequenceLearner::SequenceLearner(const SequenceProgram& program, SequenceClasses classes, const Options& options)
    : program_(program),
      classes_(std::move(classes)),
      unit_(checked(options).unit),
      learner_(options.beam, options.seed, program_, classes_, static_cast<std::size_t>(options.beam), unit_) {}

void SequenceLearner::train(const Items& items, std::span<const std::int32_t> right,
                            std::span<const std::int64_t> order, const Strategy& strategy, const Listener& listener) {
  strategy.check();
  items.check(program_, classes_);
  require(right.size() == static_cast<std::size_t>(items.all().items()), "one class for each item");
  for (const std::int32_t c : right) {
    if (c < -1 || c >= classes_.size()) throw std::out_of_range("no such class");
  }
  for (const std::int64_t s : order) {
    if (s < 0 || s >= items.size()) throw std::out_of_range("no such sequence");
  }
  for (const std::int64_t s : order) {
    const Sequence sequence = items[s];
    learner_.train({sequence, right.subspan(sequence.first, sequence.length)}, strategy, listener);
  }
}

}  // namespace panparser
