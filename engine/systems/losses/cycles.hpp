// The part of the loss of list-based systems that no single arc has (Gómez-Rodríguez & Fernández-González 2015): arcs
// of the reference that are within reach, each for itself, may close a cycle with each other and with arcs that were
// made, and then one of them is lost.
#pragma once

#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

// What a row of a list-based system does to S0 and B0.
struct Move {
  enum class Join { kNoArc, kLeft, kRight } join;
  enum class Fate { kAside, kPop, kShift } fate;  // S0 and B0 part; S0 leaves; B0 parts from all that it has not met
};

// How many more of these cycles there are after a move than before it. The frame must track trees and costs.
int more_cycles(const Frame& frame, Move move, const Gold& gold);

}  // namespace panparser
