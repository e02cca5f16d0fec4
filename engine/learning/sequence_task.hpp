// Classifying the items of a sequence, as a task of the learner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "sequences/search.hpp"
#include "weights/class_weights.hpp"

namespace panparser {

struct SequenceExample {
  Sequence sequence;
  std::span<const std::int32_t> right;  // classes; -1 unknown
};

class SequenceTask {
 public:
  using Example = SequenceExample;
  static constexpr bool kHasLabels = false;

  using Weights = ClassWeights;

  // The weights must outlive it.
  SequenceTask(const SequenceProgram& program, const SequenceClasses& classes, std::size_t width, std::int32_t unit,
               const ClassWeights& weights)
      : width_(width), unit_(unit), search_(program, classes, weights) {}

  std::int32_t unit() const { return unit_; }

  Hypothesis start(const Example& example) { return search_.start(example.sequence, width_); }
  bool derive(const Example&, std::vector<std::int32_t>&) const { return false; }  // some classes may be unknown
  void expand(std::span<const Hypothesis> beam, const Example* example, std::vector<Candidate>& out) {
    search_.expand(beam, example ? example->right.data() : nullptr, out, !example);
  }
  void make(std::span<const Hypothesis> parents, std::span<const Candidate> candidates, std::vector<Hypothesis>& out) {
    search_.make(parents, candidates, out);
  }
  void forget() { search_.forget(); }
  void check_steps(std::int64_t, const Example&) const {}  // every step gives a class
  std::int32_t parent(std::int32_t state) const { return search_.parent(state); }
  std::int32_t action(std::int32_t state) const { return search_.action(state); }

  void reward(std::int32_t state, std::int32_t by, Changes& changes) {
    const auto keys = search_.extract(parent(state));
    changes.class_keys.insert(changes.class_keys.end(), keys.begin(), keys.end());
    changes.classes.push_back({static_cast<int>(keys.size()), action(state), by});
  }
  void finish(const Example& example, Progress& progress) { progress.words += example.sequence.length; }

 private:
  std::size_t width_;
  std::int32_t unit_;
  SequenceSearch<ClassWeights> search_;
};

}  // namespace panparser
