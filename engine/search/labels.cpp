#include "search/labels.hpp"

#include <algorithm>
#include <limits>

#include "base/require.hpp"

namespace panparser {

namespace {

constexpr std::int32_t kBarred = -(1 << 30);

std::vector<std::int32_t> bars(const std::vector<std::uint8_t>& allowed) {
  std::vector<std::int32_t> bars;
  for (const std::uint8_t each : allowed) bars.push_back(each ? 0 : kBarred);
  return bars;
}

// Of the scores with the bars. The pointers do not alias, and there is no branch: this becomes vector instructions.
std::int32_t largest(const std::int32_t* __restrict scores, const std::int32_t* __restrict bars, std::int32_t size) {
  std::int32_t most = std::numeric_limits<std::int32_t>::min();
  for (std::int32_t l = 0; l < size; ++l) most = std::max(most, scores[l] + bars[l]);
  return most;
}

}  // namespace

Labels::Labels(const std::vector<bool>& root, const std::vector<bool>& words)
    : size(static_cast<std::int32_t>(root.size())),
      of_root(root.begin(), root.end()),
      of_words(words.begin(), words.end()),
      bars_of_root_(bars(of_root)),
      bars_of_words_(bars(of_words)) {
  require(root.size() == words.size(), "of_root and of_words must be of one size");
  require(root.size() <= kMost, "too many labels");
  const auto any = [](const std::vector<bool>& set) { return std::find(set.begin(), set.end(), true) != set.end(); };
  require(size == 0 || (any(root) && any(words)), "an arc must have some label");
}

std::int32_t Labels::first_of_root() const {
  const auto found = std::find_if(of_root.begin(), of_root.end(), [](std::uint8_t allowed) { return allowed != 0; });
  return found == of_root.end() ? -1 : static_cast<std::int32_t>(found - of_root.begin());
}

std::int32_t Labels::best(const std::int32_t* scores, bool root, std::span<const std::uint8_t> excluded) const {
  if (excluded.empty()) {
    const std::vector<std::int32_t>& barred = root ? bars_of_root_ : bars_of_words_;
    const std::int32_t most = largest(scores, barred.data(), size);
    std::int32_t found = 0;
    while (scores[found] + barred[found] != most) ++found;
    return found;
  }
  std::int32_t found = -1;
  for (std::int32_t l = 0; l < size; ++l) {
    if (allowed(root)[l] && !excluded[l] && (found < 0 || scores[l] > scores[found])) found = l;
  }
  return found;
}

}  // namespace panparser
