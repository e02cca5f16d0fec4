// What is known of characters, by code point. The table comes from outside, which knows Unicode.
#pragma once

#include <cstdint>
#include <span>

namespace panparser {

// Kinds of characters. Letters of scripts that are written without spaces have their own kind.
enum Kind : std::uint8_t {
  kSpaceKind,
  kLowerKind,
  kUpperKind,
  kLetterKind,
  kIdeographKind,
  kMarkKind,
  kDigitKind,
  kNumberKind,
  kPunctuationKind,
  kSymbolKind,
  kOtherKind,
  kKinds
};

inline constexpr bool is_word_kind(Kind kind) {
  return kind == kLowerKind || kind == kUpperKind || kind == kLetterKind || kind == kMarkKind;
}

// How characters hold together: with the one before, with both neighbours, in pairs.
enum Glue : std::uint8_t { kAlone, kToLast, kToBoth, kPaired };

// A character in 32 bits: its lower case, then its kind, its glue, and whether it opens or closes a bracket.
class Character {
 public:
  explicit Character(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t lower() const { return bits_ & 0x1FFFFF; }
  Kind kind() const { return Kind(bits_ >> 21 & 15); }
  Glue glue() const { return Glue(bits_ >> 25 & 3); }
  int depth() const { return static_cast<int>(bits_ >> 27 & 1) - static_cast<int>(bits_ >> 28 & 1); }

 private:
  std::uint32_t bits_;
};

class Characters {
 public:
  static constexpr std::size_t kSize = 0x110000;

  // One entry for each code point. Throws std::invalid_argument if there are fewer.
  explicit Characters(std::span<const std::uint32_t> table);
  Character operator[](std::uint32_t point) const { return Character(table_[point]); }
  bool is_space(std::uint32_t point) const { return (*this)[point].kind() == kSpaceKind; }

 private:
  std::span<const std::uint32_t> table_;
};

// Throws std::invalid_argument unless all are code points.
void check_points(std::span<const std::uint32_t> points);

}  // namespace panparser
