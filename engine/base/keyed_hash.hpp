// Hash with a random key for each process, for tables of the strings and numbers in files: no file can be made whose
// strings all collide. (The hash of features is the same everywhere: see hashing.hpp.)
#pragma once

#include <cstdint>
#include <random>

namespace panparser {

struct HashKey {
  std::uint64_t mask, factor;  // the factor is odd
};

inline const HashKey kHashKey = [] {  // drawn when the engine is loaded
  std::random_device device;
  const auto drawn = [&] { return std::uint64_t(device()) << 32 | device(); };
  return HashKey{drawn(), drawn() | 1};
}();

// Both halves of the product of two numbers.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  constexpr std::uint64_t kLow = 0xFFFFFFFFu;
  const std::uint64_t low = (a & kLow) * (b & kLow), left = (a >> 32) * (b & kLow), right = (a & kLow) * (b >> 32);
  const std::uint64_t middle = (low >> 32) + (left & kLow) + (right & kLow);
  return a * b ^ ((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32));
#endif
}

inline std::uint64_t keyed_hash(std::uint64_t number) {
  return folded_product(number ^ kHashKey.mask, kHashKey.factor);
}

}  // namespace panparser
