// What Attardi's system of degree 2 can still win: arcs join S0 with S1 or S2, and the dependent leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gold.hpp"

namespace panparser {

// The most reference arcs that can still be made: the loss of Gómez-Rodríguez, Sartorio & Satta 2014, for every tree and
// part of one, found in another way. Why it is right is in docs/oracles.md:
//
// 1. Only words with an arc of the reference that can still be made matter. Others can be put aside at once.
// 2. It never hurts to make such an arc as soon as the dependent has all its own dependents. So whether a set of arcs
//    can be made is seen by making them as soon as possible, and shifting where there is none: O(|S| + |B|).
// 3. What is lost is the smallest set of arcs without which the others can be made. Every conflict, a smallest set that
//    cannot be made, must lose an arc: branch on its arcs, with ever larger losses; as many conflicts as share no arc
//    are a bound.
//
// The work of one state is limited; above, what a derivation reaches that gives up words when it is stuck stands in.
class AttardiLoss {
 public:
  static constexpr std::int64_t kMostWork = 1 << 20;  // steps over words

  AttardiLoss(const Gold& gold, bool single_root) : gold_(gold), single_root_(single_root) {}

  using Node = std::int32_t;     // a token that matters, by its place among them
  using Arcs = std::vector<char>;  // a set of arcs: by dependent, is its arc in?
  struct Level {                   // of the search
    Arcs rest, conflict;
    std::vector<Node> choices, found;
  };
  struct Scratch {
    bool is_exact = true;  // of the last answer
    std::vector<std::int32_t> children;  // by token, then by node
    std::vector<Token> tokens;           // in the order of the sentence; the first `below` are on the stack
    std::vector<Node> place;             // by token
    std::vector<Node> head;              // by node
    std::vector<Node> stack, order;
    Arcs wanted, forced;
    std::vector<Level> levels;
    std::vector<std::int64_t> histogram = std::vector<std::int64_t>(64);
  };
  // `stack` from bottom to top; the buffer is every token from `front` on.
  int reachable(std::span<const Token> stack, Token front, Scratch& scratch) const;

  // Is the arc part of the reference that `reachable` counts?
  bool counts(Token head, Token dependent) const { return gold_.head(dependent) == head; }

 private:
  int from_root(std::span<const Token> tokens) const;  // how many of them Root heads

  Gold gold_;
  bool single_root_;
};

}  // namespace panparser
