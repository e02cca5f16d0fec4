// What list-based systems lose because all words must be joined in one tree: arcs of the reference that are within
// reach, each for itself, may leave no way to do so. docs/concepts/oracles.md has the proofs.
#pragma once

#include <optional>

#include "systems/losses/cycles.hpp"

namespace panparser {

// How many arcs are lost, now or after a move, because one word alone may be left to Root in the end; those that close
// cycles left out. No word of the frame may be gone, or have got Root as its head before the end.
int lost_to_one_root(const Frame& frame, std::optional<Move> move, const Gold& gold);

}  // namespace panparser
