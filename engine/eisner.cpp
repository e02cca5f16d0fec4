#include "eisner.hpp"

#include <algorithm>

namespace panparser {

namespace {
constexpr int kImpossible = -20000;  // the sum of two still fits 16 bits
}

Eisner::Eisner(std::span<const Token> head, Token root, Token first, Token last)
    : first_(first), size_(last - first + 1) {
  for (Table* table : {&left_, &right_, &arc_left_, &arc_right_}) table->assign(size_ * size_, 0);
  auto weight = [&](Token h, Token d) { return d == root ? kImpossible : int(head[d] == h); };
  auto store = [](int value) { return static_cast<std::int16_t>(std::max(value, kImpossible)); };
  for (Token width = 1; width < size_; ++width) {
    for (Token p = first; p + width <= last; ++p) {
      const Token q = p + width;
      int inner = kImpossible;
      for (Token r = p; r < q; ++r) inner = std::max(inner, right(p, r) + left(r + 1, q));
      at(arc_left_, p, q) = store(inner + weight(q, p));
      at(arc_right_, p, q) = store(inner + weight(p, q));
      int best_left = kImpossible;
      int best_right = kImpossible;
      for (Token r = p; r < q; ++r) {
        best_left = std::max(best_left, left(p, r) + at(arc_left_, r, q));
        best_right = std::max(best_right, at(arc_right_, p, r + 1) + right(r + 1, q));
      }
      at(left_, p, q) = store(best_left);
      at(right_, p, q) = store(best_right);
    }
  }
}

void Eisner::trace_arc(Token h, Token d, std::span<Token> tree) const {
  const Token p = std::min(h, d);
  const Token q = std::max(h, d);
  Token best = p;
  for (Token r = p; r < q; ++r) {
    if (right(p, r) + left(r + 1, q) > right(p, best) + left(best + 1, q)) best = r;
  }
  tree[d] = h;
  trace_right(p, best, tree);
  trace_left(best + 1, q, tree);
}

// Each loop below peels one child off the outer end; the recursion is as deep as the tree is nested.
void Eisner::trace_left(Token p, Token h, std::span<Token> tree) const {
  while (p < h) {
    Token r = p;
    while (left(p, r) + at(arc_left_, r, h) != left(p, h)) ++r;
    trace_arc(h, r, tree);
    // What is left of r belongs to r; the arc h -> r has consumed r..h.
    h = r;
  }
}

void Eisner::trace_right(Token h, Token q, std::span<Token> tree) const {
  while (h < q) {
    Token r = q;
    while (at(arc_right_, h, r) + right(r, q) != right(h, q)) --r;
    trace_arc(h, r, tree);
    h = r;
  }
}

std::vector<Token> projective_subset(std::span<const Token> head, Token root, bool single_root) {
  const Token words = static_cast<Token>(head.size()) - 2;
  std::vector<Token> tree(head.size(), kNone);
  if (single_root) {
    const Eisner spans(head, root, 1, words);
    auto value = [&](Token h) { return spans.left(1, h) + spans.right(h, words) + int(head[h] == root); };
    Token top = 1;
    for (Token h = 2; h <= words; ++h) {
      if (value(h) > value(top)) top = h;
    }
    tree[top] = root;
    spans.trace_left(1, top, tree);
    spans.trace_right(top, words, tree);
  } else if (root == 0) {
    Eisner(head, root, 0, words).trace_right(0, words, tree);
  } else {
    Eisner(head, root, 1, root).trace_left(1, root, tree);
  }
  for (Token word = 1; word <= words; ++word) {
    if (tree[word] != head[word]) tree[word] = kNone;
  }
  return tree;
}

}  // namespace panparser
