// The Python face of sequences whose items get classes.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "learning/members.hpp"
#include "learning/sequence_learner.hpp"
#include "python/learning.hpp"
#include "python/module.hpp"
#include "sequences/model.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Numbers = Array<std::int32_t>;
using StridedNumbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;

void make_items(Items* self, const SequenceProgram& program, Array<std::int64_t> offsets, const TreebankStore* store,
                const nb::typed<nb::list, StridedNumbers>& columns) {
  std::vector<StridedNumbers> arrays;
  for (const nb::handle column : columns) {
    if (!nb::try_cast(column, arrays.emplace_back(), false)) throw nb::type_error("a column must be of int32");
  }
  std::vector<NumberColumn> spans;
  for (const StridedNumbers& column : arrays) {
    spans.push_back({column.data(), static_cast<std::int64_t>(column.shape(0)), column.stride(0)});
  }
  nb::gil_scoped_release release;
  new (self) Items(program, copied(offsets), store ? &store->data() : nullptr, spans);
}

void train(SequenceLearner& learner, const Items& items, Numbers right, Array<std::int64_t> order,
           const Strategy& strategy, const std::optional<PythonListener>& listener, int threads, std::int64_t batch) {
  const Listener heard = make_listener(listener);
  nb::gil_scoped_release release;
  learner.train(items, values(right), values(order), strategy, heard, {threads, batch});
}

Averages average_members(const std::vector<const SequenceLearner*>& learners, int threads) {
  nb::gil_scoped_release release;
  return averages_of(learners, threads);
}

auto predict(const SequenceModel& model, const Items& items, int beam, int threads) {
  std::vector<std::int32_t> classes;
  {
    nb::gil_scoped_release release;
    classes = model.predict(items, beam, threads);
  }
  return owned(std::move(classes));
}

auto best(const SequenceModel& model, const Items& items, std::int64_t sequence, int beam, int count) {
  std::vector<Labeling> found;
  {
    nb::gil_scoped_release release;
    found = model.best(items, sequence, beam, count);
  }
  std::vector<std::pair<std::vector<std::int32_t>, double>> result;
  for (Labeling& labeling : found) {
    result.emplace_back(std::move(labeling.classes), static_cast<double>(labeling.score) / model.scale());
  }
  return result;
}

}  // namespace

void bind_sequence(nb::module_& m) {
  nb::class_<Items>(m, "Sequences", "Items of many sequences, prepared for one program.")
      .def("__init__", &make_items, "program"_a, nb::arg("offsets").noconvert(), "store"_a.none(), "columns"_a)
      .def(
          "allow",
          [](Items& items, Numbers sets, Numbers starts, Numbers classes, std::int32_t known) {
            items.allow({copied(sets), copied(starts), copied(classes)}, known);
          },
          nb::arg("sets").noconvert(), nb::arg("starts").noconvert(), nb::arg("classes").noconvert(), "known"_a,
          "The classes that items may have: the number of a set for each item (-1: all), and the sets.");

  nb::class_<SequenceLearner>(m, "SequenceLearner", "An averaged perceptron that learns classes by a strategy.")
      .def(
          "__init__",
          [](SequenceLearner* self, const SequenceProgram& program, std::int32_t classes, Numbers parts,
             std::int32_t unit, int beam, std::uint64_t seed) {
            new (self) SequenceLearner(program, SequenceClasses(classes, values(parts)), {unit, beam, seed});
          },
          nb::kw_only(), "program"_a, "classes"_a, nb::arg("parts").noconvert(), "unit"_a, "beam"_a, "seed"_a,
          nb::keep_alive<1, 2>())
      .def("train", &train, "sequences"_a, nb::arg("right").noconvert(), nb::arg("order").noconvert(), "strategy"_a,
           "listener"_a.none() = nb::none(), "threads"_a = 1, "batch"_a = 1)
      .def_prop_ro("progress", &SequenceLearner::progress, nb::rv_policy::copy)
      .def_prop_ro("time", &SequenceLearner::time, "Sequences that the average is over.")
      .def(
          "weights", [](const SequenceLearner& learner) { return learner.weights().rows(); },
          "A copy of the weights of classes.");

  m.def("average_sequences", &average_members, "learners"_a, "threads"_a, "What the learners have learned so far.");

  nb::class_<SequenceModel>(m, "SequenceModel", "Finished weights for classes of items; they are those of LayerArrays.")
      .def(
          "__init__",
          [](SequenceModel* self, const SequenceProgram& program, std::int32_t classes, Numbers parts,
             Array<std::uint8_t> lines, Array<std::uint8_t> label_lines, Array<std::uint32_t> tables,
             Array<std::uint8_t> label_rows, int labels, double action_scale, double label_scale) {
            SequenceClasses known(classes, values(parts));
            const Model::View view{values(lines), values(label_lines), values(tables), values(label_rows)};
            new (self)
                SequenceModel(program, std::move(known), ClassModel(classes, labels, view, action_scale, label_scale));
          },
          nb::kw_only(), "program"_a, "classes"_a, nb::arg("parts").noconvert(), nb::arg("lines").noconvert(),
          nb::arg("label_lines").noconvert(), nb::arg("tables").noconvert(), nb::arg("label_rows").noconvert(),
          "labels"_a, "action_scale"_a, "label_scale"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>(),
          nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>())
      .def("predict", &predict, "sequences"_a, "beam"_a, "threads"_a)
      .def("best", &best, "sequences"_a, "sequence"_a, "beam"_a, "count"_a,
           "[(classes, score in updates), ...], best first.");
}
