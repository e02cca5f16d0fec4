// The Python face of texts.
#include "treebank/text.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/module.hpp"
#include "text/boundaries.hpp"
#include "text/tokens.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Points = Array<std::uint32_t>;

Characters table(const Points& characters) { return Characters(values(characters)); }

// A number of each member of a struct, for Python to look at.
template <class Value, class Rows, class Get>
auto gathered(const Rows& rows, const Get& get) {
  std::vector<Value> numbers;
  numbers.reserve(rows.size());
  for (const auto& row : rows) numbers.push_back(static_cast<Value>(get(row)));
  return owned(std::move(numbers));
}

std::vector<std::string_view> texts(const Vocabulary& vocabulary) {
  std::vector<std::string_view> found;
  for (std::int32_t i = 0; i < vocabulary.size(); ++i) found.push_back(vocabulary[i]);
  return found;
}

void bind_layout(nb::module_& m) {
  nb::class_<Layout>(m, "Layout", "A text with each run of white space as one character, and one break at its end.")
      .def(
          "__init__",
          [](Layout* self, const Points& points, const Points& characters) {
            nb::gil_scoped_release release;
            new (self) Layout(values(points), table(characters));
          },
          nb::arg("points").noconvert(), nb::arg("characters").noconvert())
      .def("__len__", &Layout::size)
      .def_prop_ro("points", &view<Layout, &Layout::points>)
      .def_prop_ro("origin", &view<Layout, &Layout::origin>, "Where each character stands in the text.")
      .def("kinds",
           [](const Layout& l) { return gathered<std::uint8_t>(l.characters, [](Character c) { return c.kind(); }); })
      .def(
          "runs",
          [](const Layout& l) {
            return std::make_tuple(gathered<std::int64_t>(l.runs, [](const auto& run) { return run.start; }),
                                   gathered<std::uint64_t>(l.runs, [](const auto& run) { return run.word; }));
          },
          "Where runs start, and the hashes of their lower-cased texts.")
      .def(
          "places", [](const Layout& layout, const Array<bool>& whole) { return owned(layout.places(values(whole))); },
          nb::arg("whole").noconvert(), "The characters after which a token may end.")
      .def(
          "table",
          [](const Layout& layout, const Array<std::int64_t>& places, const WordClasses& lexicon) {
            std::vector<std::int32_t> table;
            {
              nb::gil_scoped_release release;
              table = boundary_table(layout, values(places), lexicon);
            }
            return owned(std::move(table));
          },
          nb::arg("places").noconvert(), "lexicon"_a, "What is seen of places: [place][name].");

  nb::class_<WordClasses>(m, "WordClasses", "Classes of words, by their hashes.")
      .def(
          "__init__",
          [](WordClasses* self, const Array<std::uint64_t>& words, const Array<std::uint8_t>& classes) {
            new (self) WordClasses(values(words), values(classes));
          },
          nb::arg("words").noconvert(), nb::arg("classes").noconvert());

  m.def("boundary_columns", [] { return std::vector<std::string_view>(kBoundaryNames.begin(), kBoundaryNames.end()); });
}

}  // namespace

void bind_text(nb::module_& m) {
  bind_layout(m);

  m.def(
      "glued",
      [](const Points& points, const Points& characters) {
        check_points(values(points));
        const Characters known = table(characters);
        std::vector<Character> found;
        for (const std::uint32_t point : values(points)) found.push_back(known[point]);
        return owned(glued(found));
      },
      nb::arg("points").noconvert(), nb::arg("characters").noconvert(), "After which characters a token must not end.");

  m.def(
      "marked_tokens",
      [](const Points& points, const Points& characters, const Array<std::uint8_t>& marks) {
        MarkedTokens found;
        {
          nb::gil_scoped_release release;
          found = marked_tokens(values(points), table(characters), values(marks));
        }
        return std::make_tuple(owned(std::move(found.starts)), owned(std::move(found.ends)),
                               owned(std::move(found.last)));
      },
      nb::arg("points").noconvert(), nb::arg("characters").noconvert(), nb::arg("marks").noconvert(),
      "The tokens between marks: where they start and end, and which are the last of their sentences.");

  m.def(
      "number_pieces",
      [](const Points& points, const Array<std::int64_t>& starts, const Array<std::int64_t>& ends) {
        return owned(number_pieces(values(points), values(starts), values(ends)));
      },
      nb::arg("points").noconvert(), nb::arg("starts").noconvert(), nb::arg("ends").noconvert(),
      "A number for each piece of a text, the same for equal pieces.");

  m.def(
      "distinct_forms",
      [](const nb::bytes& text, const Array<std::int64_t>& starts, const Array<std::int64_t>& ends,
         const Array<std::uint8_t>& last) {
        DistinctForms found;
        {
          nb::gil_scoped_release release;
          found = distinct_forms({text.c_str(), text.size()}, {values(starts), values(ends), values(last), {}});
        }
        return std::make_tuple(texts(found.forms), owned(std::move(found.numbers)));
      },
      "text"_a, nb::arg("starts").noconvert(), nb::arg("ends").noconvert(), nb::arg("last").noconvert(),
      "The distinct forms of tokens, and the number of each token's form.");

  m.def(
      "write_tokens",
      [](const nb::bytes& text, const Array<std::int64_t>& starts, const Array<std::int64_t>& ends,
         const Array<std::uint8_t>& last, const Array<std::int32_t>& splits,
         const std::vector<std::vector<std::string>>& words, std::int64_t sentence, std::int64_t offset, bool ranges,
         const std::optional<std::string>& document, bool paragraph, bool lines) {
        const std::string_view view(text.c_str(), text.size());
        const TokenSpans tokens{values(starts), values(ends), values(last), values(splits)};
        const TextPlace place{sentence, offset, ranges, document.value_or(""), document.has_value(), paragraph, lines};
        Output out(nullptr, 0);
        {
          nb::gil_scoped_release release;
          write_tokens(view, tokens, words, place, out);
        }
        return nb::bytes(out.view().data(), out.view().size());
      },
      "text"_a, nb::arg("starts").noconvert(), nb::arg("ends").noconvert(), nb::arg("last").noconvert(),
      nb::arg("splits").noconvert(), "words"_a, "sentence"_a, "offset"_a, "ranges"_a, "document"_a.none(),
      "paragraph"_a, "lines"_a, "Tokens of a text (UTF-8) as CoNLL-U.");
}
