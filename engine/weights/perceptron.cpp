#include "weights/perceptron.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace panparser {

namespace {

constexpr std::size_t kFirstCapacity = 1 << 12;
bool is_full(std::int64_t size, std::size_t capacity) {
  return 3 * (size + 1) > 2 * static_cast<std::int64_t>(capacity);
}

std::int32_t rounded(double number) { return static_cast<std::int32_t>(std::floor(number + 0.5)); }

// Slots follow the high bits of keys, so few rows are out of place: insertion takes hardly more than one pass.
template <class Item, class Before>
void sort_nearly_sorted(std::vector<Item>& items, const Before& before) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const Item item = items[i];
    std::size_t at = i;
    for (; at > 0 && before(item, items[at - 1]); --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

// Calls `see` with the slots whose keys are in a range. They begin where its first key belongs, and end with the first
// empty slot at or after the place of its last.
template <class KeyAt, class See>
void each_slot(KeyRange range, std::size_t capacity, std::size_t first, std::size_t last, const KeyAt& key,
               const See& see) {
  for (std::size_t i = first; i < first + capacity; ++i) {
    const std::size_t at = i < capacity ? i : i - capacity;
    const Key here = key(at);
    if (here == 0 && i >= last) return;
    if (range.has(here)) see(at);
  }
}

}  // namespace

// --- DenseWeights ---

DenseWeights::DenseWeights(int classes)
    : classes_(classes),
      stride_((std::size_t(3) + classes + 1) / 2 * 2),
      capacity_(kFirstCapacity),
      slots_(capacity_ * stride_) {}

void DenseWeights::add_to(const Key* keys, int count, std::int32_t* sums) const {
  for (int i = 0; i < count; ++i) {
    const std::int32_t* found = find(keys[i]);
    if (!found) continue;
    for (int c = 0; c < classes_; ++c) sums[c] += found[c];
  }
}

void DenseWeights::add_averages_to(const Key* keys, int count, std::int64_t time, double scale,
                                   std::int32_t* sums) const {
  for (int i = 0; i < count; ++i) {
    const std::int32_t* found = find(keys[i]);
    if (!found) continue;
    const std::int64_t* dated = dated_.data() + std::int64_t(found[-1]) * classes_;
    for (int c = 0; c < classes_; ++c) sums[c] += rounded(average(found[c], dated[c], time) * scale);
  }
}

std::int32_t* DenseWeights::insert(Key key) {
  std::size_t at = place(key);
  if (key_at(slots_.data() + at * stride_) == key) return slots_.data() + at * stride_ + 3;
  if (is_full(size_, capacity_)) {
    grow();
    at = place(key);
  }
  std::int32_t* here = slots_.data() + at * stride_;
  here[0] = static_cast<std::int32_t>(key);
  here[1] = static_cast<std::int32_t>(key >> 32);
  here[2] = static_cast<std::int32_t>(size_++);
  dated_.resize(dated_.size() + classes_);
  return here + 3;
}

void DenseWeights::change(const Key* keys, int count, int c, std::int32_t by, std::int64_t time) {
  std::array<std::size_t, Program::kMaxTemplates> dated;
  for (int i = 0; i < count; ++i) {
    std::int32_t* const weights = insert(keys[i]);
    weights[c] += by;
    dated[i] = static_cast<std::size_t>(weights[-1]) * classes_ + c;
    prefetch_line(dated_.data() + dated[i]);
  }
  for (int i = 0; i < count; ++i) dated_[dated[i]] += by * time;
}

void DenseWeights::apply(const Changes& changes, std::int64_t time) {
  const Key* keys = changes.class_keys.data();
  const Key* const end = keys + changes.class_keys.size();
  for (const Changes::OfClass& change : changes.classes) {
    if (keys == changes.class_keys.data()) prefetch(keys, change.count);
    const Key* const next = keys + change.count;
    prefetch(next, static_cast<int>(std::min<std::ptrdiff_t>(end - next, change.count)));
    this->change(keys, change.count, change.c, change.by, time);
    keys = next;
  }
}

void DenseWeights::grow() {
  const LargeVector<std::int32_t> old = std::move(slots_);
  const std::size_t slots = capacity_;
  capacity_ += capacity_ / 2;
  slots_.assign(capacity_ * stride_, 0);
  dated_.reserve(capacity_ * 4 / 5 * classes_);
  for (std::size_t i = 0; i < slots; ++i) {
    const std::int32_t* from = old.data() + i * stride_;
    const Key key = key_at(from);
    if (key != 0) std::copy_n(from, stride_, slots_.data() + place(key) * stride_);
  }
}

std::vector<std::uint32_t> DenseWeights::order(KeyRange range) const {
  std::vector<std::uint32_t> order;
  each_slot(
      range, capacity_, slot(range.first), slot(range.last),
      [&](std::size_t at) { return key(static_cast<std::uint32_t>(at)); },
      [&](std::size_t at) { order.push_back(static_cast<std::uint32_t>(at)); });
  sort_nearly_sorted(order, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

DenseWeights::Rows DenseWeights::rows() const {
  Rows rows;
  rows.keys.reserve(size_);
  rows.weights.reserve(size_ * classes_);
  rows.dated.reserve(size_ * classes_);
  for (const std::uint32_t at : order()) {
    const std::int32_t* here = slots_.data() + at * stride_;
    rows.keys.push_back(key(at));
    rows.weights.insert(rows.weights.end(), here + 3, here + 3 + classes_);
    const auto dated = dated_.begin() + std::int64_t(here[2]) * classes_;
    rows.dated.insert(rows.dated.end(), dated, dated + classes_);
  }
  return rows;
}

void DenseWeights::load(const Rows& rows) {
  *this = DenseWeights(classes_);
  while (is_full(static_cast<std::int64_t>(rows.keys.size()), capacity_)) grow();  // sorted keys crowd in a small table
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    std::int32_t* weights = insert(rows.keys[i]);
    std::copy_n(rows.weights.begin() + std::int64_t(i) * classes_, classes_, weights);
    std::copy_n(rows.dated.begin() + std::int64_t(i) * classes_, classes_, dated_.end() - classes_);
  }
}

// --- SparseWeights ---

SparseWeights::SparseWeights() : slots_(kFirstCapacity), free_(17) {}

void SparseWeights::add_to(const Key* keys, int count, std::int32_t* sums) const {
  constexpr int kAtOnce = Program::kMaxTemplates;
  std::array<const Slot*, kAtOnce> rows;
  for (int i = 0; i < count; ++i) {
    rows[i] = find(keys[i]);
    if (rows[i]) prefetch_line(entries_.data() + rows[i]->first);
  }
  for (int i = 0; i < count; ++i) {
    if (!rows[i]) continue;
    const Entry* entry = entries_.data() + rows[i]->first;
    for (const Entry* end = entry + rows[i]->count; entry != end; ++entry) sums[entry->label] += entry->weight;
  }
}

void SparseWeights::add_averages_to(const Key* keys, int count, std::int64_t time, double scale,
                                    std::int32_t* sums) const {
  for (int i = 0; i < count; ++i) {
    const Slot* row = find(keys[i]);
    for (std::uint32_t at = row ? row->first : 0; row && at < row->first + row->count; ++at) {
      sums[entries_[at].label] += rounded(average(entries_[at].weight, dated_[at], time) * scale);
    }
  }
}

SparseWeights::Slot& SparseWeights::insert(Key key) {
  std::size_t at = place(key);
  if (slots_[at].key == key) return slots_[at];
  if (is_full(size_, slots_.size())) {
    grow();
    at = place(key);
  }
  slots_[at].key = key;
  ++size_;
  return slots_[at];
}

std::uint32_t SparseWeights::make_room(int room) {
  auto& left = free_[std::countr_zero(static_cast<unsigned>(room))];
  if (!left.empty()) {
    const std::uint32_t first = left.back();
    left.pop_back();
    return first;
  }
  const auto first = static_cast<std::uint32_t>(entries_.size());
  entries_.resize(entries_.size() + room);
  dated_.resize(entries_.size());
  return first;
}

void SparseWeights::prefetch_rows(const Key* keys, int count) const {
  prefetch(keys, count);
  for (int i = 0; i < count; ++i) {
    const Slot& row = slots_[place(keys[i])];
    prefetch_line(entries_.data() + row.first);  // of no row, if this one is new: no harm
    prefetch_line(dated_.data() + row.first);
  }
}

void SparseWeights::change(const Key* keys, int count, int label, std::int32_t by, std::int64_t time) {
  prefetch_rows(keys, count);
  for (int i = 0; i < count; ++i) change(insert(keys[i]), label, by, time);
}

void SparseWeights::apply(const Changes& changes, std::int64_t time) {
  const Key* keys = changes.class_keys.data();
  for (const Changes::OfClass& change : changes.classes) {
    this->change(keys, change.count, change.c, change.by, time);
    keys += change.count;
  }
}

void SparseWeights::shift(const Key* keys, int count, int from, int to, std::int32_t by, std::int64_t time) {
  prefetch_rows(keys, count);
  for (int i = 0; i < count; ++i) {
    Slot& row = insert(keys[i]);
    change(row, to, by, time);
    change(row, from, -by, time);
  }
}

void SparseWeights::change(Slot& row, int label, std::int32_t by, std::int64_t time) {
  std::uint32_t at = row.first;
  const std::uint32_t end = row.first + row.count;
  while (at != end && entries_[at].label != label) ++at;
  if (at == end) {
    if (row.count == row.room) {
      const std::uint32_t larger = make_room(row.room ? 2 * row.room : 1);
      std::copy_n(entries_.begin() + row.first, row.count, entries_.begin() + larger);
      std::copy_n(dated_.begin() + row.first, row.count, dated_.begin() + larger);
      if (row.room) free_[std::countr_zero(static_cast<unsigned>(row.room))].push_back(row.first);
      row.first = larger;
      row.room = static_cast<std::uint16_t>(row.room ? 2 * row.room : 1);
    }
    at = row.first + row.count++;
    entries_[at] = {label, 0};
    dated_[at] = 0;
    ++weights_;
  }
  entries_[at].weight += by;
  dated_[at] += by * time;
}

void SparseWeights::grow() {
  const LargeVector<Slot> old = std::move(slots_);
  slots_.assign(old.size() + old.size() / 2, Slot{});
  for (const Slot& row : old) {
    if (row.key != 0) slots_[place(row.key)] = row;
  }
}

SparseWeights::Rows SparseWeights::rows(KeyRange range) const {
  std::vector<const Slot*> order;
  each_slot(
      range, slots_.size(), slot(range.first), slot(range.last), [&](std::size_t at) { return slots_[at].key; },
      [&](std::size_t at) { order.push_back(&slots_[at]); });
  sort_nearly_sorted(order, [](const Slot* a, const Slot* b) { return a->key < b->key; });
  Rows rows;
  std::vector<std::uint32_t> entries;
  for (const Slot* row : order) {
    rows.keys.push_back(row->key);
    rows.counts.push_back(row->count);
    entries.resize(row->count);
    std::iota(entries.begin(), entries.end(), row->first);
    std::sort(entries.begin(), entries.end(),
              [&](std::uint32_t a, std::uint32_t b) { return entries_[a].label < entries_[b].label; });
    for (const std::uint32_t at : entries) {
      rows.labels.push_back(entries_[at].label);
      rows.weights.push_back(entries_[at].weight);
      rows.dated.push_back(dated_[at]);
    }
  }
  return rows;
}

void SparseWeights::load(const Rows& rows) {
  *this = SparseWeights();
  while (is_full(static_cast<std::int64_t>(rows.keys.size()), slots_.size())) grow();
  std::size_t entry = 0;
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    for (std::int32_t j = 0; j < rows.counts[i]; ++j, ++entry) {
      change(&rows.keys[i], 1, rows.labels[entry], rows.weights[entry], 0);
      const Slot& row = *find(rows.keys[i]);
      dated_[row.first + row.count - 1] = rows.dated[entry];
    }
  }
}

}  // namespace panparser
