// What SwapStandard can still win: its arcs join S0 with S1, the dependent leaves, and two words can change places
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "systems/losses/conflicts.hpp"
#include "trees/gold.hpp"

namespace panparser {

// The most reference arcs that can still be made, exact for all trees and parts of trees; docs/concepts/oracles.md has
// the proofs.
//
// 1. Stack and buffer are one line of tokens. Two neighbors can be joined, or, where they are in the order of the
//    sentence, change places; not those further down the stack than S1 and S0, until something happens to a pair right
//    of them. Whatever happens in this way, in any order, is a derivation.
// 2. Where nothing is out of reach in this sense, it never hurts to make an arc as soon as its dependent has all its
//    own, and to ignore words without arcs. Whether some arcs can be made together shows by trying the ways to change
//    places inside what arcs span, first those that lead to the projective order of the reference.
// 3. Elsewhere the same, if successful, is proof enough; if even with everything in reach it fails, so is that. Between
//    the two, all transitions are tried: a word that goes down the stack brings others within reach.
// 4. What is lost is the smallest set of arcs without which the others can be made (conflicts.hpp).
//
// The work on one state is limited. Beyond, all arcs that were not found to be impossible count as possible.
class SwapLoss {
 public:
  static constexpr int kLeastLimit = 8, kMostLimit = 26;

  // `limit`: of the work, about 2 to the power of so many tokens that are visited.
  SwapLoss(const Gold& gold, bool single_root, int limit);

  using Node = Conflicts::Node;  // a token, by its place in the line
  using Arcs = Conflicts::Arcs;
  struct Line {
    std::vector<Node> nodes;
    std::vector<std::int32_t> children;  // still to come, by node
    std::int32_t below = 0;              // the first so many are on the stack: two of these are within reach
    std::int32_t left = 0;               // arcs still to be made, without those that wait for Root
    std::vector<std::int32_t> spans;     // by place: arcs that pass over the gap behind it
  };
  struct Seen {
    std::uint64_t key, search;
    std::int32_t below;
  };
  struct Scratch {
    bool is_exact = true;             // was the last result exact?
    std::vector<Token> tokens;        // by node
    std::vector<Node> place;          // of tokens in the line
    std::vector<Node> head;           // by node
    std::vector<std::int32_t> order;  // by node: place in the projective order
    std::deque<Line> joined, full;    // of the two searches, by depth
    std::vector<Seen> seen;           // lines that were tried in vain
    std::uint64_t search = 0;         // to which those of `seen` belong
    Conflicts conflicts;
  };
  // `tokens`: the stack from bottom to top, `below` of them, then the buffer.
  int reachable(std::span<const Token> tokens, std::size_t below, Scratch& scratch) const;

  // Is the arc part of the reference that `reachable` counts?
  bool counts(Token head, Token dependent) const { return gold_.head(dependent) == head; }

 private:
  Gold gold_;
  bool single_root_;
  int limit_;
  std::vector<std::int32_t> order_;  // by token
};

}  // namespace panparser
