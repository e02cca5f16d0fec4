#include "weights/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/require.hpp"
#include "systems/system.hpp"

namespace panparser {

namespace {

constexpr int kMostWeight = 127;
constexpr int kLoad = 70;           // percent of the slots of lines that are used
constexpr std::size_t kOffset = 4;  // bytes of a row in the lines of labels

std::size_t width_for(int classes) { return classes <= 4 ? 4 : (static_cast<std::size_t>(classes) + 7) / 8 * 8; }

// How a row of labels is written: labels, and numbers of them, in a byte or in two.
class RowShape {
 public:
  explicit RowShape(int labels) : labels_(labels), wide_(labels > 256) {}
  std::size_t number() const { return wide_ ? 2 : 1; }
  std::size_t cell() const { return number() + 1; }
  // Full rows are faster to add: they may be twice as long.
  bool is_full(std::size_t cells) const { return 2 * cells * cell() >= static_cast<std::size_t>(labels_); }
  std::size_t read(const std::uint8_t* from) const { return wide_ ? read16(from) : *from; }
  void append(std::size_t number, LargeVector<std::uint8_t>& to) const {
    to.push_back(static_cast<std::uint8_t>(number));
    if (wide_) to.push_back(static_cast<std::uint8_t>(number >> 8));
  }

 private:
  int labels_;
  bool wide_;
};

// The pointers do not alias; knowing this, the compiler vectorizes the loop.
void add_full_row(const std::uint8_t* __restrict weights, int labels, std::int32_t* __restrict sums) {
  for (int label = 0; label < labels; ++label) sums[label] += static_cast<std::int8_t>(weights[label]);
}

// Sums of rows of four weights.
class FourSums {
 public:
#ifdef __SSE2__
  void add(const std::uint8_t* row, bool known) {  // without a branch: whether a feature is known is hard to predict
    std::int32_t bytes;
    std::memcpy(&bytes, row, 4);
    const __m128i four = _mm_cvtsi32_si128(bytes & -static_cast<std::int32_t>(known));
    const __m128i twice = _mm_unpacklo_epi8(four, four);
    sums_ = _mm_add_epi32(sums_, _mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24));
  }
  void add_to(std::int32_t* sums, int classes) const {
    alignas(16) std::int32_t four[4];
    _mm_store_si128(reinterpret_cast<__m128i*>(four), sums_);
    for (int c = 0; c < classes; ++c) sums[c] += four[c];
  }

 private:
  __m128i sums_ = _mm_setzero_si128();
#else
  void add(const std::uint8_t* row, bool known) {
    for (int c = 0; c < 4; ++c) sums_[c] += static_cast<std::int8_t>(row[c]) * known;
  }
  void add_to(std::int32_t* sums, int classes) const {
    for (int c = 0; c < classes; ++c) sums[c] += sums_[c];
  }

 private:
  std::int32_t sums_[4] = {};
#endif
};

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

// The averaged weights of actions, by key.
struct Rows {
  static constexpr std::size_t kAhead = 16;  // rows whose weights are on their way

  int classes;
  std::vector<Key> keys;
  std::vector<float> weights;  // [row][class]

  explicit Rows(std::span<const Model::Source> sources) : classes(sources[0].actions.classes()) {
    std::vector<std::vector<std::uint32_t>> orders;
    std::vector<std::size_t> sizes;
    for (const Model::Source& source : sources) {
      orders.push_back(source.actions.order());
      sizes.push_back(orders.back().size());
    }
    keys.reserve(*std::max_element(sizes.begin(), sizes.end()));
    weights.reserve(keys.capacity() * classes);
    const auto key = [&](std::size_t t, std::size_t at) { return sources[t].actions.key(orders[t][at]); };
    merge(sizes, key, [&](Key k, const auto& found) {
      keys.push_back(k);
      weights.resize(weights.size() + classes);
      float* const sums = weights.data() + weights.size() - classes;
      for (const auto& [t, at] : found) {
        if (at + kAhead < sizes[t]) sources[t].actions.prefetch_averages(orders[t][at + kAhead]);
        sources[t].actions.add_averages(orders[t][at], sources[t].time, sums);
      }
    });
  }
};

// Fills the lines; what an update has become in them.
double fill_lines(int templates, std::span<const Model::Source> sources, double least, Model::Arrays& out) {
  const Rows rows(sources);
  float most = 0;
  for (const float weight : rows.weights) most = std::max(most, std::abs(weight));
  const Quantiser quantise(most, least);
  const auto each = [&](const auto& see) {  // the rows that are kept
    std::array<std::int8_t, System::kMaxRows> bytes;
    for (std::size_t i = 0; i < rows.keys.size(); ++i) {
      bool kept = false;
      for (int c = 0; c < rows.classes; ++c) kept |= (bytes[c] = quantise(rows.weights[i * rows.classes + c])) != 0;
      if (kept) see(rows.keys[i], bytes);
    }
  };
  std::vector<std::size_t> counts(templates);
  each([&](Key key, const auto&) { ++counts[template_of(key)]; });
  LineWriter writer(width_for(rows.classes), counts, kLoad);
  each([&](Key key, const auto& bytes) { std::memcpy(writer.add(key), bytes.data(), rows.classes); });
  out.tables.insert(out.tables.end(), writer.firsts.begin(), writer.firsts.end());
  out.lines = std::move(writer.bytes);
  return quantise.scale();
}

// The averaged weights of labels, by key and label.
struct Cells {
  struct Row {
    Key key;
    std::size_t first, count;
  };
  struct Cell {
    std::int32_t label;
    double weight;
  };
  std::vector<Row> rows;
  std::vector<Cell> cells;

  explicit Cells(std::span<const Model::Source> sources) {
    std::vector<SparseWeights::Rows> tables;
    std::vector<std::vector<std::size_t>> firsts;  // entry of each row
    std::vector<std::size_t> sizes;
    for (const Model::Source& source : sources) {
      tables.push_back(source.labels.rows());
      std::vector<std::size_t>& first = firsts.emplace_back();
      std::size_t entry = 0;
      for (const std::int32_t count : tables.back().counts) {
        first.push_back(entry);
        entry += count;
      }
      sizes.push_back(tables.back().keys.size());
    }
    const auto key = [&](std::size_t t, std::size_t at) { return tables[t].keys[at]; };
    merge(sizes, key, [&](Key k, const auto& found) {
      const std::size_t first = cells.size();
      for (const auto& [t, at] : found) {
        for (std::int32_t i = 0; i < tables[t].counts[at]; ++i) {
          const std::size_t entry = firsts[t][at] + i;
          add(first, tables[t].labels[entry],
              average(tables[t].weights[entry], tables[t].dated[entry], sources[t].time));
        }
      }
      rows.push_back({k, first, cells.size() - first});
    });
  }

 private:
  void add(std::size_t first, std::int32_t label, double weight) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(first);
    const auto place =
        std::lower_bound(begin, cells.end(), label, [](const Cell& c, std::int32_t l) { return c.label < l; });
    if (place != cells.end() && place->label == label) {
      place->weight += weight;
    } else {
      cells.insert(place, {label, weight});
    }
  }
};

// Fills the rows of labels, and the lines that tell where they are; what an update has become in them.
double fill_label_rows(int templates, int labels, std::span<const Model::Source> sources, double least,
                       Model::Arrays& out) {
  const Cells all(sources);
  double most = 0;
  for (const Cells::Cell& cell : all.cells) most = std::max(most, std::abs(cell.weight));
  const Quantiser quantise(most, least);
  const RowShape shape(labels);
  std::vector<std::pair<Key, std::size_t>> starts;
  std::vector<std::size_t> counts(templates);
  std::vector<std::int8_t> weights(labels);
  for (const Cells::Row& row : all.rows) {
    std::fill(weights.begin(), weights.end(), 0);
    std::size_t kept = 0;
    for (std::size_t c = row.first; c < row.first + row.count; ++c) {
      kept += (weights[all.cells[c].label] = quantise(all.cells[c].weight)) != 0;
    }
    if (!kept) continue;
    starts.emplace_back(row.key, out.label_rows.size());
    ++counts[template_of(row.key)];
    const bool full = shape.is_full(kept);
    shape.append(full ? 0 : kept, out.label_rows);
    for (int label = 0; label < labels; ++label) {
      if (!full && !weights[label]) continue;
      if (!full) shape.append(label, out.label_rows);
      out.label_rows.push_back(static_cast<std::uint8_t>(weights[label]));
    }
  }
  require(out.label_rows.size() <= std::numeric_limits<std::uint32_t>::max(), "the weights of labels are too many");
  LineWriter writer(kOffset, counts, kLoad);
  for (const auto& [key, start] : starts) write32(writer.add(key), static_cast<std::uint32_t>(start));
  out.tables.insert(out.tables.end(), writer.firsts.begin(), writer.firsts.end());
  out.label_lines = std::move(writer.bytes);
  return quantise.scale();
}

}  // namespace

Model::Arrays Model::compact(int templates, int labels, std::span<const Source> sources, std::int32_t unit,
                             double least) {
  Arrays arrays;
  arrays.labels = labels;
  const double whole = static_cast<double>(unit) * static_cast<double>(sources.size());  // an update to all
  arrays.action_scale = fill_lines(templates, sources, least * whole, arrays) * whole;
  arrays.label_scale = fill_label_rows(templates, labels, sources, least * whole, arrays) * whole;
  return arrays;
}

Model::Model(int classes, int labels, View view)
    : classes_(classes),
      labels_(labels),
      lines_(width_for(classes), view.tables.first(view.tables.size() / 2), view.lines),
      label_lines_(kOffset, view.tables.subspan(view.tables.size() / 2), view.label_lines),
      label_rows_(view.label_rows) {
  require(labels >= 0 && labels <= kMaxLabels, "too many labels");
  require(lines_.templates() == label_lines_.templates(), "an array has the wrong size");
  label_lines_.each_row([&](const std::uint8_t* row) { check_row(read32(row)); });
}

void Model::check_row(std::size_t first) const {
  const RowShape shape(labels_);
  const auto fits = [&](std::size_t bytes) {
    return first <= label_rows_.size() && label_rows_.size() - first >= bytes;
  };
  require(fits(shape.number()), "a row of labels is cut off");
  const std::size_t cells = shape.read(label_rows_.data() + first);
  require(fits(shape.number() + (cells ? cells * shape.cell() : labels_)), "a row of labels is cut off");
  for (std::size_t c = 0; c < cells; ++c) {
    const std::size_t label = shape.read(label_rows_.data() + first + shape.number() + c * shape.cell());
    require(label < static_cast<std::size_t>(labels_), "no such label");
  }
}

void Model::actions(const Key* keys, int count, std::int32_t* sums) const {
  if (classes_ <= 4) {
    FourSums four;
    lines_.each<4>(keys, count, [&](const std::uint8_t* row, bool known) { four.add(row, known); });
    return four.add_to(sums, classes_);
  }
  lines_.each_known(keys, count, [&](const std::uint8_t* row) {
    for (int c = 0; c < classes_; ++c) sums[c] += static_cast<std::int8_t>(row[c]);
  });
}

void Model::labels(const Key* keys, int count, std::int32_t* sums) const {
  const std::uint8_t* const rows = label_rows_.data();
  std::array<std::uint32_t, Program::kMaxTemplates> starts;
  std::size_t found = 0;
  label_lines_.each<kOffset>(keys, count, [&](const std::uint8_t* row, bool known) {
    starts[found] = read32(row);
    prefetch_line(rows + starts[found]);  // of no row, if this one is not known: no harm
    found += known;
  });
  const RowShape shape(labels_);
  for (std::size_t i = 0; i < found; ++i) {
    const std::uint8_t* at = rows + starts[i];
    const std::size_t cells = shape.read(at);
    at += shape.number();
    if (!cells) {
      add_full_row(at, labels_, sums);
      continue;
    }
    for (const std::uint8_t* const end = at + cells * shape.cell(); at != end; at += shape.cell()) {
      sums[shape.read(at)] += static_cast<std::int8_t>(at[shape.number()]);
    }
  }
}

void LayeredModel::actions(const Key* keys, int count, std::int32_t* sums, std::size_t program) const {
  for (const Layer& layer : layers_) {
    if (layer.program != program) continue;
    if (layer.actions == 1) {
      layer.model.actions(keys, count, sums);
      continue;
    }
    std::array<std::int32_t, System::kMaxRows> own{};
    layer.model.actions(keys, count, own.data());
    for (int c = 0; c < layer.model.classes(); ++c) sums[c] += layer.actions * own[c];
  }
}

void LayeredModel::labels(const Key* keys, int count, std::int32_t* sums, std::size_t program) const {
  for (const Layer& layer : layers_) {
    if (layer.program != program) continue;
    const bool renumbered = !layer.common_labels.empty();
    if (layer.labels == 1 && !renumbered) {
      layer.model.labels(keys, count, sums);
      continue;
    }
    thread_local std::vector<std::int32_t> own;
    own.assign(layer.model.label_count(), 0);
    layer.model.labels(keys, count, own.data());
    for (int l = 0; l < layer.model.label_count(); ++l) {
      sums[renumbered ? layer.common_labels[l] : l] += layer.labels * own[l];
    }
  }
}

}  // namespace panparser
