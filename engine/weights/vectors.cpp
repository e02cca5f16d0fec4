#include "weights/vectors.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "base/require.hpp"

namespace panparser {

Vectors Vectors::checked(std::span<const std::int8_t> values, std::size_t dimensions, std::int32_t bits) {
  require(dimensions >= 1 && dimensions <= kMaxDimensions && bits >= kLeastBits && bits <= kMostBits &&
              values.size() % dimensions == 0 && !values.empty() && values.size() / dimensions <= std::size_t(1) << 30,
          "vectors have the wrong size");
  return {values, static_cast<std::int32_t>(dimensions), bits};
}

namespace {

constexpr int kFinest = 16;  // fractions of an update's `by` that a weight of a vector cannot distinguish
constexpr std::int32_t kMostLearned = (1 << 30) - 1;
constexpr int kMostWeight = 32767;
constexpr std::size_t kPart = 256;  // products of 16 and 8 bits whose sum 32 bits can hold

using Wide = std::array<std::int16_t, Vectors::kMaxDimensions>;

void widen(std::span<const std::int8_t> from, Wide& to) {
  for (std::size_t d = 0; d < from.size(); ++d) to[d] = from[d];
}

}  // namespace

void VectorWeights::add_to(std::int32_t row, std::size_t first, std::span<std::int32_t> sums) const {
  Wide x;
  const std::size_t size = vectors_.dimensions;
  widen(vectors_.row(row), x);
  const std::int32_t* w = weights_.data() + first * size;
  for (std::size_t c = 0; c < sums.size(); ++c, w += size) {
    std::int64_t sum = 0;
    for (std::size_t begin = 0; begin < size; begin += kPart) {
      const std::size_t end = std::min(size, begin + kPart);
      std::int32_t low = 0, high = 0;  // weights in two parts: machines multiply 16 bits much faster than 32
      for (std::size_t d = begin; d < end; ++d) {
        low += static_cast<std::int16_t>(w[d] & 0x7FFF) * x[d];
        high += static_cast<std::int16_t>(w[d] >> 15) * x[d];
      }
      sum += low + std::int64_t(high) * 0x8000;
    }
    sums[c] += static_cast<std::int32_t>(sum >> shift());
  }
}

void VectorWeights::change(std::int32_t row, std::size_t c, std::int32_t by, std::int64_t time) {
  const std::span<const std::int8_t> x = vectors_.row(row);
  std::int32_t* w = weights_.data() + c * x.size();
  std::int64_t* dated = dated_.data() + c * x.size();
  for (std::size_t d = 0; d < x.size(); ++d) {
    const std::int32_t changed = std::clamp(w[d] + by * x[d] / kFinest, -kMostLearned, kMostLearned);
    dated[d] += (changed - w[d]) * time;
    w[d] = changed;
  }
}

void VectorWeights::load(std::span<const std::int32_t> weights, std::span<const std::int64_t> dated) {
  if (weights.size() != weights_.size() || dated.size() != dated_.size()) {
    throw std::invalid_argument("the weights of the vectors have the wrong shape");
  }
  weights_.assign(weights.begin(), weights.end());
  dated_.assign(dated.begin(), dated.end());
}

VectorWeights::Compact VectorWeights::compact(std::int64_t time, std::int32_t unit, double scale) const {
  std::vector<double> averages(weights_.size());
  double most = 0;
  for (std::size_t i = 0; i < weights_.size() && time > 0; ++i) {
    const auto average = static_cast<double>(time * weights_[i] - dated_[i]) / static_cast<double>(time);
    averages[i] = std::ldexp(average * scale / unit, -shift());
    most = std::max(most, std::abs(averages[i]));
  }
  Compact result;
  while (result.shift < VectorModel::kMostShift && std::ldexp(most, result.shift + 1) <= kMostWeight) ++result.shift;
  for (const double average : averages) {
    const double weight = std::clamp<double>(std::ldexp(average, result.shift), -kMostWeight, kMostWeight);
    result.weights.push_back(static_cast<std::int16_t>(std::lround(weight)));
  }
  return result;
}

VectorModel::VectorModel(const Vectors& vectors, std::size_t classes, std::span<const std::int16_t> weights,
                         std::int32_t shift)
    : vectors_(vectors), weights_(weights), shift_(shift) {
  if (weights.size() != classes * vectors.dimensions) {
    throw std::invalid_argument("the weights of the vectors have the wrong size");
  }
  if (shift < 0 || shift > kMostShift) throw std::invalid_argument("the weights of the vectors have no such shift");
}

void VectorModel::add_to(std::int32_t row, std::size_t first, std::int32_t times, std::span<std::int32_t> sums) const {
  Wide x;
  const std::size_t size = vectors_.dimensions;
  widen(vectors_.row(row), x);
  const std::int16_t* w = weights_.data() + first * size;
  for (std::size_t c = 0; c < sums.size(); ++c, w += size) {
    std::int64_t sum = 0;
    for (std::size_t begin = 0; begin < size; begin += kPart) {
      const std::size_t end = std::min(size, begin + kPart);
      std::int32_t part = 0;
      for (std::size_t d = begin; d < end; ++d) part += std::int32_t(w[d]) * x[d];
      sum += part;
    }
    sums[c] += times * static_cast<std::int32_t>(sum >> shift_);
  }
}

}  // namespace panparser
