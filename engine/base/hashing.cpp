#include "base/hashing.hpp"

namespace panparser {

Value hash_text(std::string_view text) {
  Value code = text.size() * kGolden;
  for (std::size_t at = 0; at < text.size(); at += 8) {
    std::uint64_t chunk = 0;  // little-endian on every machine, since models travel
    for (std::size_t i = 0; i < 8 && at + i < text.size(); ++i) {
      chunk |= std::uint64_t(static_cast<unsigned char>(text[at + i])) << 8 * i;
    }
    code = mix(code ^ chunk);
  }
  return mix(code);
}

}  // namespace panparser
