#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace panparser {

namespace {

constexpr double kLoad = 0.8;
constexpr int kMost = 32767;

void require(bool good, const char* what) {
  if (!good) throw std::invalid_argument(what);
}

// Weights as they will be scored: averaged, scaled, rounded.
class Quantiser {
 public:
  Quantiser(std::int64_t time, double scale, double least) : time_(time), scale_(scale), least_(least) {}
  bool is_small(std::int32_t weight, std::int64_t dated) const { return std::abs(average(weight, dated)) < least_; }
  std::int16_t operator()(std::int32_t weight, std::int64_t dated) const {
    return static_cast<std::int16_t>(std::lround(std::clamp<double>(average(weight, dated) * scale_, -kMost, kMost)));
  }

 private:
  double average(std::int32_t weight, std::int64_t dated) const {
    return time_ == 0 ? 0 : static_cast<double>(time_ * weight - dated) / static_cast<double>(time_);
  }
  std::int64_t time_;
  double scale_, least_;
};

std::size_t slots_for(std::size_t rows) { return static_cast<std::size_t>(static_cast<double>(rows) / kLoad) + 1; }

}  // namespace

Model::Arrays Model::compact(int classes, const DenseWeights::Rows& actions, const SparseWeights::Rows& labels,
                             std::int64_t time, double scale, double least) {
  const Quantiser quantise(time, scale, least);
  Arrays arrays;
  const std::size_t stride = 2 + classes;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < actions.keys.size(); ++i) {
    bool keep = false;
    for (int c = 0; c < classes; ++c) {
      const std::size_t at = i * classes + c;
      keep |= !quantise.is_small(actions.weights[at], actions.dated[at]) &&
              quantise(actions.weights[at], actions.dated[at]) != 0;
    }
    if (keep) kept.push_back(i);
  }
  std::size_t slots = slots_for(kept.size());
  arrays.actions.assign(slots * stride, 0);
  for (const std::size_t i : kept) {
    const Key key = actions.keys[i];
    std::size_t at = static_cast<std::size_t>((key >> 32) * slots >> 32);
    while (arrays.actions[at * stride] || arrays.actions[at * stride + 1]) at = at + 1 == slots ? 0 : at + 1;
    std::uint16_t* here = arrays.actions.data() + at * stride;
    here[0] = static_cast<std::uint16_t>(tag(key));
    here[1] = static_cast<std::uint16_t>(tag(key) >> 16);
    for (int c = 0; c < classes; ++c) {
      const std::size_t w = i * classes + c;
      here[2 + c] = static_cast<std::uint16_t>(quantise(actions.weights[w], actions.dated[w]));
    }
  }
  std::vector<std::pair<Key, std::uint32_t>> rows;
  std::size_t entry = 0;
  for (std::size_t i = 0; i < labels.keys.size(); ++i) {
    const std::size_t first = arrays.label_cells.size();
    for (std::int32_t j = 0; j < labels.counts[i]; ++j, ++entry) {
      const std::int16_t weight = quantise(labels.weights[entry], labels.dated[entry]);
      if (weight == 0 || quantise.is_small(labels.weights[entry], labels.dated[entry])) continue;
      arrays.label_cells.push_back(static_cast<std::uint16_t>(labels.labels[entry]));
      arrays.label_cells.push_back(static_cast<std::uint16_t>(weight));
    }
    if (arrays.label_cells.size() == first) continue;
    arrays.label_cells[arrays.label_cells.size() - 2] |= 0x8000;
    rows.emplace_back(labels.keys[i], static_cast<std::uint32_t>(first / 2));
  }
  slots = slots_for(rows.size());
  arrays.label_rows.assign(slots * 2, 0);
  for (const auto& [key, first] : rows) {
    std::size_t at = static_cast<std::size_t>((key >> 32) * slots >> 32);
    while (arrays.label_rows[at * 2]) at = at + 1 == slots ? 0 : at + 1;
    arrays.label_rows[at * 2] = tag(key);
    arrays.label_rows[at * 2 + 1] = first;
  }
  return arrays;
}

Model::Model(int classes, int labels, View view)
    : classes_(classes),
      labels_(labels),
      stride_(std::size_t(2) + classes),
      action_slots_(view.actions.size() / stride_),
      label_slots_(view.label_rows.size() / 2),
      view_(view) {
  require(view.actions.size() == action_slots_ * stride_ && view.label_rows.size() == label_slots_ * 2 &&
              view.label_cells.size() % 2 == 0,
          "the arrays have odd sizes");
  bool free = false;  // without a free slot a search would not end
  for (std::size_t at = 0; at < action_slots_; ++at) {
    free |= (view.actions[at * stride_] | view.actions[at * stride_ + 1]) == 0;
  }
  require(free, "the table of actions is full");
  free = false;
  const std::size_t cells = view.label_cells.size() / 2;
  for (std::size_t at = 0; at < label_slots_; ++at) {
    free |= view.label_rows[at * 2] == 0;
    require(view.label_rows[at * 2] == 0 || view.label_rows[at * 2 + 1] < cells, "a row of labels points nowhere");
  }
  require(free, "the table of labels is full");
  for (std::size_t i = 0; i < cells; ++i) require((view.label_cells[i * 2] & 0x7FFF) < labels, "no such label");
  require(cells == 0 || view.label_cells[cells * 2 - 2] & 0x8000, "the last row of labels does not end");
}

}  // namespace panparser
