// The Python face of sequences whose items get classes.
#include <nanobind/stl/pair.h>

#include <memory>

#include "python/layers.hpp"
#include "python/learning.hpp"
#include "sequences/decode.hpp"
#include "learning/sequence_task.hpp"
#include "base/threads.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using AtomTuple = std::tuple<bool, std::int32_t, std::int32_t>;

void make_program(SequenceProgram* self, const std::vector<AttributeTuple>& attributes, std::int32_t columns,
                  std::int32_t parts, const std::vector<AtomTuple>& atoms,
                  const std::vector<std::vector<std::int32_t>>& templates) {
  std::vector<SequenceAtom> a;
  for (const auto& [is_class, offset, parameter] : atoms) a.push_back({is_class, offset, parameter});
  new (self) SequenceProgram(make_attributes(attributes), columns, parts, a, templates);
}

using Numbers = Array<std::int32_t>;

std::vector<std::int32_t> copy(const Numbers& array) { return {values(array).begin(), values(array).end()}; }

// Sequences, and which classes their items may have.
class SequencesHandle {
 public:
  SequencesHandle(const SequenceProgram& program, Array<std::int64_t> offsets, const TreebankStore* store,
                  const nb::typed<nb::list, Numbers>& columns) {
    std::vector<Numbers> arrays;
    for (const nb::handle column : columns) {
      if (!nb::try_cast(column, arrays.emplace_back(), false)) throw nb::type_error("a column must be of int32");
    }
    std::vector<std::span<const std::int32_t>> spans;
    for (const Numbers& column : arrays) spans.push_back(values(column));
    std::vector<std::int64_t> copied(values(offsets).begin(), values(offsets).end());
    nb::gil_scoped_release release;
    all_ = std::make_unique<Sequences>(program, std::move(copied), store ? &store->data() : nullptr, spans);
  }
  // `sets`: of items, by number, -1 where all classes are allowed; the classes of set s are those from starts[s] on.
  void allow(const Numbers& sets, const Numbers& starts, const Numbers& classes, std::int32_t known) {
    ClassSets found{copy(sets), copy(starts), copy(classes)};
    found.check(all_->items(), known);
    sets_ = std::move(found);
    known_ = known;
  }
  void check(const SequenceProgram& program, const SequenceClasses& classes) const {
    if (!all_->fits(program)) throw std::invalid_argument("the items were prepared for other templates");
    if (known_ && known_ != classes.size()) throw std::invalid_argument("the sets are of other classes");
    if (program.parts() != classes.parts()) throw std::invalid_argument("the templates see other parts of classes");
  }
  const Sequences& all() const { return *all_; }
  Sequence operator[](std::int64_t s) const { return {*all_, all_->first(s), all_->length(s), sets_}; }

 private:
  std::unique_ptr<Sequences> all_;
  ClassSets sets_;
  std::int32_t known_ = 0;  // classes; 0: there are no sets
};

class SequenceLearnerHandle {
 public:
  SequenceLearnerHandle(const SequenceProgram& program, std::int32_t classes, const Numbers& parts, std::int32_t unit,
                        int beam, std::uint64_t seed)
      : program_(program),
        classes_(classes, values(parts)),
        unit_(unit),
        learner_(beam, seed, program_, classes_, static_cast<std::size_t>(beam), unit) {
    if (beam < 1) throw std::invalid_argument("a beam must hold at least one hypothesis");
    if (unit < 1) throw std::invalid_argument("an update must add something");
  }

  // `right`: the class of each item, -1 where it is unknown.
  void train(const SequencesHandle& sequences, const Numbers& right, Array<std::int64_t> order,
             const StrategyTuple& fields, const std::optional<PythonListener>& listener) {
    const Strategy strategy = make_strategy(fields);
    sequences.check(program_, classes_);
    if (right.size() != static_cast<std::size_t>(sequences.all().items())) {
      throw std::invalid_argument("one class for each item");
    }
    for (const std::int32_t c : values(right)) {
      if (c < -1 || c >= classes_.size()) throw std::out_of_range("no such class");
    }
    for (const std::int64_t s : values(order)) {
      if (s < 0 || s >= sequences.all().size()) throw std::out_of_range("no such sequence");
    }
    const Listener hear = make_listener(listener);
    nb::gil_scoped_release release;
    for (const std::int64_t s : values(order)) {
      const Sequence sequence = sequences[s];
      learner_.train({sequence, values(right).subspan(sequence.first, sequence.length)}, strategy, hear);
    }
  }

  Model::Source source() { return {learner_.weights().actions_, learner_.weights().labels_, learner_.time()}; }
  int templates() const { return program_.templates(); }
  std::int32_t classes() const { return classes_.size(); }
  std::int32_t unit() const { return unit_; }
  ProgressTuple progress() { return progress_tuple(learner_.progress()); }
  std::int64_t time() const { return learner_.time(); }

  // (keys, counts of cells, classes, weights, dated sums), by key and class.
  auto weights() {
    SparseWeights::Rows rows = learner_.weights().labels_.rows();
    if (ClassScoring<TrainingWeights>::is_few(classes_.size())) {
      DenseWeights::Rows all = learner_.weights().actions_.rows();
      rows.keys = std::move(all.keys);
      rows.counts.assign(rows.keys.size(), classes_.size());
      for (std::size_t i = 0; i < all.weights.size(); ++i) {
        rows.labels.push_back(static_cast<std::int32_t>(i % classes_.size()));
      }
      rows.weights = std::move(all.weights);
      rows.dated = std::move(all.dated);
    }
    return std::tuple{owned(std::move(rows.keys)), owned(std::move(rows.counts)), owned(std::move(rows.labels)),
                      owned(std::move(rows.weights)), owned(std::move(rows.dated))};
  }

 private:
  const SequenceProgram& program_;
  SequenceClasses classes_;
  std::int32_t unit_;
  Learner<SequenceTask> learner_;
};

// Of a Layer, what rows of weights it has: for all of a few classes, or for labels, which are as many as classes.
std::pair<int, int> layer_shape(std::int32_t classes) {
  const bool few = ClassScoring<LayeredModel>::is_few(classes);
  return {few ? classes : 1, few ? 0 : classes};
}

auto compact(const std::vector<SequenceLearnerHandle*>& learners, double least) {
  if (learners.empty()) throw std::invalid_argument("no learner");
  std::vector<Model::Source> sources;
  for (SequenceLearnerHandle* learner : learners) {
    if (learner->templates() != learners[0]->templates() || learner->classes() != learners[0]->classes() ||
        learner->unit() != learners[0]->unit()) {
      throw std::invalid_argument("the learners differ");
    }
    sources.push_back(learner->source());
  }
  Model::Arrays arrays;
  {
    nb::gil_scoped_release release;
    arrays = Model::compact(learners[0]->templates(), layer_shape(learners[0]->classes()).second, sources,
                            learners[0]->unit(), least);
  }
  return layer_arrays(std::move(arrays));
}

class SequenceModelHandle {
 public:
  SequenceModelHandle(const SequenceProgram& program, std::int32_t classes, const Numbers& parts,
                      const LayerHandle& layer)
      : program_(program), classes_(classes, values(parts)), model_({{layer.model(), 1, 1}}) {
    const auto shape = std::pair{layer.model().classes(), layer.model().label_count()};
    if (shape != layer_shape(classes) || layer.model().templates() != program.templates()) {
      throw std::invalid_argument("the layer has other classes or templates");
    }
    if (program.parts() != classes_.parts()) throw std::invalid_argument("the templates see other parts of classes");
  }

  // The class of every item. The same whatever the number of threads: each sequence is decoded by one.
  auto predict(const SequencesHandle& sequences, int beam, int threads) const {
    sequences.check(program_, classes_);
    std::vector<std::int32_t> classes(sequences.all().items());
    {
      nb::gil_scoped_release release;
      share_work(sequences.all().size(), threads, [&](const auto& each) {
        SequenceDecoder<LayeredModel> decoder(program_, classes_, model_);
        each([&](std::int64_t s) { decoder.decode(sequences[s], beam, classes.data() + sequences.all().first(s)); });
      });
    }
    return owned(std::move(classes));
  }

  // Different classes for one sequence, best first.
  auto best(const SequencesHandle& sequences, std::int64_t s, int beam, int count) const {
    sequences.check(program_, classes_);
    if (s < 0 || s >= sequences.all().size()) throw std::out_of_range("no such sequence");
    std::vector<Labeling> found;
    {
      nb::gil_scoped_release release;
      found = SequenceDecoder<LayeredModel>(program_, classes_, model_).best(sequences[s], beam, count);
    }
    std::vector<std::pair<std::vector<std::int32_t>, Score>> result;
    for (Labeling& labeling : found) result.emplace_back(std::move(labeling.classes), labeling.score);
    return result;
  }

 private:
  const SequenceProgram& program_;
  SequenceClasses classes_;
  LayeredModel model_;
};

}  // namespace

void bind_sequence(nb::module_& m) {
  nb::class_<SequenceProgram>(m, "SequenceProgram", "Templates over a window of items, as lower_window makes them.")
      .def("__init__", &make_program, "attributes"_a, "columns"_a, "parts"_a, "atoms"_a, "templates"_a)
      .def_prop_ro("templates", &SequenceProgram::templates);

  nb::class_<SequencesHandle>(m, "Sequences", "Items of many sequences, prepared for one program.")
      .def(nb::init<const SequenceProgram&, Array<std::int64_t>, const TreebankStore*,
                    const nb::typed<nb::list, Numbers>&>(),
           "program"_a, nb::arg("offsets").noconvert(), "store"_a.none(), "columns"_a)
      .def("allow", &SequencesHandle::allow, nb::arg("sets").noconvert(), nb::arg("starts").noconvert(),
           nb::arg("classes").noconvert(), "known"_a,
           "The classes that items may have: the number of a set for each item (-1: all), and the sets.");

  nb::class_<SequenceLearnerHandle>(m, "SequenceLearner", "An averaged perceptron that learns classes by a strategy.")
      .def(nb::init<const SequenceProgram&, std::int32_t, const Numbers&, std::int32_t, int, std::uint64_t>(),
           "program"_a, "classes"_a, nb::arg("parts").noconvert(), "unit"_a, "beam"_a, "seed"_a, nb::keep_alive<1, 2>())
      .def("train", &SequenceLearnerHandle::train, "sequences"_a, nb::arg("right").noconvert(),
           nb::arg("order").noconvert(), "strategy"_a, "listener"_a.none() = nb::none())
      .def_prop_ro("progress", &SequenceLearnerHandle::progress, "[sequences, items, updates, steps, 0, 0]")
      .def_prop_ro("time", &SequenceLearnerHandle::time, "Sequences that the average is over.")
      .def("weights", &SequenceLearnerHandle::weights, "(keys, counts, classes, weights, dated sums), by key.");

  m.def("layer_shape", &layer_shape, "classes"_a, "(classes, labels) of the Layer of a SequenceModel.");
  m.def("compact_sequences", &compact, "learners"_a, "least"_a,
        "(lines, label_lines, tables, label_rows) of a Layer, the mean of the learners, and what an update became in "
        "each of its two scales.");

  nb::class_<SequenceModelHandle>(m, "SequenceModel", "Finished weights for classes of items.")
      .def(nb::init<const SequenceProgram&, std::int32_t, const Numbers&, const LayerHandle&>(), "program"_a,
           "classes"_a, nb::arg("parts").noconvert(), "layer"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>())
      .def("predict", &SequenceModelHandle::predict, "sequences"_a, "beam"_a, "threads"_a)
      .def("best", &SequenceModelHandle::best, "sequences"_a, "sequence"_a, "beam"_a, "count"_a,
           "[(classes, score), ...]");
}
