// The parts that a parser scores with, assembled and checked: system, templates, labels, layers of weights, vectors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "search/scoring_plan.hpp"
#include "systems/system.hpp"
#include "weights/model.hpp"
#include "weights/vectors.hpp"

namespace panparser {

// Weights of vectors as a model file holds them; the number of bits that each kind is shifted by.
struct StoredVectorWeights {
  std::span<const std::int16_t> actions, labels;
  std::int32_t action_shift = 0, label_shift = 0;
};

// Weights as a model file holds them. The arrays must outlive it.
struct StoredLayer {
  Model model;
  std::optional<StoredVectorWeights> vectors{};
};

struct ScaledLayer {
  std::shared_ptr<const StoredLayer> layer;
  std::int32_t actions = 1, labels = 1;       // what its scores of each kind are multiplied by
  std::size_t program = 0;                    // in a vote: whose features it has weights for
  std::vector<std::int32_t> common_labels{};  // in a vote: the parser's number of each of its labels, if not its own
};

struct Parts {
  const System& system;
  const Program& program;
  Labels labels{};
  std::vector<ScaledLayer> layers{};
  Vectors vectors{};                                      // if templates use some
  std::vector<std::shared_ptr<const Program>> further{};  // programs of a vote; they read the attributes of the first
};

// System, program and the arrays of layers and vectors must outlive it.
class ModelAssembly {
 public:
  explicit ModelAssembly(Parts parts);  // throws std::invalid_argument or std::out_of_range if parts do not fit
  ModelAssembly(const ModelAssembly&) = delete;
  ModelAssembly& operator=(const ModelAssembly&) = delete;

  const System& system() const { return parts_.system; }
  const Program& program() const { return parts_.program; }
  const Labels& labels() const { return parts_.labels; }
  const Vectors& vectors() const { return parts_.vectors; }
  const ScoringPlan& plan() const { return plan_; }
  const LayeredModel& model() const { return model_; }

 private:
  void check_program(const Program& program) const;
  LayeredModel::Layer checked(const ScaledLayer& scaled) const;

  Parts parts_;
  std::vector<const Program*> further_;
  ScoringPlan plan_;
  LayeredModel model_;
};

}  // namespace panparser
