// Potentials: what a state has already lost, or can still win, beyond what its table's cost terms see.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

// How one transition changes the stack; kNone where it does not.
struct Change {
  Token pushed = kNone;
  Token popped = kNone;
  Token attached = kNone;  // gets a head
};

// ArcEager's arc incompatibility (2018 paper, supplementary A.1; as corrected: at or below the ancestor,
// counted once): the last word's ancestors in the buffer lead to a stack word x, and at least `limit`
// unattached words lie at or below x in the stack. The state is that of `frame` after `change`. O(1) for
// every 64 words.
bool chain_blocked(const Frame& frame, const Change& change, const Gold& gold, int limit);

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

  // Has some tree all arcs of the reference?
  bool is_completable() const { return !spans_ && !is_reduced_; }

  struct Scratch {
    bool is_exact = true;  // was the last answer?
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
  int collapsed(std::span<const Token> stack, Token front, Scratch& scratch) const;
  int general(std::span<const Token> stack, Token front, Scratch& scratch) const;
  int from_root(std::span<const Token> tokens) const;  // how many of them Root heads

  Gold gold_;
  bool single_root_;
  bool is_reduced_ = false;                 // is `gold_` only a part of the reference?
  std::unique_ptr<const Agreement> spans_;  // for `general`; null for `collapsed`
};

}  // namespace panparser
