// The part of Covington's loss that no single arc has (Gómez-Rodríguez & Fernández-González 2015): arcs of the
// reference that are within reach, each for itself, may close a cycle with each other and with arcs that were made, and
// then one of them is lost.
#pragma once

#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

enum class Move { kNoArc, kLeft, kRight, kShift };  // what a row of Covington's system does to S0 and B0

// How many more of these cycles there are after a move than before it. The frame must track trees and costs.
int more_cycles(const Frame& frame, Move move, const Gold& gold);

}  // namespace panparser
