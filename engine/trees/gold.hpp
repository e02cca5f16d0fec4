// The reference that costs are counted against: for each word a head, a direction, "headless", or unknown.
#pragma once

#include <span>
#include <vector>

#include "trees/eisner.hpp"

namespace panparser {

// Marks in place of a head.
inline constexpr Token kUnknown = -1;
inline constexpr Token kEmpty = -2;      // annotated as headless
inline constexpr Token kLeftward = -3;   // the head is somewhere to the left
inline constexpr Token kRightward = -4;  // ... to the right

class Gold {
 public:
  // `heads` are those of words 1..n; Root is `root` (0 or n+1). Throws std::invalid_argument on a head out of
  // range, a word that heads itself, and a cycle.
  Gold(std::span<const Token> heads, Token root);

  Token words() const { return words_; }
  Token root() const { return root_; }
  Token head(Token word) const { return head_[word]; }
  std::span<const Token> heads() const { return head_; }
  std::span<const Token> children(Token head) const {  // ascending
    return {children_.data() + first_child_[head], children_.data() + first_child_[head + 1]};
  }
  bool directed() const { return directed_; }  // some word has only a direction

  // Two words whose arcs no projective tree has both (none with a single child of Root, if `single_root`); empty if
  // some projective tree has all arcs. Arcs that no tree has together always include such a pair.
  std::vector<Token> conflict(bool single_root) const;
  bool completable(bool single_root) const { return conflict(single_root).empty(); }

  // The first of n, head(n), head(head(n)), ... that is left of `front`; kNone if the chain ends before.
  Token chain_exit(Token front) const { return front <= words_ ? chain_exit_[front] : kNone; }

 private:
  void check_cycles() const;
  void link_children();
  void walk_chain();

  Token words_, root_;
  bool directed_ = false;
  std::vector<Token> head_;  // by token; Root's and unused slots are kUnknown
  std::vector<Token> first_child_, children_, chain_exit_;
};

}  // namespace panparser
