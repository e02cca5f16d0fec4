// Classes for sequences by a trained model: greedy, or with a beam.
#pragma once

#include <cstdint>
#include <vector>

#include "sequences/search.hpp"
#include "weights/class_weights.hpp"

namespace panparser {

struct Labeling {
  std::vector<std::int32_t> classes;
  Score score = 0;
};

// For one thread.
class SequenceDecoder {
 public:
  SequenceDecoder(const SequenceProgram& program, const SequenceClasses& classes, const ClassModel& model)
      : program_(program),
        classes_(classes),
        model_(model),
        search_(program, classes, model),
        now_(program.fixed()),
        next_(program.fixed()),
        given_(program.given()),
        sums_(classes.size()) {}

  // Writes the best classes that a beam finds; a beam of 1 takes a faster path without hypotheses.
  void decode(const Sequence& sequence, int beam, std::int32_t* classes);
  // Different ones, best first: at most `count`. A beam of 0: exhaustive search.
  std::vector<Labeling> best(const Sequence& sequence, int beam, int count);

 private:
  void greedy(const Sequence& sequence, std::int32_t* classes);
  void extract_given(const Sequence& sequence, std::int32_t item, const std::int32_t* classes);
  const std::vector<Hypothesis>& search(const Sequence& sequence, int beam);

  const SequenceProgram& program_;
  const SequenceClasses& classes_;
  const ClassModel& model_;
  SequenceSearch<ClassModel> search_;
  std::vector<Key> now_, next_, given_;
  std::vector<std::int32_t> sums_;
  std::vector<Hypothesis> beam_, made_;
  std::vector<Candidate> candidates_;
};

}  // namespace panparser
