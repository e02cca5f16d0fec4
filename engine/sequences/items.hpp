// Sequences that are prepared for a program, and which classes their items may have.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sequences/search.hpp"
#include "sequences/sequence.hpp"

namespace panparser {

class Items {
 public:
  // As Sequences.
  Items(const SequenceProgram& program, std::vector<std::int64_t> offsets, const TreebankData* data,
        std::span<const NumberColumn> columns)
      : all_(program, std::move(offsets), data, columns) {}

  // From now on items may have only these classes, of `known`. Throws std::invalid_argument on sets that do not fit.
  void allow(ClassSets sets, std::int32_t known) {
    sets.check(all_.items(), known);
    sets_ = std::move(sets);
    known_ = known;
  }
  // Throws std::invalid_argument unless they were prepared for such templates and classes.
  void check(const SequenceProgram& program, const SequenceClasses& classes) const;

  const Sequences& all() const { return all_; }
  std::int64_t size() const { return all_.size(); }
  Sequence operator[](std::int64_t s) const { return {all_, all_.first(s), all_.length(s), sets_}; }

 private:
  Sequences all_;
  ClassSets sets_;
  std::int32_t known_ = 0;  // classes; 0: there are no sets
};

}  // namespace panparser
