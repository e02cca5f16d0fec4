// The Python face of what a finished model does, step by step and weight by weight.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "python/module.hpp"
#include "python/layers.hpp"
#include "search/parse.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Weights = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;

class Inside {
 public:
  Inside(const System& system, const Program& program, const std::vector<bool>& of_root,
         const std::vector<bool>& of_words, Layers::Tuples layers, const VectorsHandle* vectors)
      : labels_(make_labels(of_root, of_words)),
        grammar_{system, program, labels_},
        vectors_(checked_vectors(vectors, program)),
        layers_(std::move(layers), system, program, labels_.size, vectors_),
        model_(layers_.layers) {}

  // How many actions each sentence took, and actions and labels of all of them.
  auto derivations(const TreebankStore& store, int beam, const Rows& rows, std::optional<Score> margin) const {
    if (beam < 1) throw std::invalid_argument("a beam must hold at least one hypothesis");
    const auto checked = checked_rows(rows, grammar_.program, store.data());
    check_rows(checked, vectors_.rows());
    std::vector<std::int32_t> lengths, actions, labels;
    {
      nb::gil_scoped_release release;
      const Tokens tokens(grammar_.program.attributes(), grammar_.program.counters(), store.data(), checked);
      TreeParser<LayeredModel> parser(grammar_, model_);
      for (std::int64_t s = 0; s < tokens.sentences(); ++s) {
        const std::size_t before = actions.size();
        if (tokens[s].words > 0) {
          parser.derivation(tokens[s], beam, margin.value_or(parser.kAnyMargin), actions, labels);
        }
        lengths.push_back(static_cast<std::int32_t>(actions.size() - before));
      }
    }
    return std::tuple{owned(std::move(lengths)), owned(std::move(actions)), owned(std::move(labels))};
  }

  // What each feature adds to the score of each action; or of each label, of the arc that an action makes.
  Weights action_weights(Array<Key> keys) const {
    return each_key(keys, grammar_.system.actions(),
                    [&](Key key, std::int32_t* sums) { model_.actions(&key, 1, sums, 0); });
  }
  Weights label_weights(Array<Key> keys, int action) const {
    check_action(action);
    return each_key(keys, labels_.size, [&](Key key, std::int32_t* sums) {
      const Key own = label_key(key, action);
      model_.labels(&own, 1, sums, 0);
    });
  }
  // The same of vectors, by the number of the address among those with one.
  Weights vector_action_weights(std::size_t address, Array<std::int32_t> rows) const {
    return each_row(address, rows, grammar_.system.actions(),
                    [&](std::int32_t row, std::span<std::int32_t> sums) { model_.vector_actions(address, row, sums); });
  }
  Weights vector_label_weights(std::size_t address, int action, Array<std::int32_t> rows) const {
    check_action(action);
    return each_row(address, rows, labels_.size, [&](std::int32_t row, std::span<std::int32_t> sums) {
      model_.vector_labels(address, action, row, sums);
    });
  }

  std::vector<int> label_templates() const {
    std::vector<int> found;
    for (int g = 0; g < kGroups; ++g) {
      if (!grammar_.labels_see(Group(g))) continue;
      for (const std::uint16_t number : grammar_.program.numbers(Group(g), grammar_.label_reach())) {
        found.push_back(number);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  std::vector<bool> label_vectors() const { return grammar_.labels_see_vectors(); }

 private:
  void check_action(int action) const {
    if (action < 0 || action >= grammar_.system.actions()) throw std::out_of_range("no such action");
  }
  template <class Add>
  Weights each_key(const Array<Key>& keys, int width, const Add& add) const {
    std::vector<std::int32_t> sums(keys.size() * static_cast<std::size_t>(width));
    std::int32_t* at = sums.data();
    for (const Key key : values(keys)) {
      if (template_of(key) >= grammar_.program.templates()) throw std::out_of_range("a feature of no template");
      add(key, at);
      at += width;
    }
    return owned(std::move(sums));
  }
  template <class Add>
  Weights each_row(std::size_t address, const Array<std::int32_t>& rows, int width, const Add& add) const {
    if (address >= grammar_.program.vectors().size()) throw std::out_of_range("no such address");
    check_rows(values(rows), vectors_.rows());
    std::vector<std::int32_t> sums(rows.size() * static_cast<std::size_t>(width));
    std::span<std::int32_t> rest(sums);
    for (const std::int32_t row : values(rows)) {
      add(row, rest.first(width));
      rest = rest.subspan(width);
    }
    return owned(std::move(sums));
  }

  Labels labels_;
  Grammar grammar_;
  Vectors vectors_;
  Layers layers_;
  LayeredModel model_;
};

}  // namespace

void bind_inside(nb::module_& m) {
  nb::class_<Inside>(m, "Inside", "What a finished parser does, and by which weights; matrices come as flat arrays.")
      .def(nb::init<const System&, const Program&, const std::vector<bool>&, const std::vector<bool>&, Layers::Tuples,
                    const VectorsHandle*>(),
           "system"_a, "program"_a, "of_root"_a, "of_words"_a, "layers"_a, "vectors"_a.none() = nb::none(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 7>())
      .def("derivations", &Inside::derivations, "store"_a, "beam"_a, nb::arg("rows").noconvert().none() = nb::none(),
           "margin"_a = nb::none(), "(numbers of actions by sentence, actions, labels)")
      .def("action_weights", &Inside::action_weights, nb::arg("keys").noconvert(), "[key][action]")
      .def("label_weights", &Inside::label_weights, nb::arg("keys").noconvert(), "action"_a, "[key][label]")
      .def("vector_action_weights", &Inside::vector_action_weights, "address"_a, nb::arg("rows").noconvert(),
           "[row][action]")
      .def("vector_label_weights", &Inside::vector_label_weights, "address"_a, "action"_a, nb::arg("rows").noconvert(),
           "[row][label]")
      .def_prop_ro("label_templates", &Inside::label_templates, "Numbers of the templates that labels see.")
      .def_prop_ro("label_vectors", &Inside::label_vectors, "For each address with a vector: do labels see it?");
}
