#include "learning/parser_learner.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/require.hpp"

namespace panparser {

namespace {

const ParserLearner::Options& checked(const ParserLearner::Options& options, const System& system) {
  require(options.beam >= 1, "a beam must hold at least one hypothesis");
  require(options.unit >= 1, "an update must add something");
  for (const std::int32_t action : options.ties) {
    if (action < 0 || action >= system.actions()) throw std::out_of_range("no such action");
  }
  return options;
}

}  // namespace

ParserLearner::ParserLearner(Parts parts, const Options& options)
    : assembly_(std::move(parts)),
      unit_(checked(options, assembly_.system()).unit),
      learner_(options.beam, options.seed,
               TableTask::make_weights(assembly_.plan(), assembly_.model(), unit_, assembly_.vectors()),
               [this, ties = options.ties](const TrainingWeights& weights) {
                 return std::make_unique<TableTask>(assembly_.plan(), weights, ties);
               }) {}

void ParserLearner::train(const Corpus& corpus, std::span<const std::int64_t> order, const Strategy& strategy,
                          const Listener& listener, const Sharing& sharing) {
  strategy.check();
  require(sharing.threads >= 1 && sharing.batch >= 1, "expected at least one thread, and one sentence in a batch");
  require(sharing.batch == 1 || !listener, "no listener hears of the updates of a batch");
  require(&corpus.system() == &assembly_.system() && &corpus.program() == &assembly_.program(),
          "the corpus was made for another system or other templates");
  require(corpus.has_references(), "the corpus has no heads");
  require(assembly_.labels().size == 0 || corpus.labels() <= assembly_.labels().size, "the corpus has more labels");
  require(assembly_.vectors().dimensions == 0 || !corpus.rows().empty(), "the corpus has no vectors");
  check_rows(corpus.rows(), assembly_.vectors().rows());
  for (const std::int64_t sentence : order) {
    if (sentence < 0 || sentence >= corpus.size()) throw std::out_of_range("no such sentence");
  }
  const auto examples = [&](std::int64_t i, const std::function<void(const Example&)>& see) {
    const auto constraint = corpus.constraint(order[i]);
    Example example = corpus[order[i]];
    if (constraint) example.constraint = &*constraint;
    see(example);
  };
  learner_.train(static_cast<std::int64_t>(order.size()), examples, strategy, listener, sharing);
}

Model::Source ParserLearner::source() const {
  const TrainingWeights& weights = learner_.weights();
  return {weights.actions_, weights.labels_, learner_.time()};
}

void ParserLearner::load(const State& state) {
  const std::size_t classes = learner_.weights().actions_.classes();
  const auto& actions = state.actions;
  require(actions.weights.size() == actions.keys.size() * classes && actions.dated.size() == actions.weights.size(),
          "the weights have the wrong shape");
  check_keys(actions.keys);
  check_keys(state.labels.keys);
  check_labels(state.labels);
  learner_.weights().actions_.load(actions);
  learner_.weights().labels_.load(state.labels);
  learner_.random().set_state(state.random);
  learner_.set_progress(state.time, state.progress);
}

void ParserLearner::check_keys(std::span<const Key> keys) const {
  Key last = 0;
  for (const Key key : keys) {
    require(key > last && template_of(key) < assembly_.program().templates(),
            "the keys are out of order, or of no template");
    last = key;
  }
}

void ParserLearner::check_labels(const SparseWeights::Rows& rows) const {
  const std::int32_t known = assembly_.labels().size;
  std::size_t all = 0;
  for (const std::int32_t count : rows.counts) {
    require(count > 0 && count <= known, "the weights have the wrong shape");
    all += static_cast<std::size_t>(count);
  }
  require(rows.counts.size() == rows.keys.size() && rows.labels.size() == all && rows.weights.size() == all &&
              rows.dated.size() == all,
          "the weights have the wrong shape");
  auto label = rows.labels.begin();
  for (const std::int32_t count : rows.counts) {
    std::int32_t last = -1;
    for (const auto end = label + count; label != end; last = *label++) {
      require(*label > last && *label < known, "no such label, or out of order");
    }
  }
}

}  // namespace panparser
