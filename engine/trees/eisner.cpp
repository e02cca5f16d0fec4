#include "trees/eisner.hpp"

namespace panparser {

std::vector<Token> projective_subset(std::span<const Token> head, Token root, bool single_root) {
  const Token words = static_cast<Token>(head.size()) - 2;
  auto tree = best_projective_tree<std::int16_t>(agreement(head, root), words, root, single_root);
  for (Token word = 1; word <= words; ++word) {
    if (tree[word] != head[word]) tree[word] = kNone;
  }
  return tree;
}

}  // namespace panparser
