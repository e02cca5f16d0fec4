// Which labels an arc may have: those of Root's children, and those of other words.
#pragma once

#include <cstdint>
#include <vector>

namespace panparser {

struct Labels {
  static constexpr int kMost = 1 << 15;

  Labels() = default;
  // By label. Throws std::invalid_argument if there are labels and some arc may have none of them.
  Labels(const std::vector<bool>& root, const std::vector<bool>& words);

  std::int32_t size = 0;  // 0: arcs have no labels
  std::vector<std::uint8_t> of_root, of_words;

  const std::vector<std::uint8_t>& allowed(bool root) const { return root ? of_root : of_words; }
  std::int32_t first_of_root() const;  // -1 if there is none
};

}  // namespace panparser
