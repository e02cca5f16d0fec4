// The individual weights of a trained parser.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/model_assembly.hpp"

namespace panparser {

// Matrices are flat. The assembly must outlive it. Throws std::out_of_range on what the parser does not have.
class Inside {
 public:
  explicit Inside(const ModelAssembly& assembly) : assembly_(assembly) {}

  // What each feature adds to the score of each action; or of each label, for the arc that an action makes:
  // [key][action] and [key][label].
  std::vector<std::int32_t> action_weights(std::span<const Key> keys) const;
  std::vector<std::int32_t> label_weights(std::span<const Key> keys, int action) const;
  // The same of vectors, by the number of the address among those with one: [row][action] and [row][label].
  std::vector<std::int32_t> vector_action_weights(std::size_t address, std::span<const std::int32_t> rows) const;
  std::vector<std::int32_t> vector_label_weights(std::size_t address, int action,
                                                 std::span<const std::int32_t> rows) const;

  std::vector<int> label_templates() const { return assembly_.plan().label_templates(assembly_.program()); }
  std::vector<bool> label_vectors() const { return assembly_.plan().labels_see_vectors(); }  // by address

 private:
  void check_action(int action) const;
  template <class Add>
  std::vector<std::int32_t> each_key(std::span<const Key> keys, int width, const Add& add) const;
  template <class Add>
  std::vector<std::int32_t> each_row(std::size_t address, std::span<const std::int32_t> rows, int width,
                                     const Add& add) const;

  const ModelAssembly& assembly_;
};

}  // namespace panparser
