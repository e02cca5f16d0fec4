#include "treebank/alignment.hpp"

#include <algorithm>

namespace panparser {

namespace {

struct Cursor {
  const AlignedWords& words;
  std::size_t at = 0;

  bool done() const { return at >= words.size(); }
  bool multiword() const { return words.multiword[at] != 0; }
  std::int64_t start() const { return words.start[at]; }
  std::int64_t end() const { return words.end[at]; }

  // Is the next word outside a region that ends at `limit`? A plain word that sticks out of it is outside.
  bool beyond(std::int64_t limit) const { return done() || (multiword() ? start() >= limit : end() > limit); }
  // Takes the next word into the region, which grows with multiword tokens.
  void take(std::int64_t& limit) {
    if (multiword()) limit = std::max(limit, end());
    ++at;
  }
};

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Aligns gold words g0..g1-1 with predicted words p0..p1-1 by the longest common subsequence of their forms.
void align_forms(const AlignedWords& gold, std::size_t g0, std::size_t g1, const AlignedWords& predicted,
                 std::size_t p0, std::size_t p1, Pairs& pairs) {
  const std::size_t rows = g1 - g0;
  const std::size_t columns = p1 - p0;
  std::vector<std::int32_t> longest((rows + 1) * (columns + 1), 0);  // of the rest from (row, column) on
  auto at = [&](std::size_t row, std::size_t column) -> std::int32_t& { return longest[row * (columns + 1) + column]; };
  auto same = [&](std::size_t row, std::size_t column) { return gold.form[g0 + row] == predicted.form[p0 + column]; };
  for (std::size_t row = rows; row-- > 0;) {
    for (std::size_t column = columns; column-- > 0;) {
      const std::int32_t both = same(row, column) ? 1 + at(row + 1, column + 1) : 0;
      at(row, column) = std::max({both, at(row + 1, column), at(row, column + 1)});
    }
  }
  std::size_t row = 0;
  std::size_t column = 0;
  while (row < rows && column < columns) {
    if (same(row, column)) {
      pairs.emplace_back(g0 + row++, p0 + column++);
    } else if (at(row, column) == at(row + 1, column)) {
      ++row;
    } else {
      ++column;
    }
  }
}

}  // namespace

Pairs align(const AlignedWords& gold, const AlignedWords& predicted) {
  Pairs pairs;
  pairs.reserve(std::min(gold.size(), predicted.size()));
  Cursor g{gold};
  Cursor p{predicted};
  while (!g.done() && !p.done()) {
    if (!g.multiword() && !p.multiword()) {
      if (g.start() == p.start() && g.end() == p.end()) {
        pairs.emplace_back(g.at++, p.at++);
      } else {
        ++(g.start() <= p.start() ? g : p).at;
      }
      continue;
    }
    // A plain word that starts before the multiword token on the other side is passed over: one, by definition.
    Cursor& first = g.multiword() ? g : p;
    Cursor& other = g.multiword() ? p : g;
    std::int64_t limit = first.end();
    if (!other.multiword() && other.start() < first.start()) ++other.at;
    const std::size_t g0 = g.at;
    const std::size_t p0 = p.at;
    while (!g.beyond(limit) || !p.beyond(limit)) {
      const bool gold_next = !g.done() && (p.done() || g.start() <= p.start());
      (gold_next ? g : p).take(limit);
    }
    align_forms(gold, g0, g.at, predicted, p0, p.at, pairs);
  }
  return pairs;
}

}  // namespace panparser
