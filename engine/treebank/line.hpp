// One line of a CoNLL-U file as its cells.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "treebank/conllu.hpp"

namespace panparser {

inline constexpr int kCells = 10;
// The place of each column of strings in a line.
inline constexpr std::array<int, kColumns> kCellOf = {1, 2, 3, 4, 5, 7, 8, 9};
inline constexpr int kIdCell = 0, kHeadCell = 6;
inline constexpr std::array<const char*, kCells> kNames = {"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                           "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

inline std::string_view without_return(std::string_view line) {
  return !line.empty() && line.back() == '\r' ? line.substr(0, line.size() - 1) : line;
}

struct Cells {
  std::array<std::string_view, kCells> cell;
  int count = 0;

  explicit Cells(std::string_view line) {
    const char* start = line.data();
    const char* at = start;
    const char* const end = start + line.size();
    auto tab = [&](const char* place) {
      if (count < kCells) cell[count] = {start, static_cast<std::size_t>(place - start)};
      ++count;
      start = place + 1;
    };
    // Eight bytes at a time: a byte of `tabs` has its high bit set where the byte of the chunk is a tab.
    for (; std::endian::native == std::endian::little && end - at >= 8; at += 8) {
      std::uint64_t chunk;
      std::memcpy(&chunk, at, 8);
      chunk ^= 0x0909090909090909u;
      constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7Fu;
      std::uint64_t tabs = ~(((chunk & kLow) + kLow) | chunk | kLow);
      for (; tabs; tabs &= tabs - 1) tab(at + (std::countr_zero(tabs) >> 3));
    }
    for (; at != end; ++at) {
      if (*at == '\t') tab(at);
    }
    tab(end);
  }
};

}  // namespace panparser
