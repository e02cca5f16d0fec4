// Learning from one example: decode from a state with a beam until the oracle flags a violation, choose an update pair,
// and find what to change; then go on, as the strategy has it. Every training strategy is a choice of parameters
// (Algorithms 1 to 3 of Aufrant & Wisniewski 2018).
//
// A template over the task to learn: parsing by a table (table_task.hpp), classes of sequences (sequence_task.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "learning/strategy.hpp"
#include "search/search.hpp"
#include "weights/changes.hpp"

namespace panparser {

// A search by the weights of a learner.
template <class Task>
concept LearningTask =
    requires(Task task, const Task finished, const typename Task::Example example, std::span<const Hypothesis> beam,
             std::span<const Candidate> candidates, std::vector<Candidate>& followers, std::vector<Hypothesis>& made,
             std::vector<std::int32_t>& derivation, std::int32_t state, std::int32_t by, std::int64_t number,
             Progress& progress, Changes& changes) {
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
      // Adds a change of the weights of the action that led to a state.
      task.reward(state, by, changes);
      // The size of an update.
      { finished.unit() } -> std::same_as<std::int32_t>;
      // Counts a sentence.
      task.finish(example, progress);
      // Throws Stuck if a derivation with this many steps does not end.
      task.check_steps(number, example);
      // Does something else learn along correct derivations?
      { Task::kHasLabels } -> std::convertible_to<bool>;
    } &&
    (!Task::kHasLabels ||
     requires(Task task, const typename Task::Example example, std::span<const std::int32_t> states, Changes& changes) {
       { task.has_labels() } -> std::same_as<bool>;
       task.learn_labels(example, states, changes);
     });

template <LearningTask Task>
class ExampleLearner {
 public:
  using Example = typename Task::Example;
  using Apply = std::function<void(const Changes&)>;
  using IsVain = std::function<bool()>;

  ExampleLearner(std::size_t beam, std::unique_ptr<Task> task) : beam_(beam), task_(std::move(task)) {}

  // Learns from an example: `apply` is called with what is to be changed, if anything is, after each search. Adds to
  // the progress. Ends early, without changes, once `is_vain` says so.
  void learn(const Example& example, const Strategy& strategy, Random& random, const Listener& listener,
             const Apply& apply, Progress& progress, const IsVain& is_vain = {});

 private:
  using Beam = std::vector<Hypothesis>;
  struct Pair {
    Hypothesis positive, negative;
  };
  struct Step {
    Beam beam, correct;  // best first; `correct` may be outside the beam
  };
  struct Context {  // of an example
    const Example& example;
    const Strategy& strategy;
    Random& random;
    const Listener& listener;
    const Apply& apply;
    Progress& progress;
    const IsVain& is_vain;
  };

  Beam unit(const Context& context, Beam start, bool& done);
  bool search(const Context& context, const Beam& start, std::size_t& first);
  void advance(const Context& context, const Step& from, bool fallen, Step& to);
  Pair pair_at(const Step& step, const Strategy& strategy);
  std::size_t choose(const std::vector<Pair>& pairs, const Strategy& strategy);
  Beam go_on(const Context& context, const Step& step, const Pair& pair);
  void update(const Context& context, const Pair& pair);
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
  std::unique_ptr<Task> task_;
  std::int32_t base_ = 0;                 // the loss of correct derivations
  std::vector<std::int32_t> derivation_;  // of the static oracle
  std::vector<Candidate> candidates_, correct_;
  std::vector<Step> steps_;
  Changes changes_;
};

}  // namespace panparser
