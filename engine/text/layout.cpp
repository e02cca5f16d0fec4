#include "text/layout.hpp"

#include <algorithm>

#include "base/require.hpp"
#include "text/hashing.hpp"

namespace panparser {

Characters::Characters(std::span<const std::uint32_t> table) : table_(table) {
  require(table.size() == kSize, "the table has one entry for each code point");
}

void check_points(std::span<const std::uint32_t> points) {
  for (const std::uint32_t point : points) require(point < Characters::kSize, "no such code point");
}

Layout::Layout(std::span<const std::uint32_t> text, const Characters& known) {
  check_points(text);
  squeeze(text, known);
  find_runs();
  find_chunks();
}

void Layout::squeeze(std::span<const std::uint32_t> text, const Characters& known) {
  constexpr std::uint32_t kLineFeed = 0x0A, kReturn = 0x0D, kParagraph = 0x2029;
  points.reserve(text.size() + 1);
  origin.reserve(text.size() + 1);
  characters.reserve(text.size() + 1);
  const auto put = [&](std::uint32_t point, std::size_t at) {
    points.push_back(point);
    origin.push_back(static_cast<std::int64_t>(at));
    characters.push_back(known[point]);
  };
  std::size_t i = 0;
  while (i < text.size() && known.is_space(text[i])) ++i;
  while (i < text.size()) {
    for (; i < text.size() && !known.is_space(text[i]); ++i) put(text[i], i);
    const std::size_t begin = i;
    int lines = 0;
    for (; i < text.size() && known.is_space(text[i]); ++i) {
      const bool alone = text[i] == kReturn && (i + 1 == text.size() || text[i + 1] != kLineFeed);
      lines += text[i] == kLineFeed || alone ? 1 : text[i] == kParagraph ? 2 : 0;
    }
    put(lines >= 2 || i == text.size() ? kBreak : kSpace, begin);
  }
}

void Layout::find_runs() {
  const auto group = [&](std::int64_t place) {
    const Kind found = kind(place);
    return is_word_kind(found) ? 0u : found == kDigitKind ? 1u : points[place] + 2;
  };
  for (std::int64_t i = 0; i < size();) {
    if (is_gap(i)) {
      ++i;
      continue;
    }
    Run run{i, i, 0, 0};
    const std::uint32_t own = group(i);
    PieceHash hash;
    do {
      hash.add(characters[i++].lower());
    } while (i < size() && group(i) == own && kind(i) != kIdeographKind);
    run.end = i;
    run.shape = shape(run.start, run.end);
    run.word = hash.sum();
    runs.push_back(run);
  }
}

std::int32_t Layout::shape(std::int64_t start, std::int64_t end) const {
  bool has_upper = false, has_lower = false;
  for (std::int64_t i = start + 1; i < end; ++i) {
    has_upper |= kind(i) == kUpperKind;
    has_lower |= kind(i) == kLowerKind;
  }
  const auto length = static_cast<std::int32_t>(std::min<std::int64_t>(end - start, 5));
  return ((kind(start) * 2 + has_upper) * 2 + has_lower) * 8 + length;
}

void Layout::find_chunks() {
  for (std::int64_t i = 0; i < size(); ++i) {
    Chunk chunk{i, i, 0, 0, 0, 0, false};
    PieceHash exact, lower, kinds;
    for (; !is_gap(i); ++i) {
      const Character character = characters[i];
      exact.add(points[i]);
      lower.add(character.lower());
      kinds.add(character.kind());
      constexpr char kSigns[] = {'@', '/', ':', '.', '_'};
      for (int bit = 0; bit < 5; ++bit) chunk.traits |= (points[i] == std::uint32_t(kSigns[bit])) << bit;
      chunk.traits |= (character.kind() == kDigitKind) << 5 | is_word_kind(character.kind()) << 6;
    }
    chunk.end = i;
    chunk.exact = exact.sum(), chunk.lower = lower.sum(), chunk.shape = kinds.sum();
    chunk.breaks = points[i] == kBreak;
    chunks.push_back(chunk);
  }
}

std::vector<std::int64_t> Layout::places(std::span<const bool> whole) const {
  require(whole.size() == std::size_t(kKinds) * kKinds, "one flag for each pair of kinds");
  const std::vector<std::uint8_t> held = glued(characters);
  std::vector<std::int64_t> found;
  found.reserve(runs.size());
  for (std::int64_t i = 0; i < size(); ++i) {
    if (!is_gap(i) && !held[i] && (follows(i) != kNoGap || !whole[pair(i)])) found.push_back(i);
  }
  return found;
}

std::vector<std::uint8_t> glued(std::span<const Character> characters) {
  std::vector<std::uint8_t> held(characters.size());
  std::size_t flags = 0;  // half flags in a row, up to here
  for (std::size_t i = 0; i + 1 < characters.size(); ++i) {
    const Glue glue = characters[i].glue(), next = characters[i + 1].glue();
    flags = glue == kPaired ? flags + 1 : 0;
    if (characters[i].kind() == kSpaceKind || characters[i + 1].kind() == kSpaceKind) continue;
    const bool in_flag = flags % 2 == 1 && next == kPaired;
    held[i] = next == kToLast || next == kToBoth || glue == kToBoth || in_flag;
  }
  return held;
}

}  // namespace panparser
