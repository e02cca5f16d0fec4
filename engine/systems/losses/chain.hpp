// ArcEager's potential: a chain of reference arcs that the stack blocks.
#pragma once

#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

// How one transition changes the stack; kNone if it does not.
struct Change {
  Token pushed = kNone;
  Token popped = kNone;    // with all that is above it
  Token attached = kNone;  // gets a head
  bool passes = false;     // is S0 put aside?
  bool clears = false;     // does the list leave?
};

// ArcEager's arc incompatibility (2018 paper, supplementary A.1; as corrected: at or below the ancestor, counted once):
// the last word's ancestors in the buffer lead to a stack word `top`, and at least `limit` unattached words lie at or
// below it in the stack. Words on the list are among those of the stack, but B0 has met them.
struct Chain {
  // As the buffer begins at `front`. O(1) for every 64 words.
  Chain(const Frame& frame, const Gold& gold, Token front, int limit);
  // Is it blocked after a change?
  bool is_blocked(const Frame& frame, const Change& change, int limit) const;

  Token top;       // kNone if there is none
  bool has_front;  // is B0 on the way there?
  int open;   // unattached words at or below it in the stack, at most two above the limit
};

}  // namespace panparser
