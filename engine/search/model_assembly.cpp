#include "search/model_assembly.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/require.hpp"

namespace panparser {

namespace {

std::vector<const Program*> pointers(const std::vector<std::shared_ptr<const Program>>& programs) {
  std::vector<const Program*> found;
  for (const auto& program : programs) {
    require(program != nullptr, "a program is missing");
    found.push_back(program.get());
  }
  return found;
}

void check_common_labels(const std::vector<std::int32_t>& common, int own, std::int32_t labels) {
  require(common.empty() || common.size() == static_cast<std::size_t>(own),
          "each label of a layer needs a number, or none does");
  for (const std::int32_t label : common) {
    if (label < 0 || label >= labels) throw std::out_of_range("no such label");
  }
}

}  // namespace

ModelAssembly::ModelAssembly(Parts parts)
    : parts_(std::move(parts)),
      further_(pointers(parts_.further)),
      plan_{parts_.system, parts_.program, parts_.labels, further_},
      model_({}) {
  require((parts_.vectors.dimensions > 0) == !parts_.program.vectors().empty(),
          "templates with vectors need vectors, and no others do");
  for (std::size_t i = 0; i < plan_.programs(); ++i) check_program(plan_.program_at(i));
  std::vector<LayeredModel::Layer> layers;
  for (const ScaledLayer& layer : parts_.layers) layers.push_back(checked(layer));
  model_ = LayeredModel(std::move(layers));
}

void ModelAssembly::check_program(const Program& program) const {
  const Program& first = parts_.program;
  const std::size_t numbered = program.own_labels().size();
  const auto labels = static_cast<std::size_t>(parts_.labels.size);
  require(program.attributes().size() == first.attributes().size() &&
              program.counters().size() == first.counters().size() && program.vectors() == first.vectors() &&
              (numbered == 0 || numbered >= std::max<std::size_t>(64, labels)),
          "programs must have the attributes and vectors of the first, and know all labels");
}

LayeredModel::Layer ModelAssembly::checked(const ScaledLayer& scaled) const {
  require(scaled.layer != nullptr, "a layer is missing");
  if (scaled.program >= plan_.programs()) throw std::out_of_range("no such program");
  const Model& model = scaled.layer->model;
  require(model.classes() == parts_.system.actions() && model.label_count() <= parts_.labels.size &&
              model.templates() == plan_.program_at(scaled.program).templates(),
          "a layer has other actions, templates or more labels than the parser");
  check_common_labels(scaled.common_labels, model.label_count(), parts_.labels.size);
  LayeredModel::Layer layer{model, scaled.actions, scaled.labels, scaled.program, scaled.common_labels, {}, {}};
  const auto& vectors = scaled.layer->vectors;
  require(vectors.has_value() == !parts_.program.vectors().empty(),
          "a layer and the templates must both use vectors, or neither");
  if (!vectors) return layer;
  require(scaled.common_labels.empty(), "vectors need labels in their own order");
  const std::size_t classes = parts_.program.vectors().size() * model.classes();
  layer.vector_actions = VectorModel(parts_.vectors, classes, vectors->actions, vectors->action_shift);
  layer.vector_labels =
      VectorModel(parts_.vectors, classes * model.label_count(), vectors->labels, vectors->label_shift);
  return layer;
}

}  // namespace panparser
