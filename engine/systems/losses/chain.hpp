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
// the last word's ancestors in the buffer lead to a stack word x, and at least `limit` unattached words lie at or below
// x in the stack. The state is that of `frame` after `change`. O(1) for every 64 words.
bool chain_blocked(const Frame& frame, const Change& change, const Gold& gold, int limit);

}  // namespace panparser
