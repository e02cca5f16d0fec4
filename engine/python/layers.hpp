// The Python face of a model's arrays: layers of weights, and vectors.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "python/module.hpp"
#include "features/program.hpp"
#include "weights/model.hpp"
#include "search/scoring.hpp"
#include "systems/system.hpp"
#include "weights/vectors.hpp"

namespace panparser {

using Matrix = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Vectors, and the array that they lie in, kept alive.
class VectorsHandle {
 public:
  VectorsHandle(Matrix matrix, std::int32_t bits) : kept_(nb::cast(matrix)) {
    if (matrix.shape(0) < 1 || matrix.shape(0) > (std::size_t(1) << 30) || matrix.shape(1) < 1 ||
        matrix.shape(1) > Vectors::kMaxDimensions || bits < Vectors::kLeastBits || bits > Vectors::kMostBits) {
      throw std::invalid_argument("vectors have the wrong size");
    }
    vectors_ = {{matrix.data(), matrix.size()}, static_cast<std::int32_t>(matrix.shape(1)), bits};
  }
  const Vectors& vectors() const { return vectors_; }

 private:
  nb::object kept_;
  Vectors vectors_;
};

// Weights of a layer for actions and for labels, and the number of bits that each is shifted by.
using VectorArrays = std::tuple<Array<std::int16_t>, Array<std::int16_t>, std::int32_t, std::int32_t>;

inline void add_vectors(const VectorArrays& arrays, const Vectors& vectors, std::size_t addresses,
                        LayeredModel::Layer& layer) {
  const auto& [actions, labels, action_shift, label_shift] = arrays;
  const std::size_t classes = addresses * layer.model.classes();
  layer.vector_actions = VectorModel(vectors, classes, values(actions), action_shift);
  layer.vector_labels = VectorModel(vectors, classes * layer.model.label_count(), values(labels), label_shift);
}

// The vectors that templates need; none where they need none.
inline Vectors checked_vectors(const VectorsHandle* handle, const Program& program) {
  if ((handle != nullptr) != !program.vectors().empty()) {
    throw std::invalid_argument("templates with vectors need vectors, and no others do");
  }
  return handle ? handle->vectors() : Vectors{};
}

// A model's arrays, kept alive.
class LayerHandle {
 public:
  LayerHandle(int classes, int labels, Array<std::uint8_t> lines, Array<std::uint8_t> label_lines,
              Array<std::uint32_t> tables, Array<std::uint8_t> label_rows, std::optional<VectorArrays> vectors)
      : kept_{nb::cast(lines), nb::cast(label_lines), nb::cast(label_rows)},
        model_(classes, labels, {values(lines), values(label_lines), values(tables), values(label_rows)}),
        vectors_(std::move(vectors)) {}
  const Model& model() const { return model_; }
  const std::optional<VectorArrays>& vectors() const { return vectors_; }

 private:
  std::tuple<nb::object, nb::object, nb::object> kept_;
  Model model_;
  std::optional<VectorArrays> vectors_;
};

// The programs of a vote beyond the first, kept alive. All read the same attributes of tokens.
struct Programs {
  using Handles = std::vector<nb::typed<nb::object, Program>>;

  Programs(Handles handles, const Program& first, std::int32_t labels) : kept(std::move(handles)) {
    for (const auto& handle : kept) further.push_back(&nb::cast<const Program&>(handle));
    check(first, first, labels);
    for (const Program* program : further) check(*program, first, labels);
  }
  const Program& at(std::size_t i, const Program& first) const {
    if (i > further.size()) throw std::out_of_range("no such program");
    return i == 0 ? first : *further[i - 1];
  }

  Handles kept;
  std::vector<const Program*> further;

 private:
  static void check(const Program& program, const Program& first, std::int32_t labels) {
    const std::size_t numbered = program.own_labels().size();
    if (program.attributes().size() != first.attributes().size() ||
        program.counters().size() != first.counters().size() || program.vectors() != first.vectors() ||
        (numbered && numbered < std::max<std::size_t>(64, static_cast<std::size_t>(labels)))) {
      throw std::invalid_argument("programs must have the attributes and vectors of the first, and know all labels");
    }
  }
};

// Layers with what their scores for actions and for labels are multiplied by; their arrays stay alive with this.
struct Layers {
  using Tuples = std::vector<std::tuple<nb::typed<nb::object, LayerHandle>, std::int32_t, std::int32_t>>;
  // Of a layer that has a vote: its program, and the parser's number of each of its labels, where it is another.
  using Place = std::pair<std::size_t, std::vector<std::int32_t>>;

  Layers(Tuples tuples, const System& system, const Program& program, std::int32_t labels, const Vectors& vectors,
         const Programs* programs = nullptr, std::vector<Place> places = {})
      : kept(std::move(tuples)) {
    places.resize(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& [layer, actions, label] = kept[i];
      auto& [number, common] = places[i];
      const auto& handle = nb::cast<const LayerHandle&>(layer);
      const Model& own = handle.model();
      const Program& its = programs ? programs->at(number, program) : program;
      if (own.classes() != system.actions() || own.label_count() > labels || own.templates() != its.templates()) {
        throw std::invalid_argument("a layer has other actions, templates or more labels than the parser");
      }
      check_labels(common, own.label_count(), labels);
      layers.push_back({own, actions, label, number, std::move(common)});
      if (handle.vectors().has_value() != !program.vectors().empty()) {
        throw std::invalid_argument("a layer and the templates must both use vectors, or neither");
      }
      if (!handle.vectors()) continue;
      if (!layers.back().common_labels.empty()) throw std::invalid_argument("vectors need labels in their own order");
      add_vectors(*handle.vectors(), vectors, program.vectors().size(), layers.back());
    }
  }
  Tuples kept;
  std::vector<LayeredModel::Layer> layers;

 private:
  static void check_labels(const std::vector<std::int32_t>& common, int own, std::int32_t labels) {
    if (!common.empty() && common.size() != static_cast<std::size_t>(own)) {
      throw std::invalid_argument("each label of a layer needs a number, or none does");
    }
    for (const std::int32_t label : common) {
      if (label < 0 || label >= labels) throw std::out_of_range("no such label");
    }
  }
};

// The labels of a parser, as its arcs may have them.
inline Labels make_labels(const std::vector<bool>& of_root, const std::vector<bool>& of_words) {
  if (of_root.size() != of_words.size()) throw std::invalid_argument("of_root and of_words must be of one size");
  if (of_root.size() > Model::kMaxLabels) throw std::invalid_argument("too many labels");
  Labels labels;
  labels.size = static_cast<std::int32_t>(of_root.size());
  labels.of_root.assign(of_root.begin(), of_root.end());
  labels.of_words.assign(of_words.begin(), of_words.end());
  const auto any = [](const std::vector<bool>& set) { return std::find(set.begin(), set.end(), true) != set.end(); };
  if (labels.size > 0 && (!any(of_root) || !any(of_words))) throw std::invalid_argument("an arc must have some label");
  return labels;
}

// For each form of a treebank, the row of its vector.
using Rows = std::optional<Array<std::int32_t>>;

inline std::span<const std::int32_t> checked_rows(const Rows& rows, const Program& program, const TreebankData& data) {
  if (program.vectors().empty()) return {};
  if (!rows || rows->size() < static_cast<std::size_t>(data.vocabulary(Column::kForm).size())) {
    throw std::invalid_argument("each form needs the row of its vector");
  }
  return values(*rows);
}
inline void check_rows(std::span<const std::int32_t> rows, std::int32_t known) {
  for (const std::int32_t row : rows) {
    if (row < 0 || row >= known) throw std::out_of_range("no such vector");
  }
}

}  // namespace panparser
