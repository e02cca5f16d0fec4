#include "systems/losses/attardi.hpp"

#include <algorithm>
#include <numeric>

namespace panparser {

namespace {

using Node = AttardiLoss::Node;
using Arcs = AttardiLoss::Arcs;

constexpr Node kAbsent = Conflicts::kAbsent;
constexpr Node kRootAtEnd = -2;  // the head, where Root takes the one word that is left, and no other

// Which arcs of a state can be made together.
class Derivations {
 public:
  // Of the nodes of `scratch.head` the first `below` are on the stack. `root_last`: the last one is Root, which nothing
  // removes once it is on the stack.
  Derivations(AttardiLoss::Scratch& scratch, int below, bool root_last)
      : s_(scratch),
        below_(below),
        nodes_(static_cast<int>(scratch.head.size())),
        root_(root_last ? nodes_ - 1 : kAbsent) {
    s_.stack.resize(nodes_ + 1);
    s_.children.resize(nodes_);
    s_.all.resize(nodes_);
    std::iota(s_.all.begin(), s_.all.end(), 0);
    seen_ = s_.all;
  }

  bool can_make(const Arcs& arcs);
  void narrow(Arcs& arcs);
  void widen() { seen_ = s_.all; }
  bool is_exhausted() const { return work_ > AttardiLoss::kMostWork; }
  int lost_by_giving_up(Arcs& arcs);

 private:
  void start(const Arcs& arcs);
  bool step(const Arcs& arcs);
  void remove(int place);
  void give_up(Arcs& arcs);

  AttardiLoss::Scratch& s_;
  const int below_, nodes_;
  const Node root_;
  std::int64_t work_ = 0;
  std::span<const Node> seen_;  // that may have arcs: others are passed over
  int size_ = 0;                // of the stack
  std::size_t next_ = 0;        // of `seen_`, in the buffer
  int left_ = 0;                // arcs still to be made
};

void Derivations::start(const Arcs& arcs) {
  work_ += static_cast<std::int64_t>(seen_.size());
  left_ = 0;
  for (const Node n : seen_) s_.children[n] = 0;
  for (const Node d : seen_) {
    left_ += arcs[d];
    if (arcs[d] && s_.head[d] >= 0) ++s_.children[s_.head[d]];
  }
  size_ = 0;
  for (next_ = 0; next_ < seen_.size() && seen_[next_] < below_; ++next_) {
    const Node n = seen_[next_];
    if (arcs[n] || s_.children[n] > 0) s_.stack[size_++] = n;
  }
}

void Derivations::remove(int place) {
  for (--size_; place < size_; ++place) s_.stack[place] = s_.stack[place + 1];
}

// Makes an arc, else shifts. False if there is nothing to do.
bool Derivations::step(const Arcs& arcs) {
  const auto& stack = s_.stack;
  auto& children = s_.children;
  const auto joins = [&](Node head, Node dependent) {
    return arcs[dependent] && s_.head[dependent] == head && children[dependent] == 0;
  };
  const int top = size_ - 1;
  for (int other = top - 1; other >= std::max(0, top - 2); --other) {
    const bool leftward = joins(stack[top], stack[other]);
    if (!leftward && !joins(stack[other], stack[top])) continue;
    const Node head = stack[leftward ? top : other];
    remove(leftward ? other : top);
    if (--children[head] == 0 && !arcs[head] && head != root_) remove(leftward ? top - 1 : other);
    --left_;
    return left_ > 0;
  }
  while (next_ < seen_.size() && !arcs[seen_[next_]] && children[seen_[next_]] == 0) ++next_;
  if (next_ < seen_.size()) {
    s_.stack[size_++] = seen_[next_++];
    return true;
  }
  if (size_ == 1 && s_.head[stack[0]] == kRootAtEnd && arcs[stack[0]]) left_ = 0;
  return false;
}

bool Derivations::can_make(const Arcs& arcs) {
  if (is_exhausted()) return true;  // so that all searches end at once
  start(arcs);
  if (left_ > 0) {
    while (step(arcs)) continue;
  }
  return left_ == 0;
}

// Drops the arcs of one of the three topmost words: of that which has fewest.
void Derivations::give_up(Arcs& arcs) {
  auto& stack = s_.stack;
  const auto weight = [&](Node n) { return s_.children[n] + arcs[n]; };
  const auto first = stack.begin() + std::max(0, size_ - 3);
  const auto last = stack.begin() + size_;
  const Node given = *std::min_element(first, last, [&](Node a, Node b) { return weight(a) < weight(b); });
  for (auto at = stack.begin(); at != last; ++at) {
    if (!arcs[*at] || (*at != given && s_.head[*at] != given)) continue;
    arcs[*at] = 0;
    --left_;
    if (s_.head[*at] >= 0) --s_.children[s_.head[*at]];
  }
  const auto is_done = [&](Node n) { return !arcs[n] && s_.children[n] == 0; };
  size_ = static_cast<int>(std::remove_if(stack.begin(), last, is_done) - stack.begin());
}

int Derivations::lost_by_giving_up(Arcs& arcs) {
  start(arcs);
  for (int lost = 0;;) {
    while (left_ > 0 && step(arcs)) continue;
    if (left_ == 0) return lost;
    if (s_.stack[size_ - 1] == root_) return lost + left_;
    const int before = left_;
    give_up(arcs);
    lost += before - left_;
  }
}

// The arcs of the words that it got stuck with are often enough.
void Derivations::narrow(Arcs& arcs) {
  s_.stuck.assign(nodes_, 0);
  s_.some.assign(s_.stack.begin(), s_.stack.begin() + size_);
  for (const Node n : s_.some) s_.stuck[n] = arcs[n];
  arcs = s_.stuck;
  seen_ = s_.some;
}

}  // namespace

// --- What matters of a state ---

bool AttardiLoss::has_arc(Token token, const Scratch& scratch) const {
  const Token head = gold_.head(token);
  return head >= 0 && (scratch.place[head] != kAbsent || (single_root_ && head == gold_.root()));
}

// Lists the tokens that are there. How many of them can get their head.
int AttardiLoss::gather(std::span<const Token> stack, Token front, Scratch& scratch, std::size_t& below) const {
  const Token root = gold_.root();
  auto& tokens = scratch.tokens;
  tokens.clear();
  scratch.place.assign(gold_.words() + 2, kAbsent);
  const auto add = [&](Token token) {
    if (single_root_ && token == root) return;
    tokens.push_back(token);
    scratch.place[token] = 0;
  };
  for (const Token token : stack) add(token);
  below = tokens.size();
  const Token last = root == 0 ? gold_.words() : root;
  for (Token token = front; token <= last; ++token) add(token);
  scratch.children.assign(gold_.words() + 2, 0);
  int arcs = 0;
  for (const Token token : tokens) {
    if (!has_arc(token, scratch)) continue;
    ++arcs;
    ++scratch.children[gold_.head(token)];
  }
  return arcs;
}

// Leaves out tokens without arcs, and, as if their arcs were made, words of the buffer that are complete and stand
// beside their head.
void AttardiLoss::leave_out(Scratch& scratch, std::size_t& below) const {
  auto& tokens = scratch.tokens;
  auto& children = scratch.children;
  const auto matters = [&](Token token) { return children[token] > 0 || has_arc(token, scratch); };
  const std::size_t stack = below;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i == stack) below = kept;
    if (!matters(tokens[i])) continue;
    tokens[kept++] = tokens[i];
    while (i >= stack && kept >= below + 2) {
      const Token before = tokens[kept - 2], after = tokens[kept - 1];
      const bool leftward = children[before] == 0 && gold_.head(before) == after;
      if (!leftward && !(children[after] == 0 && gold_.head(after) == before)) break;
      const Token head = leftward ? after : before;
      --children[head];
      tokens[--kept - 1] = head;
      if (!matters(head)) --kept;
    }
  }
  if (stack == tokens.size()) below = kept;
  tokens.resize(kept);
}

int AttardiLoss::reachable(std::span<const Token> stack, Token front, Scratch& scratch) const {
  const Token root = gold_.root();
  scratch.is_exact = true;
  if (root != 0 && !stack.empty() && stack.back() == root) {  // takes every word below
    const auto takes = [&](Token token) { return gold_.head(token) == root; };
    return static_cast<int>(std::count_if(stack.begin(), stack.end(), takes));
  }
  std::size_t below = 0;
  const int arcs = gather(stack, front, scratch, below);
  if (arcs == 0) return 0;
  leave_out(scratch, below);
  const auto& tokens = scratch.tokens;
  if (tokens.empty()) return arcs;

  for (std::size_t i = 0; i < tokens.size(); ++i) scratch.place[tokens[i]] = static_cast<Node>(i);
  scratch.head.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token head = gold_.head(tokens[i]);
    const Node place = single_root_ && head == root ? kRootAtEnd : head >= 0 ? scratch.place[head] : kAbsent;
    scratch.head[i] = place;
  }
  Arcs& wanted = scratch.conflicts.wanted;
  wanted.resize(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) wanted[i] = scratch.head[i] != kAbsent;
  Derivations derivations(scratch, static_cast<int>(below), root != 0 && tokens.back() == root);
  const int lost = scratch.conflicts.fewest_lost(derivations);
  scratch.is_exact = !derivations.is_exhausted();
  return arcs - (scratch.is_exact ? lost : derivations.lost_by_giving_up(wanted));
}

}  // namespace panparser
