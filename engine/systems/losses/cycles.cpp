#include "systems/losses/cycles.hpp"

#include <algorithm>
#include <optional>

namespace panparser {

namespace {

// The heads that words have, or can still get from the reference: now, or after a move.
struct Heads {
  const Frame& frame;
  const Gold& gold;
  std::optional<Move> move = std::nullopt;

  Token of(Token word) const {
    const Token left = frame.at[kS0], right = frame.at[kB0];
    if (move == Move::kLeft && word == left) return right;
    if (move == Move::kRight && word == right) return left;
    if (frame.heads[word] != kNone) return frame.heads[word];
    const Token head = gold.head(word);
    if (head < 0 || head == frame.root) return kNone;
    const auto [near, far] = std::minmax(word, head);
    if (far != right) return far > right ? head : kNone;
    const bool is_met = move == Move::kShift || (move && near == left);
    return contains(frame.on_stack, near) && !is_met ? head : kNone;
  }

  // Is a word on a cycle, and `without` not?
  bool has_cycle(Token word, Token without = kNone) const {
    const Token words = gold.words();
    Token at = word;
    for (Token steps = 0; steps <= words; ++steps) {
      at = of(at);
      if (at == kNone || at == frame.root || at == without) return false;
      if (at == word) return true;
    }
    return false;  // it leads into a cycle of others
  }
};

}  // namespace

// The arcs that a move makes or loses begin or end at B0, so that only the cycle of B0 changes; but LEFT gives S0
// another head than the one that it might have had behind B0.
int more_cycles(const Frame& frame, Move move, const Gold& gold) {
  const Token left = frame.at[kS0], right = frame.at[kB0];
  const Heads before{frame, gold}, after{frame, gold, move};
  const int lost = move == Move::kLeft && before.has_cycle(left, right);
  return int(after.has_cycle(right)) - int(before.has_cycle(right)) - lost;
}

}  // namespace panparser
