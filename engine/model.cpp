#include "model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "system.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace panparser {

namespace {

constexpr std::size_t kTag = 2, kMoved = Model::kLine - 1;
constexpr int kMostWeight = 127;
constexpr int kLoad = 60;      // percent of the slots that are used: more would be smaller, and features would move on
constexpr int kRowsInRun = 1;  // on the average: more would be smaller, and slower

void require(bool good, const char* what) {
  if (!good) throw std::invalid_argument(what);
}

std::size_t width_for(int classes) { return classes <= 4 ? 4 : (static_cast<std::size_t>(classes) + 7) / 8 * 8; }
std::size_t slots_for(std::size_t width) { return kMoved / (kTag + width); }
std::uint16_t tag(Key key) {  // 0 is a free slot
  const auto bits = static_cast<std::uint16_t>(key >> kTemplateBits);
  return bits ? bits : 1;
}
std::size_t place(Key key, std::size_t places) { return static_cast<std::size_t>((key >> 32) * places >> 32); }
std::size_t label_size(int labels) { return labels <= 256 ? 1 : 2; }

std::uint16_t read16(const std::uint8_t* from) { return static_cast<std::uint16_t>(from[0] | from[1] << 8); }
void write16(std::uint8_t* to, std::uint16_t value) {
  to[0] = static_cast<std::uint8_t>(value);
  to[1] = static_cast<std::uint8_t>(value >> 8);
}

// The slot of a line that has a tag, or `slots`; at most 16.
inline std::size_t find(const std::uint8_t* line, std::size_t slots, std::uint16_t wanted) {
#ifdef __SSE2__  // all tags at once; what stands behind the last is masked out
  const __m128i tags = _mm_set1_epi16(static_cast<short>(wanted));
  const __m128i low = _mm_cmpeq_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(line)), tags);
  const __m128i high = _mm_cmpeq_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(line + 16)), tags);
  const auto same = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
  return static_cast<std::size_t>(std::countr_zero(same | 1u << slots));
#else
  std::size_t slot = slots;
  for (std::size_t i = slots; i-- > 0;) slot = read16(line + i * kTag) == wanted ? i : slot;
  return slot;
#endif
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
      for (const auto& [t, at] : found) sources[t].actions.add_averages(orders[t][at], sources[t].time, sums);
    });
  }
};

// Fills the lines; what an update has become in them.
double fill_lines(int templates, std::span<const Model::Source> sources, double least, Model::Arrays& out) {
  const Rows rows(sources);
  const std::size_t width = width_for(rows.classes), slots = slots_for(width);
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
  std::vector<std::size_t> kept(templates);
  each([&](Key key, const auto&) { ++kept[template_of(key)]; });
  std::uint32_t lines = 0;
  for (const std::size_t count : kept) {
    out.tables.push_back(lines);
    lines += static_cast<std::uint32_t>(100 * count / (kLoad * slots) + 1);
  }
  out.tables.push_back(lines);
  out.lines.assign(lines * Model::kLine, 0);
  each([&](Key key, const auto& bytes) {
    const std::uint32_t first = out.tables[template_of(key)], end = out.tables[template_of(key) + 1];
    std::size_t at = first + place(key, end - first);
    std::size_t slot;
    while ((slot = find(out.lines.data() + at * Model::kLine, slots, 0)) == slots) {
      out.lines[at * Model::kLine + kMoved] = 1;
      at = at + 1 == end ? first : at + 1;
    }
    std::uint8_t* line = out.lines.data() + at * Model::kLine;
    write16(line + slot * kTag, tag(key));
    std::memcpy(line + slots * kTag + slot * width, bytes.data(), rows.classes);
  });
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

// Fills the runs; what an update has become in them.
double fill_runs(int templates, int labels, std::span<const Model::Source> sources, double least, Model::Arrays& out) {
  Cells all(sources);
  double most = 0;
  for (const Cells::Cell& cell : all.cells) most = std::max(most, std::abs(cell.weight));
  const Quantiser quantise(most, least);
  std::vector<Cells::Row> kept;
  std::vector<std::size_t> cells;  // those that are kept
  for (const Cells::Row& row : all.rows) {
    const std::size_t first = cells.size();
    for (std::size_t c = row.first; c < row.first + row.count; ++c) {
      if (quantise(all.cells[c].weight) != 0) cells.push_back(c);
    }
    // A count is a byte: a row with more labels comes as several.
    for (std::size_t c = first; c < cells.size(); c += 256) {
      kept.push_back({row.key, c, std::min<std::size_t>(256, cells.size() - c)});
    }
  }
  // Keys come in order, and so do the runs of each template.
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return template_of(a.key) < template_of(b.key); });
  std::size_t row = 0;
  for (int t = 0; t < templates; ++t) {
    out.tables.push_back(static_cast<std::uint32_t>(out.starts.size()));
    std::size_t end = row;
    while (end < kept.size() && template_of(kept[end].key) == t) ++end;
    const std::size_t runs = (end - row) / kRowsInRun + 1;
    for (std::size_t run = 0; run < runs; ++run) {
      out.starts.push_back(static_cast<std::uint32_t>(out.runs.size()));
      for (; row < end && place(kept[row].key, runs) == run; ++row) {
        std::uint8_t head[3] = {};
        write16(head, tag(kept[row].key));
        head[2] = static_cast<std::uint8_t>(kept[row].count - 1);
        out.runs.insert(out.runs.end(), head, head + 3);
        for (std::size_t c = kept[row].first; c < kept[row].first + kept[row].count; ++c) {
          const Cells::Cell& cell = all.cells[cells[c]];
          out.runs.push_back(static_cast<std::uint8_t>(cell.label));
          if (label_size(labels) == 2) out.runs.push_back(static_cast<std::uint8_t>(cell.label >> 8));
          out.runs.push_back(static_cast<std::uint8_t>(quantise(cell.weight)));
        }
      }
    }
  }
  out.tables.push_back(static_cast<std::uint32_t>(out.starts.size()));
  out.starts.push_back(static_cast<std::uint32_t>(out.runs.size()));
  return quantise.scale();
}

}  // namespace

Model::Arrays Model::compact(int templates, int labels, std::span<const Source> sources, std::int32_t unit,
                             double least) {
  Arrays arrays;
  const double whole = static_cast<double>(unit) * static_cast<double>(sources.size());  // an update to all
  arrays.action_scale = fill_lines(templates, sources, least * whole, arrays) * whole;
  arrays.label_scale = fill_runs(templates, labels, sources, least * whole, arrays) * whole;
  return arrays;
}

Model::Model(int classes, int labels, View view)
    : classes_(classes), labels_(labels), width_(width_for(classes)), slots_(slots_for(width_)), view_(view) {
  require(labels >= 0 && labels <= kMaxLabels, "too many labels");
  const std::size_t templates = view.tables.size() / 2;  // and one
  require(templates >= 1 && view.tables.size() == 2 * templates && view.starts.size() >= 1,
          "an array has the wrong size");
  const auto read = [&](std::span<const std::uint32_t> firsts, std::size_t end, std::vector<Table>& tables) {
    require(firsts.front() == 0 && firsts.back() == end, "the tables do not fit");
    for (std::size_t t = 0; t + 1 < firsts.size(); ++t) {
      require(firsts[t] < firsts[t + 1], "the tables do not rise");
      tables.push_back({firsts[t], firsts[t + 1] - firsts[t]});
    }
  };
  require(view.lines.size() % kLine == 0, "an array has the wrong size");
  require(reinterpret_cast<std::uintptr_t>(view.lines.data()) % 16 == 0, "an array is misaligned");
  read(view.tables.first(templates), view.lines.size() / kLine, lines_);
  read(view.tables.last(templates), view.starts.size() - 1, runs_);
  for (const Table& table : lines_) {  // a search that moves on from line to line must end
    bool ends = false;
    for (std::size_t line = table.first; line < table.first + table.size; ++line) {
      ends |= view.lines[line * kLine + kMoved] == 0;
    }
    require(ends, "all lines of a table are full");
  }
  check_runs();
}

void Model::check_runs() const {
  require(view_.starts.front() == 0 && view_.starts.back() == view_.runs.size(), "the runs of the labels do not fit");
  const std::size_t size = label_size(labels_) + 1;
  for (std::size_t run = 0; run + 1 < view_.starts.size(); ++run) {
    std::size_t at = view_.starts[run];
    const std::size_t end = view_.starts[run + 1];
    require(at <= end && end <= view_.runs.size(), "the runs of the labels do not rise");
    while (at < end) {
      require(end - at >= 3 && end - at - 3 >= (view_.runs[at + 2] + std::size_t(1)) * size,
              "a run of labels is cut off");
      const std::size_t next = at + 3 + (view_.runs[at + 2] + std::size_t(1)) * size;
      for (at += 3; at < next; at += size) {
        const int label = size == 2 ? view_.runs[at] : read16(view_.runs.data() + at);
        require(label < labels_, "no such label");
      }
    }
  }
}

// The line that has a key, and its slot there, or `slots_`.
inline std::pair<const std::uint8_t*, std::size_t> Model::find_line(Key key) const {
  const Table& table = lines_[template_of(key)];
  const std::uint16_t wanted = tag(key);
  std::size_t at = table.place(key);
  const std::uint8_t* line = view_.lines.data() + at * kLine;
  std::size_t slot = find(line, slots_, wanted);
  while (slot == slots_ && line[kMoved]) [[unlikely]] {
    at = at + 1 == table.first + table.size ? table.first : at + 1;
    line = view_.lines.data() + at * kLine;
    slot = find(line, slots_, wanted);
  }
  return {line, slot};
}

// Nothing is asked for ahead: without branches the processor itself has many lines under way.
void Model::actions(const Key* keys, int count, std::int32_t* sums) const {
  if (width_ == 4) {
    constexpr std::size_t kSlots = kMoved / (kTag + 4);
    FourSums four;
    for (int i = 0; i < count; ++i) {
      const auto [line, slot] = find_line(keys[i]);
      four.add(line + kSlots * kTag + slot * 4, slot != kSlots);  // behind the last slot there are bytes, too
    }
    return four.add_to(sums, classes_);
  }
  for (int i = 0; i < count; ++i) {
    const auto [line, slot] = find_line(keys[i]);
    const std::uint8_t* row = line + slots_ * kTag + slot * width_;
    for (int c = 0; slot != slots_ && c < classes_; ++c) sums[c] += static_cast<std::int8_t>(row[c]);
  }
}

void Model::labels(const Key* keys, int count, std::int32_t* sums) const {
  const std::uint8_t* runs = view_.runs.data();
  std::array<std::uint32_t, Program::kMaxTemplates> places;
  for (int i = 0; i < count; ++i) {
    places[i] = static_cast<std::uint32_t>(runs_[template_of(keys[i])].place(keys[i]));
    __builtin_prefetch(runs + view_.starts[places[i]]);
  }
  const std::size_t size = label_size(labels_) + 1;
  for (int i = 0; i < count; ++i) {
    const std::uint16_t wanted = tag(keys[i]);
    const std::uint8_t* at = runs + view_.starts[places[i]];
    const std::uint8_t* const end = runs + view_.starts[places[i] + 1];
    while (at != end) {
      const std::uint8_t* const next = at + 3 + (at[2] + std::size_t(1)) * size;
      if (read16(at) == wanted) {
        for (at += 3; at != next; at += size) {
          sums[size == 2 ? at[0] : read16(at)] += static_cast<std::int8_t>(at[size - 1]);
        }
      }
      at = next;
    }
  }
}

void LayeredModel::actions(const Key* keys, int count, std::int32_t* sums) const {
  for (const Layer& layer : layers_) {
    if (layer.actions == 1) {
      layer.model.actions(keys, count, sums);
      continue;
    }
    std::array<std::int32_t, System::kMaxRows> own{};
    layer.model.actions(keys, count, own.data());
    for (int c = 0; c < layer.model.classes(); ++c) sums[c] += layer.actions * own[c];
  }
}

void LayeredModel::labels(const Key* keys, int count, std::int32_t* sums) const {
  for (const Layer& layer : layers_) {
    if (layer.labels == 1) {
      layer.model.labels(keys, count, sums);
      continue;
    }
    thread_local std::vector<std::int32_t> own;
    own.assign(layer.model.label_count(), 0);
    layer.model.labels(keys, count, own.data());
    for (int l = 0; l < layer.model.label_count(); ++l) sums[l] += layer.labels * own[l];
  }
}

}  // namespace panparser
