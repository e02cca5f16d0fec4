#include "learning/sequence_learner.hpp"

#include <functional>
#include <memory>
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
      learner_(options.beam, options.seed, ClassWeights(classes_.size()),
               [this, width = static_cast<std::size_t>(options.beam)](const ClassWeights& weights) {
                 return std::make_unique<SequenceTask>(program_, classes_, width, unit_, weights);
               }) {}

void SequenceLearner::train(const Items& items, std::span<const std::int32_t> right,
                            std::span<const std::int64_t> order, const Strategy& strategy, const Listener& listener,
                            const Sharing& sharing) {
  strategy.check();
  require(sharing.threads >= 1 && sharing.batch >= 1, "expected at least one thread, and one sequence in a batch");
  require(sharing.batch == 1 || !listener, "no listener hears of the updates of a batch");
  items.check(program_, classes_);
  require(right.size() == static_cast<std::size_t>(items.all().items()), "one class for each item");
  for (const std::int32_t c : right) {
    if (c < -1 || c >= classes_.size()) throw std::out_of_range("no such class");
  }
  for (const std::int64_t s : order) {
    if (s < 0 || s >= items.size()) throw std::out_of_range("no such sequence");
  }
  const auto examples = [&](std::int64_t i, const std::function<void(const SequenceExample&)>& see) {
    const Sequence sequence = items[order[i]];
    see({sequence, right.subspan(sequence.first, sequence.length)});
  };
  learner_.train(static_cast<std::int64_t>(order.size()), examples, strategy, listener, sharing);
}

}  // namespace panparser
