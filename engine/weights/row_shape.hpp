// How the rows of a model are laid out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"
#include "weights/lines.hpp"

namespace panparser {

inline constexpr std::size_t kOffset = 4;  // bytes of a row in the lines of labels

// Bytes of a row in the lines of actions.
inline std::size_t width_for(int classes) { return classes <= 4 ? 4 : (static_cast<std::size_t>(classes) + 7) / 8 * 8; }

// How a row of labels is written: labels, and numbers of them, in a byte or in two.
class RowShape {
 public:
  explicit RowShape(int labels) : labels_(labels), wide_(labels > 256) {}
  std::size_t number() const { return wide_ ? 2 : 1; }
  std::size_t cell() const { return number() + 1; }
  // Full rows are faster to add: they may be twice as long.
  bool is_full(std::size_t cells) const { return 2 * cells * cell() >= static_cast<std::size_t>(labels_); }
  std::size_t read(const std::uint8_t* from) const { return wide_ ? read16(from) : *from; }
  void append(std::size_t number, LargeVector<std::uint8_t>& to) const {
    to.push_back(static_cast<std::uint8_t>(number));
    if (wide_) to.push_back(static_cast<std::uint8_t>(number >> 8));
  }

 private:
  int labels_;
  bool wide_;
};

}  // namespace panparser
