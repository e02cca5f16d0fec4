// The smallest set of arcs without which all others can be made, for systems that can only be searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace panparser {

// Of every conflict (arcs that cannot be made together, though all but any one of them can) one arc is lost: the search
// branches on the arcs of a conflict, for losses of 1, 2, ...; as many conflicts as share no arc are a lower bound.
//
// A maker knows which arcs can be made together:
// - can_make(arcs): all of them? Always true once its work is exhausted, so that the search ends.
// - narrow(arcs): keeps, of the set that was tried last and cannot be made, arcs that are likely to be enough for that;
//   until widen(), only subsets of these are tried.
class Conflicts {
 public:
  using Node = std::int32_t;       // a token, by its place among those that matter
  using Arcs = std::vector<char>;  // a set of arcs: of each node, is the arc to its head in it?
  static constexpr Node kAbsent = -1;

  Arcs wanted;

  // How many of the `wanted` arcs are lost, at least.
  template <class Maker>
  int fewest_lost(Maker& maker) {
    forced_.assign(wanted.size(), 0);
    if (maker.can_make(wanted)) return 0;
    int least = disjoint(maker, level(0), static_cast<int>(wanted.size()));
    while (!within(maker, least, 0)) ++least;
    return least;
  }

 private:
  struct Level {  // of the search
    Arcs rest, conflict;
    std::vector<Node> found, choices;
  };
  Level& level(std::size_t depth) {
    if (levels_.size() <= depth) levels_.resize(depth + 1);
    return levels_[depth];
  }

  // Takes arcs out of a set that cannot be made, until each is needed for that. The set is the one that was tried last.
  template <class Maker>
  void shrink(Maker& maker, Arcs& arcs) {
    narrowed_ = arcs;
    maker.narrow(narrowed_);
    if (!maker.can_make(narrowed_)) {
      arcs = narrowed_;
    } else {
      maker.widen();
    }
    order_.clear();
    for (const bool forced : {false, true}) {  // what may be lost is taken out first: fewer choices are left
      for (std::size_t d = 0; d < arcs.size(); ++d) {
        if (arcs[d] && bool(forced_[d]) == forced) order_.push_back(static_cast<Node>(d));
      }
    }
    shrink(maker, arcs, 0, order_.size());
    maker.widen();
  }
  template <class Maker>
  void shrink(Maker& maker, Arcs& arcs, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) arcs[order_[i]] = 0;
    if (!maker.can_make(arcs)) return;
    for (std::size_t i = first; i < last; ++i) arcs[order_[i]] = 1;
    if (last - first <= 1) return;
    const std::size_t middle = (first + last) / 2;
    shrink(maker, arcs, first, middle);
    shrink(maker, arcs, middle, last);
  }

  // How many conflicts there are, at least, that share no arc that may be lost; `choices` are those of the smallest.
  // More than `most` if there are more, or if one may lose nothing. The set that was tried last is `wanted`.
  template <class Maker>
  int disjoint(Maker& maker, Level& level, int most) {
    level.rest = wanted;
    int count = 0;
    for (; count == 0 || !maker.can_make(level.rest); ++count) {
      if (count == most) return most + 1;
      level.conflict = level.rest;
      shrink(maker, level.conflict);
      level.found.clear();
      for (std::size_t d = 0; d < wanted.size(); ++d) {
        if (!level.conflict[d] || forced_[d]) continue;
        level.found.push_back(static_cast<Node>(d));
        level.rest[d] = 0;
      }
      if (level.found.empty()) return most + 1;
      if (count == 0 || level.found.size() < level.choices.size()) level.choices = level.found;
    }
    return count;
  }

  // Can the wanted arcs be made without `budget` of them?
  template <class Maker>
  bool within(Maker& maker, int budget, std::size_t depth) {
    if (maker.can_make(wanted)) return true;
    Level& here = level(depth);
    if (budget == 0 || disjoint(maker, here, budget) > budget) return false;
    bool can = false;
    std::size_t tried = 0;
    while (tried < here.choices.size() && !can) {
      const Node given = here.choices[tried++];
      wanted[given] = 0;
      can = within(maker, budget - 1, depth + 1);
      wanted[given] = 1;
      forced_[given] = 1;  // sets that lose it have been tried
    }
    for (const Node given : std::span(here.choices).first(tried)) forced_[given] = 0;
    return can;
  }

  Arcs forced_, narrowed_;
  std::vector<Node> order_;
  std::deque<Level> levels_;
};

}  // namespace panparser
