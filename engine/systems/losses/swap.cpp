#include "systems/losses/swap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/hashing.hpp"
#include "systems/swap.hpp"

namespace panparser {

namespace {

using Node = SwapLoss::Node;
using Arcs = SwapLoss::Arcs;
using Line = SwapLoss::Line;

constexpr Node kAbsent = Conflicts::kAbsent;
constexpr Node kRootAtEnd = -2;  // the head, where Root takes words that are left at the end
constexpr std::int32_t kUntried = std::numeric_limits<std::int32_t>::max();
constexpr int kLineWork = 8;  // of each line, beside its tokens

// Which arcs of a state can be made together.
class Derivations {
 public:
  // `below` nodes are on the stack. `root`: the node that is Root; kAbsent if it takes words at the end, and only one
  // of them if `single_root`.
  Derivations(SwapLoss::Scratch& scratch, int below, Node root, bool single_root, int limit)
      : s_(scratch),
        below_(below),
        nodes_(static_cast<int>(scratch.head.size())),
        root_(root),
        single_root_(single_root),
        most_work_(std::int64_t(1) << limit) {
    s_.seen.resize(2 * most_work_ / kLineWork);  // room for twice as many as there can be
  }

  bool can_make(const Arcs& arcs);
  void narrow(Arcs& arcs);
  void widen() {}
  bool is_exhausted() const { return work_ > most_work_; }

 private:
  static Line& at(std::deque<Line>& lines, std::size_t depth) {
    if (lines.size() <= depth) lines.resize(depth + 1);
    return lines[depth];
  }
  bool matters(const Arcs& arcs, const Line& line, Node n) const { return arcs[n] || line.children[n] > 0; }
  bool joins(const Arcs& arcs, const Line& line, Node head, Node dependent) const {
    return arcs[dependent] && s_.head[dependent] == head && line.children[dependent] == 0;
  }
  bool can_swap(Node first, Node second) const { return first != root_ && s_.tokens[first] < s_.tokens[second]; }
  std::int32_t& tried(const Line& line, bool full);
  bool is_new(const Line& line, bool full);

  void fill(const Arcs& arcs, Line& line) const;
  void keep_what_matters(const Arcs& arcs, const Line& full, int below, Line& line) const;
  void join(const Arcs& arcs, Line& line) const;
  bool can_join(const Arcs& arcs, const Line& full, int below);
  void count_spans(const Arcs& arcs, Line& line) const;
  bool search(const Arcs& arcs, std::size_t depth);
  bool search_all(const Arcs& arcs, std::size_t depth);
  bool try_pair(const Arcs& arcs, int place, std::size_t depth);

  SwapLoss::Scratch& s_;
  const int below_, nodes_;
  const Node root_;
  const bool single_root_;
  const std::int64_t most_work_;
  std::int64_t work_ = 0;
};

// The least number of tokens on the stack with which this line was tried for these arcs, in vain.
std::int32_t& Derivations::tried(const Line& line, bool full) {
  std::uint64_t key = full;
  for (const Node n : line.nodes) key = mix(key * kGolden + static_cast<std::uint64_t>(n) + 1);
  const std::size_t last = s_.seen.size() - 1;  // all bits set
  std::size_t at = key & last;
  while (s_.seen[at].search == s_.search && s_.seen[at].key != key) at = (at + 1) & last;
  if (s_.seen[at].search != s_.search) s_.seen[at] = {key, s_.search, kUntried};
  return s_.seen[at].below;
}

// Has no such line been tried, with as much within reach? From now on it has.
bool Derivations::is_new(const Line& line, bool full) {
  work_ += static_cast<std::int64_t>(line.nodes.size()) + kLineWork;
  std::int32_t& below = tried(line, full);
  if (below <= line.below) return false;
  below = line.below;
  return true;
}

// --- Joining as soon as possible ---

// The line of all tokens.
void Derivations::fill(const Arcs& arcs, Line& line) const {
  line.nodes.resize(nodes_);
  line.children.assign(nodes_, 0);
  line.below = below_;
  line.left = 0;
  for (Node n = 0; n < nodes_; ++n) {
    line.nodes[n] = n;
    if (!arcs[n] || s_.head[n] < 0) continue;
    ++line.left;
    ++line.children[s_.head[n]];
  }
}

// The line without tokens that have no arcs, and as if `below` tokens were on the stack.
void Derivations::keep_what_matters(const Arcs& arcs, const Line& full, int below, Line& line) const {
  line.children = full.children;
  line.left = full.left;
  line.below = 0;
  line.nodes.clear();
  for (std::size_t i = 0; i < full.nodes.size(); ++i) {
    if (!matters(arcs, full, full.nodes[i])) continue;
    line.nodes.push_back(full.nodes[i]);
    line.below += static_cast<int>(i) < below;
  }
}

// Makes all arcs that are within reach.
void Derivations::join(const Arcs& arcs, Line& line) const {
  auto& nodes = line.nodes;
  const auto size = static_cast<int>(nodes.size());
  int kept = std::max(line.below - 1, 0);
  for (int next = kept; next < size; ++next) {
    nodes[kept++] = nodes[next];
    while (kept >= 2) {
      const Node before = nodes[kept - 2], after = nodes[kept - 1];
      const bool leftward = joins(arcs, line, after, before);
      if (!leftward && !joins(arcs, line, before, after)) break;
      const Node head = leftward ? after : before;
      nodes[--kept - 1] = head;
      --line.left;
      --line.children[head];
      if (!matters(arcs, line, head)) --kept;
      line.below = std::min(line.below, kept);
    }
  }
  nodes.resize(kept);
}

// Can the arcs be made as soon as possible, in a line with `below` tokens on the stack?
bool Derivations::can_join(const Arcs& arcs, const Line& full, int below) {
  Line& line = at(s_.joined, 0);
  keep_what_matters(arcs, full, below, line);
  join(arcs, line);
  return search(arcs, 0);
}

void Derivations::count_spans(const Arcs& arcs, Line& line) const {
  const auto& nodes = line.nodes;
  line.spans.assign(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) s_.place[nodes[i]] = static_cast<Node>(i);
  for (const Node d : nodes) {
    if (!arcs[d] || s_.head[d] < 0) continue;
    const auto [left, right] = std::minmax(s_.place[d], s_.place[s_.head[d]]);
    ++line.spans[left];
    --line.spans[right];
  }
  std::partial_sum(line.spans.begin(), line.spans.end(), line.spans.begin());
}

bool Derivations::search(const Arcs& arcs, std::size_t depth) {
  Line& line = at(s_.joined, depth);
  if (line.left == 0 || is_exhausted()) return true;
  if (!is_new(line, false)) return false;
  count_spans(arcs, line);
  const auto& nodes = line.nodes;
  const auto size = static_cast<int>(nodes.size());
  // Where no arc but that of the two passes over a gap, what is on its sides is made apart.
  const auto is_spanned = [&](int gap) {
    const Node first = nodes[gap], second = nodes[gap + 1];
    const bool together = (arcs[first] && s_.head[first] == second) || (arcs[second] && s_.head[second] == first);
    return line.spans[gap] > int(together);
  };
  for (const bool ordered : {false, true}) {
    for (int gap = std::max(line.below - 2, 0); gap + 1 < size; ++gap) {
      const Node first = nodes[gap], second = nodes[gap + 1];
      if ((s_.order[first] < s_.order[second]) != ordered || !can_swap(first, second) || !is_spanned(gap)) continue;
      Line& after = at(s_.joined, depth + 1);
      after = line;
      std::swap(after.nodes[gap], after.nodes[gap + 1]);
      after.below = std::min(after.below, gap + 1);
      join(arcs, after);
      if (search(arcs, depth + 1)) {
        tried(line, false) = kUntried;  // in vain
        return true;
      }
    }
  }
  return false;
}

// --- All transitions ---

bool Derivations::search_all(const Arcs& arcs, std::size_t depth) {
  const Line& line = at(s_.full, depth);
  if (is_exhausted() || can_join(arcs, line, line.below)) return true;
  if (line.below <= 2 || !is_new(line, true) || !can_join(arcs, line, 0)) return false;
  const auto size = static_cast<int>(line.nodes.size());
  for (int place = line.below - 2; place + 1 < size; ++place) {
    if (try_pair(arcs, place, depth)) return true;
  }
  return false;
}

// All that can happen to two neighbors without loss.
bool Derivations::try_pair(const Arcs& arcs, int place, std::size_t depth) {
  const Line& line = at(s_.full, depth);
  const Node first = line.nodes[place], second = line.nodes[place + 1];
  const auto after = [&](const auto& change) {
    Line& next = at(s_.full, depth + 1);
    next = line;
    next.below = std::min(next.below, place + 1);
    change(next);
    return search_all(arcs, depth + 1);
  };
  if (can_swap(first, second) && after([&](Line& next) { std::swap(next.nodes[place], next.nodes[place + 1]); })) {
    return true;
  }
  for (const bool leftward : {true, false}) {
    const Node head = leftward ? second : first, dependent = leftward ? first : second;
    const bool joined = joins(arcs, line, head, dependent);
    if (!joined && (matters(arcs, line, dependent) || dependent == root_)) continue;
    const auto leave = [&](Line& next) {
      next.nodes.erase(next.nodes.begin() + place + (leftward ? 0 : 1));
      next.left -= joined;
      next.children[head] -= joined;
    };
    if (after(leave)) return true;
  }
  return false;
}

bool Derivations::can_make(const Arcs& arcs) {
  if (is_exhausted()) return true;  // so that all searches end at once
  work_ += nodes_;
  const auto waits = [&](Node n) { return arcs[n] && s_.head[n] == kRootAtEnd; };
  int waiting = 0;
  for (Node n = 0; n < nodes_; ++n) waiting += waits(n);
  if (single_root_ && waiting > 1) return false;
  ++s_.search;
  fill(arcs, at(s_.full, 0));
  return search_all(arcs, 0);
}

// The arcs that cannot be made at once are enough, unless it is for what is out of reach.
void Derivations::narrow(Arcs& arcs) {
  Line& line = at(s_.joined, 0);
  fill(arcs, at(s_.full, 0));
  keep_what_matters(arcs, at(s_.full, 0), 0, line);
  join(arcs, line);
  for (Node n = 0; n < nodes_; ++n) s_.place[n] = kAbsent;
  for (const Node n : line.nodes) s_.place[n] = 0;
  for (Node n = 0; n < nodes_; ++n) arcs[n] = arcs[n] && s_.place[n] != kAbsent;
}

}  // namespace

SwapLoss::SwapLoss(const Gold& gold, bool single_root, int limit)
    : gold_(gold), single_root_(single_root), limit_(limit), order_(projective_order(completed(gold))) {}

int SwapLoss::reachable(std::span<const Token> tokens, std::size_t below, Scratch& scratch) const {
  const Token root = gold_.root();
  const bool at_end = single_root_ || root != 0;
  scratch.is_exact = true;
  if (root != 0 && below > 0 && tokens[below - 1] == root) {  // takes every word below
    const auto takes = [&](Token token) { return gold_.head(token) == root; };
    return static_cast<int>(std::count_if(tokens.begin(), tokens.end(), takes));
  }
  scratch.tokens.clear();
  scratch.place.assign(gold_.words() + 2, kAbsent);
  int on_stack = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (at_end && tokens[i] == root) continue;
    scratch.place[tokens[i]] = static_cast<Node>(scratch.tokens.size());
    scratch.tokens.push_back(tokens[i]);
    on_stack += i < below;
  }
  const std::size_t nodes = scratch.tokens.size();
  scratch.head.resize(nodes);
  scratch.order.resize(nodes);
  Arcs& wanted = scratch.conflicts.wanted;
  wanted.resize(nodes);
  int arcs = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    const Token head = gold_.head(scratch.tokens[i]);
    scratch.head[i] = at_end && head == root ? kRootAtEnd : head >= 0 ? scratch.place[head] : kAbsent;
    scratch.order[i] = order_[scratch.tokens[i]];
    wanted[i] = scratch.head[i] != kAbsent;
    arcs += wanted[i];
  }
  if (arcs == 0) return 0;
  const Node root_node = at_end ? kAbsent : scratch.place[root];
  Derivations derivations(scratch, on_stack, root_node, single_root_, limit_);
  const int lost = scratch.conflicts.fewest_lost(derivations);
  scratch.is_exact = !derivations.is_exhausted();
  return arcs - lost;
}

}  // namespace panparser
