// What cells may hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace panparser {

inline constexpr std::int32_t kLargestNumber = 1'000'000'000;  // so that one more is still a number

// A number as files write them: digits, no sign, no leading zero.
inline std::optional<std::int32_t> number(std::string_view text) {
  constexpr std::size_t kDigits = 10;
  if (text.empty() || text.size() > kDigits || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  if (value > kLargestNumber) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

// Length of the well-formed UTF-8 at the start of `text`.
std::size_t valid_utf8(std::string_view text);

// Calls `each` with the items between separators, until it returns false.
template <class Each>
bool all_items(std::string_view text, char separator, Each each) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!each(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

// Key=Value items.
bool good_feats(std::string_view feats);

// head:label items, sorted by head; heads are words of a sentence of this length, or empty nodes (5.1).
bool good_deps(std::string_view deps, std::int32_t words);

}  // namespace panparser
