// The Python face of texts.
#include "treebank/text.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/module.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

void bind_text(nb::module_& m) {
  m.def(
      "write_tokens",
      [](const nb::bytes& text, const Array<std::int64_t>& starts, const Array<std::int64_t>& ends,
         const Array<std::uint8_t>& last, const Array<std::int32_t>& splits,
         const std::vector<std::vector<std::string>>& words, std::int64_t sentence, std::int64_t offset, bool ranges,
         const std::optional<std::string>& document, bool paragraph) {
        const std::string_view view(text.c_str(), text.size());
        const TokenSpans tokens{values(starts), values(ends), values(last), values(splits)};
        const TextPlace place{sentence, offset, ranges, document.value_or(""), document.has_value(), paragraph};
        Output out(nullptr, 0);
        {
          nb::gil_scoped_release release;
          write_tokens(view, tokens, words, place, out);
        }
        return nb::bytes(out.view().data(), out.view().size());
      },
      "text"_a, nb::arg("starts").noconvert(), nb::arg("ends").noconvert(), nb::arg("last").noconvert(),
      nb::arg("splits").noconvert(), "words"_a, "sentence"_a, "offset"_a, "ranges"_a, "document"_a.none(),
      "paragraph"_a, "Tokens of a text (UTF-8) as CoNLL-U.");
}
