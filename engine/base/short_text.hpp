// Short pieces of text without a call for each: most cells of a treebank have a few bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace panparser {

template <class Word>
inline Word load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
template <class Word>
inline void copy_one(char* to, const char* from) {
  std::memcpy(to, from, sizeof(Word));
}

inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const char *x = a.data(), *y = b.data();
  if (size > 16) return std::memcmp(x, y, size) == 0;
  if (size >= 8) {  // the two words overlap
    return load<std::uint64_t>(x) == load<std::uint64_t>(y) &&
           load<std::uint64_t>(x + size - 8) == load<std::uint64_t>(y + size - 8);
  }
  if (size >= 4) {
    return load<std::uint32_t>(x) == load<std::uint32_t>(y) &&
           load<std::uint32_t>(x + size - 4) == load<std::uint32_t>(y + size - 4);
  }
  return size == 0 || (x[0] == y[0] && x[size / 2] == y[size / 2] && x[size - 1] == y[size - 1]);
}

inline void copy_text(char* to, const char* from, std::size_t size) {
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    const auto last = load<std::uint64_t>(from + size - 8);
    copy_one<std::uint64_t>(to, from);
    std::memcpy(to + size - 8, &last, sizeof last);
  } else if (size >= 4) {
    const auto last = load<std::uint32_t>(from + size - 4);
    copy_one<std::uint32_t>(to, from);
    std::memcpy(to + size - 4, &last, sizeof last);
  } else if (size > 0) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
}

// At most eight bytes as a number: different for different texts of one length.
inline std::uint64_t packed_text(const char* text, std::size_t size) {
  if (size == 8) return load<std::uint64_t>(text);
  if (size >= 4) {
    return load<std::uint32_t>(text) | static_cast<std::uint64_t>(load<std::uint32_t>(text + size - 4)) << 32;
  }
  if (size == 0) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint64_t>(static_cast<unsigned char>(text[at])); };
  return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

}  // namespace panparser
