#include "text/tokens.hpp"

#include "base/require.hpp"
#include "text/hashing.hpp"

namespace panparser {

MarkedTokens marked_tokens(std::span<const std::uint32_t> text, const Characters& characters,
                           std::span<const std::uint8_t> marks) {
  require(text.size() == marks.size(), "a mark for each character");
  check_points(text);
  MarkedTokens found;
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!characters.is_space(text[i])) {
      if (!open) {
        found.starts.push_back(static_cast<std::int64_t>(i));
        found.ends.push_back(0);
        found.last.push_back(false);
      }
      open = true;
      found.ends.back() = static_cast<std::int64_t>(i) + 1;
    }
    if (marks[i] == kInside) continue;
    open = false;
    if (marks[i] == kSentenceEnd && !found.last.empty()) found.last.back() = true;
  }
  if (!found.last.empty()) found.last.back() = true;
  return found;
}

std::vector<std::int32_t> number_pieces(std::span<const std::uint32_t> text, std::span<const std::int64_t> starts,
                                        std::span<const std::int64_t> ends) {
  require(starts.size() == ends.size(), "each piece has a start and an end");
  const auto size = static_cast<std::int64_t>(text.size());
  std::vector<std::int32_t> numbers;
  numbers.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    require(starts[i] >= 0 && starts[i] <= ends[i] && ends[i] <= size, "a piece is outside the text");
    PieceHash hash;
    for (std::int64_t at = starts[i]; at < ends[i]; ++at) hash.add(text[at]);
    numbers.push_back(column_number(hash.sum()));
  }
  return numbers;
}

}  // namespace panparser
