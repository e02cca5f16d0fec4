#include "text/boundaries.hpp"

#include <algorithm>
#include <bit>

#include "base/require.hpp"
#include "text/hashing.hpp"

namespace panparser {

WordClasses::WordClasses(std::span<const std::uint64_t> words, std::span<const std::uint8_t> classes)
    : slots_(std::bit_ceil(2 * words.size() + 2)) {
  require(words.size() == classes.size(), "each word has a class");
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t slot = home(words[i]);
    while (slots_[slot].number != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = {words[i], classes[i]};
  }
}

namespace {

class Walk {
 public:
  Walk(const Layout& layout, const WordClasses& lexicon) : layout_(layout) {
    runs_.reserve(layout.runs.size() + kBefore + kAfter);
    runs_.assign(kBefore, kNoRun);
    for (const Layout::Run& run : layout.runs) {
      // Only the first run has a gap before it: what models have learned.
      const std::int32_t gap = runs_.size() == kBefore ? kBreakGap : kNoGap;
      runs_.push_back({column_number(run.word), run.shape, lexicon.of(run.word), gap});
    }
    runs_.insert(runs_.end(), kAfter, kNoRun);
  }

  Boundary at(std::int64_t place) {
    advance(place);
    Boundary found{};
    found.gap = layout_.follows(place);
    see_runs(place, found);
    see_chunks(place, found);
    see_characters(place, found);
    found.depth = std::clamp(depth_, -1, 2);
    found.quotes = quotes_ % 2;
    return found;
  }

 private:
  struct Seen {  // of a run
    std::int32_t word, shape, known, gap;
  };
  static constexpr Seen kNoRun = {0, -1, -1, kBreakGap};
  static constexpr std::size_t kBefore = 2, kAfter = 3;

  // Moves to the run and the chunk of a place, and counts what was opened since the paragraph began.
  void advance(std::int64_t place) {
    for (; next_ <= place; ++next_) {
      if (layout_.points[next_] == Layout::kBreak) depth_ = quotes_ = 0;
      depth_ += layout_.characters[next_].depth();
      quotes_ += layout_.points[next_] == '"';
    }
    while (layout_.runs[run_].end <= place) ++run_;
    if (!begun_ || layout_.chunks[chunk_].end <= place) {
      begun_ = true;
      while (layout_.chunks[chunk_].end <= place) {
        if (layout_.chunks[chunk_].breaks) paragraph_ = chunk_ + 1;
        ++chunk_;
      }
      if (chunk_ > stop_ || stop_ < 0) {
        stop_ = chunk_;
        while (!layout_.chunks[stop_].breaks) ++stop_;
      }
      hash_chunk();
    }
  }

  // Hashes of all beginnings of the chunk, in lower case.
  void hash_chunk() {
    const Layout::Chunk& chunk = layout_.chunks[chunk_];
    PieceHash hash;
    sums_.assign(1, 0);
    for (std::int64_t i = chunk.start; i < chunk.end; ++i) {
      hash.add(layout_.characters[i].lower());
      sums_.push_back(hash.sum());
    }
    inverse_.reach(sums_.size());
  }
  std::int32_t piece(std::int64_t start, std::int64_t end) const {  // of the chunk
    const std::int64_t first = layout_.chunks[chunk_].start;
    return column_number((sums_[end - first] - sums_[start - first]) * inverse_[start - first]);
  }

  void see_runs(std::int64_t place, Boundary& found) const {
    const bool within = place + 1 < layout_.runs[run_].end;
    const Seen* const b = &runs_[run_ + kBefore];
    const Seen* const f = within ? b : b + 1;
    found.b0 = piece(layout_.runs[run_].start, place + 1);
    found.b1 = b[-1].word, found.b2 = b[-2].word;
    found.f0 = f[0].word, found.f1 = f[1].word, found.f2 = f[2].word;
    found.b0s = b[0].shape, found.b1s = b[-1].shape, found.b2s = b[-2].shape;
    found.f0s = f[0].shape, found.f1s = f[1].shape, found.f2s = f[2].shape;
    found.b0l = b[0].known, found.b1l = b[-1].known, found.f0l = f[0].known, found.f1l = f[1].known;
    found.b0g = b[0].gap, found.b1g = b[-1].gap, found.f1g = f[1].gap, found.f2g = f[2].gap;
  }

  void see_chunks(std::int64_t place, Boundary& found) const {
    const Layout::Chunk* const chunk = &layout_.chunks[chunk_];
    found.left = piece(chunk->start, place + 1);
    found.right = piece(place + 1, chunk->end);
    found.chunk = column_number(chunk->exact);
    found.next = chunk->breaks ? -1 : column_number(chunk[1].lower);
    found.previous = chunk_ == 0 || chunk[-1].breaks ? -1 : column_number(chunk[-1].lower);
    found.traits = chunk->traits;
    found.shape = column_number(chunk->shape);
    found.rest = static_cast<std::int32_t>(std::min<std::int64_t>(stop_ - chunk_, 7));
    found.far = static_cast<std::int32_t>(std::min<std::int64_t>(chunk_ - paragraph_, 7));
  }

  void see_characters(std::int64_t place, Boundary& found) const {
    const auto point = [&](std::int64_t at) {
      return at < 0 || at >= layout_.size() ? 0 : static_cast<std::int32_t>(layout_.points[at]);
    };
    found.c0 = point(place), found.c1 = point(place + 1), found.c2 = point(place + 2);
    found.d1 = point(place - 1), found.d2 = point(place - 2);
  }

  const Layout& layout_;
  std::vector<Seen> runs_;  // with what is beyond the ends
  std::int64_t run_ = 0, chunk_ = 0;
  std::int64_t paragraph_ = 0, stop_ = -1;  // its first chunk, and its last
  bool begun_ = false;
  std::int64_t next_ = 0;  // character to be counted
  int depth_ = 0, quotes_ = 0;
  std::vector<std::uint64_t> sums_;
  InversePowers inverse_;
};

}  // namespace

std::vector<std::int32_t> boundary_table(const Layout& layout, std::span<const std::int64_t> places,
                                         const WordClasses& lexicon) {
  std::vector<std::int32_t> table;
  table.reserve(kBoundaryNames.size() * places.size());
  Walk walk(layout, lexicon);
  std::int64_t last = -1;
  for (const std::int64_t place : places) {
    require(place > last && place < layout.size() && !layout.is_gap(place), "places must rise");
    last = place;
    const auto row = std::bit_cast<std::array<std::int32_t, kBoundaryNames.size()>>(walk.at(last));
    table.insert(table.end(), row.begin(), row.end());
  }
  return table;
}

}  // namespace panparser
