// One line of a CoNLL-U file as its cells.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "treebank/conllu.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
  bool plain = true;  // no cell is empty, and there is no space in the line
  std::string_view line;

  Cells() = default;
  explicit Cells(std::string_view whole) { split(whole.data(), whole.data() + whole.size()); }

  // Splits the line that begins here. Where it ends: at a line end, or where the text ends.
  const char* split(const char* const begin, const char* const end) {
    const char* start = begin;
    const char* at = begin;
    count = 0;
    plain = true;
    const auto tab = [&](const char* place) {
      if (count < kCells) cell[count] = {start, static_cast<std::size_t>(place - start)};
      plain &= place != start;
      ++count;
      start = place + 1;
    };
#ifdef __SSE2__  // 16 bytes at a time
    const auto mask = [](__m128i bytes, char wanted) {
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted))));
    };
    for (; end - at >= 16; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const std::uint32_t ends = mask(bytes, '\n');
      const std::uint32_t before = ends ? (ends & -ends) - 1 : ~0u;
      plain &= (mask(bytes, ' ') & before) == 0;
      for (std::uint32_t tabs = mask(bytes, '\t') & before; tabs; tabs &= tabs - 1) tab(at + std::countr_zero(tabs));
      if (ends) {
        at += std::countr_zero(ends);
        break;
      }
    }
#endif
    for (; at != end && *at != '\n'; ++at) {
      plain &= *at != ' ';
      if (*at == '\t') tab(at);
    }
    line = without_return({begin, static_cast<std::size_t>(at - begin)});
    tab(std::max(start, line.data() + line.size()));
    return at;
  }
};

}  // namespace panparser
