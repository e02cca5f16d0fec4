#include "systems/losses/one_root.hpp"

#include "systems/losses/heads.hpp"

namespace panparser {

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
      const bool is_on_cycle = heads_.has_cycle(top);
      if (top == child_ || top > front_ || (is_on_cycle && passes_behind(top))) return 0;
      below_front |= top == front_ || is_on_cycle;  // such a cycle has B0
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
  // Has the cycle of a word one that is behind B0?
  bool passes_behind(Token word) const {
    Token at = heads_.of(word);
    while (at != word && at <= front_) at = heads_.of(at);
    return at > front_;
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

int lost_to_one_root(const Frame& frame, std::optional<Move> move, const Gold& gold) {
  const Token front = frame.at[kB0];
  if (front == kNone || front == frame.root) return 0;  // there is one tree
  const Heads heads{frame, gold, move};
  const auto children = gold.children(frame.root);
  const bool is_open = !children.empty() && heads.made(children[0]) == kNone;
  const OneRoot one(heads, is_open ? children[0] : kNone);
  return front < gold.words() ? one.lost_on_the_way() : one.lost_at_the_end();
}

}  // namespace panparser
