// Tokens of a text: where they start and end, and what they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/characters.hpp"

namespace panparser {

enum Mark : std::uint8_t { kInside, kTokenEnd, kSentenceEnd };  // what ends after a character

struct MarkedTokens {
  std::vector<std::int64_t> starts, ends;  // in code points
  std::vector<std::uint8_t> last;          // of its sentence?
};

// The tokens between marks, without white space at their edges. The mark of a sentence may stand behind its last token;
// the end of the text ends both. Throws std::invalid_argument unless there is a mark for each character.
MarkedTokens marked_tokens(std::span<const std::uint32_t> text, const Characters& characters,
                           std::span<const std::uint8_t> marks);

// A number for each piece of a text, the same for equal pieces. Throws std::invalid_argument on pieces outside it.
std::vector<std::int32_t> number_pieces(std::span<const std::uint32_t> text, std::span<const std::int64_t> starts,
                                        std::span<const std::int64_t> ends);

}  // namespace panparser
