// The averaged weights of perceptrons at one time, which stay as they are while the perceptrons go on learning; and the
// model that they become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "weights/model.hpp"

namespace panparser {

class Averages {
 public:
  struct Shape {
    int templates, labels;
    std::int32_t unit;  // the size of an update
  };
  // The sums over one or more perceptrons.
  Averages(const Shape& shape, std::span<const Model::Source> sources, int threads);

  // The mean, each of its two kinds scaled so that the largest weight fits a byte, and rounded. Weights below `least`
  // (in updates) are left out.
  Model::Arrays compact(double least, int threads) const;

 private:
  struct ActionRows {  // some of them, by key
    std::vector<Key> keys;
    std::vector<float> weights;  // [row][class]
  };
  struct Cell {
    std::int32_t label;
    double weight;
  };
  struct LabelRows {  // some of them, by key
    std::vector<Key> keys;
    std::vector<std::size_t> ends;  // of their cells
    std::vector<Cell> cells;        // by row, then by label
  };

  void add_actions(std::span<const Model::Source> sources, std::size_t range);
  void add_labels(std::span<const Model::Source> sources, std::size_t range);
  double fill_lines(double least, Model::Arrays& out, std::vector<std::uint32_t>& firsts) const;
  double fill_label_rows(double least, Model::Arrays& out, std::vector<std::uint32_t>& firsts) const;

  Shape shape_;
  int classes_;
  std::size_t sources_;
  std::vector<ActionRows> actions_;  // by range of keys
  std::vector<LabelRows> labels_;
};

}  // namespace panparser
