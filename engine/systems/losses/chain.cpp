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

// A change removes at most three of the words that are counted, and attaches one.
Chain::Chain(const Frame& frame, const Gold& gold, Token front, int limit)
    : top(gold.chain_exit(front)),
      has_front(frame.on_list && front == frame.front &&
                (front == gold.words() || gold.chain_exit(front + 1) == front)),
      open(top == kNone ? 0 : count_open(frame, top, limit + 4)) {}

bool Chain::is_blocked(const Frame& frame, const Change& change, int limit) const {
  if (top == kNone) return false;
  const auto is_popped = [&](Token token) { return change.popped != kNone && token >= change.popped; };
  const bool passed = change.passes && top == frame.at[kS0];
  const bool stays = contains(frame.on_stack, top) && !is_popped(top) && !passed;
  const bool waits = frame.on_list && (passed || contains(frame.on_list, top)) && !has_front && !change.clears;
  if (top != change.pushed && !stays && !waits) return false;
  auto is_open = [&](Token token) {
    return token != kNone && token <= top && token != frame.root && !contains(frame.attached, token);
  };
  int left = open;
  for (int p = kS0; p <= kS2 && is_popped(frame.at[p]); ++p) left -= is_open(frame.at[p]);
  if (is_open(change.attached) && !is_popped(change.attached) && contains(frame.on_stack, change.attached)) --left;
  if (is_open(change.pushed) && change.pushed != change.attached) ++left;
  return left >= limit;
}

}  // namespace panparser
