#include "weights/model.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/require.hpp"
#include "systems/system.hpp"
#include "weights/row_shape.hpp"

namespace panparser {

namespace {

// The sums of rows of labels. Few labels are summed in 16 bits, where there is room for those of as many rows as have
// weights of 7 bits and a sign.
template <class Sum, std::size_t kNumber>
class LabelSums {
 public:
  static constexpr std::size_t kMostRows = 256, kFewLabels = 256;
  static constexpr std::size_t kCell = kNumber + 1;

  // `end` is that of the rows. Room for few sums is padded.
  LabelSums(int labels, const std::uint8_t* end, Sum* sums) : labels_(labels), end_(end), sums_(sums) {}
  static std::size_t padded(int labels) { return (static_cast<std::size_t>(labels) + kAtOnce - 1) / kAtOnce * kAtOnce; }
  void add(const std::uint8_t* row) {
    const std::size_t cells = kNumber == 1 ? *row : read16(row);
    row += kNumber;
    if (!cells) return add_full(row);
    for (const std::uint8_t* const end = row + cells * kCell; row != end; row += kCell) {
      Sum& sum = sums_[kNumber == 1 ? *row : read16(row)];
      sum = static_cast<Sum>(sum + static_cast<std::int8_t>(row[kNumber]));
    }
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  void add_full(const std::uint8_t* row) {
    const std::size_t labels = static_cast<std::size_t>(labels_), size = padded(labels_);
    if (kNumber > 1 || static_cast<std::size_t>(end_ - row) < size) return add_some(row, labels, sums_);
    for (std::size_t at = 0; at < size; at += kAtOnce) add_some(row + at, kAtOnce, sums_ + at);  // what follows, too
  }
  // The pointers do not alias; knowing this, the compiler vectorizes the loop.
  [[gnu::always_inline]] static void add_some(const std::uint8_t* __restrict weights, std::size_t count,
                                              Sum* __restrict sums) {
    for (std::size_t i = 0; i < count; ++i) sums[i] = static_cast<Sum>(sums[i] + static_cast<std::int8_t>(weights[i]));
  }

  int labels_;
  const std::uint8_t* end_;
  Sum* sums_;
};

// Sums of rows of four weights. In 16 bits there is room for those of as many rows as have weights of 7 bits and a
// sign.
class FourSums {
 public:
  static constexpr int kMostRows = 256;
#ifdef __SSE2__
  void add(const std::uint8_t* row) {
    std::int32_t bytes;
    std::memcpy(&bytes, row, 4);
    const __m128i four = _mm_cvtsi32_si128(bytes);
    sums_ = _mm_add_epi16(sums_, _mm_srai_epi16(_mm_unpacklo_epi8(four, four), 8));
  }
  void add_to(std::int32_t* sums, int classes) const {
    alignas(16) std::int16_t four[8];
    _mm_store_si128(reinterpret_cast<__m128i*>(four), sums_);
    for (int c = 0; c < classes; ++c) sums[c] += four[c];
  }

 private:
  __m128i sums_ = _mm_setzero_si128();
#else
  void add(const std::uint8_t* row) {
    for (int c = 0; c < 4; ++c) sums_[c] += static_cast<std::int8_t>(row[c]);
  }
  void add_to(std::int32_t* sums, int classes) const {
    for (int c = 0; c < classes; ++c) sums[c] += sums_[c];
  }

 private:
  std::int32_t sums_[4] = {};
#endif
};

}  // namespace

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

void Model::actions(const Key* keys, const LineIndex* lines, int count, std::int32_t* sums) const {
  if (classes_ <= 4) {
    for (int first = 0; first < count; first += FourSums::kMostRows) {
      FourSums four;
      lines_.each<4>(keys + first, lines + first, std::min(count - first, FourSums::kMostRows),
                     [&](const std::uint8_t* row, bool) { four.add(row); });
      four.add_to(sums, classes_);
    }
    return;
  }
  lines_.each_known(keys, lines, count, [&](const std::uint8_t* row) {
    for (int c = 0; c < classes_; ++c) sums[c] += static_cast<std::int8_t>(row[c]);
  });
}

void Model::labels(const Key* keys, const LineIndex* lines, int count, std::int32_t* sums) const {
  const std::uint8_t* const rows = label_rows_.data();
  std::array<std::uint32_t, Program::kMaxTemplates> starts;
  std::size_t found = 0;
  label_lines_.each<kOffset>(keys, lines, count, [&](const std::uint8_t* row, bool known) {
    starts[found] = read32(row) & -static_cast<std::uint32_t>(known);  // any other address might be far out of reach
    prefetch_line(rows + starts[found]);
    found += known;
  });
  using Few = LabelSums<std::int16_t, 1>;
  if (static_cast<std::size_t>(labels_) > Few::kFewLabels) {
    LabelSums<std::int32_t, 2> all(labels_, label_rows_.data() + label_rows_.size(), sums);
    for (std::size_t i = 0; i < found; ++i) all.add(rows + starts[i]);
    return;
  }
  std::array<std::int16_t, Few::kFewLabels> own;
  for (std::size_t i = 0; i < found;) {
    std::fill_n(own.begin(), Few::padded(labels_), std::int16_t(0));
    Few few(labels_, label_rows_.data() + label_rows_.size(), own.data());
    for (const std::size_t end = std::min(found, i + Few::kMostRows); i < end; ++i) few.add(rows + starts[i]);
    for (int label = 0; label < labels_; ++label) sums[label] += own[label];
  }
}

void LayeredModel::actions(const Key* keys, const LineIndex* lines, int count, std::size_t program,
                           std::int32_t* sums) const {
  each_layer(program, count, lines, [&](const Layer& layer, const LineIndex* own_lines) {
    if (layer.actions == 1) return layer.model.actions(keys, own_lines, count, sums);
    std::array<std::int32_t, System::kMaxRows> own{};
    layer.model.actions(keys, own_lines, count, own.data());
    for (int c = 0; c < layer.model.classes(); ++c) sums[c] += layer.actions * own[c];
  });
}

void LayeredModel::labels(const Key* keys, const LineIndex* lines, int count, std::size_t program,
                          std::int32_t* sums) const {
  each_layer(program, count, lines, [&](const Layer& layer, const LineIndex* own_lines) {
    const bool renumbered = !layer.common_labels.empty();
    if (layer.labels == 1 && !renumbered) return layer.model.labels(keys, own_lines, count, sums);
    thread_local std::vector<std::int32_t> own;
    own.assign(layer.model.label_count(), 0);
    layer.model.labels(keys, own_lines, count, own.data());
    for (int l = 0; l < layer.model.label_count(); ++l) {
      sums[renumbered ? layer.common_labels[l] : l] += layer.labels * own[l];
    }
  });
}

}  // namespace panparser
