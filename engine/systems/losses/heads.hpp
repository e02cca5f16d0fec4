// The heads of words in list-based systems, those of arcs within reach included.
#pragma once

#include <algorithm>
#include <optional>

#include "systems/losses/cycles.hpp"

namespace panparser {

// The heads that words have, or can still get from the reference: now, or after a move.
struct Heads {
  const Frame& frame;
  const Gold& gold;
  std::optional<Move> move = std::nullopt;

  Token of(Token word) const {
    if (const Token head = made(word); head != kNone) return head;
    const Token right = frame.at[kB0];
    const Token head = gold.head(word);
    if (head < 0 || head == frame.root) return kNone;
    const auto [near, far] = std::minmax(word, head);
    if (far < right || is_gone(near)) return kNone;
    return far > right || is_ahead(near) ? head : kNone;
  }

  // The head that a word has already.
  Token made(Token word) const {
    const Token left = frame.at[kS0], right = frame.at[kB0];
    if (move && move->join == Move::Join::kLeft && word == left) return right;
    if (move && move->join == Move::Join::kRight && word == right) return left;
    return frame.heads[word];
  }

  // Is B0 still to meet a token?
  bool is_ahead(Token token) const {
    if (move && (token == frame.at[kS0] || move->fate == Move::Fate::kShift)) return false;
    return contains(frame.on_stack, token);
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

  // The word without a head that is above another; if there is none, one that is on a cycle.
  Token top(Token word) const {
    const Token words = gold.words();
    for (Token steps = 0; steps <= words; ++steps) {
      const Token head = of(word);
      if (head == kNone || head == frame.root) return word;
      word = head;
    }
    return word;
  }
};

}  // namespace panparser
