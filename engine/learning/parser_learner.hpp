// A parser that learns: an averaged perceptron over the sentences of a corpus.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/learner.hpp"
#include "learning/table_task.hpp"
#include "search/corpus.hpp"
#include "search/model_assembly.hpp"

namespace panparser {

class ParserLearner {
 public:
  struct Options {
    std::int32_t unit = 1;  // size of an update: 1, or more if fractions are needed
    int beam = 1;
    std::vector<std::int32_t> ties{};  // order of actions of equal cost, for the static oracle
    std::uint64_t seed = 1;
  };
  // All that training depends on except the data, so that it can be stopped and resumed.
  struct State {
    DenseWeights::Rows actions;
    SparseWeights::Rows labels;
    std::int64_t time = 0;
    std::uint64_t random = 1;
    Progress progress{};
  };

  // Learns on top of the layers. Throws std::invalid_argument or std::out_of_range if something does not fit.
  ParserLearner(Parts parts, const Options& options);

  // Learns from sentences, by number, in their order.
  void train(const Corpus& corpus, std::span<const std::int64_t> order, const Strategy& strategy,
             const Listener& listener = {}, const Sharing& sharing = {});

  const ModelAssembly& assembly() const { return assembly_; }
  std::int32_t unit() const { return unit_; }
  const Progress& progress() const { return learner_.progress(); }
  std::int64_t time() const { return learner_.time(); }  // sentences that the average is over
  std::uint64_t random() const { return learner_.random().state(); }
  Model::Source source() const;

  DenseWeights::Rows actions() const { return learner_.weights().actions_.rows(); }
  SparseWeights::Rows labels() const { return learner_.weights().labels_.rows(); }
  void load(const State& state);  // throws std::invalid_argument on weights that do not fit

  const VectorWeights& vector_actions() const { return learner_.weights().vector_actions_; }
  const VectorWeights& vector_labels() const { return learner_.weights().vector_labels_; }
  VectorWeights& vector_actions() { return learner_.weights().vector_actions_; }
  VectorWeights& vector_labels() { return learner_.weights().vector_labels_; }

 private:
  void check_keys(std::span<const Key> keys) const;
  void check_labels(const SparseWeights::Rows& rows) const;

  ModelAssembly assembly_;
  std::int32_t unit_;
  Learner<TableTask> learner_;
};

}  // namespace panparser
