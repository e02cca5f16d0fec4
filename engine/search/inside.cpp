#include "search/inside.hpp"

#include <stdexcept>

#include "search/corpus.hpp"

namespace panparser {

void Inside::check_action(int action) const {
  if (action < 0 || action >= assembly_.system().actions()) throw std::out_of_range("no such action");
}

template <class Add>
std::vector<std::int32_t> Inside::each_key(std::span<const Key> keys, int width, const Add& add) const {
  std::vector<std::int32_t> sums(keys.size() * static_cast<std::size_t>(width));
  std::int32_t* at = sums.data();
  for (const Key key : keys) {
    if (template_of(key) >= assembly_.program().templates()) throw std::out_of_range("a feature of no template");
    add(key, at);
    at += width;
  }
  return sums;
}

template <class Add>
std::vector<std::int32_t> Inside::each_row(std::size_t address, std::span<const std::int32_t> rows, int width,
                                           const Add& add) const {
  if (address >= assembly_.program().vectors().size()) throw std::out_of_range("no such address");
  check_rows(rows, assembly_.vectors().rows());
  std::vector<std::int32_t> sums(rows.size() * static_cast<std::size_t>(width));
  std::span<std::int32_t> rest(sums);
  for (const std::int32_t row : rows) {
    add(row, rest.first(width));
    rest = rest.subspan(width);
  }
  return sums;
}

std::vector<std::int32_t> Inside::action_weights(std::span<const Key> keys) const {
  const LayeredModel& model = assembly_.model();
  std::vector<LineIndex> lines(model.lines_per_feature(0));
  return each_key(keys, assembly_.system().actions(), [&](Key key, std::int32_t* sums) {
    model.prefetch_actions(&key, 1, 0, lines.data());
    model.actions(&key, lines.data(), 1, 0, sums);
  });
}

std::vector<std::int32_t> Inside::label_weights(std::span<const Key> keys, int action) const {
  check_action(action);
  const LayeredModel& model = assembly_.model();
  std::vector<LineIndex> lines(model.lines_per_feature(0));
  return each_key(keys, assembly_.labels().size, [&](Key key, std::int32_t* sums) {
    const Key own = label_key(key, action);
    model.prefetch_labels(&own, 1, 0, lines.data());
    model.labels(&own, lines.data(), 1, 0, sums);
  });
}

std::vector<std::int32_t> Inside::vector_action_weights(std::size_t address, std::span<const std::int32_t> rows) const {
  return each_row(address, rows, assembly_.system().actions(), [&](std::int32_t row, std::span<std::int32_t> sums) {
    assembly_.model().vector_actions(address, row, sums);
  });
}

std::vector<std::int32_t> Inside::vector_label_weights(std::size_t address, int action,
                                                       std::span<const std::int32_t> rows) const {
  check_action(action);
  return each_row(address, rows, assembly_.labels().size, [&](std::int32_t row, std::span<std::int32_t> sums) {
    assembly_.model().vector_labels(address, action, row, sums);
  });
}

}  // namespace panparser
