// Embeddings as real-valued features: a weight for each class and dimension, learned and averaged like those of binary
// features.
//
// All numbers are fixed point, so that sums are exact and the same on every machine. Vectors have a mean norm of 1 and
// are kept as bytes, x = v * 2^bits. An update adds `by` (see TrainingWeights::unit_) times the vector, that is
// by * x / 16 to weights that are in units of 2^(bits - 4); so a word's own vector, seen again, scores as much as one
// binary feature that was in the update too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace panparser {

struct Vectors {
  static constexpr int kMaxDimensions = 2048;
  static constexpr int kLeastBits = 2, kMostBits = 12;

  // Throws std::invalid_argument if a size is out of range. `values` must outlive it.
  static Vectors checked(std::span<const std::int8_t> values, std::size_t dimensions, std::int32_t bits);

  std::span<const std::int8_t> values;  // [row][dimension]
  std::int32_t dimensions = 0;          // 0: there are no vectors
  std::int32_t bits = kLeastBits;

  std::int32_t rows() const { return dimensions ? static_cast<std::int32_t>(values.size() / dimensions) : 0; }
  std::span<const std::int8_t> row(std::int32_t number) const {
    return values.subspan(static_cast<std::size_t>(number) * dimensions, dimensions);
  }
};

// Weights while learning; see perceptron.hpp for the average. A class is an action, or a label of an action, for one
// address.
class VectorWeights {
 public:
  VectorWeights() = default;
  VectorWeights(const Vectors& vectors, std::size_t classes)
      : vectors_(vectors), weights_(classes * vectors.dimensions), dated_(weights_.size()) {}

  // Adds the scores of classes first, first + 1, ... for the vector of a row.
  void add_to(std::int32_t row, std::size_t first, std::span<std::int32_t> sums) const;
  void change(std::int32_t row, std::size_t c, std::int32_t by, std::int64_t time);

  const std::vector<std::int32_t>& weights() const { return weights_; }  // [class][dimension]
  const std::vector<std::int64_t>& dated() const { return dated_; }
  // Throws std::invalid_argument where the size differs.
  void load(std::span<const std::int32_t> weights, std::span<const std::int64_t> dated);

  // The average up to `time`, for a VectorModel: in 16 bits, times 2^shift, where an update of `unit` becomes `scale`.
  struct Compact {
    std::vector<std::int16_t> weights;
    std::int32_t shift = 0;
  };
  Compact compact(std::int64_t time, std::int32_t unit, double scale) const;

 private:
  std::int32_t shift() const { return 2 * vectors_.bits - 4; }  // scores are sums of products divided by 2^shift

  Vectors vectors_;
  std::vector<std::int32_t> weights_;
  std::vector<std::int64_t> dated_;
};

// Weights for parsing; the array may lie in a file that is mapped into memory.
class VectorModel {
 public:
  static constexpr std::int32_t kMostShift = 40;

  VectorModel() = default;
  // Throws std::invalid_argument unless there is a weight for each class and dimension, and the shift is in range.
  VectorModel(const Vectors& vectors, std::size_t classes, std::span<const std::int16_t> weights, std::int32_t shift);

  // Adds `times` the scores of classes first, first + 1, ... for the vector of a row.
  void add_to(std::int32_t row, std::size_t first, std::int32_t times, std::span<std::int32_t> sums) const;

 private:
  Vectors vectors_;
  std::span<const std::int16_t> weights_;
  std::int32_t shift_ = 0;
};

// Sums of the rows that were met last: words come again, and weights for parsing never change.
class RowMemo {
 public:
  explicit RowMemo(std::size_t width) : width_(width) {}
  void forget() { ++generation_; }
  // The sums of a row, and whether they are new and all zero.
  std::pair<std::span<std::int32_t>, bool> find(std::int32_t row) {
    if (owners_.empty()) {
      owners_.resize(kRows);
      sums_.resize(kRows * width_);
    }
    const std::size_t at = static_cast<std::size_t>(row) % kRows;
    const std::span<std::int32_t> sums(sums_.data() + at * width_, width_);
    const Owner owner{row, generation_};
    if (owners_[at] == owner) return {sums, false};
    owners_[at] = owner;
    std::fill(sums.begin(), sums.end(), 0);
    return {sums, true};
  }

 private:
  static constexpr std::size_t kRows = 2048;
  struct Owner {
    std::int32_t row = -1;
    std::uint32_t generation = 0;
    bool operator==(const Owner&) const = default;
  };

  std::size_t width_;
  std::uint32_t generation_ = 1;
  std::vector<Owner> owners_;  // of the sums
  std::vector<std::int32_t> sums_;
};

}  // namespace panparser
