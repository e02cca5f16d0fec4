// A text as its boundaries are seen: white space squeezed, characters in runs and chunks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/characters.hpp"

namespace panparser {

enum Gap : std::uint8_t { kNoGap, kSpaceGap, kBreakGap };  // a break: white space with a blank line in it, or the end

// A text with each run of white space as one character, none at its start, and one break at its end.
class Layout {
 public:
  static constexpr std::uint32_t kSpace = 32, kBreak = 10;  // stand for white space, and for a break

  // Throws std::invalid_argument on a number that is no code point.
  Layout(std::span<const std::uint32_t> text, const Characters& characters);

  // Letters, digits, or one sign repeated any number of times; without white space.
  struct Run {
    std::int64_t start, end;
    std::int32_t shape;  // kind of the first character, upper and lower case after it, length
    std::uint64_t word;  // hash of the lower-cased run
  };
  struct Chunk {  // the text between white space
    std::int64_t start, end;
    std::int32_t traits;                // which characters typical of addresses, numbers and words are in it, as bits
    std::uint64_t exact, lower, shape;  // hashes of the text, in lower case, and of the kinds of its characters
    bool breaks;                        // a break follows it
  };

  std::int64_t size() const { return static_cast<std::int64_t>(points.size()); }
  bool is_gap(std::int64_t place) const { return points[place] == kSpace || points[place] == kBreak; }
  Gap follows(std::int64_t place) const {  // what follows a character
    if (place + 1 == size()) return kBreakGap;
    const std::uint32_t next = points[place + 1];
    return next == kSpace ? kSpaceGap : next == kBreak ? kBreakGap : kNoGap;
  }
  Kind kind(std::int64_t place) const { return characters[place].kind(); }
  // The kinds of a character and of the next, as one number.
  int pair(std::int64_t place) const {
    return kind(place) * kKinds + (place + 1 < size() ? kind(place + 1) : kSpaceKind);
  }
  // Where a token may end: not within white space, nor within what readers see as one character, nor in a pair of kinds
  // that is always whole.
  std::vector<std::int64_t> places(std::span<const bool> whole) const;

  std::vector<std::uint32_t> points;
  std::vector<std::int64_t> origin;  // where each character stands in the text
  std::vector<Character> characters;
  std::vector<Run> runs;
  std::vector<Chunk> chunks;

 private:
  void squeeze(std::span<const std::uint32_t> text, const Characters& known);
  void find_runs();
  void find_chunks();
  std::int32_t shape(std::int64_t start, std::int64_t end) const;
};

// After which characters a token must not end: before combining marks, around joiners, within flags.
std::vector<std::uint8_t> glued(std::span<const Character> characters);

}  // namespace panparser
