// Alignment of the words of two analyses of one text (CoNLL 2018 shared task).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace panparser {

// The words of one analysis, in order. A word of a multiword token has the token's span.
struct AlignedWords {
  std::span<const std::int64_t> start, end;  // characters, white space left out
  std::span<const std::int32_t> form;        // lower-cased, as a number that is the same in both analyses
  std::span<const std::uint8_t> multiword;   // is it part of a multiword token?

  std::size_t size() const { return start.size(); }
};

// Pairs (gold word, predicted word), in order. Words are aligned if their spans are the same; around multiword
// tokens, by the longest common subsequence of forms within the smallest span that no multiword token sticks out of.
std::vector<std::pair<std::int64_t, std::int64_t>> align(const AlignedWords& gold, const AlignedWords& predicted);

}  // namespace panparser
