#include "search/labels.hpp"

#include <algorithm>

#include "base/require.hpp"

namespace panparser {

Labels::Labels(const std::vector<bool>& root, const std::vector<bool>& words)
    : size(static_cast<std::int32_t>(root.size())),
      of_root(root.begin(), root.end()),
      of_words(words.begin(), words.end()) {
  require(root.size() == words.size(), "of_root and of_words must be of one size");
  require(root.size() <= kMost, "too many labels");
  const auto any = [](const std::vector<bool>& set) { return std::find(set.begin(), set.end(), true) != set.end(); };
  require(size == 0 || (any(root) && any(words)), "an arc must have some label");
}

std::int32_t Labels::first_of_root() const {
  const auto found = std::find_if(of_root.begin(), of_root.end(), [](std::uint8_t allowed) { return allowed != 0; });
  return found == of_root.end() ? -1 : static_cast<std::int32_t>(found - of_root.begin());
}

}  // namespace panparser
