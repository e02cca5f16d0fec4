#include "systems/losses/crossing.hpp"

#include <algorithm>

namespace panparser {

void CrossingArcs::find_core(const Gold& gold, bool single_root, const Bits* tokens, Token without) {
  const Token root = gold.root();
  tokens_.clear();
  head_.assign(gold.words() + 2, kNone);
  children_.assign(gold.words() + 2, 0);
  // Root always is there, or, in systems without it, as if it were.
  const auto is_there = [&](Token token) { return token != without && (token == root || contains(tokens, token)); };
  for (Token token = root == 0 ? 0 : 1; token <= std::max(gold.words(), root); ++token) {
    if (is_there(token)) tokens_.push_back(token);
  }
  for (const Token token : tokens_) {
    const Token head = token == root ? kNone : gold.head(token);
    if (head < 0 || !is_there(head)) continue;
    head_[token] = head;
    ++children_[head];
  }
  // Of a single child of Root there may be only one, so that none is taken for granted.
  const auto joins = [&](Token head, Token child) {
    return children_[child] == 0 && head_[child] == head && !(single_root && head == root);
  };
  core_.clear();
  for (const Token token : tokens_) {
    core_.push_back(token);
    while (!core_.empty()) {
      const Token top = core_.back();
      const Token below = core_.size() > 1 ? core_[core_.size() - 2] : kNone;
      if (children_[top] == 0 && head_[top] == kNone) {
        core_.pop_back();
      } else if (below != kNone && joins(below, top)) {
        core_.pop_back();
        --children_[below];
      } else if (below != kNone && joins(top, below)) {
        core_.erase(core_.end() - 2);
        --children_[top];
      } else {
        break;
      }
    }
  }
}

std::size_t CrossingArcs::core_size(const Gold& gold, bool single_root) {
  const std::vector<Bits> all((gold.words() + 2 + 63) / 64, ~Bits(0));
  find_core(gold, single_root, all.data(), kNone);
  return core_.size();
}

int CrossingArcs::lost(const Gold& gold, bool single_root, const Bits* tokens, Token without) {
  find_core(gold, single_root, tokens, without);
  if (core_.empty()) return 0;
  const auto size = static_cast<Token>(core_.size());
  const auto place = [&](Token token) {
    return static_cast<Token>(std::lower_bound(core_.begin(), core_.end(), token) - core_.begin());
  };
  int arcs = 0;
  core_head_.clear();
  for (const Token token : core_) {
    core_head_.push_back(head_[token] == kNone ? kNone : place(head_[token]));
    arcs += head_[token] != kNone;
  }
  const Token found = place(gold.root());
  const Token root = found < size && core_[found] == gold.root() ? found : kNone;
  // Without Root in the core, and where it has a single child, some word is above all others.
  const bool has_top = root == kNone || single_root;
  const Token first = has_top && root == 0 ? 1 : 0;
  const Token last = has_top && root == size - 1 ? size - 2 : size - 1;
  spans_.fill(agreement(core_head_, root), first, last);
  int best = 0;
  for (Token top = has_top ? first : root; top <= (has_top ? last : root); ++top) {
    best = std::max(best, spans_.left(first, top) + spans_.right(top, last) +
                              int(root != kNone && has_top && core_head_[top] == root));
  }
  return arcs - best;
}

}  // namespace panparser
