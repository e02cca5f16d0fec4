// The learner: decode from a state with a beam until the oracle flags a violation, choose an update pair, update, go
// on. Every training strategy is a choice of parameters (Algorithms 1 to 3 of Aufrant & Wisniewski 2018).
//
// A template over the task, what there is to learn: tables (table_task.hpp) and sequences (sequence_task.hpp). A task
// is a search with the weights that it goes by. It has
//   Example                           what is learned from
//   start(example)                    the initial hypothesis
//   derive(example, out)              the derivation of a static oracle; false: the search's own best of least cost
//   expand(beam, example*, out)       what can follow; with an example, losses too
//   make(parents, candidates, out)    the hypotheses that candidates stand for
//   forget()                          the weights have changed
//   parent(state), action(state)
//   reward(state, by, time)           changes the weights of the action that led to a state
//   kHasLabels                        does something else learn along correct derivations? If so, there are
//                                     has_labels() and learn_labels(example, states, time)
//   finish(example, progress)         counts a sentence
//   check_steps(steps, example)       throws Stuck if a derivation does not end
//   weights()                         TrainingWeights
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "search/search.hpp"
#include "weights/training_weights.hpp"

namespace panparser {

// Keep these in step with panparser.strategies.
enum class UpdateAt : std::int32_t { kFirstViolation, kMaxViolation, kLatestViolation, kLongestPrefix, kEnd };
enum class Positive : std::int32_t { kBestScoring, kMostSimilar };
enum class GoOn : std::int32_t { kStop, kPair, kRandomCorrect, kBeam, kSample };

struct Strategy {
  bool static_oracle = false;
  UpdateAt update_at = UpdateAt::kMaxViolation;
  Positive positive = Positive::kBestScoring;
  GoOn go_on = GoOn::kStop;  // after an update; kRandomCorrect: as kPair, with any correct state for the positive one
  double exploration = 0;    // the probability to go on from the negative state rather than the positive one
  double temperature = 1;    // of kSample
  std::int32_t horizon = 0;  // start again after so many actions; 0: never
  double focus = 1;          // weight of a transition against that of the one before it in the update
};

struct Update {                                  // what a listener hears
  std::vector<std::int32_t> positive, negative;  // actions from the initial state
  Score positive_score = 0, negative_score = 0;  // since the search last started
  std::int32_t started = 0;                      // length of the derivation that the search started from
};
using Listener = std::function<void(const Update&, bool applied)>;  // before and after each update

template <class Task>
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
  TrainingWeights& weights() { return task_.weights(); }

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
  std::int32_t base_ = 0;                 // the loss of what counts as correct
  std::vector<std::int32_t> derivation_;  // of the static oracle
  std::vector<Candidate> candidates_, correct_;
  std::vector<Step> steps_;
};

}  // namespace panparser
