// The Python face of treebanks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "base/interning.hpp"
#include "python/module.hpp"
#include "treebank/alignment.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

// Bytes that may not be UTF-8 (a reader's complaint about them, say) as a str.
nb::str decode(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (!decoded) nb::raise_python_error();
  return nb::steal<nb::str>(decoded);
}

template <class Value>
nb::ndarray<nb::numpy, Value, nb::ndim<1>, nb::c_contig> view(std::vector<std::remove_const_t<Value>>& values) {
  static std::remove_const_t<Value> none{};  // numpy wants an address even for nothing
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>, nb::c_contig>(values.empty() ? &none : values.data(),
                                                                  {values.size()}, nb::handle());
}

using Extras = std::vector<std::tuple<std::int64_t, std::int32_t, std::int32_t, nb::str>>;

Extras describe(const std::vector<TreebankData::Extra>& extras) {
  Extras result;
  for (const auto& extra : extras) result.emplace_back(extra.sentence, extra.first, extra.second, decode(extra.line));
  return result;
}

AlignedWords aligned_words(const Array<std::int64_t>& start, const Array<std::int64_t>& end,
                           const Array<std::int32_t>& form, const Array<std::uint8_t>& multiword) {
  const AlignedWords words{values(start), values(end), values(form), values(multiword)};
  if (words.end.size() != words.size() || words.form.size() != words.size() || words.multiword.size() != words.size()) {
    throw std::invalid_argument("start, end, form and multiword must have the same length");
  }
  return words;
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>, nb::c_contig> as_matrix(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  auto* data = new std::int64_t[2 * pairs.size() + 1];
  nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<std::int64_t*>(memory); });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    data[2 * i] = pairs[i].first;
    data[2 * i + 1] = pairs[i].second;
  }
  return {data, {pairs.size(), 2}, owner};
}

}  // namespace

void bind_treebank(nb::module_& m) {
  m.def(
      "align",
      [](const Array<std::int64_t>& start, const Array<std::int64_t>& end, const Array<std::int32_t>& form,
         const Array<std::uint8_t>& multiword, const Array<std::int64_t>& other_start,
         const Array<std::int64_t>& other_end, const Array<std::int32_t>& other_form,
         const Array<std::uint8_t>& other_multiword) {
        return as_matrix(align(aligned_words(start, end, form, multiword),
                               aligned_words(other_start, other_end, other_form, other_multiword)));
      },
      nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("form").noconvert(),
      nb::arg("multiword").noconvert(), nb::arg("other_start").noconvert(), nb::arg("other_end").noconvert(),
      nb::arg("other_form").noconvert(), nb::arg("other_multiword").noconvert(),
      "Pairs (word, other word) of two analyses of one text.");

  m.def(
      "distinct",
      [](const Array<std::int64_t>& numbers) {
        InternedNumbers found = intern_numbers(values(numbers));
        return std::make_tuple(owned(std::move(found.values)), owned(std::move(found.of_numbers)));
      },
      nb::arg("numbers").noconvert(), "The distinct numbers, rising, and which of them each number is.");

  nb::class_<TreebankStore>(m, "TreebankStore", "A treebank's columns, over the bytes that it was read from.")
      .def(nb::init<nb::bytes, bool, bool, std::int64_t>(), "text"_a, "conllx"_a, "single_root"_a, "first_line"_a)
      .def_prop_ro("sentences", [](const TreebankStore& s) { return s.data().sentences(); })
      .def_prop_ro("words", [](const TreebankStore& s) { return s.data().words(); })
      .def_prop_ro(
          "offsets", [](const TreebankStore& s) { return view<const std::int64_t>(s.data().offsets()); },
          nb::rv_policy::reference_internal, "Read-only: the engine relies on them.")
      .def_prop_ro(
          "heads", [](const TreebankStore& s) { return view<std::int32_t>(s.data().heads()); },
          nb::rv_policy::reference_internal)
      .def(
          "column",
          [](const TreebankStore& s, int c) { return view<std::int32_t>(s.data().column(TreebankStore::column(c))); },
          nb::rv_policy::reference_internal, "column"_a)
      .def(
          "strings",
          [](const TreebankStore& s, int c, std::int32_t from) {
            const Vocabulary& vocabulary = s.data().vocabulary(TreebankStore::column(c));
            std::vector<nb::str> strings;
            for (std::int32_t id = std::max(from, 0); id < vocabulary.size(); ++id)
              strings.push_back(decode(vocabulary[id]));
            return strings;
          },
          "column"_a, "start"_a, "The strings of a column from an id on.")
      .def(
          "vocabulary_size",
          [](const TreebankStore& s, int c) { return s.data().vocabulary(TreebankStore::column(c)).size(); },
          "column"_a)
      .def(
          "intern",
          [](const TreebankStore& s, int c, const std::string& text) {
            return s.data().vocabulary(TreebankStore::column(c)).intern_copy(text);
          },
          "column"_a, "text"_a)
      .def(
          "intern_all",
          [](const TreebankStore& s, int c, const std::vector<std::string>& texts) {
            Vocabulary& vocabulary = s.data().vocabulary(TreebankStore::column(c));
            std::vector<std::int32_t> ids;
            for (const std::string& text : texts) ids.push_back(vocabulary.intern_copy(text));
            return owned(std::move(ids));
          },
          "column"_a, "texts"_a)
      .def("ranges", [](const TreebankStore& s) { return describe(s.data().ranges()); })
      .def("empty_nodes", [](const TreebankStore& s) { return describe(s.data().empty_nodes()); })
      .def(
          "line",
          [](const TreebankStore& s, std::int64_t sentence) {
            s.check(sentence);
            return s.data().line(sentence);
          },
          "sentence"_a)
      .def(
          "comments",
          [](const TreebankStore& s, std::int64_t sentence) {
            s.check(sentence);
            return s.data().comments(sentence);
          },
          "sentence"_a)
      .def(
          "any_cell_has",
          [](const TreebankStore& s, int column, const std::string& part) {
            return s.data().any_cell_has(TreebankStore::column(column), part);
          },
          "column"_a, "part"_a, "Does a cell that was ever read or set contain this?")
      .def(
          "any_comment_has",
          [](const TreebankStore& s, const std::string& part) { return s.data().any_comment_has(part); }, "part"_a,
          "Might a comment contain this?")
      .def(
          "set_comments",
          [](const TreebankStore& s, std::int64_t sentence, const std::vector<std::string>& lines) {
            s.check(sentence);
            s.data().set_comments(sentence, lines);
          },
          "sentence"_a, "lines"_a)
      .def("problems",
           [](const TreebankStore& s) {
             std::vector<std::tuple<std::int64_t, nb::str, nb::str, nb::str, nb::str, bool>> problems;
             for (const Problem& p : s.data().problems()) {
               problems.emplace_back(p.line, decode(p.rule), decode(p.expected), decode(p.found), decode(p.hint),
                                     p.fatal);
             }
             return problems;
           })
      .def_prop_ro("dropped", [](const TreebankStore& s) { return s.data().dropped(); })
      .def(
          "write",
          [](const TreebankStore& s, const std::vector<std::int64_t>& sentences) {
            for (const std::int64_t sentence : sentences) s.check(sentence);
            // The GIL stays held: another thread may intern strings or replace comments.
            const std::size_t capacity = s.data().written_size(sentences);
            PyObject* memory = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(capacity));
            if (!memory) nb::raise_python_error();
            nb::object owner = nb::steal(memory);
            Output text(PyBytes_AS_STRING(memory), capacity);
            s.data().write(sentences, text);
            const std::string_view written = text.view();
            if (written.data() != PyBytes_AS_STRING(memory)) return nb::bytes(written.data(), written.size());
            memory = owner.release().ptr();
            if (_PyBytes_Resize(&memory, static_cast<Py_ssize_t>(written.size())) < 0) nb::raise_python_error();
            return nb::steal<nb::bytes>(memory);
          },
          "sentences"_a, "Sentences as CoNLL-U, in the order given.");
}
