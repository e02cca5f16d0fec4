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

bool chain_blocked(const Frame& frame, const Change& change, const Gold& gold, int limit) {
  const Token front = frame.front + (change.pushed != kNone);
  const Token top = gold.chain_exit(front);
  if (top == kNone) return false;
  const bool on_stack = top == change.pushed || (top != change.popped && contains(frame.on_stack, top));
  if (!on_stack) return false;
  auto is_open = [&](Token token) {
    return token != kNone && token <= top && token != frame.root && !contains(frame.attached, token);
  };
  // The change removes at most two of the words that `count_open` sees.
  int open = count_open(frame, top, limit + 2);
  if (is_open(change.popped)) --open;
  if (is_open(change.attached) && change.attached != change.popped && contains(frame.on_stack, change.attached)) --open;
  if (is_open(change.pushed) && change.pushed != change.attached) ++open;
  return open >= limit;
}

}  // namespace panparser
