// What the Python faces of learners share.
#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/module.hpp"
#include "learning/learner.hpp"
#include "weights/model.hpp"
#include "features/tokens.hpp"

namespace panparser {

using AttributeTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::string>;

inline std::vector<Attribute> make_attributes(const std::vector<AttributeTuple>& tuples) {
  std::vector<Attribute> attributes;
  for (const auto& [source, transform, number, key] : tuples) {
    if (transform < 0 || transform > static_cast<int>(Transform::kLowerSuffix)) {
      throw std::out_of_range("no such transform");
    }
    attributes.push_back({TreebankStore::column(source), Transform(transform), number, key});
  }
  return attributes;
}

using StrategyTuple = std::tuple<bool, int, int, int, double, double, std::int32_t, double>;

inline Strategy make_strategy(const StrategyTuple& fields) {
  const auto& [static_oracle, update_at, positive, go_on, exploration, temperature, horizon, focus] = fields;
  if (update_at < 0 || update_at > static_cast<int>(UpdateAt::kEnd) || positive < 0 ||
      positive > static_cast<int>(Positive::kMostSimilar) || go_on < 0 || go_on > static_cast<int>(GoOn::kSample)) {
    throw std::out_of_range("no such strategy");
  }
  return {static_oracle, UpdateAt(update_at), Positive(positive), GoOn(go_on), exploration, temperature, horizon,
          focus};
}

using UpdateTuple = std::tuple<std::vector<std::int32_t>, std::vector<std::int32_t>, Score, Score, std::int32_t>;
using PythonListener = std::function<void(UpdateTuple, bool)>;

// The listener must outlive what is made of it.
inline Listener make_listener(const std::optional<PythonListener>& listener) {
  if (!listener) return {};
  return [&](const Update& u, bool applied) {
    nb::gil_scoped_acquire acquire;
    (*listener)({u.positive, u.negative, u.positive_score, u.negative_score, u.started}, applied);
  };
}

using ProgressTuple = std::array<std::int64_t, 6>;
inline ProgressTuple progress_tuple(const Progress& p) {
  return {p.sentences, p.words, p.updates, p.transitions, p.valued, p.approximated};
}

// The arrays of a Layer, and what an update became in each of its two scales.
inline auto layer_arrays(Model::Arrays&& arrays) {
  return std::tuple{owned(std::move(arrays.lines)),
                    owned(std::move(arrays.label_lines)),
                    owned(std::move(arrays.tables)),
                    owned(std::move(arrays.label_rows)),
                    arrays.action_scale,
                    arrays.label_scale};
}

}  // namespace panparser
