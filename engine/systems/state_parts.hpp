// What both kinds of state share.
#pragma once

#include <algorithm>
#include <utility>

#include "systems/state.hpp"

namespace panparser {

inline void set_bit(Bits* set, Token token) { set[token >> 6] |= Bits(1) << (token & 63); }
inline void clear_bit(Bits* set, Token token) { set[token >> 6] &= ~(Bits(1) << (token & 63)); }

inline Counters initial_counters(const Shape& shape, Token words) {
  Counters counters{};
  counters.words = words;
  counters.root = shape.root(words);
  counters.front = shape.has_root && shape.root_first && !shape.starts_on_stack ? 0 : 1;
  counters.stack_size = shape.starts_on_stack ? 1 : 0;
  return counters;
}

// Does a token dominate another, or is it the same? -1 if one is absent.
inline std::int32_t dominates(const Frame& frame, Position above, Position below) {
  const Token top = frame.at[above];
  Token token = frame.at[below];
  if (top == kNone || token == kNone) return -1;
  if (frame.tops[token] != frame.tops[top]) return 0;
  if (frame.tops[top] == top) return 1;
  while (token != kNone && token != top) token = frame.heads[token];  // only for tokens that have a head already
  return token == top;
}

// The trees of a state: by token its head and the top of its tree, by top how many words of it are on the stack (null
// if they are not counted).
struct Trees {
  Token *heads, *tops, *sizes;
  Token tokens;
};
inline void plant(const Trees& trees) {
  for (Token token = 0; token < trees.tokens; ++token) trees.heads[token] = kNone, trees.tops[token] = token;
  if (trees.sizes) std::fill_n(trees.sizes, trees.tokens, 0);
}
inline void join(const Trees& trees, Token head, Token dependent, const Bits* on_stack, Token root) {
  const auto [heads, tops, sizes, tokens] = trees;
  const bool was_top = heads[dependent] == kNone;
  heads[dependent] = head;
  const Token top = tops[head];
  if (was_top) {
    for (Token token = 0; token < tokens; ++token) tops[token] = tops[token] == dependent ? top : tops[token];
    if (sizes) sizes[top] += std::exchange(sizes[dependent], 0);
    return;
  }
  for (Token token = 0; token < tokens; ++token) {  // the dependent leaves another tree
    for (tops[token] = token; heads[tops[token]] != kNone;) tops[token] = heads[tops[token]];
  }
  if (!sizes) return;
  std::fill_n(sizes, tokens, 0);
  for (Token token = 0; token < tokens; ++token) sizes[tops[token]] += token != root && contains(on_stack, token);
}

inline constexpr std::int32_t kFar = 1 << 30;  // the distance to an absent token: beyond any bound

inline void fill_trees(Frame& frame) {
  for (int p = 0; p < kPositions; ++p) {
    const Token token = frame.at[p], top = token == kNone ? kNone : frame.tops[token];
    frame.facts[kTreeWords + p] = token == kNone ? -1 : frame.sizes[top];
    frame.facts[kTreeOpen + p] = token == kNone ? -1 : top != frame.root && contains(frame.on_stack, top);
  }
}

// Fills in what follows from the positions and the counters. `kIsAttached` of the positions holds 0 or 1
// already.
inline void fill(Frame& frame, const Counters& counters, const Shape& shape) {
  frame.root = counters.root;
  frame.facts[kStackSize] = counters.stack_size;
  frame.facts[kBufferSize] = counters.buffer_size();
  frame.facts[kListSize] = counters.list_size;
  frame.facts[kOpenWords] = counters.open_words;
  frame.facts[kRootChildren] = counters.root_children;
  auto fill_at = [&](int p) {
    const Token token = frame.at[p];
    frame.facts[kIsWord + p] = token == kNone ? -1 : token != counters.root;
    if (token == kNone || token == counters.root) frame.facts[kIsAttached + p] = -1;
  };
  for (int p = 0; p < kL0; ++p) fill_at(p);
  if (shape.has_list) {
    fill_at(kL0);
    frame.facts[kOpenAside] = counters.open_aside;
  }
  auto distance = [&](Position from, Position to) {
    return frame.at[from] == kNone || frame.at[to] == kNone ? kFar : frame.at[to] - frame.at[from];
  };
  frame.facts[kFromS0ToB0] = distance(kS0, kB0);
  frame.facts[kFromS1ToS0] = distance(kS1, kS0);
  frame.facts[kFromS2ToS0] = distance(kS2, kS0);
  frame.front = frame.at[kB0] == kNone ? counters.end() : frame.at[kB0];
  if (shape.tracks_trees) {
    frame.facts[kS0OverB0] = dominates(frame, kS0, kB0);
    frame.facts[kB0OverS0] = dominates(frame, kB0, kS0);
    frame.facts[kS1OverS0] = dominates(frame, kS1, kS0);
    frame.facts[kS0OverS1] = dominates(frame, kS0, kS1);
    if (shape.counts_trees) fill_trees(frame);
  }
}

// The buffer behind its returned words.
inline void fill_buffer(Window& window, int filled, const Counters& counters) {
  for (Token token = counters.front; filled < Window::kDepth; ++token) {
    window.buffer[filled++] = token < counters.end() ? token : kNone;
  }
}

inline std::int32_t depth_of(Position position) { return position - kS0; }

}  // namespace panparser
