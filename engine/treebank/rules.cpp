#include "treebank/rules.hpp"

#include <cstring>
#include <utility>

namespace panparser {

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

bool good_feats(std::string_view feats) {
  return all_items(feats, '|', [&](std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 >= item.size()) return false;
    return item.find('=', equals + 1) == std::string_view::npos && item.find(' ') == std::string_view::npos;
  });
}

bool good_deps(std::string_view deps, std::int32_t words) {
  std::pair<std::int32_t, std::int32_t> last = {-1, 0};
  return all_items(deps, '|', [&](std::string_view item) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 >= item.size()) return false;
    const std::string_view head = item.substr(0, colon);
    const std::size_t dot = head.find('.');
    const auto major = number(head.substr(0, dot));
    const auto minor = dot == std::string_view::npos ? 0 : number(head.substr(dot + 1));
    if (!major || !minor || *major > words) return false;
    const std::pair here = {*major, *minor};
    const bool sorted = here >= last;
    last = here;
    return sorted;
  });
}

}  // namespace panparser
