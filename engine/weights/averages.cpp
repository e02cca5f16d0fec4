#include "weights/averages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/require.hpp"
#include "base/threads.hpp"
#include "systems/system.hpp"
#include "weights/row_shape.hpp"

namespace panparser {

namespace {

constexpr int kMostWeight = 127;
constexpr int kLoad = 70;               // percent of the slots of lines that are used
constexpr std::size_t kRowsAhead = 16;  // rows whose weights are on their way
constexpr int kRangeBits = 6;
constexpr std::size_t kRanges = std::size_t(1) << kRangeBits;  // of keys: what threads share

KeyRange range_at(std::size_t number) {
  constexpr int kRest = 64 - kRangeBits;
  const Key first = static_cast<Key>(number) << kRest;
  return {std::max<Key>(first, 1), first + ((Key(1) << kRest) - 1)};
}

// Averaged weights as bytes.
class Quantiser {
 public:
  Quantiser(double most, double least) : least_(least), scale_(most > 0 ? kMostWeight / most : 1) {}
  double scale() const { return scale_; }
  std::int8_t operator()(double weight) const {
    return std::abs(weight) < least_ ? 0 : static_cast<std::int8_t>(std::floor(weight * scale_ + 0.5));
  }

 private:
  double least_, scale_;
};

// Calls `see` with each key of sorted tables, in order, and a list of (table, place in it). `key(table, place)` tells
// keys.
template <class Key_, class See>
void merge(std::span<const std::size_t> sizes, const Key_& key, const See& see) {
  std::vector<std::size_t> next(sizes.size(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (;;) {
    found.clear();
    Key least = 0;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      if (next[t] == sizes[t]) continue;
      const Key here = key(t, next[t]);
      if (found.empty() || here < least) {
        found.clear();
        least = here;
      }
      if (here == least) found.emplace_back(t, next[t]);
    }
    if (found.empty()) return;
    see(least, found);
    for (const auto& [t, place] : found) ++next[t];
  }
}

struct RoundedCell {
  std::int32_t label;
  std::int8_t weight;
};

// Writes a row of labels.
void append(std::span<const RoundedCell> cells, std::int32_t labels, LargeVector<std::uint8_t>& out) {
  const RowShape shape(labels);
  const bool full = shape.is_full(cells.size());
  shape.append(full ? 0 : cells.size(), out);
  if (full) {
    const std::size_t first = out.size();
    out.resize(first + static_cast<std::size_t>(labels), 0);
    for (const RoundedCell& cell : cells) out[first + cell.label] = static_cast<std::uint8_t>(cell.weight);
    return;
  }
  for (const RoundedCell& cell : cells) {
    shape.append(static_cast<std::size_t>(cell.label), out);
    out.push_back(static_cast<std::uint8_t>(cell.weight));
  }
}

}  // namespace

Averages::Averages(const Shape& shape, std::span<const Model::Source> sources, int threads)
    : shape_(shape),
      classes_(sources[0].actions.classes()),
      sources_(sources.size()),
      actions_(kRanges),
      labels_(kRanges) {
  share_work(2 * kRanges, threads, [&](const auto& each) {
    each([&](std::int64_t i) {
      const auto range = static_cast<std::size_t>(i) / 2;
      i % 2 ? add_labels(sources, range) : add_actions(sources, range);
    });
  });
}

void Averages::add_actions(std::span<const Model::Source> sources, std::size_t range) {
  std::vector<std::vector<std::uint32_t>> orders;
  std::vector<std::size_t> sizes;
  for (const Model::Source& source : sources) {
    orders.push_back(source.actions.order(range_at(range)));
    sizes.push_back(orders.back().size());
  }
  ActionRows& rows = actions_[range];
  rows.keys.reserve(*std::max_element(sizes.begin(), sizes.end()));
  rows.weights.reserve(rows.keys.capacity() * classes_);
  const auto key = [&](std::size_t t, std::size_t at) { return sources[t].actions.key(orders[t][at]); };
  merge(sizes, key, [&](Key k, const auto& found) {
    rows.keys.push_back(k);
    rows.weights.resize(rows.weights.size() + classes_);
    float* const sums = rows.weights.data() + rows.weights.size() - classes_;
    for (const auto& [t, at] : found) {
      if (at + kRowsAhead < sizes[t]) sources[t].actions.prefetch_averages(orders[t][at + kRowsAhead]);
      sources[t].actions.add_averages(orders[t][at], sources[t].time, sums);
    }
  });
}

void Averages::add_labels(std::span<const Model::Source> sources, std::size_t range) {
  std::vector<SparseWeights::Rows> tables;
  std::vector<std::vector<std::size_t>> firsts;  // entry of each row
  std::vector<std::size_t> sizes;
  for (const Model::Source& source : sources) {
    tables.push_back(source.labels.rows(range_at(range)));
    std::vector<std::size_t>& first = firsts.emplace_back();
    std::size_t entry = 0;
    for (const std::int32_t count : tables.back().counts) {
      first.push_back(entry);
      entry += count;
    }
    sizes.push_back(tables.back().keys.size());
  }
  LabelRows& rows = labels_[range];
  const auto add = [&](std::size_t first, std::int32_t label, double weight) {
    const auto begin = rows.cells.begin() + static_cast<std::ptrdiff_t>(first);
    const auto place =
        std::lower_bound(begin, rows.cells.end(), label, [](const Cell& c, std::int32_t l) { return c.label < l; });
    if (place != rows.cells.end() && place->label == label) {
      place->weight += weight;
    } else {
      rows.cells.insert(place, {label, weight});
    }
  };
  const auto key = [&](std::size_t t, std::size_t at) { return tables[t].keys[at]; };
  merge(sizes, key, [&](Key k, const auto& found) {
    const std::size_t first = rows.cells.size();
    for (const auto& [t, at] : found) {
      for (std::int32_t i = 0; i < tables[t].counts[at]; ++i) {
        const std::size_t entry = firsts[t][at] + i;
        add(first, tables[t].labels[entry], average(tables[t].weights[entry], tables[t].dated[entry], sources[t].time));
      }
    }
    rows.keys.push_back(k);
    rows.ends.push_back(rows.cells.size());
  });
}

// Fills the lines; what an update has become in them.
double Averages::fill_lines(double least, Model::Arrays& out, std::vector<std::uint32_t>& firsts) const {
  float most = 0;
  for (const ActionRows& rows : actions_) {
    for (const float weight : rows.weights) most = std::max(most, std::abs(weight));
  }
  const Quantiser quantise(most, least);
  const auto each = [&](const auto& see) {  // the rows that are kept
    std::array<std::int8_t, System::kMaxRows> bytes;
    for (const ActionRows& rows : actions_) {
      for (std::size_t i = 0; i < rows.keys.size(); ++i) {
        bool kept = false;
        for (int c = 0; c < classes_; ++c) kept |= (bytes[c] = quantise(rows.weights[i * classes_ + c])) != 0;
        if (kept) see(rows.keys[i], bytes);
      }
    }
  };
  std::vector<LineWriter::Feature> features;
  std::vector<std::int8_t> weights;  // [feature][class]
  each([&](Key key, const auto& bytes) {
    const auto [lowest, highest] = std::minmax_element(bytes.begin(), bytes.begin() + classes_);
    features.push_back({key, *highest - *lowest});
    weights.insert(weights.end(), bytes.begin(), bytes.begin() + classes_);
  });
  LineWriter writer(width_for(classes_), static_cast<std::size_t>(shape_.templates), kLoad, features);
  writer.each([&](std::uint32_t number, std::uint8_t* row) {
    std::memcpy(row, weights.data() + std::size_t(number) * classes_, classes_);
  });
  firsts = std::move(writer.firsts);
  out.lines = std::move(writer.bytes);
  return quantise.scale();
}

// Fills the rows of labels, and the lines that tell where they are; what an update has become in them.
double Averages::fill_label_rows(double least, Model::Arrays& out, std::vector<std::uint32_t>& firsts) const {
  double most = 0;
  for (const LabelRows& rows : labels_) {
    for (const Cell& cell : rows.cells) most = std::max(most, std::abs(cell.weight));
  }
  const Quantiser quantise(most, least);
  std::vector<LineWriter::Feature> features;
  std::vector<std::size_t> ends;  // of their cells
  std::vector<RoundedCell> cells;
  for (const LabelRows& rows : labels_) {
    for (std::size_t i = 0, first = 0; i < rows.keys.size(); first = rows.ends[i++]) {
      std::int8_t lowest = 0, highest = 0;  // other labels have 0
      for (std::size_t c = first; c < rows.ends[i]; ++c) {
        const std::int8_t weight = quantise(rows.cells[c].weight);
        if (!weight) continue;
        cells.push_back({rows.cells[c].label, weight});
        lowest = std::min(lowest, weight);
        highest = std::max(highest, weight);
      }
      if (lowest == highest) continue;
      features.push_back({rows.keys[i], highest - lowest});
      ends.push_back(cells.size());
    }
  }
  LineWriter writer(kOffset, static_cast<std::size_t>(shape_.templates), kLoad, features);
  writer.each([&](std::uint32_t i, std::uint8_t* row) {
    const std::size_t first = i == 0 ? 0 : ends[i - 1];
    require(out.label_rows.size() <= std::numeric_limits<std::uint32_t>::max(), "the weights of labels are too many");
    write32(row, static_cast<std::uint32_t>(out.label_rows.size()));
    append(std::span(cells).subspan(first, ends[i] - first), shape_.labels, out.label_rows);
  });
  firsts = std::move(writer.firsts);
  out.label_lines = std::move(writer.bytes);
  return quantise.scale();
}

Model::Arrays Averages::compact(double least, int threads) const {
  Model::Arrays arrays;
  arrays.labels = shape_.labels;
  const double whole = static_cast<double>(shape_.unit) * static_cast<double>(sources_);  // an update to all
  std::array<std::vector<std::uint32_t>, 2> tables;
  share_work(2, threads, [&](const auto& each) {
    each([&](std::int64_t kind) {
      if (kind == 0) {
        arrays.action_scale = fill_lines(least * whole, arrays, tables[0]) * whole;
      } else {
        arrays.label_scale = fill_label_rows(least * whole, arrays, tables[1]) * whole;
      }
    });
  });
  for (const auto& firsts : tables) arrays.tables.insert(arrays.tables.end(), firsts.begin(), firsts.end());
  return arrays;
}

}  // namespace panparser
