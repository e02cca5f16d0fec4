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

LineWriter::LineWriter(std::size_t width, std::size_t templates, int load, std::span<const Feature> features)
    : shape_{width} {
  std::vector<std::size_t> counts(templates);
  for (const Feature& feature : features) ++counts[template_of(feature.key)];
  std::vector<std::vector<Key>> few(templates);
  for (const Feature& feature : features) {
    const int number = template_of(feature.key);
    if (counts[number] <= kFew) few[number].push_back(feature.key);
  }
  std::uint32_t lines = 0;
  for (std::size_t t = 0; t < templates; ++t) {
    firsts.push_back(lines);
    lines += static_cast<std::uint32_t>(fitting_lines(few[t], 100 * counts[t] / (load * shape_.slots) + 1));
  }
  firsts.push_back(lines);
  bytes.assign(lines * LineShape::kLine, 0);
  numbers_.resize(lines * shape_.slots);
  for (std::size_t i = 0; i < features.size(); ++i) add(features, static_cast<std::uint32_t>(i));
}

// How many lines it takes for each key to have a slot, these at least, and no more than there are keys.
std::size_t LineWriter::fitting_lines(std::span<const Key> keys, std::size_t lines) const {
  for (;; ++lines) {
    std::vector<std::size_t> used(lines);
    for (const Key key : keys) ++used[LineRange{0, static_cast<std::uint32_t>(lines)}.home(key)];
    if (*std::max_element(used.begin(), used.end()) <= shape_.slots || lines >= keys.size()) return lines;
  }
}

void LineWriter::add(std::span<const Feature> features, std::uint32_t number) {
  const Key key = features[number].key;
  const std::uint32_t first = firsts[template_of(key)];
  const std::size_t line = LineRange{first, firsts[template_of(key) + 1] - first}.home(key);
  std::uint8_t* const start = bytes.data() + line * LineShape::kLine;
  const std::span numbers(numbers_.data() + line * shape_.slots, shape_.slots);
  std::size_t slot = shape_.find(start, 0);
  if (slot == shape_.slots) {
    const auto weight = [&](std::uint32_t i) { return features[i].weight; };
    const auto least = std::ranges::min_element(numbers, {}, weight);
    if (weight(*least) >= weight(number)) return;
    slot = static_cast<std::size_t>(least - numbers.begin());
  }
  write16(start + slot * LineShape::kTag, LineShape::tag(key));
  numbers[slot] = number;
}

}  // namespace panparser
