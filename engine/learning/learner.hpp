// The learner: decode from a state with a beam until the oracle flags a violation, choose an update pair, update,
// resume. Every training strategy is a choice of parameters (Algorithms 1 to 3 of Aufrant & Wisniewski 2018).
//
// A template over the task to learn: parsing by a table (table_task.hpp), classes of sequences
// (sequence_task.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "learning/strategy.hpp"
#include "search/search.hpp"

namespace panparser {

// A search with its weights.
template <class Task>
concept LearningTask =
    requires(Task task, const Task finished, const typename Task::Example example, std::span<const Hypothesis> beam,
             std::span<const Candidate> candidates, std::vector<Candidate>& followers, std::vector<Hypothesis>& made,
             std::vector<std::int32_t>& derivation, std::int32_t state, std::int32_t by, std::int64_t number,
             Progress& progress) {
      // The initial hypothesis.
      { task.start(example) } -> std::same_as<Hypothesis>;
      // The derivation of a static oracle; false: the search's own best of least cost is taken.
      { task.derive(example, derivation) } -> std::same_as<bool>;
      // Appends the possible next steps; with losses unless the example is null.
      task.expand(beam, &example, followers);
      // Appends the hypotheses of candidates.
      task.make(beam, candidates, made);
      // The weights have changed.
      task.forget();
      { task.parent(state) } -> std::same_as<std::int32_t>;
      { task.action(state) } -> std::same_as<std::int32_t>;
      // Changes the weights of the action that led to a state, at a time.
      task.reward(state, by, number);
      // The size of an update.
      { finished.unit() } -> std::same_as<std::int32_t>;
      // Counts a sentence.
      task.finish(example, progress);
      // Throws Stuck if a derivation with this many steps does not end.
      task.check_steps(number, example);
      task.weights();
      // Does something else learn along correct derivations?
      { Task::kHasLabels } -> std::convertible_to<bool>;
    } &&
    (!Task::kHasLabels || requires(Task task, const typename Task::Example example,
                                   std::span<const std::int32_t> states, std::int64_t time) {
      { task.has_labels() } -> std::same_as<bool>;
      task.learn_labels(example, states, time);
    });

template <LearningTask Task>
class Learner {
 public:
  using Example = typename Task::Example;

  template <class... Parts>
  Learner(int beam, std::uint64_t seed, Parts&&... parts)
      : beam_(static_cast<std::size_t>(beam)), task_(std::forward<Parts>(parts)...), random_(seed) {}

  void train(const Example& example, const Strategy& strategy, const Listener& listener);

  const Progress& progress() const { return progress_; }
  std::int64_t time() const { return time_; }  // sentences seen: the clock of the average
  void set_progress(std::int64_t time, const Progress& progress) {
    time_ = time;
    progress_ = progress;
  }
  Random& random() { return random_; }
  const Random& random() const { return random_; }
  auto& weights() { return task_.weights(); }
  const auto& weights() const { return task_.weights(); }

 private:
  using Beam = std::vector<Hypothesis>;
  struct Pair {
    Hypothesis positive, negative;
  };
  struct Step {
    Beam beam, correct;  // best first; `correct` may be outside the beam
  };

  Beam unit(const Example& example, const Strategy& strategy, Beam start, const Listener& listener, bool& done);
  void advance(const Example& example, const Strategy& strategy, const Step& from, bool fallen, Step& to);
  Pair pair_at(const Step& step, const Strategy& strategy);
  std::size_t choose(const std::vector<Pair>& pairs, const Strategy& strategy);
  Beam go_on(const Step& step, const Pair& pair, const Strategy& strategy);
  void update(const Pair& pair, const Strategy& strategy, const Listener& listener);
  void reward(const std::vector<std::int32_t>& states, std::int32_t sign, double focus);
  void derive(const Example& example, const Hypothesis& start);
  void learn_labels(const Example& example, std::int32_t state)
    requires(Task::kHasLabels);
  bool is_correct(const Hypothesis& hypothesis) const { return hypothesis.loss == base_; }
  // States from the initial one, which is left out; or from where the search last started, if that is one state: what
  // came before, all have.
  std::vector<std::int32_t> path(std::int32_t state, bool since_start = false);
  std::size_t common(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) const;

  std::size_t beam_;
  Task task_;
  Random random_;
  std::int64_t time_ = 0;
  Progress progress_;
  std::int32_t base_ = 0;                 // the loss of correct derivations
  std::vector<std::int32_t> derivation_;  // of the static oracle
  std::vector<Candidate> candidates_, correct_;
  std::vector<Step> steps_;
};

}  // namespace panparser
