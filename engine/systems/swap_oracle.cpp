// The static oracles of swap systems.
#include <algorithm>
#include <bit>
#include <stdexcept>

#include "systems/swap.hpp"
#include "systems/system.hpp"

namespace panparser {

namespace {

bool has_children(const Frame& frame, const Gold& gold, Token token) {
  const auto children = gold.children(token);
  return std::all_of(children.begin(), children.end(), [&](Token c) { return contains(frame.attached, c); });
}

}  // namespace

void System::swap_reference(Reference& reference) const {
  const auto heads = reference.gold.heads();
  if (std::any_of(heads.begin(), heads.end(), [](Token head) { return head < kUnknown; })) {
    throw std::invalid_argument("a static oracle takes heads, known or unknown, and no marks");
  }
  reference.order = projective_order(completed(reference.gold));
  const Gold& gold = reference.gold;
  bool is_whole = true;
  for (Token word = 1; word <= gold.words(); ++word) is_whole &= gold.head(word) != kUnknown;
  // Fragments hang together only where all heads are known: else to wait would be to lose.
  const bool is_lazy = table_.static_oracle == StaticOracle::kSwapLazy && is_whole;
  if (is_lazy) reference.fragment = projective_fragments(gold);
}

// Nivre 2009 (eager) and Nivre, Kuhlmann & Hall 2009 (lazy). Off its own derivation it may point to an
// illegal action; then the first legal one stands in.
int System::swap_action(const Frame& frame, std::uint32_t legal, const Reference& reference) const {
  const Gold& gold = reference.gold;
  const Token top = frame.at[kS0];
  const Token below = frame.at[kS1];
  const Token next = frame.at[kB0];
  auto complete = [&](Token token) { return has_children(frame, gold, token); };
  auto can = [&](int action) { return action >= 0 && (legal >> action & 1) != 0; };
  if (below != kNone) {
    if (can(left_) && gold.head(below) == top && complete(below)) return left_;
    if (can(right_) && gold.head(top) == below && complete(top)) return right_;
    const bool eager = reference.fragment.empty();
    const bool now = eager || next == kNone || reference.fragment[top] != reference.fragment[next];
    if (can(swap_) && now && reference.order[below] > reference.order[top]) return swap_;
  } else if (can(leave_) && gold.head(top) == gold.root() && complete(top)) {
    return leave_;
  }
  const std::uint32_t free = free_arcs(frame, legal, reference);
  // A word of unknown head must not stay between the top and the words that it has arcs with.
  const auto waits = [&] {
    const auto children = gold.children(top);
    const auto on_stack = [&](Token token) {  // without Root as if it were below the stack
      return contains(frame.on_stack, token) || (token == gold.root() && !table_.shape.has_root);
    };
    return (top != gold.root() && gold.head(top) >= 0 && complete(top) && on_stack(gold.head(top))) ||
           std::any_of(children.begin(), children.end(), on_stack);
  };
  const bool is_between = below != kNone && (free >> left_ & 1) && waits();
  if (can(shift_) && !is_between) return shift_;
  return std::countr_zero(free ? free : legal);
}

// Actions that attach a word whose head is unknown, and which has all its known children.
std::uint32_t System::free_arcs(const Frame& frame, std::uint32_t legal, const Reference& reference) const {
  std::uint32_t found = 0;
  const auto add = [&](int action, Token dependent) {
    const bool is_free = dependent != kNone && dependent != reference.gold.root() &&
                         reference.gold.head(dependent) == kUnknown && has_children(frame, reference.gold, dependent);
    if (is_free) found |= legal & std::uint32_t(1) << action;
  };
  add(left_, frame.at[kS1]);
  add(right_, frame.at[kS0]);
  if (leave_ >= 0) add(leave_, frame.at[kS0]);
  return found;
}

// Where the static oracle loses nothing, SHIFT and SWAP are correct only if it takes them. Not if the reference has no
// order.
void System::keep_to_static(const Frame& frame, std::uint32_t legal, const Reference& reference,
                            std::span<std::int32_t> costs) const {
  if (!legal || reference.order.empty()) return;
  const int action = swap_action(frame, legal, reference);
  if (costs[action] != 0) return;
  for (const int other : {shift_, swap_}) {
    if (other != action && (legal >> other & 1)) costs[other] = std::max(costs[other], 1);
  }
}

void System::static_costs(const Frame& frame, std::uint32_t legal, const Reference& reference,
                          std::span<std::int32_t> costs) const {
  if (!legal) return;
  const std::uint32_t right =
      std::uint32_t(1) << swap_action(frame, legal, reference) | free_arcs(frame, legal, reference);
  for (; legal; legal &= legal - 1) {
    const int action = std::countr_zero(legal);
    costs[action] = !(right >> action & 1);
  }
}

}  // namespace panparser
