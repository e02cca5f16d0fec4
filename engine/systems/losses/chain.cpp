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

// A change removes at most two of the words that are counted; if it pops several, four.
template <bool kDeep>
Chain<kDeep>::Chain(const Frame& frame, const Gold& gold, Token front, int limit) : top(gold.chain_exit(front)) {
  const bool has_left = !kDeep && top != kNone && top != frame.front && !contains(frame.on_stack, top);
  if (has_left) top = kNone;
  open = top == kNone ? 0 : count_open(frame, top, limit + (kDeep ? 4 : 2));
  if (kDeep && frame.on_list && front == frame.front) {
    has_front = front == gold.words() || gold.chain_exit(front + 1) == front;
  }
}

// Where words are put aside: B0 has met those on the list, and they come back when it is shifted.
template <bool kDeep>
bool Chain<kDeep>::is_within_reach(const Frame& frame, Passing passing, bool on_stack) const {
  const bool passed = passing.passes && top == frame.at[kS0];
  if (!passed && !contains(frame.on_list, top)) return on_stack;
  return !has_front && !passing.clears;
}

template <bool kDeep>
bool Chain<kDeep>::is_blocked(const Frame& frame, const Change& change, Passing passing, int limit) const {
  if (top == kNone) return false;
  const auto is_popped = [&](Token token) {
    return kDeep ? change.popped != kNone && token >= change.popped : token == change.popped;
  };
  bool on_stack = top == change.pushed || (!is_popped(top) && contains(frame.on_stack, top));
  if (kDeep && frame.on_list) on_stack = is_within_reach(frame, passing, on_stack);
  if (!on_stack) return false;
  auto is_open = [&](Token token) {
    return token != kNone && token <= top && token != frame.root && !contains(frame.attached, token);
  };
  int left = open;
  if (is_open(change.popped)) --left;
  for (int p = kS0; kDeep && p < kS2 && change.popped != kNone && frame.at[p] > change.popped; ++p) {
    left -= is_open(frame.at[p]);
  }
  if (is_open(change.attached) && !is_popped(change.attached) && contains(frame.on_stack, change.attached)) --left;
  if (is_open(change.pushed) && change.pushed != change.attached) ++left;
  return left >= limit;
}

template struct Chain<false>;
template struct Chain<true>;

}  // namespace panparser
