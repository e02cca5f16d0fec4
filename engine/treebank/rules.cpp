#include "treebank/rules.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace panparser {

namespace {

bool is_letter_or_digit(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// A name of Universal Dependencies: Case, Number[psor]; a capital or a digit first.
bool good_name(std::string_view name) {
  if (const std::size_t layer = name.find('['); layer != std::string_view::npos && name.back() == ']') {
    const std::string_view inside = name.substr(layer + 1, name.size() - layer - 2);
    if (inside.empty() || !std::all_of(inside.begin(), inside.end(), is_letter_or_digit)) return false;
    name = name.substr(0, layer);
  }
  return !name.empty() && (name[0] < 'a' || name[0] > 'z') && std::all_of(name.begin(), name.end(), is_letter_or_digit);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

}  // namespace

std::size_t valid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t size = text.size();
  std::size_t i = 0;
  while (i < size) {
    if (i + 8 <= size) {
      std::uint64_t chunk;
      std::memcpy(&chunk, bytes + i, 8);
      if ((chunk & 0x8080808080808080u) == 0) {
        i += 8;
        continue;
      }
    }
    const unsigned char lead = bytes[i];
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const int extra = lead >= 0xC2 && lead < 0xE0   ? 1
                      : lead >= 0xE0 && lead < 0xF0 ? 2
                      : lead >= 0xF0 && lead < 0xF5 ? 3
                                                    : 0;
    if (extra == 0 || i + extra >= size) return i;
    for (int k = 1; k <= extra; ++k) {
      if ((bytes[i + k] & 0xC0) != 0x80) return i;
    }
    const unsigned char next = bytes[i + 1];
    const bool overlong = (lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90);
    const bool outside = (lead == 0xED && next >= 0xA0) || (lead == 0xF4 && next >= 0x90);
    if (overlong || outside) return i;
    i += extra + 1;
  }
  return size;
}

bool good_feats(std::string_view feats, bool thorough) {
  std::string last;
  return all_items(feats, '|', [&](std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 >= item.size()) return false;
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = item.substr(equals + 1);
    if (value.find('=') != std::string_view::npos || item.find(' ') != std::string_view::npos) return false;
    if (!thorough) return true;
    const bool sorted = lower(key) > last;
    last = lower(key);
    return sorted && good_name(key) && all_items(value, ',', good_name);
  });
}

}  // namespace panparser
