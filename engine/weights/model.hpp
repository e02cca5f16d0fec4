// Weights for parsing: compact, quantised to bytes, immutable; the arrays may lie in a file that is mapped into memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "features/program.hpp"
#include "weights/lines.hpp"
#include "weights/perceptron.hpp"
#include "weights/vectors.hpp"

namespace panparser {

// Weights of actions are rows in lines. Weights of labels are rows in an array of bytes, and lines tell where: a number
// of cells, then for each a label and its weight; or no number (0), then a weight for every label, where that is not
// much longer.
class Model {
 public:
  static constexpr int kMaxLabels = 1 << 15;

  struct Arrays {
    LargeVector<std::uint8_t> lines;        // of actions
    LargeVector<std::uint8_t> label_lines;  // where their rows begin
    std::vector<std::uint32_t> tables;      // first line of each template, and the end: of actions, then of labels
    LargeVector<std::uint8_t> label_rows;
    double action_scale = 1, label_scale = 1;  // what one update became
    int labels = 0;                            // that rows are about
  };
  struct View {
    std::span<const std::uint8_t> lines;
    std::span<const std::uint8_t> label_lines;
    std::span<const std::uint32_t> tables;
    std::span<const std::uint8_t> label_rows;
  };
  // Throws std::invalid_argument unless every number in the arrays is in range.
  Model(int classes, int labels, View view);

  struct Source {  // a perceptron
    const DenseWeights& actions;
    const SparseWeights& labels;
    std::int64_t time;  // that the weights are averaged up to
  };
  // Asks for the weights of features; and adds them to sums, later.
  void prefetch_actions(const Key* keys, int count, LineIndex* lines) const { lines_.prefetch(keys, count, lines); }
  void prefetch_labels(const Key* keys, int count, LineIndex* lines) const {
    label_lines_.prefetch(keys, count, lines);
  }
  void actions(const Key* keys, const LineIndex* lines, int count, std::int32_t* sums) const;
  void labels(const Key* keys, const LineIndex* lines, int count, std::int32_t* sums) const;
  int classes() const { return classes_; }
  int label_count() const { return labels_; }
  int templates() const { return lines_.templates(); }

 private:
  void check_row(std::size_t first) const;  // of labels

  int classes_, labels_;
  Lines lines_, label_lines_;
  std::span<const std::uint8_t> label_rows_;
};

// A model and the models that it was trained on top of, or models that vote: the scores are those of all of them
// together.
class LayeredModel {
 public:
  struct Layer {
    Model model;
    std::int32_t actions, labels;               // what the scores of each kind are multiplied by
    std::size_t program = 0;                    // whose features it has weights for
    std::vector<std::int32_t> common_labels{};  // the parser's number of each label of the layer, where it is another
    VectorModel vector_actions{}, vector_labels{};
  };
  static constexpr bool kLearns = false;
  explicit LayeredModel(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  std::size_t lines_per_feature(std::size_t program) const {  // for each feature of a program
    return static_cast<std::size_t>(
        std::count_if(layers_.begin(), layers_.end(), [&](const Layer& layer) { return layer.program == program; }));
  }
  void prefetch_actions(const Key* keys, int count, std::size_t program, LineIndex* lines) const {
    each_layer(program, count, lines,
               [&](const Layer& layer, LineIndex* own) { layer.model.prefetch_actions(keys, count, own); });
  }
  void prefetch_labels(const Key* keys, int count, std::size_t program, LineIndex* lines) const {
    each_layer(program, count, lines,
               [&](const Layer& layer, LineIndex* own) { layer.model.prefetch_labels(keys, count, own); });
  }
  void actions(const Key* keys, const LineIndex* lines, int count, std::size_t program, std::int32_t* sums) const;
  void labels(const Key* keys, const LineIndex* lines, int count, std::size_t program, std::int32_t* sums) const;
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
  // Calls see(layer, lines) for the layers of a program, each with its own lines.
  template <class LineIndex_, class See>
  void each_layer(std::size_t program, int count, LineIndex_* lines, const See& see) const {
    for (const Layer& layer : layers_) {
      if (layer.program != program) continue;
      see(layer, lines);
      lines += count;
    }
  }

  std::vector<Layer> layers_;
};

// A model's weights before rounding to bytes: to measure the cost of rounding.
class AveragedWeights {
 public:
  AveragedWeights(std::vector<Model::Source> sources, std::int32_t unit) : sources_(std::move(sources)), unit_(unit) {}
  static constexpr bool kLearns = false;

  std::size_t lines_per_feature(std::size_t) const { return 0; }
  void prefetch_actions(const Key* keys, int count, std::size_t, LineIndex*) const {
    for (const auto& source : sources_) source.actions.prefetch(keys, count);
  }
  void prefetch_labels(const Key* keys, int count, std::size_t, LineIndex*) const {
    for (const auto& source : sources_) source.labels.prefetch(keys, count);
  }
  void actions(const Key* keys, const LineIndex*, int count, std::size_t, std::int32_t* sums) const {
    for (const auto& source : sources_) source.actions.add_averages_to(keys, count, source.time, kFine / unit_, sums);
  }
  void labels(const Key* keys, const LineIndex*, int count, std::size_t, std::int32_t* sums) const {
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
