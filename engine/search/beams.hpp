// Beams of many sentences that are searched in lockstep, with scores from outside, to learn what is correct from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/batch.hpp"

namespace panparser {

// Each sentence is searched with a beam until no correct derivation is left in it, or all are complete; in the former
// case it may be searched again from the best correct one, while the others go on. All is found in the order of the
// sentences of the batch, whose rows are the states of all beams that are not final. The focus must be fixed.
class Beams {
 public:
  // Starts from the initial states, which must be all that the batch has.
  Beams(Batch& batch, std::size_t width, bool restarts);

  // Chooses what is kept of each beam; `scores`: [row][action]. Steps are taken in some rows, by these actions.
  void choose(std::span<const double> scores);
  std::span<const std::int32_t> rows() const { return rows_; }
  std::span<const std::int32_t> actions() const { return actions_; }
  // Takes these steps; labels may be empty.
  void take(std::span<const std::int32_t> labels);

  // Searches that ended with another derivation on top than the best correct one.
  std::int64_t wrong() const { return wrong_; }

  // Derivations, each from where its search began. A step is an action in one of `states`.
  struct Steps {
    std::vector<std::int32_t> states;                  // the numbers of all that steps are taken in
    std::vector<std::int64_t> places, actions, paths;  // of each step: among the states, the action, the derivation
    std::vector<std::int64_t> searches;                // of each derivation
    std::vector<std::uint8_t> correct;
  };
  // All that ended in a search, the correct ones first, where some were wrong.
  Steps contested() const;
  // The best correct one of each search.
  Steps correct() const;

 private:
  struct Hypothesis {
    std::int32_t state;
    double score;
    std::int32_t violations;
    bool is_correct;
  };
  struct Candidate {
    double score;
    std::int32_t violations;
    std::int32_t source, row, action;  // -1: it is final, and kept
    bool is_correct;
  };
  struct Path {
    std::int32_t first, state, action;  // from one state to another, and an action there, unless it is -1
    std::int32_t search;
    bool is_correct;
  };
  struct Beam {
    std::vector<Hypothesis> kept;  // none: the sentence is done
    std::int32_t first = 0;        // the state that the search began with
  };

  void expand(const Beam& beam, std::size_t& row, std::span<const double> scores);
  void keep(Beam& beam, const Candidate& candidate, double score);
  void learn(const Beam& beam, std::span<const Candidate> correct, std::span<const Candidate> wrong);
  Steps steps(std::span<const Path> paths) const;

  Batch& batch_;
  const std::size_t width_;
  const bool restarts_;
  std::vector<Beam> beams_;
  std::vector<std::int32_t> rows_, actions_, made_;
  std::vector<Candidate> candidates_, correct_, wrong_of_;
  std::vector<Hypothesis> before_;
  std::vector<Path> contested_, best_;
  std::int32_t searches_ = 0;
  std::int64_t wrong_ = 0;
};

}  // namespace panparser
