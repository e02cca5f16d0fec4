// Best trees under a matrix of scores. Both functions throw std::invalid_argument on a score that is NaN or too large,
// and where every tree has a forbidden arc.
#pragma once

#include <span>
#include <vector>

#include "trees/eisner.hpp"

namespace panparser {

// Scores of arcs between Root (0) and words 1..n, row by head. -inf forbids an arc; arcs into Root and from a word to
// itself are never read.
struct Scores {
  std::span<const double> values;
  Token words;
  double operator()(Token head, Token dependent) const {
    return values[std::size_t(head) * (words + 1) + std::size_t(dependent)];
  }
};

// The best tree of all (Chu & Liu 1965, Edmonds 1967), in O(n^2); heads by token, kNone for Root.
std::vector<Token> maximum_spanning_tree(Scores scores, bool single_root);

// The best projective tree (Eisner 1996), in O(n^3).
std::vector<Token> projective_tree(Scores scores, bool single_root);

}  // namespace panparser
