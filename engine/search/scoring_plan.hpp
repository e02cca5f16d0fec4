// What search needs in addition to the weights: a system, templates, labels; and which templates score what.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "search/labels.hpp"
#include "systems/system.hpp"

namespace panparser {

struct ScoringPlan {
  const System& system;
  const Program& program;
  const Labels& labels;
  std::span<const Program* const> further = {};  // programs, if parsers with other templates vote

  std::size_t programs() const { return 1 + further.size(); }
  const Program& program_at(std::size_t i) const { return i == 0 ? program : *further[i - 1]; }

  // Labels use only the two words of the arc, what is known about them, and B0: more does not help. If arcs reach down
  // to S2 or to the list, they use everything but what is for actions alone.
  bool labels_see(Group group) const {
    if (system.attaches_deepest()) return true;
    if (group == kTripleGroup) return system.attaches_deeper();
    return group != kStackGroup && group != kOtherGroup;
  }
  Reach label_reach() const { return system.attaches_deepest() ? kAhead : kToFront; }
  bool is_for_labels(const Program& of, int number) const {  // a template
    return labels_see(of.group_of(number)) && of.reach_of(number) <= label_reach();
  }
  // Numbers of the templates of a program that `wanted` says.
  template <class Wanted>
  static std::vector<int> templates(const Program& of, const Wanted& wanted) {
    std::vector<int> found;
    for (int t = 0; t < of.templates(); ++t) {
      if (wanted(t)) found.push_back(t);
    }
    return found;
  }
  std::vector<int> label_templates(const Program& of) const {
    return templates(of, [&](int t) { return is_for_labels(of, t); });
  }
  std::vector<bool> labels_see_vectors() const {  // by address with a vector
    std::vector<bool> seen;
    for (std::size_t i = 0; i < program.vectors().size(); ++i) {
      seen.push_back(labels_see(program.vector_group(i)) && program.vector_reach(i) <= label_reach());
    }
    return seen;
  }
};

}  // namespace panparser
