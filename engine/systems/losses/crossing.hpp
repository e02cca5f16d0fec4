// The arcs of a reference that no projective tree over the tokens that are left has together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

// Only a core of the tokens matters. A token that no arc joins to another can be attached to a neighbor, and one
// without children that stands beside its head can be attached to it, both at no loss: the core is what remains without
// them. Eisner's algorithm finds how many of its arcs one tree has, in O(core^3).
class CrossingArcs {
 public:
  static constexpr std::size_t kMostTokens = 64;  // of a core that is searched

  // How many arcs between the tokens of a set, one of which may be left out (kNone: none), the best tree lacks; with
  // one child of Root, if `single_root`.
  int lost(const Gold& gold, bool single_root, const Bits* tokens, Token without);
  // The size of the core of all tokens; that of a set of them is never larger.
  std::size_t core_size(const Gold& gold, bool single_root);

 private:
  void find_core(const Gold& gold, bool single_root, const Bits* tokens, Token without);

  std::vector<Token> tokens_, core_;
  std::vector<Token> head_;             // by token: in the set, kNone if it is not
  std::vector<std::int32_t> children_;  // by token: how many are in the core
  std::vector<Token> core_head_;        // by place in the core
  Agreement spans_;
};

}  // namespace panparser
