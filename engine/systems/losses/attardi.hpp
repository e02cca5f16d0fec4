// What Attardi's system of degree 2 can still win: its arcs join S0 with S1 or S2, and the dependent leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systems/losses/conflicts.hpp"
#include "trees/gold.hpp"

namespace panparser {

// The most reference arcs that can still be made. This is the loss of Gómez-Rodríguez, Sartorio & Satta 2014, exact for
// all trees and parts of trees, computed in another way; docs/concepts/oracles.md explains why it is the same.
//
// 1. Only words with an arc that can still be made matter: others can be ignored without loss.
// 2. It never hurts to make an arc as soon as its dependent has all its own. So whether some arcs can be made together
//    shows when they are made as soon as possible, with a shift where there is none to make, in O(|S| + |B|).
// 3. What is lost is the smallest set of arcs without which the others can be made (conflicts.hpp).
//
// The work on one state is limited. Beyond, the arcs stand for the most that a derivation makes which gives up the word
// with the fewest arcs where it is stuck.
class AttardiLoss {
 public:
  static constexpr std::int64_t kMostWork = 1 << 18;  // words visited

  AttardiLoss(const Gold& gold, bool single_root) : gold_(gold), single_root_(single_root) {}

  using Node = Conflicts::Node;  // a token that matters, by its place among them
  using Arcs = Conflicts::Arcs;
  struct Scratch {
    bool is_exact = true;                // was the last result exact?
    std::vector<Token> tokens;           // that matter: the stack, then the buffer
    std::vector<std::int32_t> children;  // that are still to come: by token, then by node
    std::vector<Node> place;             // of tokens among those that matter
    std::vector<Node> head, stack, all, some;
    Arcs stuck;
    Conflicts conflicts;
  };
  // `stack` from bottom to top; the buffer is every token from `front` on.
  int reachable(std::span<const Token> stack, Token front, Scratch& scratch) const;

  // Is the arc part of the reference that `reachable` counts?
  bool counts(Token head, Token dependent) const { return gold_.head(dependent) == head; }

 private:
  int gather(std::span<const Token> stack, Token front, Scratch& scratch, std::size_t& below) const;
  bool has_arc(Token token, const Scratch& scratch) const;
  void leave_out(Scratch& scratch, std::size_t& below) const;

  Gold gold_;
  bool single_root_;
};

}  // namespace panparser
