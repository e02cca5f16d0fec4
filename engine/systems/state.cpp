#include "systems/state.hpp"

#include <algorithm>

#include "systems/state_parts.hpp"

namespace panparser {

namespace {

// Sums of these distinguish sets of arcs, regardless of their order.
std::uint64_t arc_digest(Token other, std::int32_t label, std::uint64_t kind) {
  return mix(kind << 60 | static_cast<std::uint64_t>(label + 1) << 32 | static_cast<std::uint64_t>(other));
}

}  // namespace

void Record::add_child(Token child, std::int32_t child_label) {
  const bool before = child < token;
  auto& nearest = before ? left : right;
  auto& labels = before ? left_label : right_label;
  auto outside = [&](Token other) { return other == kNone || (before ? child < other : child > other); };
  if (outside(nearest[0])) {
    nearest = {child, nearest[0]};
    labels = {child_label, labels[0]};
  } else if (outside(nearest[1])) {
    nearest[1] = child;
    labels[1] = child_label;
  }
  ++(before ? left_valency : right_valency);
  if (child_label >= 0) (before ? left_labels : right_labels) |= std::uint64_t(1) << (child_label & 63);
  digest += arc_digest(child, child_label, 1);
}

void Record::set_head(Token new_head, std::int32_t new_label) {
  if (head != kNone) digest -= arc_digest(head, label, 2);
  head = new_head;
  label = new_label;
  digest += arc_digest(head, label, 2);
}

void Record::propose_head(Token new_head, std::int32_t new_label) {
  if (proposed != kNone) digest -= arc_digest(proposed, proposed_label, 3);
  proposed = new_head;
  proposed_label = new_label;
  digest += arc_digest(proposed, proposed_label, 3);
}

// --- MutableState ---

void MutableState::reset(const Shape& shape, Token words) {
  shape_ = shape;
  counters_ = initial_counters(shape, words);
  records_.assign(words + 2, Record{});
  for (Token token = 0; token < words + 2; ++token) records_[token].token = token;
  stack_.clear();
  returned_.clear();
  list_.clear();
  const auto width = (words + 2 + 63) / 64;
  on_stack_.assign(width, 0);
  attached_.assign(width, 0);
  if (shape.has_list) on_list_.assign(width, 0);
  if (shape.tracks_trees) {
    heads_.resize(words + 2);
    tops_.resize(words + 2);
    sizes_.resize(words + 2);
    plant(trees());
  }
  if (shape.starts_on_stack) {
    stack_.push_back(counters_.root);
    set_bit(on_stack_.data(), counters_.root);
  }
  for (Token token = counters_.front; shape.free_focus && token < counters_.end(); ++token) {
    set_bit(on_stack_.data(), token);
  }
}

Token MutableState::first_in_buffer() const {
  if (!returned_.empty()) return returned_.back();
  return counters_.front < counters_.end() ? counters_.front : kNone;
}

Token MutableState::token(Position position) const {
  if (position == kB0) return first_in_buffer();
  if (position == kL0) return list_.empty() ? kNone : list_.back();
  const auto depth = static_cast<std::size_t>(depth_of(position));
  return depth < stack_.size() ? stack_[stack_.size() - 1 - depth] : kNone;
}

Frame MutableState::frame() const {
  Frame frame;
  auto look = [&](Position position) {
    const Token at = token(position);
    frame.at[position] = at;
    frame.facts[kIsAttached + int(position)] = at != kNone && records_[at].head != kNone;
  };
  for (int p = 0; p < kL0; ++p) look(Position(p));
  frame.at[kL0] = kNone;
  if (shape_.has_list) look(kL0);
  frame.on_stack = on_stack_.data();
  frame.attached = attached_.data();
  frame.on_list = shape_.has_list ? on_list_.data() : nullptr;
  frame.heads = shape_.tracks_trees ? heads_.data() : nullptr;
  frame.tops = shape_.tracks_trees ? tops_.data() : nullptr;
  frame.sizes = shape_.counts_trees ? sizes_.data() : nullptr;
  fill(frame, counters_, shape_);
  return frame;
}

void MutableState::list_buffer(std::vector<Token>& out) const {
  out.assign(returned_.rbegin(), returned_.rend());
  for (Token token = counters_.front; token < counters_.end(); ++token) out.push_back(token);
}

void MutableState::list_aside(std::vector<Token>& out) const { out.assign(list_.rbegin(), list_.rend()); }

std::vector<Arc> MutableState::arcs() const {
  std::vector<Arc> arcs;
  for (Token word = 1; word <= counters_.words; ++word) {
    const Record& record = records_[word];
    if (record.head != kNone) arcs.push_back({record.head, word, record.label});
  }
  return arcs;
}

Record MutableState::record(Position position) const {
  const Token at = token(position);
  return at == kNone ? Record{} : records_[at];
}

Window MutableState::window() const {
  Window window;
  for (int depth = 0; depth < Window::kDepth; ++depth) {
    const auto size = static_cast<int>(stack_.size());
    window.stack[depth] = depth < size ? &records_[stack_[size - 1 - depth]] : nullptr;
  }
  int filled = 0;
  for (auto token = returned_.rbegin(); token != returned_.rend() && filled < Window::kDepth; ++token) {
    window.buffer[filled++] = *token;
  }
  fill_buffer(window, filled, counters_);
  window.front = window.buffer[0] == kNone ? nullptr : &records_[window.buffer[0]];
  window.list = list_.empty() ? nullptr : &records_[list_.back()];
  window.history = counters_.history;
  return window;
}

Token MutableState::take_first() {
  const Token token = first_in_buffer();
  if (returned_.empty()) {
    ++counters_.front;
  } else {
    returned_.pop_back();
    --counters_.returned_size;
  }
  return token;
}

void MutableState::advance() {
  const Token token = take_first();
  stack_.push_back(token);
  ++counters_.stack_size;
  counters_.open_words += token != counters_.root && records_[token].head == kNone;
}

void MutableState::retreat() {
  const Token token = stack_.back();
  stack_.pop_back();
  --counters_.stack_size;
  counters_.open_words -= token != counters_.root && records_[token].head == kNone;
  returned_.push_back(token);
  ++counters_.returned_size;
}

void MutableState::shift() {
  advance();
  set_bit(on_stack_.data(), stack_.back());
}

void MutableState::pop(int depth) {
  const auto place = stack_.end() - 1 - depth;
  const Token token = *place;
  stack_.erase(place);
  --counters_.stack_size;
  counters_.open_words -= token != counters_.root && records_[token].head == kNone;
  clear_bit(on_stack_.data(), token);
}

void MutableState::drop() { clear_bit(on_stack_.data(), take_first()); }

void MutableState::back() {
  const Token token = stack_[stack_.size() - 2];
  pop(1);
  returned_.push_back(token);
  ++counters_.returned_size;
}

void MutableState::aside() {
  const Token token = stack_.back();
  pop(0);
  list_.push_back(token);
  ++counters_.list_size;
  counters_.open_aside += token != counters_.root && records_[token].head == kNone;
  set_bit(on_list_.data(), token);
}

void MutableState::restore() {
  for (; !list_.empty(); list_.pop_back()) {
    const Token token = list_.back();
    stack_.push_back(token);
    ++counters_.stack_size;
    counters_.open_words += token != counters_.root && records_[token].head == kNone;
    set_bit(on_stack_.data(), token);
  }
  counters_.list_size = counters_.open_aside = 0;
  std::fill(on_list_.begin(), on_list_.end(), 0);
}

void MutableState::clear() {
  list_.clear();
  counters_.list_size = counters_.open_aside = 0;
  std::fill(on_list_.begin(), on_list_.end(), 0);
}

void MutableState::attach(Position head, Position dependent, std::int32_t label, bool) {
  const Token h = token(head);
  const Token d = token(dependent);
  const bool was_open = d != counters_.root && records_[d].head == kNone;
  if (dependent == kL0) {
    counters_.open_aside -= was_open;
  } else {
    counters_.open_words -= dependent < kB0 && was_open;
  }
  records_[d].set_head(h, label);
  records_[h].add_child(d, label);
  counters_.root_children += h == counters_.root;
  set_bit(attached_.data(), d);
  if (shape_.tracks_trees) join(trees(), h, d, on_stack_.data(), counters_.root);
}

Trees MutableState::trees() {
  return {heads_.data(), tops_.data(), shape_.counts_trees ? sizes_.data() : nullptr, counters_.words + 2};
}

void MutableState::count(Position position, int change) {
  const Token counted = token(position);
  if (counted != counters_.root) sizes_[tops_[counted]] += change;
}

void MutableState::count_list() {
  for (const Token token : list_) sizes_[tops_[token]] += token != counters_.root;
}

void MutableState::propose(Position head, Position dependent, std::int32_t label) {
  records_[token(dependent)].propose_head(token(head), label);
}

}  // namespace panparser
