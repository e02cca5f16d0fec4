// Hashes of pieces of text that depend on their characters alone: polynomials, so that the hash of a part follows from
// those of two beginnings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace panparser {

inline constexpr std::uint64_t kPieceBase = 0x9E3779B97F4A7C15u;
inline constexpr std::uint64_t kPieceInverse = [] {  // modulo 2^64, by Newton's method
  std::uint64_t inverse = kPieceBase;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kPieceBase * inverse;
  return inverse;
}();
static_assert(kPieceBase * kPieceInverse == 1);

// Of a whole piece, character by character; 0 for an empty one.
class PieceHash {
 public:
  void add(std::uint32_t character) {
    sum_ += (character + std::uint64_t(1)) * power_;
    power_ *= kPieceBase;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0, power_ = 1;
};

// Powers of the inverse, from 0 to the longest beginning.
class InversePowers {
 public:
  void reach(std::size_t longest) {
    while (powers_.size() <= longest) powers_.push_back(powers_.back() * kPieceInverse);
  }
  std::uint64_t operator[](std::size_t length) const { return powers_[length]; }

 private:
  std::vector<std::uint64_t> powers_ = {1};
};

// A hash as a number of a column: the high bits, well mixed, never negative.
inline std::int32_t column_number(std::uint64_t hash) {
  return static_cast<std::int32_t>((hash ^ hash >> 32) * 0xD6E8FEB86659FD93u >> 33);
}

}  // namespace panparser
