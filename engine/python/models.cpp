// The Python face of finished parsers: layers of weights, corpora, parsing.
#include "python/models.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/module.hpp"
#include "search/corpus.hpp"
#include "search/inside.hpp"
#include "search/parser_model.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Matrix = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = Array<std::int32_t>;
using Rows = std::optional<Numbers>;  // for each form of a treebank, the row of its vector

std::span<const std::int32_t> values_of(const Rows& rows) {
  return rows ? values(*rows) : std::span<const std::int32_t>();
}

void bind_layers(nb::module_& m) {
  nb::class_<Vectors>(m, "Vectors", "Embeddings as bytes, a row for each word; the unknown word's comes first.")
      .def(
          "__init__",
          [](Vectors* self, Matrix matrix, std::int32_t bits) {
            new (self) Vectors(Vectors::checked({matrix.data(), matrix.size()}, matrix.shape(1), bits));
          },
          nb::arg("matrix").noconvert(), "bits"_a, nb::keep_alive<1, 2>());

  nb::class_<StoredVectorWeights>(m, "VectorLayer", "Weights of vectors, in 16 bits and shifted, for a Layer.")
      .def(
          "__init__",
          [](StoredVectorWeights* self, Array<std::int16_t> actions, Array<std::int16_t> labels,
             std::int32_t action_shift, std::int32_t label_shift) {
            new (self) StoredVectorWeights{values(actions), values(labels), action_shift, label_shift};
          },
          nb::kw_only(), nb::arg("actions").noconvert(), nb::arg("labels").noconvert(), "action_shift"_a,
          "label_shift"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());

  nb::class_<StoredLayer>(m, "Layer", "Weights for parsing; the arrays are those of LayerArrays.")
      .def(
          "__init__",
          [](StoredLayer* self, int classes, int labels, Array<std::uint8_t> lines, Array<std::uint8_t> label_lines,
             Array<std::uint32_t> tables, Array<std::uint8_t> label_rows, const StoredVectorWeights* vectors) {
            const Model::View view{values(lines), values(label_lines), values(tables), values(label_rows)};
            new (self) StoredLayer{Model(classes, labels, view),
                                   vectors ? std::optional(*vectors) : std::optional<StoredVectorWeights>()};
          },
          nb::kw_only(), "classes"_a, "labels"_a, nb::arg("lines").noconvert(), nb::arg("label_lines").noconvert(),
          nb::arg("tables").noconvert(), nb::arg("label_rows").noconvert(), "vectors"_a.none() = nb::none(),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          nb::keep_alive<1, 8>());

  nb::class_<ScaledLayer>(m, "ScaledLayer", "A Layer, and what its scores of actions and labels are multiplied by.")
      .def(
          "__init__",
          [](ScaledLayer* self, std::shared_ptr<const StoredLayer> layer, std::int32_t actions, std::int32_t labels,
             std::size_t program, std::vector<std::int32_t> common_labels) {
            new (self) ScaledLayer{std::move(layer), actions, labels, program, std::move(common_labels)};
          },
          nb::kw_only(), "layer"_a, "actions"_a = 1, "labels"_a = 1, "program"_a = 0,
          "common_labels"_a = std::vector<std::int32_t>{},
          "In a vote, `program` has its features, and `common_labels` are the parser's numbers of its labels.");
}

void bind_corpus(nb::module_& m) {
  nb::class_<Corpus>(m, "Corpus",
                     "Sentences to learn from, or to parse if there are no heads, prepared for one system and program.")
      .def(
          "__init__",
          [](Corpus* self, const Program& program, const System& system, const TreebankStore& store,
             const std::optional<Numbers>& heads, const std::optional<Numbers>& labels, const Rows& rows) {
            nb::gil_scoped_release release;
            new (self) Corpus(program, system, store.data(), values_of(rows));
            try {
              if (heads && labels) self->replace(values(*heads), values(*labels));
            } catch (...) {
              self->~Corpus();
              throw;
            }
          },
          "program"_a, "system"_a, "store"_a, nb::arg("heads").noconvert().none(), nb::arg("labels").noconvert().none(),
          nb::arg("rows").noconvert().none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>())
      .def("__len__", &Corpus::size)
      .def("constrain", &Corpus::constrain, "constraints"_a, nb::keep_alive<1, 2>(),
           nb::call_guard<nb::gil_scoped_release>(), "Search keeps to these constraints, and features read them.")
      .def(
          "replace", [](Corpus& c, Numbers heads, Numbers labels) { c.replace(values(heads), values(labels)); },
          nb::arg("heads").noconvert(), nb::arg("labels").noconvert());
}

ParseOptions options_of(int beam, int threads, const Rows& rows, std::optional<Score> margin,
                        const Constraints* constraints, bool confidence) {
  return {beam, threads, margin, constraints, confidence, values_of(rows)};
}

auto parse(const ParserModel& model, const TreebankStore& store, int beam, int threads, const Rows& rows,
           std::optional<Score> margin, const Constraints* constraints, bool confidence) {
  Trees trees;
  {
    nb::gil_scoped_release release;
    trees = model.parse(store.data(), options_of(beam, threads, rows, margin, constraints, confidence));
  }
  return trees;
}

auto best(const ParserModel& model, const TreebankStore& store, std::int64_t sentence, int beam, int count,
          const Rows& rows, const Constraints* constraints) {
  nb::gil_scoped_release release;
  return model.best(store.data(), sentence, count, options_of(beam, 1, rows, {}, constraints, false));
}

Derived derivations(const ParserModel& model, const TreebankStore& store, int beam, const Rows& rows,
                    std::optional<Score> margin) {
  nb::gil_scoped_release release;
  return model.derivations(store.data(), options_of(beam, 1, rows, margin, nullptr, false));
}

void bind_trees_found(nb::module_& m) {
  nb::class_<Trees>(m, "Trees", "Trees of a treebank.")
      .def_prop_ro("heads", &view<Trees, &Trees::heads>, "By word; Root is 0, -1 is none.")
      .def_prop_ro("labels", &view<Trees, &Trees::labels>, "By word; -1 is none.")
      .def_prop_ro("behind", &view<Trees, &Trees::behind>,
                   "By sentence: how far its tree was ever behind the best of its beam.")
      .def_prop_ro(
          "signals",
          [](nb::handle_t<Trees> self) {
            auto& signals = nb::cast<Trees&>(self).signals;
            return nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>(reinterpret_cast<std::int32_t*>(signals.data()),
                                                                     {signals.size(), std::size_t(kSignals)}, self);
          },
          "(words, signals), if they were asked for: what the confidence of an arc is computed from.");
  nb::class_<Tree>(m, "Tree", "A tree of one sentence.")
      .def_ro("heads", &Tree::heads)
      .def_ro("labels", &Tree::labels)
      .def_ro("score", &Tree::score);
  nb::class_<Derived>(m, "Derived", "Derivations of the sentences of a treebank.")
      .def_prop_ro("lengths", &view<Derived, &Derived::lengths>, "By sentence: number of actions.")
      .def_prop_ro("actions", &view<Derived, &Derived::actions>)
      .def_prop_ro("labels", &view<Derived, &Derived::labels>, "Of the arcs that actions make; -1 is none.");
}

}  // namespace

Parts panparser::make_parts(const System& system, const Program& program, const std::vector<bool>& of_root,
                            const std::vector<bool>& of_words, std::vector<ScaledLayer> layers, const Vectors* vectors,
                            std::vector<std::shared_ptr<const Program>> further) {
  return {system,
          program,
          Labels(of_root, of_words),
          std::move(layers),
          vectors ? *vectors : Vectors{},
          std::move(further)};
}

void bind_models(nb::module_& m) {
  nb::enum_<Signal>(m, "Signal", nb::is_arithmetic())
      .value("ARC", kArcMargin)
      .value("LEAST", kLeastMargin)
      .value("LABEL", kLabelMargin)
      .value("RIVAL", kRivalMargin)
      .value("TREE", kTreeMargin);
  m.attr("NO_RIVAL") = kNoRival;
  bind_layers(m);
  bind_corpus(m);
  bind_trees_found(m);

  using Further = std::vector<std::shared_ptr<const Program>>;
  nb::class_<ParserModel>(m, "Model", "A finished parser.")
      .def(
          "__init__",
          [](ParserModel* self, const System& system, const Program& program, const std::vector<bool>& of_root,
             const std::vector<bool>& of_words, std::vector<ScaledLayer> layers, const Vectors* vectors,
             Further further) {
            new (self) ParserModel(make_parts(system, program, of_root, of_words, std::move(layers), vectors, further));
          },
          nb::kw_only(), "system"_a, "program"_a, "of_root"_a, "of_words"_a, "layers"_a,
          "vectors"_a.none() = nb::none(), "further"_a = Further{}, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 7>())
      .def("parse", &parse, "store"_a, "beam"_a, "threads"_a, nb::arg("rows").noconvert().none() = nb::none(),
           "margin"_a = nb::none(), "constraints"_a.none() = nb::none(), "confidence"_a = false)
      .def("best", &best, "store"_a, "sentence"_a, "beam"_a, "count"_a, nb::arg("rows").noconvert().none() = nb::none(),
           "constraints"_a.none() = nb::none(), "Different trees of one sentence, best first.")
      .def("derivations", &derivations, "store"_a, "beam"_a, nb::arg("rows").noconvert().none() = nb::none(),
           "margin"_a = nb::none(), "How `parse` came to its trees.");

  nb::class_<Inside>(m, "Inside", "The weights of a finished parser; matrices come as flat arrays.")
      .def(
          "__init__", [](Inside* self, const ParserModel& model) { new (self) Inside(model.assembly()); }, "model"_a,
          nb::keep_alive<1, 2>())
      .def(
          "action_weights",
          [](const Inside& inside, Array<Key> keys) { return owned(inside.action_weights(values(keys))); },
          nb::arg("keys").noconvert(), "[key][action]")
      .def(
          "label_weights",
          [](const Inside& inside, Array<Key> keys, int action) {
            return owned(inside.label_weights(values(keys), action));
          },
          nb::arg("keys").noconvert(), "action"_a, "[key][label]")
      .def(
          "vector_action_weights",
          [](const Inside& inside, std::size_t address, Numbers rows) {
            return owned(inside.vector_action_weights(address, values(rows)));
          },
          "address"_a, nb::arg("rows").noconvert(), "[row][action]")
      .def(
          "vector_label_weights",
          [](const Inside& inside, std::size_t address, int action, Numbers rows) {
            return owned(inside.vector_label_weights(address, action, values(rows)));
          },
          "address"_a, "action"_a, nb::arg("rows").noconvert(), "[row][label]")
      .def_prop_ro("label_templates", &Inside::label_templates, "Numbers of the templates that labels see.")
      .def_prop_ro("label_vectors", &Inside::label_vectors, "For each address with a vector: do labels see it?");
}
