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
};
struct Passing {        // and the list
  bool passes = false;  // is S0 put aside?
  bool clears = false;  // does the list leave?
};

// ArcEager's arc incompatibility (2018 paper, supplementary A.1; as corrected: at or below the ancestor, counted once):
// the last word's ancestors in the buffer lead to a stack word `top`, and at least `limit` unattached words lie at or
// below it in the stack. Words on the list are among those of the stack, but B0 has met them.
template <bool kDeep>  // may changes pop several words, or put some aside?
struct Chain {
  // As the buffer begins at `front`. O(1) for every 64 words.
  Chain(const Frame& frame, const Gold& gold, Token front, int limit);
  // Is it blocked after a change?
  bool is_blocked(const Frame& frame, const Change& change, Passing passing, int limit) const;

  Token top;               // kNone if there is none, or it has left the stack
  int open;                // unattached words at or below it in the stack, at most four above the limit
  bool has_front = false;  // where there is a list: is B0 on the way to it?

 private:
  bool is_within_reach(const Frame& frame, Passing passing, bool on_stack) const;
};

}  // namespace panparser
