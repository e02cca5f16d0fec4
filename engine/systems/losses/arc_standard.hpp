// What ArcStandard can still win.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trees/gold.hpp"

namespace panparser {

// The most reference arcs that ArcStandard can still make (Goldberg, Sartorio & Satta 2014, and beyond).
//
// For a completable reference the buffer collapses to the words that interact with the stack, and a table
// over (stack depth, collapsed buffer, head) is filled in O(|S| |B'| (|S| + |B'|)). For any other the buffer
// keeps all its words and Eisner's spans stand for what they build among themselves: O(|S| |B|^2 (|S| +
// |B|)). Both are exact. Above kExactWords words a reference that is not completable is replaced by its
// largest projective subset.
class ArcStandardLoss {
 public:
  static constexpr Token kExactWords = 64;

  ArcStandardLoss(const Gold& gold, bool single_root);

  // Does some tree have all arcs of the reference?
  bool is_completable() const { return !spans_ && !is_reduced_; }

  struct Scratch {
    bool is_exact = true;  // was the last result exact?
    std::vector<Token> left, right;
    std::vector<std::int16_t> index;  // by token: its column in `table`, -1 if none
    std::vector<char> kept;
    std::vector<std::int16_t> table, best, open;
  };
  // `stack` from bottom to top; the buffer is every token from `front` on.
  int reachable(std::span<const Token> stack, Token front, Scratch& scratch) const;

  // Is the arc part of the reference that `reachable` counts?
  bool counts(Token head, Token dependent) const { return gold_.head(dependent) == head; }

 private:
  int general(std::span<const Token> stack, Token front, Scratch& scratch) const;

  Gold gold_;
  bool single_root_;
  bool is_reduced_ = false;                 // is `gold_` only a part of the reference?
  std::unique_ptr<const Agreement> spans_;  // for `general`; null where the buffer collapses
};

}  // namespace panparser
