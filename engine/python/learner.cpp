// The Python face of learning to parse.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "learning/members.hpp"
#include "learning/parser_learner.hpp"
#include "python/learning.hpp"
#include "python/models.hpp"
#include "python/module.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using Members = std::vector<const ParserLearner*>;

void train(ParserLearner& learner, const Corpus& corpus, Array<std::int64_t> order, const Strategy& strategy,
           const std::optional<PythonListener>& listener, int threads, std::int64_t batch) {
  const Listener heard = make_listener(listener);
  nb::gil_scoped_release release;
  learner.train(corpus, values(order), strategy, heard, {threads, batch});
}

// The average of the weights of vectors, for a VectorLayer.
struct CompactVectors {
  VectorWeights::Compact actions, labels;
};

Averages average_members(const Members& learners, int threads) {
  nb::gil_scoped_release release;
  return averages_of(learners, threads);
}

Trees parse_members(const Members& learners, const TreebankStore& store, int beam, int threads) {
  nb::gil_scoped_release release;
  return parse_averaged(learners, store.data(), beam, threads);
}

void bind_vector_weights(nb::module_& m) {
  nb::class_<CompactVectors>(m, "CompactVectors", "Weights of vectors as a VectorLayer has them.")
      .def_prop_ro(
          "actions", [](const CompactVectors& c) { return copy_of(c.actions.weights); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "labels", [](const CompactVectors& c) { return copy_of(c.labels.weights); }, nb::rv_policy::automatic)
      .def_prop_ro("action_shift", [](const CompactVectors& c) { return c.actions.shift; })
      .def_prop_ro("label_shift", [](const CompactVectors& c) { return c.labels.shift; });
  nb::class_<VectorWeights>(m, "VectorRows", "Weights of vectors while they are learned, [class][dimension].")
      .def_prop_ro(
          "weights", [](const VectorWeights& v) { return copy_of(v.weights()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "dated", [](const VectorWeights& v) { return copy_of(v.dated()); }, nb::rv_policy::automatic)
      .def(
          "load",
          [](VectorWeights& v, Array<std::int32_t> weights, Array<std::int64_t> dated) {
            v.load(values(weights), values(dated));
          },
          nb::kw_only(), nb::arg("weights").noconvert(), nb::arg("dated").noconvert());
}

}  // namespace

void bind_learner(nb::module_& m) {
  bind_vector_weights(m);
  nb::class_<Averages>(m, "Averages", "The averaged weights of learners, which stay as they are when those go on.")
      .def("compact", &Averages::compact, "least"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
           "The mean, without weights smaller than `least` updates.");
  nb::class_<ParserLearner>(m, "Learner", "An averaged perceptron that learns by a strategy.")
      .def(
          "__init__",
          [](ParserLearner* self, const System& system, const Program& program, const std::vector<bool>& of_root,
             const std::vector<bool>& of_words, std::vector<ScaledLayer> base, std::int32_t unit, int beam,
             std::vector<std::int32_t> ties, std::uint64_t seed, const Vectors* vectors) {
            new (self) ParserLearner(make_parts(system, program, of_root, of_words, std::move(base), vectors),
                                     {unit, beam, std::move(ties), seed});
          },
          nb::kw_only(), "system"_a, "program"_a, "of_root"_a, "of_words"_a, "base"_a, "unit"_a, "beam"_a, "ties"_a,
          "seed"_a, "vectors"_a.none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 11>())
      .def("train", &train, "corpus"_a, nb::arg("order").noconvert(), "strategy"_a, "listener"_a.none() = nb::none(),
           "threads"_a = 1, "batch"_a = 1)
      .def_prop_ro("progress", &ParserLearner::progress, nb::rv_policy::copy)
      .def_prop_ro("time", &ParserLearner::time, "Sentences that the average is over.")
      .def_prop_ro("random", &ParserLearner::random, "The state of the random numbers.")
      .def("actions", &ParserLearner::actions, "A copy of the weights of actions.")
      .def("labels", &ParserLearner::labels, "A copy of the weights of labels.")
      .def(
          "load",
          [](ParserLearner& learner, const DenseWeights::Rows& actions, const SparseWeights::Rows& labels,
             std::int64_t time, std::uint64_t random,
             const Progress& progress) { learner.load({actions, labels, time, random, progress}); },
          nb::kw_only(), "actions"_a, "labels"_a, "time"_a, "random"_a, "progress"_a)
      .def_prop_ro(
          "vector_actions", [](ParserLearner& learner) -> VectorWeights& { return learner.vector_actions(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "vector_labels", [](ParserLearner& learner) -> VectorWeights& { return learner.vector_labels(); },
          nb::rv_policy::reference_internal)
      .def(
          "compact_vectors",
          [](const ParserLearner& learner, double action_scale, double label_scale) {
            return CompactVectors{learner.vector_actions().compact(learner.time(), learner.unit(), action_scale),
                                  learner.vector_labels().compact(learner.time(), learner.unit(), label_scale)};
          },
          nb::kw_only(), "action_scale"_a, "label_scale"_a, "Where an update becomes the scales of a LayerArrays.");

  m.def("average", &average_members, "learners"_a, "threads"_a, "What the learners have learned so far.");
  m.def("parse_averaged", &parse_members, "learners"_a, "store"_a, "beam"_a, "threads"_a,
        "Trees by weights that have not become bytes yet.");
}
