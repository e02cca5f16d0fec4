// How one sentence is learned from, as data; and the updates reported to listeners.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "weights/perceptron.hpp"

namespace panparser {

enum class UpdateAt : std::int32_t { kFirstViolation, kMaxViolation, kLatestViolation, kLongestPrefix, kEnd };
enum class Positive : std::int32_t { kBestScoring, kMostSimilar };
enum class Restart : std::int32_t { kNever, kPair, kRandomCorrect, kBeam, kSample };

struct Strategy {
  bool static_oracle = false;
  UpdateAt update_at = UpdateAt::kFirstViolation;
  Positive positive = Positive::kBestScoring;
  Restart restart = Restart::kNever;  // after an update; kRandomCorrect: like kPair, from any correct state
  double exploration = 0;             // the probability of continuing from the negative state, not the positive one
  double temperature = 1;             // of kSample
  std::int32_t horizon = 0;           // start again after this many actions; 0: never
  double focus = 1;                   // weight of each transition of an update relative to the one before

  void check() const;  // throws std::invalid_argument if a number is out of range
};

struct Update {
  std::vector<std::int32_t> positive, negative;  // actions from the initial state
  Score positive_score = 0, negative_score = 0;  // since the search last started
  std::int32_t started = 0;                      // length of the derivation that the search started from
};
using Listener = std::function<void(const Update&, bool applied)>;  // called before and after each update

}  // namespace panparser
