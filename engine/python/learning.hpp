// Shared by the Python bindings of learners.
#pragma once

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>

#include "learning/strategy.hpp"
#include "python/module.hpp"

namespace panparser {

using PythonListener = std::function<void(const Update&, bool)>;

// The listener must outlive the result.
inline Listener make_listener(const std::optional<PythonListener>& listener) {
  if (!listener) return {};
  return [&](const Update& update, bool applied) {
    nb::gil_scoped_acquire acquire;
    (*listener)(update, applied);
  };
}

}  // namespace panparser
