// What a perceptron learns from an example: which weights change, and by how much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hashing.hpp"

namespace panparser {

struct Changes {
  struct OfClass {  // of an action, or of an item
    int count;      // of its keys
    std::int32_t c, by;
  };
  struct OfLabels {  // one label loses what another gains: an update
    int count;
    std::int32_t from, to;
  };
  struct OfVector {
    bool is_of_label;
    std::int32_t row;
    std::size_t c;
    std::int32_t by;
  };

  std::vector<Key> class_keys, label_keys;  // of all changes, one after the other
  std::vector<OfClass> classes;
  std::vector<OfLabels> labels;
  std::vector<OfVector> vectors;

  bool empty() const { return classes.empty() && labels.empty() && vectors.empty(); }
  void clear() {
    class_keys.clear();
    label_keys.clear();
    classes.clear();
    labels.clear();
    vectors.clear();
  }
};

}  // namespace panparser
