// Eisner's algorithm: best projective spans and trees under any weights of arcs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace panparser {

using Token = std::int32_t;  // a position in the sentence; words are 1..n, Root is 0 or n+1
inline constexpr Token kNone = -1;

// Best projective spans over the tokens first..last. `weight(head, dependent)` is kImpossible where forbidden, so
// for every arc into Root.
template <class Value>
class Eisner {
 public:
  using Sum = decltype(Value() + Value());
  // The value of what no tree has: -inf, or less than the arcs of any sentence make up for.
  static constexpr Value kImpossible =
      std::is_floating_point_v<Value> ? -std::numeric_limits<Value>::infinity() : Value(-20000);

  Eisner() = default;
  template <class Weight>
  Eisner(Weight weight, Token first, Token last) {
    fill(weight, first, last);
  }
  template <class Weight>
  void fill(Weight weight, Token first, Token last);

  // Greatest weight of the arcs inside p..h when h heads all of it (p <= h), and inside h..q likewise (h <= q).
  Sum left(Token p, Token h) const { return at(left_, p, h); }
  Sum right(Token h, Token q) const { return at(right_, h, q); }

  // Writes the head of every token of a best tree below `h` over p..h (or h..q) into `tree`.
  void trace_left(Token p, Token h, std::span<Token> tree) const;
  void trace_right(Token h, Token q, std::span<Token> tree) const;

 private:
  using Table = std::vector<Value>;
  Sum at(const Table& table, Token p, Token q) const { return table[(p - first_) * size_ + (q - first_)]; }
  void store(Table& table, Token p, Token q, Sum value) {
    table[(p - first_) * size_ + (q - first_)] = static_cast<Value>(std::max(value, Sum(kImpossible)));
  }
  void trace_arc(Token h, Token d, std::span<Token> tree) const;

  Token first_ = 0;
  std::int64_t size_ = 0;
  Table left_, right_, arc_left_, arc_right_;
};

template <class Value>
template <class Weight>
void Eisner<Value>::fill(Weight weight, Token first, Token last) {
  first_ = first;
  size_ = last - first + 1;
  for (Table* table : {&left_, &right_, &arc_left_, &arc_right_}) table->assign(size_ * size_, 0);
  for (Token width = 1; width < size_; ++width) {
    for (Token p = first; p + width <= last; ++p) {
      const Token q = p + width;
      Sum inner = kImpossible;
      for (Token r = p; r < q; ++r) inner = std::max(inner, right(p, r) + left(r + 1, q));
      store(arc_left_, p, q, inner + weight(q, p));
      store(arc_right_, p, q, inner + weight(p, q));
      Sum best_left = kImpossible;
      Sum best_right = kImpossible;
      for (Token r = p; r < q; ++r) {
        best_left = std::max(best_left, left(p, r) + at(arc_left_, r, q));
        best_right = std::max(best_right, at(arc_right_, p, r + 1) + right(r + 1, q));
      }
      store(left_, p, q, best_left);
      store(right_, p, q, best_right);
    }
  }
}

template <class Value>
void Eisner<Value>::trace_arc(Token h, Token d, std::span<Token> tree) const {
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

// Each loop below peels one child off the outer end; the recursion is as deep as the tree is nested. Sums are made of
// the same two numbers as in the table, so that they are equal even when they are rounded.
template <class Value>
void Eisner<Value>::trace_left(Token p, Token h, std::span<Token> tree) const {
  while (p < h) {
    Token r = p;
    while (left(p, r) + at(arc_left_, r, h) != left(p, h)) ++r;
    trace_arc(h, r, tree);
    // What is left of r belongs to r; the arc h -> r has consumed r..h.
    h = r;
  }
}

template <class Value>
void Eisner<Value>::trace_right(Token h, Token q, std::span<Token> tree) const {
  while (h < q) {
    Token r = q;
    while (at(arc_right_, h, r) + right(r, q) != right(h, q)) --r;
    trace_arc(h, r, tree);
    h = r;
  }
}

// A best projective tree over words 1..n, by token 0..n+1; empty if every tree has a forbidden arc. Root is 0 or n+1,
// with one child if `single_root`.
template <class Value, class Weight>
std::vector<Token> best_projective_tree(Weight weight, Token words, Token root, bool single_root) {
  std::vector<Token> tree(words + 2, kNone);
  const Token first = root == 0 && !single_root ? 0 : 1;
  const Token last = root != 0 && !single_root ? root : words;
  const Eisner<Value> spans(weight, first, last);
  auto value = [&](Token top) {
    return spans.left(first, top) + spans.right(top, last) + (single_root ? weight(root, top) : 0);
  };
  Token top = root;
  if (single_root) {
    top = 1;
    for (Token h = 2; h <= words; ++h) {
      if (value(h) > value(top)) top = h;
    }
    tree[top] = root;
  }
  if (value(top) <= spans.kImpossible) return {};
  spans.trace_left(first, top, tree);
  spans.trace_right(top, last, tree);
  return tree;
}

// Counts arcs of a reference: 1 for an arc of it, 0 for any other.
using Agreement = Eisner<std::int16_t>;
inline auto agreement(std::span<const Token> head, Token root) {
  return [=](Token h, Token d) { return d == root ? int(Agreement::kImpossible) : int(head[d] == h); };
}

// The largest subset of the reference arcs that one projective tree contains (one child of Root if
// `single_root`): for each token its reference head, or kNone where the arc was given up. Words are 1..n with
// n = head.size() - 2.
std::vector<Token> projective_subset(std::span<const Token> head, Token root, bool single_root);

}  // namespace panparser
