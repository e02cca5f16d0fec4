#include "weights/lines.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/require.hpp"

namespace panparser {

Lines::Lines(std::size_t width, std::span<const std::uint32_t> firsts, std::span<const std::uint8_t> bytes)
    : shape_{width}, bytes_(bytes) {
  require(bytes.size() % LineShape::kLine == 0, "an array has the wrong size");
  require(reinterpret_cast<std::uintptr_t>(bytes.data()) % 16 == 0, "an array is misaligned");
  require(firsts.size() >= 1 && firsts.front() == 0 && firsts.back() == bytes.size() / LineShape::kLine,
          "the tables do not fit");
  for (std::size_t t = 0; t + 1 < firsts.size(); ++t) {
    require(firsts[t] < firsts[t + 1], "the tables do not rise");
    ranges_.push_back({firsts[t], firsts[t + 1] - firsts[t]});
  }
  for (const LineRange& range : ranges_) {  // a search that moves on from line to line must end
    std::uint8_t endless = 0xFF;            // kinds
    for (std::uint32_t i = 0; i < range.size; ++i) {
      const std::uint8_t moved = at(range.first + i)[LineShape::kMoved];
      endless &= moved;
      moves_ |= moved != 0;
    }
    require(!endless, "all lines of a table are full");
  }
}

const std::uint8_t* Lines::find_further(Key key) const {
  const LineRange& range = ranges_[template_of(key)];
  for (std::size_t line = range.home(key); at(line)[LineShape::kMoved] & LineShape::kind(key);) {
    line = range.next(line);
    const std::size_t slot = shape_.find(at(line), LineShape::tag(key));
    if (slot != shape_.slots) return at(line) + shape_.row(slot);
  }
  return nullptr;
}

LineWriter::LineWriter(std::size_t width, std::span<const std::size_t> counts, int load) : shape_{width} {
  std::uint32_t lines = 0;
  for (const std::size_t count : counts) {
    firsts.push_back(lines);
    lines += static_cast<std::uint32_t>(100 * count / (load * shape_.slots) + 1);
  }
  firsts.push_back(lines);
  bytes.assign(lines * LineShape::kLine, 0);
  numbers_.resize(lines * shape_.slots);
  weights_.resize(numbers_.size());
}

void LineWriter::add(Key key, std::uint32_t number, std::int32_t weight) {
  const std::uint32_t first = firsts[template_of(key)];
  const std::size_t line = LineRange{first, firsts[template_of(key) + 1] - first}.home(key);
  std::uint8_t* const start = bytes.data() + line * LineShape::kLine;
  const auto weights = weights_.begin() + static_cast<std::ptrdiff_t>(line * shape_.slots);
  std::size_t slot = shape_.find(start, 0);
  if (slot == shape_.slots) {
    const auto least = std::min_element(weights, weights + static_cast<std::ptrdiff_t>(shape_.slots));
    if (*least >= weight) return;
    slot = static_cast<std::size_t>(least - weights);
  }
  write16(start + slot * LineShape::kTag, LineShape::tag(key));
  weights[static_cast<std::ptrdiff_t>(slot)] = weight;
  numbers_[line * shape_.slots + slot] = number;
}

}  // namespace panparser
