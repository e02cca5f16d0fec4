// The Python face of what concerns trees alone: projectivity, and the best tree of a matrix of scores.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "python/module.hpp"
#include "trees/decode.hpp"
#include "trees/eisner.hpp"
#include "trees/gold.hpp"
#include "trees/projectivity.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto decode(std::vector<Token> (*best_tree)(Scores, bool), const Matrix& scores, bool single_root) {
  if (scores.shape(0) != scores.shape(1) || scores.shape(0) < 2) throw std::invalid_argument("expected a square");
  const Scores view{{scores.data(), scores.size()}, static_cast<Token>(scores.shape(0)) - 1};
  std::vector<Token> heads;
  {
    nb::gil_scoped_release release;
    heads = best_tree(view, single_root);
  }
  return owned(std::move(heads));
}

auto nonprojectivity(nb::ndarray<const Token, nb::ndim<1>, nb::c_contig, nb::device::cpu> heads,
                     nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> offsets) {
  const auto ends = std::span(offsets.data(), offsets.size());
  if (ends.empty() || ends.front() != 0 || ends.back() != std::int64_t(heads.size()) ||
      !std::is_sorted(ends.begin(), ends.end())) {
    throw std::invalid_argument("offsets must rise from 0 to the number of heads, " + std::to_string(heads.size()));
  }
  std::vector<std::uint8_t> flags(heads.size());
  std::vector<std::int32_t> degrees(ends.size() - 1);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const std::size_t words = ends[i + 1] - ends[i];
      try {
        const Gold gold({heads.data() + ends[i], words}, 0);
        degrees[i] = measure_projectivity(gold, {flags.data() + ends[i], words});
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("sentence " + std::to_string(i + 1) + ": " + error.what());
      }
    }
  }
  return std::pair{owned(std::move(flags)), owned(std::move(degrees))};
}

}  // namespace

void bind_trees(nb::module_& m) {
  m.attr("UNKNOWN_HEAD") = kUnknown;
  m.attr("EMPTY_HEAD") = kEmpty;
  m.attr("LEFTWARD_HEAD") = kLeftward;
  m.attr("RIGHTWARD_HEAD") = kRightward;
  m.def(
      "check_heads", [](const std::vector<Token>& heads) { Gold(heads, 0); }, "heads"_a,
      "Raises ValueError unless the heads of words 1..n (Root is 0) are in range and without cycles.");
  m.def(
      "projective_subset",
      [](const std::vector<Token>& heads, bool root_first, bool single_root) {
        const Gold gold(heads, root_first ? 0 : static_cast<Token>(heads.size()) + 1);
        std::vector<Token> subset = projective_subset(gold.heads(), gold.root(), single_root);
        return std::vector<Token>(subset.begin() + 1, subset.end() - 1);
      },
      "heads"_a, "root_first"_a, "single_root"_a,
      "The largest subset of arcs that a projective tree contains; -1 elsewhere.");
  m.def(
      "conflict",
      [](const std::vector<Token>& heads, bool root_first, bool single_root) {
        return Gold(heads, root_first ? 0 : static_cast<Token>(heads.size()) + 1).conflict(single_root);
      },
      "heads"_a, "root_first"_a, "single_root"_a,
      "Two words whose arcs no projective tree has both; empty if some projective tree has all arcs.");
  m.def("nonprojectivity", &nonprojectivity, nb::arg("heads").noconvert(), nb::arg("offsets").noconvert(),
        "(words) is the arc not projective, (sentences) gap degree; of trees one after the other, Root as 0.");
  m.def(
      "maximum_spanning_tree", [](Matrix scores, bool single) { return decode(maximum_spanning_tree, scores, single); },
      nb::arg("scores").noconvert(), "single_root"_a, "Heads of the best tree, by token.");
  m.def(
      "projective_tree", [](Matrix scores, bool single) { return decode(projective_tree, scores, single); },
      nb::arg("scores").noconvert(), "single_root"_a, "Heads of the best projective tree, by token.");
}
