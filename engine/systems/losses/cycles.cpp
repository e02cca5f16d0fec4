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
    if (move && move->join == Move::Join::kLeft && word == left) return right;
    if (move && move->join == Move::Join::kRight && word == right) return left;
    if (frame.heads[word] != kNone) return frame.heads[word];
    const Token head = gold.head(word);
    if (head < 0 || head == frame.root) return kNone;
    const auto [near, far] = std::minmax(word, head);
    if (far < right || is_gone(near)) return kNone;
    if (far > right) return head;
    const bool is_met = move && (near == left || move->fate == Move::Fate::kShift);
    return contains(frame.on_stack, near) && !is_met ? head : kNone;
  }

  bool is_gone(Token word) const {
    if (word >= frame.at[kB0]) return false;
    if (move && move->fate == Move::Fate::kPop && word == frame.at[kS0]) return true;
    return !contains(frame.on_stack, word) && !(frame.on_list && contains(frame.on_list, word));
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
