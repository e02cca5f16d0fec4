// How far a tree is from projective.
#pragma once

#include <cstdint>
#include <span>

#include "trees/gold.hpp"

namespace panparser {

// Sets the flag of every word whose arc is not projective: a word between it and its head is no descendant of the
// head. Returns the gap degree, the most gaps in the yield of a word. In a partial tree, a word counts only if it
// surely is no descendant. One flag for each word. Linear but for yields with gaps, whose span is scanned.
int measure_projectivity(const Gold& gold, std::span<std::uint8_t> flags);

}  // namespace panparser
