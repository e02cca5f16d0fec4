// ArcEager's potential: a chain of reference arcs that the stack blocks.
#pragma once

#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

// How one transition changes the stack; kNone if it does not.
struct Change {
  Token pushed = kNone;
  Token popped = kNone;
  Token attached = kNone;  // gets a head
};

// ArcEager's arc incompatibility (2018 paper, supplementary A.1; as corrected: at or below the ancestor, counted once):
// the last word's ancestors in the buffer lead to a stack word `top`, and at least `limit` unattached words lie at or
// below it in the stack.
struct Chain {
  // As the buffer begins at `front`. O(1) for every 64 words.
  Chain(const Frame& frame, const Gold& gold, Token front, int limit);
  // Is it blocked after a change?
  bool is_blocked(const Frame& frame, const Change& change, int limit) const;

  Token top;  // kNone if there is none
  int open;   // unattached words at or below it in the stack, at most two above the limit
};

}  // namespace panparser
