// Weights for parsing: compact, quantised to bytes, immutable; the arrays may lie in a file that is mapped into memory.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features.hpp"
#include "memory.hpp"
#include "perceptron.hpp"
#include "vectors.hpp"

namespace panparser {

// Each template has a table of its own, so that those of few and frequent features stay in the caches. Weights of
// actions lie in lines of 64 bytes, as a cache has them: the tags of as many features as fit, their weights, and at the
// end a byte that tells whether some feature had to move on to the next line. Weights of labels lie in runs of bytes,
// one run for a few features: tag, number of labels less one, then labels and weights. A tag of 16 bits stands for a
// key: of features that were never learned, one in some ten thousand is taken for another.
class Model {
 public:
  static constexpr std::size_t kLine = 64;
  static constexpr int kMaxLabels = 1 << 15;

  struct Arrays {
    LargeVector<std::uint8_t> lines;           // of actions
    std::vector<std::uint32_t> tables;         // first line of each template, and the end; then first run, and the end
    LargeVector<std::uint32_t> starts;         // of the runs, and the end
    LargeVector<std::uint8_t> runs;            // of labels
    double action_scale = 1, label_scale = 1;  // what one update became
  };
  struct View {
    std::span<const std::uint8_t> lines;
    std::span<const std::uint32_t> tables;
    std::span<const std::uint32_t> starts;
    std::span<const std::uint8_t> runs;
  };
  // Throws std::invalid_argument unless every number in the arrays is in range.
  Model(int classes, int labels, View view);

  struct Source {
    const DenseWeights& actions;
    const SparseWeights& labels;
    std::int64_t time;  // that the weights are averaged up to
  };
  // The mean of the averaged weights of one or more perceptrons, each of its two kinds scaled so that the largest fits
  // a byte, and rounded. Weights below `least` (in updates) are left out.
  static Arrays compact(int templates, int labels, std::span<const Source> sources, std::int32_t unit, double least);

  // What is asked for here is there soon after.
  void prefetch_labels(const Key* keys, int count) const {
    for (int i = 0; i < count; ++i) {
      __builtin_prefetch(view_.starts.data() + runs_[template_of(keys[i])].place(keys[i]));
    }
  }
  void actions(const Key* keys, int count, std::int32_t* sums) const;
  void labels(const Key* keys, int count, std::int32_t* sums) const;
  int classes() const { return classes_; }
  int label_count() const { return labels_; }
  int templates() const { return static_cast<int>(lines_.size()); }

 private:
  void check_runs() const;
  std::pair<const std::uint8_t*, std::size_t> find_line(Key key) const;

  int classes_, labels_;
  std::size_t width_;  // bytes of weights in a slot
  std::size_t slots_;  // in a line
  struct Table {
    std::uint32_t first, size;
    std::size_t place(Key key) const { return first + static_cast<std::size_t>((key >> 32) * size >> 32); }
  };
  std::vector<Table> lines_, runs_;  // by template
  View view_;
};

// A model, and the models that it was trained on top of: the scores are those of all of them together.
class LayeredModel {
 public:
  struct Layer {
    Model model;
    std::int32_t actions, labels;  // what the scores of each kind are multiplied by
    VectorModel vector_actions{}, vector_labels{};
  };
  static constexpr bool kLearns = false;
  explicit LayeredModel(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  void prefetch_actions(const Key*, int) const {}  // see Model::actions
  void prefetch_labels(const Key* keys, int count) const {
    for (const Layer& layer : layers_) layer.model.prefetch_labels(keys, count);
  }

  void actions(const Key* keys, int count, std::int32_t* sums) const;
  void labels(const Key* keys, int count, std::int32_t* sums) const;
  void vector_actions(std::size_t address, std::int32_t row, std::span<std::int32_t> sums) const {
    for (const Layer& layer : layers_) layer.vector_actions.add_to(row, address * sums.size(), layer.actions, sums);
  }
  void vector_labels(std::size_t address, int action, std::int32_t row, std::span<std::int32_t> sums) const {
    for (const Layer& layer : layers_) {
      const std::size_t known = layer.model.label_count();  // later layers may know more
      const std::size_t first = (address * layer.model.classes() + action) * known;
      layer.vector_labels.add_to(row, first, layer.labels, sums.first(known));
    }
  }
  bool empty() const { return layers_.empty(); }

 private:
  std::vector<Layer> layers_;
};

// What a model is made from, before its weights become bytes: to tell what that costs.
class AveragedWeights {
 public:
  AveragedWeights(std::vector<Model::Source> sources, std::int32_t unit) : sources_(std::move(sources)), unit_(unit) {}
  static constexpr bool kLearns = false;

  void prefetch_actions(const Key*, int) const {}
  void prefetch_labels(const Key*, int) const {}
  void actions(const Key* keys, int count, std::int32_t* sums) const {
    for (const auto& source : sources_) source.actions.add_averages_to(keys, count, source.time, kFine / unit_, sums);
  }
  void labels(const Key* keys, int count, std::int32_t* sums) const {
    for (const auto& source : sources_) source.labels.add_averages_to(keys, count, source.time, kFine / unit_, sums);
  }
  void vector_actions(std::size_t, std::int32_t, std::span<std::int32_t>) const {}
  void vector_labels(std::size_t, int, std::int32_t, std::span<std::int32_t>) const {}

 private:
  static constexpr double kFine = 256;  // what an update becomes
  std::vector<Model::Source> sources_;
  std::int32_t unit_;
};

}  // namespace panparser
