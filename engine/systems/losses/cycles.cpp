#include "systems/losses/cycles.hpp"

#include "systems/losses/heads.hpp"

namespace panparser {

// The arcs that a move makes or loses begin or end at B0, so that only the cycle of B0 changes. But if S0 gets a head
// or leaves, arcs between S0 and words behind B0 are lost, too.
int more_cycles(const Frame& frame, Move move, const Gold& gold) {
  const Token left = frame.at[kS0], right = frame.at[kB0];
  if (right == kNone) return 0;  // nothing is within reach
  const Heads before{frame, gold}, after{frame, gold, move};
  int more = int(after.has_cycle(right)) - int(before.has_cycle(right));
  if (move.join == Move::Join::kLeft || move.fate == Move::Fate::kPop) {
    more += int(after.has_cycle(left, right)) - int(before.has_cycle(left, right));
  }
  return more;
}

}  // namespace panparser
