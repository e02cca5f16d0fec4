// What oracles read off a state: the arc that an action makes, and the action of the static oracle.
#pragma once

#include <cstdint>
#include <span>

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

}  // namespace panparser
