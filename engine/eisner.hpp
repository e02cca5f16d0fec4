// Eisner's algorithm on the 0/1 weights of a reference: 1 for an arc of the reference, 0 for any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace panparser {

using Token = std::int32_t;  // a position in the sentence; words are 1..n, Root is 0 or n+1
inline constexpr Token kNone = -1;

// Best projective spans over the tokens first..last. `head[d]` is the reference head of d, negative if
// unknown.
class Eisner {
 public:
  Eisner() = default;
  Eisner(std::span<const Token> head, Token root, Token first, Token last);

  // Most reference arcs inside p..h when h heads all of it (p <= h), and inside h..q likewise (h <= q).
  int left(Token p, Token h) const { return at(left_, p, h); }
  int right(Token h, Token q) const { return at(right_, h, q); }

  // Writes the head of every token of a best tree below `h` over p..h (or h..q) into `tree`.
  void trace_left(Token p, Token h, std::span<Token> tree) const;
  void trace_right(Token h, Token q, std::span<Token> tree) const;

 private:
  using Table = std::vector<std::int16_t>;
  int at(const Table& table, Token p, Token q) const { return table[(p - first_) * size_ + (q - first_)]; }
  std::int16_t& at(Table& table, Token p, Token q) { return table[(p - first_) * size_ + (q - first_)]; }
  void trace_arc(Token h, Token d, std::span<Token> tree) const;

  Token first_ = 0;
  std::int64_t size_ = 0;
  Table left_, right_, arc_left_, arc_right_;
};

// The largest subset of the reference arcs that one projective tree contains (one child of Root if
// `single_root`): for each token its reference head, or kNone where the arc was given up. Words are 1..n with
// n = head.size() - 2.
std::vector<Token> projective_subset(std::span<const Token> head, Token root, bool single_root);

}  // namespace panparser
