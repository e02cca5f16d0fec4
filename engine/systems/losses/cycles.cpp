#include "systems/losses/cycles.hpp"

#include <algorithm>

namespace panparser {

namespace {

using Join = Move::Join;
using Fate = Move::Fate;

// The heads that words have, or can still get from the reference: now, or after a move.
struct Heads {
  const Frame& frame;
  const Gold& gold;
  const Move* move = nullptr;

  Token of(Token word) const {  // kNone if it is Root
    if (const Token head = made(word); head != kNone) return head == frame.root ? kNone : head;
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
    if (move && move->join == Join::kLeft && word == left) return right;
    if (move && move->join == Join::kRight && word == right) return left;
    return frame.heads[word];
  }

  // Is B0 still to meet a token?
  bool is_ahead(Token token) const {
    if (move && (token == frame.at[kS0] || move->fate == Fate::kShift)) return false;
    return token < frame.at[kB0] && contains(frame.on_stack, token);
  }

  bool is_gone(Token word) const {
    if (word >= frame.at[kB0]) return false;
    if (move && move->fate == Fate::kPop && word == frame.at[kS0]) return true;
    return !contains(frame.on_stack, word) && !(frame.on_list && contains(frame.on_list, word));
  }

  // Is a word on a cycle, and `without` not?
  bool has_cycle(Token word, Token without = kNone) const {
    const Token words = gold.words();
    Token at = word;
    for (Token steps = 0; steps <= words; ++steps) {
      at = of(at);
      if (at == kNone || at == without) return false;
      if (at == word) return true;
    }
    return false;  // it leads into a cycle of others
  }

  // The word without a head that is above another; if there is none, one that is on a cycle.
  Token top(Token word) const {
    const Token words = gold.words();
    for (Token steps = 0; steps <= words; ++steps) {
      const Token head = of(word);
      if (head == kNone) return word;
      word = head;
    }
    return word;
  }
};

}  // namespace

// The arcs that a move makes or loses begin or end at B0, so that only the cycle of B0 changes. But if S0 gets a head
// or leaves, arcs between S0 and words behind B0 are lost, too.
int more_cycles(const Frame& frame, Move move, const Gold& gold) {
  const Token left = frame.at[kS0], right = frame.at[kB0];
  if (right == kNone) return 0;  // nothing is within reach
  const Heads before{frame, gold}, after{frame, gold, &move};
  int more = int(after.has_cycle(right)) - int(before.has_cycle(right));
  if (move.join == Join::kLeft || move.fate == Fate::kPop) {
    more += int(after.has_cycle(left, right)) - int(before.has_cycle(left, right));
  }
  return more;
}

namespace {

// Heads that are within reach make trees of the words. In the end there must be one, and Root's child above it. A tree
// hangs from another if its top and a word of that have not met yet; so any number of trees can be joined below a word
// behind B0, or below the last word when that is B0.
class OneRoot {
 public:
  OneRoot(const Heads& heads, Token child) : heads_(heads), child_(child), front_(heads.frame.at[kB0]) {}

  // While there are words behind B0, whoever is above all of them can be Root's child, unless that must be another word
  // that is above none of them, and nothing can join the two.
  int lost_on_the_way() const {
    if (child_ == kNone) return 0;
    const Token words = heads_.gold.words();
    bool below_front = false, below_stack = false;  // are there words behind B0 below it, or below what it can meet?
    for (Token word = front_ + 1; word <= words; ++word) {
      const Token top = heads_.top(word);
      if (top == child_ || top > front_ || leads_round_behind(top)) return 0;
      below_front |= top == front_ || heads_.of(top) != kNone;  // such a cycle has B0
      below_stack |= heads_.is_ahead(top);
    }
    const bool is_below = heads_.top(front_) == child_;
    const bool joins_front = heads_.made(front_) == kNone && (heads_.of(front_) == kNone || heads_.has_cycle(front_)) &&
                             meets_tree_of(child_);
    return !(below_stack && is_below) && !((below_front || below_stack) && joins_front);
  }

  // When B0 is the last word, those on the list have met all others.
  int lost_at_the_end() const {
    const auto excludes_child = [&](Token top) { return child_ != kNone && child_ != top; };
    if (heads_.made(front_) != kNone) return excludes_child(made_top(front_));
    const Token aside = open_aside();
    const bool gets_head = heads_.of(front_) != kNone && !heads_.has_cycle(front_);
    const Token top = heads_.top(front_);
    if (aside == kNone) return gets_head && excludes_child(top);
    return int(excludes_child(aside)) + int(gets_head && top != aside);
  }

 private:
  // Is a word on a cycle that has a word behind B0?
  bool leads_round_behind(Token word) const {
    if (heads_.of(word) == kNone) return false;
    Token at = word;
    do {
      if (at > front_) return true;
      at = heads_.of(at);
    } while (at != word);
    return false;
  }
  bool meets_tree_of(Token top) const {
    for (Token word = 1; word < front_; ++word) {
      if (heads_.is_ahead(word) && heads_.top(word) == top) return true;
    }
    return false;
  }
  Token open_aside() const {
    for (Token word = 1; word < front_; ++word) {
      if (!heads_.is_ahead(word) && heads_.made(word) == kNone) return word;
    }
    return kNone;
  }
  Token made_top(Token word) const {
    for (Token steps = 0; steps < front_ && heads_.made(word) != kNone; ++steps) word = heads_.made(word);
    return word;
  }

  const Heads& heads_;
  const Token child_;  // of Root in the reference, if it has no head; kNone otherwise
  const Token front_;
};

}  // namespace

int lost_to_one_root(const Frame& frame, const Move* move, const Gold& gold) {
  const Token front = frame.at[kB0];
  if (front == kNone || front == frame.root) return 0;  // there is one tree
  const Heads heads{frame, gold, move};
  const auto children = gold.children(frame.root);
  const bool is_open = !children.empty() && heads.made(children[0]) == kNone;
  const OneRoot one(heads, is_open ? children[0] : kNone);
  return front < gold.words() ? one.lost_on_the_way() : one.lost_at_the_end();
}

}  // namespace panparser
