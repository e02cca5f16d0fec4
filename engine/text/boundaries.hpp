// What is seen of the places where a token may end, as columns of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/layout.hpp"

namespace panparser {

// Of one place. b0 is the run up to the place, b1 and b2 those before it; f0, f1 and f2 follow. Of each there are its
// shape (s), its class in the lexicon (l) and the gap before it (g).
struct Boundary {
  std::int32_t gap, b0, b1, b2, f0, f1, f2, b0s, b1s, b2s, f0s, f1s, f2s, b0l, b1l, f0l, f1l, b1g, b0g, f1g, f2g;
  std::int32_t left, right, next, previous, chunk;  // parts of the chunk around it, its neighbours, all of it
  std::int32_t c0, c1, c2, d1, d2;                  // characters: at the place and after it, before it
  std::int32_t depth, quotes, rest, far;  // open brackets and quotes; chunks to the end, and from the start, of the
                                          // paragraph
  std::int32_t traits, shape;             // of the chunk
};
inline constexpr std::array<std::string_view, 37> kBoundaryNames = {
    "gap", "b0",  "b1",  "b2",  "f0",  "f1",    "f2",     "b0s",  "b1s",  "b2s",    "f0s",  "f1s",      "f2s",
    "b0l", "b1l", "f0l", "f1l", "b1g", "b0g",   "f1g",    "f2g",  "left", "right",  "next", "previous", "chunk",
    "c0",  "c1",  "c2",  "d1",  "d2",  "depth", "quotes", "rest", "far",  "traits", "shape"};
static_assert(sizeof(Boundary) == kBoundaryNames.size() * sizeof(std::int32_t));

// How words were used in a training text: a class for the hash of each word.
class WordClasses {
 public:
  // Words must differ. Throws std::invalid_argument unless each has a class.
  WordClasses(std::span<const std::uint64_t> words, std::span<const std::uint8_t> classes);
  std::int32_t of(std::uint64_t word) const {  // 0: unknown
    std::size_t slot = home(word);
    while (slots_[slot].number != 0 && slots_[slot].word != word) slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot].number;
  }

 private:
  struct Slot {
    std::uint64_t word = 0;
    std::int32_t number = 0;
  };
  std::size_t home(std::uint64_t word) const { return (word * 0xD6E8FEB86659FD93u >> 32) & (slots_.size() - 1); }
  std::vector<Slot> slots_;
};

// Of each place, one after the other; they must rise: [place][name].
std::vector<std::int32_t> boundary_table(const Layout& layout, std::span<const std::int64_t> places,
                                         const WordClasses& lexicon);

}  // namespace panparser
