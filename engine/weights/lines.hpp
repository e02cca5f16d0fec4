// Rows of a few bytes by feature, in lines of 64 bytes, as a cache has them: the tags of as many features as fit, and
// their rows. Each template has lines of its own, so that those of few and frequent features stay in the caches. A tag
// of 16 bits stands for a key: of features that were never learned, one in some ten thousand is taken for another. A
// feature has one line where it belongs; if that is full, those that matter least are left out, one in some thirty. (In
// older models they moved on to the next line, and a byte at the end tells of which of eight kinds they were.)
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "features/program.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace panparser {

inline std::uint16_t read16(const std::uint8_t* from) { return static_cast<std::uint16_t>(from[0] | from[1] << 8); }
inline void write16(std::uint8_t* to, std::uint16_t value) {
  to[0] = static_cast<std::uint8_t>(value);
  to[1] = static_cast<std::uint8_t>(value >> 8);
}
inline std::uint32_t read32(const std::uint8_t* from) {
  return static_cast<std::uint32_t>(read16(from)) | static_cast<std::uint32_t>(read16(from + 2)) << 16;
}
inline void write32(std::uint8_t* to, std::uint32_t value) {
  write16(to, static_cast<std::uint16_t>(value));
  write16(to + 2, static_cast<std::uint16_t>(value >> 16));
}

// How a line is divided.
struct LineShape {
  static constexpr std::size_t kLine = 64, kTag = 2, kMoved = kLine - 1;
  static constexpr std::size_t slots_for(std::size_t width) { return kMoved / (kTag + width); }

  std::size_t width;  // of a row
  std::size_t slots = slots_for(width);

  static std::uint16_t tag(Key key) {  // 0 is a free slot
    const auto bits = static_cast<std::uint16_t>(key >> kTemplateBits);
    return bits ? bits : 1;
  }
  static std::uint8_t kind(Key key) { return static_cast<std::uint8_t>(1 << (key >> (kTemplateBits + 16) & 7)); }
  constexpr std::size_t row(std::size_t slot) const { return slots * kTag + slot * width; }

  // The slot of a line that has a tag, or `slots`; at most 16.
  std::size_t find(const std::uint8_t* line, std::uint16_t wanted) const {
#ifdef __SSE2__  // all tags at once; bytes after the last are masked out
    const __m128i tags = _mm_set1_epi16(static_cast<short>(wanted));
    const __m128i low = _mm_cmpeq_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(line)), tags);
    const __m128i high = _mm_cmpeq_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(line + 16)), tags);
    const auto same = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    return static_cast<std::size_t>(std::countr_zero(same | 1u << slots));
#else
    std::size_t slot = slots;
    for (std::size_t i = slots; i-- > 0;) slot = read16(line + i * kTag) == wanted ? i : slot;
    return slot;
#endif
  }
};

// The lines of one template.
struct LineRange {
  std::uint32_t first, size;
  std::uint32_t home(Key key) const { return first + static_cast<std::uint32_t>((key >> 32) * size >> 32); }
  std::size_t next(std::size_t line) const { return line + 1 == first + size ? first : line + 1; }
};

using LineIndex = std::uint32_t;  // the line where a feature belongs

// Lines to read; they may lie in a file that is mapped into memory.
class Lines {
 public:
  // `firsts`: the first line of each template, and the end. Throws std::invalid_argument if they do not fit the bytes.
  Lines(std::size_t width, std::span<const std::uint32_t> firsts, std::span<const std::uint8_t> bytes);

  int templates() const { return static_cast<int>(ranges_.size()); }

  // Asks for the lines where features belong, and tells which they are.
  void prefetch(const Key* keys, int count, LineIndex* lines) const {
    for (int i = 0; i < count; ++i) {
      lines[i] = ranges_[template_of(keys[i])].home(keys[i]);
      prefetch_line(at(lines[i]));
    }
  }

  // Calls see(row, known) for each feature; the row of an unknown one is all zero. Nothing here depends on what a line
  // holds: so the processor has many lines under way.
  template <std::size_t kWidth, class See>
  void each(const Key* keys, const LineIndex* lines, int count, const See& see) const {
    constexpr LineShape shape{kWidth};
    static_assert(shape.row(shape.slots) + kWidth <= LineShape::kLine);  // no row ends there: what follows is zero
    if (moves_) return each_that_moved<kWidth>(keys, lines, count, see);
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* const line = at(lines[i]);
      const std::size_t slot = shape.find(line, LineShape::tag(keys[i]));
      see(line + shape.row(slot), slot != shape.slots);
    }
  }
  // The same for rows of any width; unknown ones are left out.
  template <class See>
  void each_known(const Key* keys, const LineIndex* lines, int count, const See& see) const {
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* const line = at(lines[i]);
      const std::size_t slot = shape_.find(line, LineShape::tag(keys[i]));
      if (slot != shape_.slots) {
        see(line + shape_.row(slot));
      } else if (moves_ && line[LineShape::kMoved] & LineShape::kind(keys[i])) {
        if (const std::uint8_t* row = find_further(keys[i])) see(row);
      }
    }
  }
  // All rows, whatever their keys.
  template <class See>
  void each_row(const See& see) const {
    for (std::size_t line = 0; line < bytes_.size() / LineShape::kLine; ++line) {
      for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
        if (read16(at(line) + slot * LineShape::kTag)) see(at(line) + shape_.row(slot));
      }
    }
  }

 private:
  const std::uint8_t* at(std::size_t line) const { return bytes_.data() + line * LineShape::kLine; }
  // Where features moved on, some come twice, known at most once.
  template <std::size_t kWidth, class See>
  void each_that_moved(const Key* keys, const LineIndex* lines, int count, const See& see) const {
    constexpr std::array<std::uint8_t, kWidth> kZero{};
    constexpr LineShape shape{kWidth};
    std::array<std::uint16_t, Program::kMaxTemplates> moved;
    int movers = 0;
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* const line = at(lines[i]);
      const std::size_t slot = shape.find(line, LineShape::tag(keys[i]));
      const bool known = slot != shape.slots;
      see(known ? line + shape.row(slot) : kZero.data(), known);
      moved[movers] = static_cast<std::uint16_t>(i);
      movers += !known & ((line[LineShape::kMoved] & LineShape::kind(keys[i])) != 0);
    }
    for (int i = 0; i < movers; ++i) {
      if (const std::uint8_t* row = find_further(keys[moved[i]])) see(row, true);
    }
  }
  const std::uint8_t* find_further(Key key) const;  // than in the line where it belongs; null if it is nowhere

  LineShape shape_;
  std::vector<LineRange> ranges_;  // by template
  std::span<const std::uint8_t> bytes_;
  bool moves_ = false;  // did any feature move on?
};

// Lines to fill.
class LineWriter {
 public:
  struct Feature {
    Key key;
    std::int32_t weight;  // how much it matters
  };
  // `load`: percent of the slots that are to be used. Where a line is full, the features that matter least are left
  // out; tables of few features are as large as it takes to have all of them.
  LineWriter(std::size_t width, std::size_t templates, int load, std::span<const Feature> features);
  // Calls see(number, row) for each feature that is there, with where its row goes.
  template <class See>
  void each(const See& see) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      std::uint8_t* const line = bytes.data() + i / shape_.slots * LineShape::kLine;
      if (read16(line + i % shape_.slots * LineShape::kTag)) see(numbers_[i], line + shape_.row(i % shape_.slots));
    }
  }

  std::vector<std::uint32_t> firsts;
  LargeVector<std::uint8_t> bytes;

 private:
  static constexpr std::size_t kFew = 256;  // features of a table
  std::size_t fitting_lines(std::span<const Key> keys, std::size_t lines) const;
  void add(std::span<const Feature> features, std::uint32_t number);

  LineShape shape_;
  std::vector<std::uint32_t> numbers_;  // of features, by slot
};

}  // namespace panparser
