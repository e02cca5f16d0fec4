// What the static oracles of swap systems need to know about a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/gold.hpp"

namespace panparser {

// The tree with a head for every word, for the two below: a word whose head is unknown hangs on the head of the
// shortest known arc over it, so that no word must be swapped for its sake.
Gold completed(const Gold& gold);

// Places of the tokens in the order that makes the tree projective: left children, the token itself, right children.
std::vector<std::int32_t> projective_order(const Gold& gold);

// The tops of the fragments that LEFT and RIGHT alone build (Nivre, Kuhlmann & Hall 2009: maximal projective
// components).
std::vector<std::int32_t> projective_fragments(const Gold& gold);

}  // namespace panparser
