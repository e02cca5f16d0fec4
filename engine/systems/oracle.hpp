// What oracles read off a state: the arc that an action makes, and the action of the static oracle.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "systems/focus.hpp"
#include "systems/system.hpp"

namespace panparser {

// A legal action of least cost: preferably one that makes an arc of the reference, else the first in `ties`, which has
// all actions.
inline int static_action(const System& system, const Frame& frame, std::uint32_t legal,
                         std::span<const std::int32_t> costs, const Gold& gold, std::span<const std::int32_t> ties) {
  int best = -1;
  bool attaches = false;  // does the best one make an arc of the reference?
  for (const std::int32_t action : ties) {
    if (!(legal >> action & 1)) continue;
    const Arc arc = system.labeled_arc(frame, action);
    const bool is_gold = arc.head != kNone && gold.head(arc.dependent) == arc.head;
    if (best < 0 || costs[action] < costs[best] || (costs[action] == costs[best] && is_gold && !attaches)) {
      best = action;
      attaches = is_gold;
    }
  }
  return best;
}

// Where the focus is free, actions of several places are compared: the least one is chosen, of equal ones the first.
using Rank = std::tuple<std::int32_t, bool, std::ptrdiff_t>;  // cost, lacks an arc of the reference, place in `ties`
inline Rank static_rank(const System& system, const Frame& frame, int action, std::int32_t cost, const Gold& gold,
                        std::span<const std::int32_t> ties) {
  const Arc arc = system.labeled_arc(frame, action);
  const bool is_gold = arc.head != kNone && gold.head(arc.dependent) == arc.head;
  return {cost, !is_gold, std::find(ties.begin(), ties.end(), action) - ties.begin()};
}

// The step of the static oracle where the focus is free; -1 if nothing is legal.
template <class State>
std::int32_t static_step(const System& system, State& state, const Reference& reference,
                         std::span<const std::int32_t> ties, System::Scratch& scratch) {
  std::array<std::int32_t, System::kMaxRows> costs;
  std::int32_t best = -1;
  Rank least;
  see_all(state, system.table().shape, [&](const State& seen) {
    const Frame frame = seen.frame();
    const Bits truths = system.truths(frame);
    const std::uint32_t legal = system.legal(truths);
    if (!legal) return;
    system.costs(seen, frame, truths, legal, reference, scratch, costs);
    const int action = static_action(system, frame, legal, costs, reference.gold, ties);
    const Rank rank = static_rank(system, frame, action, costs[action], reference.gold, ties);
    if (best >= 0 && rank >= least) return;
    best = make_step(action, frame.at[kS0]);
    least = rank;
  });
  return best;
}

}  // namespace panparser
