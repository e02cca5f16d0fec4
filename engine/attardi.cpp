#include "attardi.hpp"

#include <algorithm>

namespace panparser {

namespace {

using Node = AttardiLoss::Node;
using Arcs = AttardiLoss::Arcs;

constexpr Node kNobody = -1;
constexpr Node kRootLast = -2;  // the head, where Root takes the last word that is left and no other

// The arcs of a state that can still be made one by one, and which of them can be made together.
class Derivations {
 public:
  Derivations(AttardiLoss::Scratch& scratch, int below, bool root_ahead)
      : s_(scratch),
        below_(below),
        nodes_(static_cast<int>(scratch.head.size())),
        root_(root_ahead ? nodes_ - 1 : kNobody) {}

  int fewest_lost();
  bool is_exhausted() const { return work_ > AttardiLoss::kMostWork; }

 private:
  bool derivable(const Arcs& arcs) { return is_exhausted() || make(arcs, false) == 0; }
  int make(const Arcs& arcs, bool gives_up);
  void shrink(Arcs& arcs);
  void shrink(Arcs& arcs, std::size_t first, std::size_t last);
  bool pack(AttardiLoss::Level& level, int most, int& count);
  bool within(int budget, std::size_t depth);
  AttardiLoss::Level& level(std::size_t depth) {
    while (s_.levels.size() <= depth) s_.levels.emplace_back();
    return s_.levels[depth];
  }

  AttardiLoss::Scratch& s_;
  int below_, nodes_;
  Node root_;  // if it comes last: once it is on the stack, it stays on top
  std::int64_t work_ = 0;
};

// Makes arcs as soon as it can, and shifts where it cannot. How many of them are left; with `gives_up`, after giving up
// words at the end until none is left.
int Derivations::make(const Arcs& arcs, bool gives_up) {
  work_ += nodes_;
  auto& children = s_.children;
  children.assign(nodes_, 0);
  int left = 0;
  for (Node d = 0; d < nodes_; ++d) {
    left += arcs[d];
    if (arcs[d] && s_.head[d] >= 0) ++children[s_.head[d]];
  }
  Node* stack = s_.stack.data();
  int size = 0;
  for (Node n = 0; n < below_; ++n) {
    if (arcs[n] || children[n] > 0) stack[size++] = n;
  }
  const auto remove = [&](int place) {
    for (--size; place < size; ++place) stack[place] = stack[place + 1];
  };
  const auto joins = [&](Node head, Node dependent) {
    return arcs[dependent] && s_.head[dependent] == head && children[dependent] == 0;
  };
  int lost = 0;
  Node next = below_;
  while (left > 0) {
    const int top = size - 1;
    bool made = false;
    for (int other = top - 1; other >= 0 && other >= top - 2 && !made; --other) {
      const bool leftward = joins(stack[top], stack[other]);
      if (!leftward && !joins(stack[other], stack[top])) continue;
      const int dependent = leftward ? other : top;
      int head = leftward ? top : other;
      const Node h = stack[head];
      remove(dependent);
      if (head > dependent) --head;
      if (--children[h] == 0 && !arcs[h] && h != root_) remove(head);
      --left;
      made = true;
    }
    if (made) continue;
    while (next < nodes_ && !arcs[next] && children[next] == 0) ++next;
    if (next < nodes_) {
      stack[size++] = next++;
      continue;
    }
    if (size == 1 && left == 1 && s_.head[stack[0]] == kRootLast && arcs[stack[0]]) left = 0;
    break;
  }
  (void)gives_up;
  return left + lost;
}

// Takes arcs out of a set that cannot be made, until each is needed for that.
void Derivations::shrink(Arcs& arcs) {
  auto& order = s_.order;
  order.clear();
  for (const bool forced : {false, true}) {  // what may be lost is taken out first: fewer choices are left
    for (Node d = 0; d < nodes_; ++d) {
      if (arcs[d] && bool(s_.forced[d]) == forced) order.push_back(d);
    }
  }
  shrink(arcs, 0, order.size());
}

void Derivations::shrink(Arcs& arcs, std::size_t first, std::size_t last) {
  if (first == last) return;
  for (std::size_t i = first; i < last; ++i) arcs[s_.order[i]] = 0;
  if (!derivable(arcs)) return;
  for (std::size_t i = first; i < last; ++i) arcs[s_.order[i]] = 1;
  if (last - first == 1) return;
  const std::size_t middle = (first + last) / 2;
  shrink(arcs, first, middle);
  shrink(arcs, middle, last);
}

// Conflicts that share no arc that may be lost: how many, `most` at most, and what may be lost of the smallest. False if
// there are more, or one of which nothing may be lost.
bool Derivations::pack(AttardiLoss::Level& level, int most, int& count) {
  level.rest = s_.wanted;
  for (count = 0; count == 0 || !derivable(level.rest); ++count) {
    if (count == most) return false;
    level.conflict = level.rest;
    shrink(level.conflict);
    level.found.clear();
    for (Node d = 0; d < nodes_; ++d) {
      if (!level.conflict[d] || s_.forced[d]) continue;
      level.found.push_back(d);
      level.rest[d] = 0;
    }
    if (level.found.empty()) return false;
    if (count == 0 || level.found.size() < level.choices.size()) level.choices = level.found;
  }
  return true;
}

// Can all arcs be made but so many?
bool Derivations::within(int budget, std::size_t depth) {
  if (derivable(s_.wanted)) return true;
  if (budget == 0) return false;
  int count = 0;
  if (!pack(level(depth), budget, count)) return false;
  bool can = false;
  const auto& choices = level(depth).choices;
  const std::size_t many = choices.size();
  std::size_t tried = 0;
  for (; tried < many && !can; ++tried) {
    const Node d = level(depth).choices[tried];
    s_.wanted[d] = 0;
    can = within(budget - 1, depth + 1);
    s_.wanted[d] = 1;
    s_.forced[d] = 1;  // what follows need not lose it too
  }
  for (std::size_t i = 0; i < tried; ++i) s_.forced[level(depth).choices[i]] = 0;
  return can;
}

int Derivations::fewest_lost() {
  s_.wanted.assign(nodes_, 0);
  for (Node d = 0; d < nodes_; ++d) s_.wanted[d] = s_.head[d] != kNobody;
  s_.forced.assign(nodes_, 0);
  s_.stack.resize(nodes_ + 1);
  if (derivable(s_.wanted)) return 0;
  int least = 0;
  pack(level(0), nodes_, least);
  while (!within(least, 0)) ++least;
  return least;
}

}  // namespace

int AttardiLoss::from_root(std::span<const Token> tokens) const {
  return static_cast<int>(
      std::count_if(tokens.begin(), tokens.end(), [&](Token t) { return gold_.head(t) == gold_.root(); }));
}

int AttardiLoss::reachable(std::span<const Token> stack, Token front, Scratch& scratch) const {
  const Token root = gold_.root();
  // Root last, once shifted, takes every word below.
  if (root != 0 && !stack.empty() && stack.back() == root) return from_root(stack);
  const Token last = root == 0 || single_root_ ? gold_.words() : root;
  if (single_root_ && root == 0 && front == 0) front = 1;
  auto& tokens = scratch.tokens;
  tokens.clear();
  auto& place = scratch.place;
  place.assign(gold_.words() + 2, kNobody);  // first: is it there at all?
  for (const Token token : stack) {
    if (single_root_ && token == root) continue;
    place[token] = 0;
    tokens.push_back(token);
  }
  std::size_t below = tokens.size();
  for (Token token = front; token <= last; ++token) {
    place[token] = 0;
    tokens.push_back(token);
  }
  auto& children = scratch.children;
  children.assign(gold_.words() + 2, 0);
  int alive = 0;
  const auto is_alive = [&](Token token) {
    const Token head = gold_.head(token);
    return head >= 0 && (place[head] != kNobody || (single_root_ && head == root));
  };
  for (const Token token : tokens) {
    if (!is_alive(token)) continue;
    ++alive;
    ++children[gold_.head(token)];
  }
  if (alive == 0) return 0;
  // Words that have no arc are left out, and words of the buffer that stand beside their head and are complete.
  std::size_t kept = 0, kept_below = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i == below) kept_below = kept;
    const Token token = tokens[i];
    if (children[token] == 0 && !is_alive(token)) continue;
    tokens[kept++] = token;
    while (i >= below && kept >= kept_below + 2) {
      const Token a = tokens[kept - 2], b = tokens[kept - 1];
      if (children[b] == 0 && gold_.head(b) == a) {
        --children[a];
      } else if (children[a] == 0 && gold_.head(a) == b) {
        --children[b];
        tokens[kept - 2] = b;
      } else {
        break;
      }
      --kept;
      const Token h = tokens[kept - 1];
      if (children[h] == 0 && !is_alive(h)) --kept;
    }
  }
  if (below >= tokens.size()) kept_below = kept;
  tokens.resize(kept);
  if (kept == 0) return alive;

  for (std::size_t i = 0; i < kept; ++i) place[tokens[i]] = static_cast<Node>(i);
  scratch.head.resize(kept);
  for (std::size_t i = 0; i < kept; ++i) {
    const Token head = gold_.head(tokens[i]);
    scratch.head[i] = !is_alive(tokens[i]) ? kNobody : single_root_ && head == root ? kRootLast : place[head];
  }
  Derivations derivations(scratch, static_cast<int>(kept_below), tokens.back() == root && root != 0);
  const int lost = derivations.fewest_lost();
  ++scratch.histogram[std::min(lost, 31)];
  scratch.is_exact = !derivations.is_exhausted();
  if (!scratch.is_exact) ++scratch.histogram[32];
  return alive - lost;
}

}  // namespace panparser
