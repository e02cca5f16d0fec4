// A learner: an averaged perceptron, and what changes it, example by example.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "learning/example_learner.hpp"

namespace panparser {

// How examples are shared among threads, which change nothing that is learned.
struct Sharing {
  int threads = 1;
  std::int64_t batch = 1;  // examples that are searched by the same weights, and learned from when all are
};

template <LearningTask Task>
class Learner {
 public:
  using Example = typename Task::Example;
  using Weights = typename Task::Weights;
  using MakeTask = std::function<std::unique_ptr<Task>(const Weights&)>;
  // Calls a function with the example of a number; several threads may at the same time.
  using Examples = std::function<void(std::int64_t, const std::function<void(const Example&)>&)>;

  Learner(int beam, std::uint64_t seed, Weights weights, MakeTask make_task)
      : beam_(static_cast<std::size_t>(beam)),
        weights_(std::move(weights)),
        make_task_(std::move(make_task)),
        random_(seed) {}
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Learns from examples 0, 1, ...
  void train(std::int64_t count, const Examples& examples, const Strategy& strategy, const Listener& listener,
             const Sharing& sharing);

  const Progress& progress() const { return progress_; }
  std::int64_t time() const { return time_; }  // sentences seen: the clock of the average
  void set_progress(std::int64_t time, const Progress& progress) {
    time_ = time;
    progress_ = progress;
  }
  Random& random() { return random_; }
  const Random& random() const { return random_; }
  Weights& weights() { return weights_; }
  const Weights& weights() const { return weights_; }

 private:
  struct Outcome {  // of a search, before it is learned from
    Changes changes{};
    Progress progress{};
    std::exception_ptr failure{};
  };

  void train_in_turn(std::int64_t count, const Examples& examples, const Strategy& strategy, const Listener& listener);
  void train_ahead(std::int64_t count, const Examples& examples, const Strategy& strategy, int threads);
  void train_batches(std::int64_t count, const Examples& examples, const Strategy& strategy, const Sharing& sharing);
  void commit(const Outcome& outcome);
  ExampleLearner<Task>& example_learner(int thread) { return *learners_[static_cast<std::size_t>(thread)]; }

  std::size_t beam_;
  Weights weights_;
  MakeTask make_task_;
  std::vector<std::unique_ptr<ExampleLearner<Task>>> learners_;  // by thread
  Random random_;
  std::int64_t time_ = 0;
  Progress progress_;
  double changing_ = 1;  // about which share of the last examples changed the weights
};

}  // namespace panparser
