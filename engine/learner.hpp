// The learner: decode from a state with a beam until the oracle flags a violation, choose an update pair, update, go
// on. Every training strategy is a choice of parameters (Algorithms 1 to 3 of Aufrant & Wisniewski 2018).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model.hpp"
#include "random.hpp"
#include "search.hpp"

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

struct TrainingWeights {
  DenseWeights actions_;
  SparseWeights labels_;

  LayeredModel base_;  // what the weights are learned on top of
  std::int32_t unit_;  // what an update adds: 1, or more where parts of it are needed
  VectorWeights vector_actions_, vector_labels_;
  static constexpr bool kLearns = true;

  void prefetch_actions(const Key* keys, int count, std::size_t program) const {
    actions_.prefetch(keys, count);
    base_.prefetch_actions(keys, count, program);
  }
  void prefetch_labels(const Key* keys, int count, std::size_t program) const {
    labels_.prefetch(keys, count);
    base_.prefetch_labels(keys, count, program);
  }
  void actions(const Key* keys, int count, std::int32_t* sums, std::size_t program) const {
    actions_.add_to(keys, count, sums);
    base_.actions(keys, count, sums, program);
  }
  void labels(const Key* keys, int count, std::int32_t* sums, std::size_t program) const {
    labels_.add_to(keys, count, sums);
    base_.labels(keys, count, sums, program);
  }
  void vector_actions(std::size_t address, std::int32_t row, std::span<std::int32_t> sums) const {
    vector_actions_.add_to(row, address * sums.size(), sums);
    base_.vector_actions(address, row, sums);
  }
  void vector_labels(std::size_t address, int action, std::int32_t row, std::span<std::int32_t> sums) const {
    const std::size_t first = (address * static_cast<std::size_t>(actions_.classes()) + action) * sums.size();
    vector_labels_.add_to(row, first, sums);
    base_.vector_labels(address, action, row, sums);
  }
};

struct Example {
  SentenceTokens tokens;
  const Reference& reference;
  std::span<const std::int32_t> labels;    // of words 1..n; -1 unknown
  const Constraint* constraint = nullptr;  // that the search keeps to
};

struct Progress {  // of some training
  std::int64_t sentences = 0, words = 0, updates = 0, transitions = 0;
  std::int64_t valued = 0, approximated = 0;  // as in System::Scratch
};

struct Update {                                  // what a listener hears
  std::vector<std::int32_t> positive, negative;  // actions from the initial state
  Score positive_score = 0, negative_score = 0;  // since the search last started
  std::int32_t started = 0;                      // length of the derivation that the search started from
};
using Listener = std::function<void(const Update&, bool applied)>;  // before and after each update

class Learner {
 public:
  Learner(const Grammar& grammar, LayeredModel base, std::int32_t unit, int beam, std::span<const std::int32_t> ties,
          std::uint64_t seed, const Vectors& vectors);

  void train(const Example& example, const Strategy& strategy, const Listener& listener);

  const Progress& progress() const { return progress_; }
  std::int64_t time() const { return time_; }  // sentences seen: the clock of the average
  void set_progress(std::int64_t time, const Progress& progress) {
    time_ = time;
    progress_ = progress;
  }
  Random& random() { return random_; }
  TrainingWeights& weights() { return weights_; }

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
  void update_labels(const Example& example, std::int32_t state);
  void change_vectors(std::int32_t state, int action, std::int32_t by);
  void change_vectors(std::int32_t state, int action, std::int32_t label, std::int32_t by);
  void prepare_static(const Example& example, const Hypothesis& start);
  void complete_static(const Example& example, const Hypothesis& start);
  bool is_correct(const Hypothesis& hypothesis) const { return hypothesis.loss == base_; }
  std::vector<std::int32_t> path(std::int32_t state) const;  // states from the initial one, which is left out
  std::size_t common(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) const;

  Grammar grammar_;
  std::vector<bool> labels_see_;  // by address with a vector
  std::size_t beam_;
  std::vector<std::int32_t> ties_;
  TrainingWeights weights_;
  mutable Search<TrainingWeights> search_;
  Random random_;
  std::int64_t time_ = 0;
  Progress progress_;
  std::int32_t base_ = 0;                 // the loss of what counts as correct
  std::vector<std::int32_t> derivation_;  // of the static oracle
  std::vector<Candidate> candidates_, correct_;
  std::vector<Key> keys_;
  std::vector<Step> steps_;
};

}  // namespace panparser
