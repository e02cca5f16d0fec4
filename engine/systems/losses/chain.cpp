#include "systems/losses/chain.hpp"

namespace panparser {

namespace {

// Unattached words on the stack at or below `top` (positions rise towards the top of the stack), at most
// `enough`.
int count_open(const Frame& frame, Token top, int enough) {
  const int last = top >> 6;
  int count = 0;
  for (int i = 0; i <= last; ++i) {
    Bits open = frame.on_stack[i] & ~frame.attached[i];
    if (i == last && (top & 63) != 63) open &= (Bits(2) << (top & 63)) - 1;
    if (frame.root >> 6 == i) open &= ~(Bits(1) << (frame.root & 63));
    for (; open && count < enough; open &= open - 1) ++count;
  }
  return count;
}

}  // namespace

// A change removes at most two of the words that are counted.
Chain::Chain(const Frame& frame, const Gold& gold, Token front, int limit)
    : top(gold.chain_exit(front)), open(top == kNone ? 0 : count_open(frame, top, limit + 2)) {}

bool Chain::is_blocked(const Frame& frame, const Change& change, int limit) const {
  if (top == kNone) return false;
  const bool on_stack = top == change.pushed || (top != change.popped && contains(frame.on_stack, top));
  if (!on_stack) return false;
  auto is_open = [&](Token token) {
    return token != kNone && token <= top && token != frame.root && !contains(frame.attached, token);
  };
  int left = open;
  if (is_open(change.popped)) --left;
  if (is_open(change.attached) && change.attached != change.popped && contains(frame.on_stack, change.attached)) --left;
  if (is_open(change.pushed) && change.pushed != change.attached) ++left;
  return left >= limit;
}

}  // namespace panparser
