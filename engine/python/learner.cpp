// The Python face of features, learning and parsing.
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "python/module.hpp"
#include "python/corpus.hpp"
#include "python/layers.hpp"
#include "python/learning.hpp"
#include "features/program.hpp"
#include "learning/learner.hpp"
#include "weights/model.hpp"
#include "search/parse.hpp"
#include "learning/table_task.hpp"
#include "base/threads.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using CounterTuple = std::pair<std::int32_t, std::string>;
using AtomTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

void make_program(Program* self, const std::vector<AttributeTuple>& attributes,
                  const std::vector<CounterTuple>& counters, const std::vector<AtomTuple>& atoms,
                  const std::vector<std::vector<std::int32_t>>& templates, std::vector<std::int32_t> vectors,
                  std::vector<std::int32_t> own_labels) {
  std::vector<Attribute> a = make_attributes(attributes);
  std::vector<Counter> c;
  for (const auto& [attribute, value] : counters) c.push_back({attribute, value});
  std::vector<Atom> t;
  for (const auto& [kind, first, second, parameter] : atoms) {
    if (kind < 0 || kind > static_cast<int>(AtomKind::kGiven)) throw std::out_of_range("no such kind of atom");
    t.push_back({AtomKind(kind), first, second, parameter});
  }
  new (self) Program(std::move(a), std::move(c), std::move(t), templates, std::move(vectors), std::move(own_labels));
}

using DenseArrays = std::tuple<Array<Key>, Array<std::int32_t>, Array<std::int64_t>>;
using SparseArrays =
    std::tuple<Array<Key>, Array<std::int32_t>, Array<std::int32_t>, Array<std::int32_t>, Array<std::int64_t>>;

template <class Value>
std::vector<Value> copy(const Array<Value>& array) {
  return {values(array).begin(), values(array).end()};
}

class LearnerHandle {
 public:
  LearnerHandle(const System& system, const Program& program, const std::vector<bool>& of_root,
                const std::vector<bool>& of_words, Layers::Tuples base, std::int32_t unit, int beam,
                const std::vector<std::int32_t>& ties, std::uint64_t seed, const VectorsHandle* vectors)
      : labels_(make_labels(of_root, of_words)),
        grammar_{system, program, labels_},
        vectors_(checked_vectors(vectors, program)),
        base_(std::move(base), system, program, labels_.size, vectors_),
        unit_(unit),
        learner_(beam, seed, grammar_, LayeredModel(base_.layers), unit, ties, vectors_) {
    if (beam < 1) throw std::invalid_argument("a beam must hold at least one hypothesis");
    for (const std::int32_t action : ties) {
      if (action < 0 || action >= system.actions()) throw std::out_of_range("no such action");
    }
  }

  void train(const Corpus& corpus, Array<std::int64_t> order, const StrategyTuple& fields,
             const std::optional<PythonListener>& listener) {
    const Strategy strategy = make_strategy(fields);
    if (!corpus.has_references()) throw std::invalid_argument("the corpus has no heads");
    if (vectors_.dimensions && corpus.rows().empty()) throw std::invalid_argument("the corpus has no vectors");
    check_rows(corpus.rows(), vectors_.rows());
    for (const std::int64_t sentence : values(order)) {
      if (sentence < 0 || sentence >= corpus.size()) throw std::out_of_range("no such sentence");
    }
    const Listener hear = make_listener(listener);
    nb::gil_scoped_release release;
    for (const std::int64_t sentence : values(order)) {
      const auto constraint = corpus.constraint(sentence);
      Example example = corpus[sentence];
      if (constraint) example.constraint = &*constraint;
      learner_.train(example, strategy, hear);
    }
  }

  Model::Source source() {
    const TrainingWeights& weights = learner_.weights();
    return {weights.actions_, weights.labels_, learner_.time()};
  }
  const Grammar& grammar() const { return grammar_; }
  std::int32_t label_count() const { return labels_.size; }
  std::int32_t unit() const { return unit_; }

  // The two arrays of weights for a Layer, and the number of bits that each is shifted by.
  auto compact_vectors(double action_scale, double label_scale) {
    const TrainingWeights& weights = learner_.weights();
    auto actions = weights.vector_actions_.compact(learner_.time(), unit_, action_scale);
    auto labels = weights.vector_labels_.compact(learner_.time(), unit_, label_scale);
    return std::tuple{owned(std::move(actions.weights)), owned(std::move(labels.weights)), actions.shift, labels.shift};
  }
  auto vectors() {
    const auto copied = [](const auto& numbers) { return owned(std::vector(numbers)); };
    const TrainingWeights& weights = learner_.weights();
    return std::tuple{copied(weights.vector_actions_.weights()), copied(weights.vector_actions_.dated()),
                      copied(weights.vector_labels_.weights()), copied(weights.vector_labels_.dated())};
  }
  void load_vectors(Array<std::int32_t> actions, Array<std::int64_t> dated_actions, Array<std::int32_t> labels,
                    Array<std::int64_t> dated_labels) {
    learner_.weights().vector_actions_.load(values(actions), values(dated_actions));
    learner_.weights().vector_labels_.load(values(labels), values(dated_labels));
  }

  auto actions() {
    DenseWeights::Rows rows = learner_.weights().actions_.rows();
    return std::tuple{owned(std::move(rows.keys)), owned(std::move(rows.weights)), owned(std::move(rows.dated))};
  }
  auto labels() {
    SparseWeights::Rows rows = learner_.weights().labels_.rows();
    return std::tuple{owned(std::move(rows.keys)), owned(std::move(rows.counts)), owned(std::move(rows.labels)),
                      owned(std::move(rows.weights)), owned(std::move(rows.dated))};
  }
  ProgressTuple progress() { return progress_tuple(learner_.progress()); }
  std::uint64_t random() { return learner_.random().state(); }
  std::int64_t time() { return learner_.time(); }

  void load(const DenseArrays& actions, const SparseArrays& labels, std::int64_t time, std::uint64_t random,
            const ProgressTuple& progress) {
    const auto& [keys, weights, dated] = actions;
    const auto& [rows, counts, cells, label_weights, label_dated] = labels;
    const std::size_t classes = learner_.weights().actions_.classes();
    std::int64_t sum = 0;
    for (const std::int32_t count : values(counts)) sum += count > 0 && count <= labels_.size ? count : -(1ll << 40);
    const std::size_t all = cells.size();
    if (weights.size() != keys.size() * classes || dated.size() != weights.size() || counts.size() != rows.size() ||
        sum != static_cast<std::int64_t>(all) || label_weights.size() != all || label_dated.size() != all) {
      throw std::invalid_argument("the weights have the wrong shape");
    }
    check_keys(values(keys));
    check_keys(values(rows));
    std::size_t entry = 0;
    for (const std::int32_t count : values(counts)) {
      for (std::int32_t i = 0; i < count; ++i, ++entry) {
        const std::int32_t label = values(cells)[entry];
        if (label < 0 || label >= labels_.size || (i > 0 && label <= values(cells)[entry - 1])) {
          throw std::invalid_argument("no such label, or out of order");
        }
      }
    }
    learner_.weights().actions_.load({copy(keys), copy(weights), copy(dated)});
    learner_.weights().labels_.load({copy(rows), copy(counts), copy(cells), copy(label_weights), copy(label_dated)});
    learner_.random().set_state(random);
    const auto& [sentences, words, updates, transitions, valued, approximated] = progress;
    learner_.set_progress(time, {sentences, words, updates, transitions, valued, approximated});
  }

 private:
  void check_keys(std::span<const Key> keys) const {
    Key last = 0;
    for (const Key key : keys) {
      if (key <= last || template_of(key) >= grammar_.program.templates()) {
        throw std::invalid_argument("the keys are out of order, or of no template");
      }
      last = key;
    }
  }

  Labels labels_;
  Grammar grammar_;
  Vectors vectors_;
  Layers base_;
  std::int32_t unit_;
  Learner<TableTask> learner_;
};

// The weights of learners that are alike.
std::vector<Model::Source> sources_of(const std::vector<LearnerHandle*>& learners) {
  if (learners.empty()) throw std::invalid_argument("no learner");
  std::vector<Model::Source> sources;
  for (LearnerHandle* learner : learners) {
    if (learner->label_count() != learners[0]->label_count() || learner->unit() != learners[0]->unit() ||
        learner->source().actions.classes() != learners[0]->source().actions.classes()) {
      throw std::invalid_argument("the learners differ");
    }
    sources.push_back(learner->source());
  }
  return sources;
}

auto compact(const std::vector<LearnerHandle*>& learners, double least) {
  const std::vector<Model::Source> sources = sources_of(learners);
  Model::Arrays arrays;
  {
    nb::gil_scoped_release release;
    arrays = Model::compact(learners[0]->grammar().program.templates(), learners[0]->label_count(), sources,
                            learners[0]->unit(), least);
  }
  return layer_arrays(std::move(arrays));
}

auto parse_averaged(const std::vector<LearnerHandle*>& learners, const TreebankStore& store, int beam) {
  const TreebankData& data = store.data();
  const AveragedWeights weights(sources_of(learners), learners[0]->unit());
  const Grammar& grammar = learners[0]->grammar();
  if (!grammar.program.vectors().empty()) throw std::invalid_argument("not for parsers with vectors");
  std::vector<std::int32_t> heads(data.words()), labels(data.words());
  {
    nb::gil_scoped_release release;
    const Tokens tokens(grammar.program.attributes(), grammar.program.counters(), data, {});
    TreeParser<AveragedWeights> parser(grammar, weights);
    for (std::int64_t s = 0; s < tokens.sentences(); ++s) {
      if (tokens[s].words == 0) continue;
      parser.parse(tokens[s], beam, parser.kAnyMargin, heads.data() + data.offsets()[s],
                   labels.data() + data.offsets()[s]);
    }
  }
  return std::pair{owned(std::move(heads)), owned(std::move(labels))};
}

class ModelHandle {
 public:
  ModelHandle(const System& system, const Program& program, const std::vector<bool>& of_root,
              const std::vector<bool>& of_words, Layers::Tuples layers, const VectorsHandle* vectors,
              Programs::Handles further, std::vector<Layers::Place> places)
      : labels_(make_labels(of_root, of_words)),
        programs_(std::move(further), program, labels_.size),
        grammar_{system, program, labels_, programs_.further},
        vectors_(checked_vectors(vectors, program)),
        layers_(std::move(layers), system, program, labels_.size, vectors_, &programs_, std::move(places)),
        model_(layers_.layers) {}

  // Heads and labels of every word; by how much the tree of each sentence was ever behind. The same whatever the number
  // of threads: each sentence is parsed by one.
  auto parse(const TreebankStore& store, int beam, int threads, const Rows& rows, std::optional<Score> margin,
             const Constraints* constraints, bool confidence) const {
    check_constraints(constraints, store);
    if (margin && *margin < 0) throw std::invalid_argument("a margin must be >= 0");
    const TreebankData& data = store.data();
    const auto checked = checked_rows(rows, grammar_.program, data);
    check_rows(checked, vectors_.rows());
    std::vector<std::int32_t> heads(data.words()), labels(data.words());
    std::vector<Score> behind(data.offsets().size() - 1);
    std::vector<Signals> signals(confidence ? data.words() : 0);
    {
      nb::gil_scoped_release release;
      const Tokens tokens(grammar_.program.attributes(), grammar_.program.counters(), data, checked, -1,
                          constraints ? constraints->given() : GivenColumns());
      share_work(tokens.sentences(), threads, [&](const auto& each) {
        TreeParser<LayeredModel> parser(grammar_, model_);
        each([&](std::int64_t s) {
          if (tokens[s].words == 0) return;
          const auto constraint = constraints ? (*constraints)[s] : std::nullopt;
          behind[s] =
              parser.parse(tokens[s], beam, margin.value_or(parser.kAnyMargin), heads.data() + data.offsets()[s],
                           labels.data() + data.offsets()[s], constraint ? &*constraint : nullptr,
                           confidence ? signals.data() + data.offsets()[s] : nullptr);
        });
      });
    }
    std::vector<std::int32_t> margins;
    for (const Signals& word : signals) margins.insert(margins.end(), word.begin(), word.end());
    return std::tuple{owned(std::move(heads)), owned(std::move(labels)), owned(std::move(behind)),
                      owned(std::move(margins))};
  }

  // Different trees of one sentence, best first: heads, labels, score.
  auto best(const TreebankStore& store, std::int64_t sentence, int beam, int count, const Rows& rows,
            const Constraints* constraints) const {
    store.check(sentence);
    check_constraints(constraints, store);
    const auto checked = checked_rows(rows, grammar_.program, store.data());
    check_rows(checked, vectors_.rows());
    std::vector<Tree> trees;
    {
      nb::gil_scoped_release release;
      const Tokens tokens(grammar_.program.attributes(), grammar_.program.counters(), store.data(), checked, sentence,
                          constraints ? constraints->given() : GivenColumns());
      const auto constraint = constraints ? (*constraints)[sentence] : std::nullopt;
      TreeParser<LayeredModel> parser(grammar_, model_);
      if (tokens[0].words > 0) trees = parser.best(tokens[0], beam, count, constraint ? &*constraint : nullptr);
    }
    std::vector<std::tuple<std::vector<std::int32_t>, std::vector<std::int32_t>, Score>> result;
    for (Tree& tree : trees) result.emplace_back(std::move(tree.heads), std::move(tree.labels), tree.score);
    return result;
  }

 private:
  void check_constraints(const Constraints* constraints, const TreebankStore& store) const {
    if (!constraints) return;
    if (&constraints->system() != &grammar_.system || constraints->words() != store.data().words() ||
        constraints->sentences() != store.data().sentences() ||
        constraints->labels() != static_cast<std::size_t>(labels_.size)) {
      throw std::invalid_argument("the constraints are for another system, treebank or set of labels");
    }
  }

  Labels labels_;
  Programs programs_;
  Grammar grammar_;
  Vectors vectors_;
  Layers layers_;
  LayeredModel model_;
};

}  // namespace

void bind_learner(nb::module_& m) {
  nb::class_<VectorsHandle>(m, "Vectors", "Embeddings as bytes, a row for each word; the unknown word's comes first.")
      .def(nb::init<Matrix, std::int32_t>(), nb::arg("matrix").noconvert(), "bits"_a);

  nb::class_<Program>(m, "Program", "Feature templates, lowered by panparser._compile_templates.")
      .def("__init__", &make_program, "attributes"_a, "counters"_a, "atoms"_a, "templates"_a, "vectors"_a,
           "own_labels"_a = std::vector<std::int32_t>{})
      .def_prop_ro("templates", &Program::templates);

  nb::class_<Corpus>(m, "Corpus",
                     "Sentences to learn from, or to parse if there are no heads, prepared for one system and program.")
      .def(nb::init<const Program&, const System&, const TreebankStore&, const std::optional<Array<std::int32_t>>&,
                    const std::optional<Array<std::int32_t>>&, const Rows&>(),
           "program"_a, "system"_a, "store"_a, nb::arg("heads").noconvert().none(),
           nb::arg("labels").noconvert().none(), nb::arg("rows").noconvert().none() = nb::none(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("__len__", &Corpus::size)
      .def("constrain", &Corpus::constrain, "constraints"_a, nb::keep_alive<1, 2>(),
           nb::call_guard<nb::gil_scoped_release>(), "Search keeps to these constraints, and features read them.")
      .def(
          "replace",
          [](Corpus& c, Array<std::int32_t> heads, Array<std::int32_t> labels) {
            c.replace(values(heads), values(labels));
          },
          nb::arg("heads").noconvert(), nb::arg("labels").noconvert());

  nb::class_<LayerHandle>(m, "Layer", "Weights for parsing; `compact` of a Learner makes the arrays.")
      .def(nb::init<int, int, Array<std::uint8_t>, Array<std::uint8_t>, Array<std::uint32_t>, Array<std::uint8_t>,
                    std::optional<VectorArrays>>(),
           "classes"_a, "labels"_a, nb::arg("lines").noconvert(), nb::arg("label_lines").noconvert(),
           nb::arg("tables").noconvert(), nb::arg("label_rows").noconvert(),
           nb::arg("vectors").noconvert().none() = nb::none());

  nb::class_<LearnerHandle>(m, "Learner", "An averaged perceptron that learns by a strategy.")
      .def(nb::init<const System&, const Program&, const std::vector<bool>&, const std::vector<bool>&, Layers::Tuples,
                    std::int32_t, int, const std::vector<std::int32_t>&, std::uint64_t, const VectorsHandle*>(),
           "system"_a, "program"_a, "of_root"_a, "of_words"_a, "base"_a, "unit"_a, "beam"_a, "ties"_a, "seed"_a,
           "vectors"_a.none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 11>())
      .def("train", &LearnerHandle::train, "corpus"_a, nb::arg("order").noconvert(), "strategy"_a,
           "listener"_a.none() = nb::none())
      .def_prop_ro("progress", &LearnerHandle::progress,
                   "[sentences, words, updates, transitions, states with a loss, those where it was approximate]")
      .def_prop_ro("time", &LearnerHandle::time, "Sentences that the average is over.")
      .def_prop_ro("random", &LearnerHandle::random, "The state of the random numbers.")
      .def("actions", &LearnerHandle::actions, "(keys, weights, dated sums), by key.")
      .def("labels", &LearnerHandle::labels, "(keys, counts, labels, weights, dated sums), by key and label.")
      .def("load", &LearnerHandle::load, "actions"_a, "labels"_a, "time"_a, "random"_a, "progress"_a)
      .def("compact_vectors", &LearnerHandle::compact_vectors, "action_scale"_a, "label_scale"_a)
      .def("vectors", &LearnerHandle::vectors, "(weights, dated sums) of actions, then of labels.")
      .def("load_vectors", &LearnerHandle::load_vectors, nb::arg("actions").noconvert(),
           nb::arg("dated_actions").noconvert(), nb::arg("labels").noconvert(), nb::arg("dated_labels").noconvert());

  m.def("compact", &compact, "learners"_a, "least"_a,
        "(lines, label_lines, tables, label_rows) of a Layer, the mean of the learners, and what an update became in "
        "each of its two scales.");

  m.def("parse_averaged", &parse_averaged, "learners"_a, "store"_a, "beam"_a,
        "(heads, labels) of every word, by weights that have not become bytes yet.");

  nb::class_<ModelHandle>(m, "Model", "A finished parser.")
      .def(nb::init<const System&, const Program&, const std::vector<bool>&, const std::vector<bool>&, Layers::Tuples,
                    const VectorsHandle*, Programs::Handles, std::vector<Layers::Place>>(),
           "system"_a, "program"_a, "of_root"_a, "of_words"_a, "layers"_a, "vectors"_a.none() = nb::none(),
           "further"_a = Programs::Handles{}, "places"_a = std::vector<Layers::Place>{}, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 7>())
      .def("parse", &ModelHandle::parse, "store"_a, "beam"_a, "threads"_a,
           nb::arg("rows").noconvert().none() = nb::none(), "margin"_a = nb::none(),
           "constraints"_a.none() = nb::none(), "confidence"_a = false,
           "(heads, labels) of every word, by how much the tree of each sentence was ever behind in its beam, and, if "
           "asked for, the signals of every word.")
      .def("best", &ModelHandle::best, "store"_a, "sentence"_a, "beam"_a, "count"_a,
           nb::arg("rows").noconvert().none() = nb::none(), "constraints"_a.none() = nb::none(),
           "[(heads, labels, score), ...]");
}
