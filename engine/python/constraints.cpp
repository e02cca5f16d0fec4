// The Python face of constraints.
#include <nanobind/stl/optional.h>

#include "python/module.hpp"
#include "search/constraint.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

void bind_constraint(nb::module_& m) {
  m.attr("ANY_LABEL") = kAnyLabel;
  m.attr("STAYING_LABEL") = kStayingLabel;
  nb::class_<Constraints>(m, "Constraints", "What is asked of the trees of a treebank, prepared for one system.")
      .def(
          "__init__",
          [](Constraints* self, const System& system, Array<std::int64_t> offsets, Array<std::int32_t> heads,
             Array<std::int32_t> labels, Array<std::uint8_t> moving) {
            new (self) Constraints(system, values(offsets), values(heads), values(labels), values(moving));
          },
          "system"_a, nb::arg("offsets").noconvert(), nb::arg("heads").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("moving").noconvert(), nb::keep_alive<1, 2>())
      .def(
          "allow",
          [](Constraints& self, std::int64_t sentence, Array<std::uint8_t> arcs) {
            self.allow(sentence, values(arcs));
          },
          "sentence"_a, nb::arg("arcs").noconvert(), "Only these arcs: (n+1) x (n+1) flags, by head; Root is 0.");
  m.def(
      "find_conflicts",
      [](Array<std::int64_t> offsets, Array<std::int32_t> heads, bool root_first, bool single_root,
         std::int32_t max_span) {
        const auto bounds = values(offsets);
        if (bounds.empty() || bounds.front() != 0 || !std::is_sorted(bounds.begin(), bounds.end()) ||
            static_cast<std::size_t>(bounds.back()) != heads.size()) {
          throw std::invalid_argument("one head a word");
        }
        std::vector<std::uint8_t> conflicts(bounds.size() - 1);
        {
          nb::gil_scoped_release release;
          find_conflicts(bounds, values(heads), root_first, single_root, max_span, conflicts);
        }
        return owned(std::move(conflicts));
      },
      nb::arg("offsets").noconvert(), nb::arg("heads").noconvert(), "root_first"_a, "single_root"_a, "max_span"_a,
      "(sentences) Does no projective tree have all given heads, none longer than max_span (0: any length)?");
}
