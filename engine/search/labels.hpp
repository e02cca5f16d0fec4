// Which labels an arc may have: those of Root's children, and those of other words.
#pragma once

#include <cstdint>
#include <span>
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
  // The best label, by its scores, that an arc may have; none of those that `excluded` flags, if it is not empty. Of
  // equal ones the first; -1 if there is none.
  std::int32_t best(const std::int32_t* scores, bool root, std::span<const std::uint8_t> excluded) const;
  std::int32_t first_of_root() const;  // -1 if there is none

 private:
  std::vector<std::int32_t> bars_of_root_, bars_of_words_;  // 0, or for labels that are not allowed, next to nothing
};

}  // namespace panparser
