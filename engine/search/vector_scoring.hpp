// Scores of states by the vectors of their words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "weights/vectors.hpp"

namespace panparser {

// WeightLookup has vector_actions(address, row, sums), vector_labels(address, action, row, sums) and kLearns.
template <class WeightLookup>
class VectorScoring {
 public:
  // `for_labels`: for each address with a vector, whether labels use it.
  VectorScoring(const Program& program, const WeightLookup& weights, int actions, int labels,
                std::vector<bool> for_labels)
      : program_(program), weights_(weights), classes_(actions), for_labels_(std::move(for_labels)) {
    const std::size_t addresses = program.vectors().size();
    actions_.assign(addresses, RowMemo(static_cast<std::size_t>(actions)));
    labels_.assign(addresses * actions, RowMemo(static_cast<std::size_t>(labels)));
  }

  bool any() const { return !actions_.empty(); }
  void forget() {
    if constexpr (WeightLookup::kLearns) {
      for (RowMemo& memo : actions_) memo.forget();
      for (RowMemo& memo : labels_) memo.forget();
    }
  }

  void add_actions(const Window& window, const SentenceTokens& tokens, std::int32_t* sums) {
    for (std::size_t a = 0; a < actions_.size(); ++a) {
      const std::int32_t row = program_.vector_row(a, window, tokens);
      if (row < 0) continue;
      const auto [own, is_new] = actions_[a].find(row);
      if (is_new) weights_.vector_actions(a, row, own);
      for (std::size_t c = 0; c < own.size(); ++c) sums[c] += own[c];
    }
  }
  void add_labels(const Window& window, const SentenceTokens& tokens, int action, std::int32_t* sums) {
    for (std::size_t a = 0; a < actions_.size(); ++a) {
      const std::int32_t row = for_labels_[a] ? program_.vector_row(a, window, tokens) : -1;
      if (row < 0) continue;
      const auto [own, is_new] = labels_[a * classes_ + action].find(row);
      if (is_new) weights_.vector_labels(a, action, row, own);
      for (std::size_t l = 0; l < own.size(); ++l) sums[l] += own[l];
    }
  }

 private:
  const Program& program_;
  const WeightLookup& weights_;
  std::size_t classes_;
  std::vector<bool> for_labels_;
  std::vector<RowMemo> actions_, labels_;  // by address; labels by address and action
};

}  // namespace panparser
