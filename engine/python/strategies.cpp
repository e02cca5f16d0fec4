// The Python face of what goes into learning and comes out of it: strategies, updates, progress, weights.
#include <nanobind/stl/vector.h>

#include "base/progress.hpp"
#include "learning/strategy.hpp"
#include "python/module.hpp"
#include "weights/model.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

void bind_strategy(nb::module_& m) {
  nb::enum_<UpdateAt>(m, "UpdateAt")
      .value("FIRST_VIOLATION", UpdateAt::kFirstViolation)
      .value("MAX_VIOLATION", UpdateAt::kMaxViolation)
      .value("LATEST_VIOLATION", UpdateAt::kLatestViolation)
      .value("LONGEST_PREFIX", UpdateAt::kLongestPrefix)
      .value("END", UpdateAt::kEnd);
  nb::enum_<Positive>(m, "Positive")
      .value("BEST_SCORING", Positive::kBestScoring)
      .value("MOST_SIMILAR", Positive::kMostSimilar);
  nb::enum_<Restart>(m, "Restart")
      .value("NONE", Restart::kNever)
      .value("PAIR", Restart::kPair)
      .value("RANDOM_CORRECT", Restart::kRandomCorrect)
      .value("BEAM", Restart::kBeam)
      .value("SAMPLE", Restart::kSample);

  nb::class_<Strategy>(m, "Strategy", "How one sentence is learned from.")
      .def(
          "__init__",
          [](Strategy* self, bool static_oracle, UpdateAt update_at, Positive positive, Restart restart,
             double exploration, double temperature, std::int32_t horizon, double focus) {
            const Strategy strategy{static_oracle, update_at,   positive, restart,
                                    exploration,   temperature, horizon,  focus};
            strategy.check();
            new (self) Strategy(strategy);
          },
          nb::kw_only(), "static_oracle"_a, "update_at"_a, "positive"_a, "restart"_a, "exploration"_a, "temperature"_a,
          "horizon"_a, "focus"_a)
      .def_ro("static_oracle", &Strategy::static_oracle)
      .def_ro("update_at", &Strategy::update_at)
      .def_ro("positive", &Strategy::positive)
      .def_ro("restart", &Strategy::restart)
      .def_ro("exploration", &Strategy::exploration)
      .def_ro("temperature", &Strategy::temperature)
      .def_ro("horizon", &Strategy::horizon, "Actions; 0: none.")
      .def_ro("focus", &Strategy::focus);

  nb::class_<Update>(m, "Update", "A pair of derivations that the weights are updated by.")
      .def_ro("positive", &Update::positive, "Actions from the initial state.")
      .def_ro("negative", &Update::negative)
      .def_ro("positive_score", &Update::positive_score, "Since the search last started.")
      .def_ro("negative_score", &Update::negative_score)
      .def_ro("started", &Update::started, "Length of the derivation that the search started from.");

  nb::class_<Progress>(m, "Progress", "How far a learner is, over all epochs.")
      .def(
          "__init__",
          [](Progress* self, std::int64_t sentences, std::int64_t words, std::int64_t updates, std::int64_t transitions,
             std::int64_t valued, std::int64_t approximated) {
            new (self) Progress{sentences, words, updates, transitions, valued, approximated};
          },
          nb::kw_only(), "sentences"_a, "words"_a, "updates"_a, "transitions"_a, "valued"_a, "approximated"_a)
      .def_ro("sentences", &Progress::sentences)
      .def_ro("words", &Progress::words, "Of sequences: items.")
      .def_ro("updates", &Progress::updates)
      .def_ro("transitions", &Progress::transitions)
      .def_ro("valued", &Progress::valued, "States whose costs come from a loss.")
      .def_ro("approximated", &Progress::approximated, "Those of them where the loss was approximate.");

  using Actions = DenseWeights::Rows;
  nb::class_<Actions>(m, "ActionRows", "Weights of actions while they are learned, by key.")
      .def(
          "__init__",
          [](Actions* self, Array<Key> keys, Array<std::int32_t> weights, Array<std::int64_t> dated) {
            new (self) Actions{copied(keys), copied(weights), copied(dated)};
          },
          nb::kw_only(), nb::arg("keys").noconvert(), nb::arg("weights").noconvert(), nb::arg("dated").noconvert())
      .def_prop_ro("keys", &view<Actions, &Actions::keys>)
      .def_prop_ro("weights", &view<Actions, &Actions::weights>, "[row][action]")
      .def_prop_ro("dated", &view<Actions, &Actions::dated>, "Sums from which averages are computed, as weights.");

  using Labels = SparseWeights::Rows;
  nb::class_<Labels>(m, "LabelRows", "Weights of labels, or of classes, while they are learned, by key and label.")
      .def(
          "__init__",
          [](Labels* self, Array<Key> keys, Array<std::int32_t> counts, Array<std::int32_t> labels,
             Array<std::int32_t> weights, Array<std::int64_t> dated) {
            new (self) Labels{copied(keys), copied(counts), copied(labels), copied(weights), copied(dated)};
          },
          nb::kw_only(), nb::arg("keys").noconvert(), nb::arg("counts").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("weights").noconvert(), nb::arg("dated").noconvert())
      .def_prop_ro("keys", &view<Labels, &Labels::keys>)
      .def_prop_ro("counts", &view<Labels, &Labels::counts>, "How many labels each key has.")
      .def_prop_ro("labels", &view<Labels, &Labels::labels>)
      .def_prop_ro("weights", &view<Labels, &Labels::weights>, "As labels.")
      .def_prop_ro("dated", &view<Labels, &Labels::dated>, "Sums from which averages are computed, as labels.");

  using Arrays = Model::Arrays;
  nb::class_<Arrays>(m, "LayerArrays", "The arrays of a Layer.")
      .def_prop_ro("lines", &view<Arrays, &Arrays::lines>)
      .def_prop_ro("label_lines", &view<Arrays, &Arrays::label_lines>)
      .def_prop_ro("tables", &view<Arrays, &Arrays::tables>)
      .def_prop_ro("label_rows", &view<Arrays, &Arrays::label_rows>)
      .def_ro("action_scale", &Arrays::action_scale, "What an update became in the weights of actions.")
      .def_ro("label_scale", &Arrays::label_scale, "... and of labels.")
      .def_ro("labels", &Arrays::labels, "Number of labels; of few classes of a sequence, 0.");
}
