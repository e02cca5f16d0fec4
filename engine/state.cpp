#include "state.hpp"

#include <algorithm>

namespace panparser {

namespace {

void set_bit(Bits* set, Token token) { set[token >> 6] |= Bits(1) << (token & 63); }
void clear_bit(Bits* set, Token token) { set[token >> 6] &= ~(Bits(1) << (token & 63)); }

Counters initial_counters(const Shape& shape, Token words) {
  Counters counters{};
  counters.words = words;
  counters.root = shape.root(words);
  counters.front = shape.root_first && !shape.starts_on_stack ? 0 : 1;
  counters.stack_size = shape.starts_on_stack ? 1 : 0;
  return counters;
}

constexpr std::int32_t kFar = 1 << 30;  // the distance to an absent token: beyond any bound

// Fills in what follows from the positions and the counters. `kIsAttached` of the positions holds 0 or 1
// already.
void fill(Frame& frame, const Counters& counters) {
  frame.root = counters.root;
  frame.facts[kStackSize] = counters.stack_size;
  frame.facts[kBufferSize] = counters.buffer_size();
  frame.facts[kOpenWords] = counters.open_words;
  frame.facts[kRootChildren] = counters.root_children;
  for (int p = 0; p < kPositions; ++p) {
    const Token token = frame.at[p];
    frame.facts[kIsWord + p] = token == kNone ? -1 : token != counters.root;
    if (token == kNone || token == counters.root) frame.facts[kIsAttached + p] = -1;
  }
  auto distance = [&](Position from, Position to) {
    return frame.at[from] == kNone || frame.at[to] == kNone ? kFar : frame.at[to] - frame.at[from];
  };
  frame.facts[kFromS0ToB0] = distance(kS0, kB0);
  frame.facts[kFromS1ToS0] = distance(kS1, kS0);
  frame.facts[kFromS2ToS0] = distance(kS2, kS0);
  frame.front = frame.at[kB0] == kNone ? counters.end() : frame.at[kB0];
}

// The buffer behind its returned words.
void fill_buffer(Window& window, int filled, const Counters& counters) {
  for (Token token = counters.front; filled < Window::kDepth; ++token) {
    window.buffer[filled++] = token < counters.end() ? token : kNone;
  }
}

// Sums of these tell sets of arcs apart, in whatever order they were made.
std::uint64_t arc_digest(Token other, std::int32_t label, std::uint64_t kind) {
  return mix(kind << 60 | static_cast<std::uint64_t>(label + 1) << 32 | static_cast<std::uint64_t>(other));
}

std::int32_t depth_of(Position position) { return position - kS0; }

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
  counters_ = initial_counters(shape, words);
  records_.assign(words + 2, Record{});
  for (Token token = 0; token < words + 2; ++token) records_[token].token = token;
  stack_.clear();
  returned_.clear();
  const auto width = (words + 2 + 63) / 64;
  on_stack_.assign(width, 0);
  attached_.assign(width, 0);
  if (shape.starts_on_stack) {
    stack_.push_back(counters_.root);
    set_bit(on_stack_.data(), counters_.root);
  }
}

Token MutableState::first_in_buffer() const {
  if (!returned_.empty()) return returned_.back();
  return counters_.front < counters_.end() ? counters_.front : kNone;
}

Token MutableState::token(Position position) const {
  if (position == kB0) return first_in_buffer();
  const auto depth = static_cast<std::size_t>(depth_of(position));
  return depth < stack_.size() ? stack_[stack_.size() - 1 - depth] : kNone;
}

Frame MutableState::frame() const {
  Frame frame;
  for (int p = 0; p < kPositions; ++p) {
    const Token at = token(Position(p));
    frame.at[p] = at;
    frame.facts[kIsAttached + p] = at != kNone && records_[at].head != kNone;
  }
  fill(frame, counters_);
  frame.on_stack = on_stack_.data();
  frame.attached = attached_.data();
  return frame;
}

void MutableState::list_buffer(std::vector<Token>& out) const {
  out.assign(returned_.rbegin(), returned_.rend());
  for (Token token = counters_.front; token < counters_.end(); ++token) out.push_back(token);
}

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
  window.history = counters_.history;
  return window;
}

void MutableState::shift() {
  const Token token = first_in_buffer();
  if (returned_.empty()) {
    ++counters_.front;
  } else {
    returned_.pop_back();
    --counters_.returned_size;
  }
  stack_.push_back(token);
  ++counters_.stack_size;
  counters_.open_words += token != counters_.root && records_[token].head == kNone;
  set_bit(on_stack_.data(), token);
}

void MutableState::pop(int depth) {
  const auto place = stack_.end() - 1 - depth;
  const Token token = *place;
  stack_.erase(place);
  --counters_.stack_size;
  counters_.open_words -= token != counters_.root && records_[token].head == kNone;
  clear_bit(on_stack_.data(), token);
}

void MutableState::back() {
  const Token token = stack_[stack_.size() - 2];
  pop(1);
  returned_.push_back(token);
  ++counters_.returned_size;
}

void MutableState::attach(Position head, Position dependent, std::int32_t label, bool) {
  const Token h = token(head);
  const Token d = token(dependent);
  counters_.open_words -= dependent != kB0 && d != counters_.root && records_[d].head == kNone;
  records_[d].set_head(h, label);
  records_[h].add_child(d, label);
  counters_.root_children += h == counters_.root;
  set_bit(attached_.data(), d);
}

void MutableState::propose(Position head, Position dependent, std::int32_t label) {
  records_[token(dependent)].propose_head(token(head), label);
}

// --- Arena and LinkedState ---

void Arena::reset(const Shape& shape, Token words, bool tracking) {
  states_.clear();
  records_.clear();
  links_.clear();
  width_ = tracking ? (words + 2 + 63) / 64 : 0;
  bits_.assign(std::size_t(2) * width_, 0);
  State start{initial_counters(shape, words), -1, -1, -1, -1, {}};
  if (shape.starts_on_stack) {
    Record record;
    record.token = start.counters.root;
    start.stack = add_link(add_record(record), -1);
    if (tracking) set_bit(bits_.data(), record.token);
  }
  states_.push_back(start);
}

std::int32_t Arena::add_record(const Record& record) {
  records_.push_back(record);
  return static_cast<std::int32_t>(records_.size()) - 1;
}

std::int32_t Arena::add_link(std::int32_t record, std::int32_t next) {
  links_.push_back({record, next});
  return static_cast<std::int32_t>(links_.size()) - 1;
}

LinkedState LinkedState::fork(std::int32_t action) const {
  Arena& arena = *arena_;
  const std::int64_t width = std::int64_t(2) * arena.width_;
  const std::int64_t from = width * index_;
  const auto size = arena.bits_.size();
  arena.bits_.resize(size + width);
  std::copy_n(arena.bits_.begin() + from, width, arena.bits_.begin() + static_cast<std::int64_t>(size));
  arena.states_.push_back(arena.states_[index_]);
  Arena::State& next = arena.states_.back();
  next.parent = index_;
  next.action = action;
  next.arc = {};
  return {arena, arena.size() - 1};
}

std::int32_t LinkedState::find(Position position) const {
  const auto& links = arena_->links_;
  std::int32_t link = position == kB0 ? state().returned : state().stack;
  if (position != kB0) {
    for (int depth = depth_of(position); depth > 0 && link >= 0; --depth) link = links[link].next;
  }
  return link < 0 ? -1 : links[link].record;
}

Frame LinkedState::frame() const {
  const Arena::State& here = state();
  Frame frame;
  std::int32_t link = here.stack;
  for (int p = kS0; p <= kS2; ++p) {
    if (link >= 0) {
      const Record& record = arena_->records_[arena_->links_[link].record];
      frame.at[p] = record.token;
      frame.facts[kIsAttached + p] = record.head != kNone;
      link = arena_->links_[link].next;
    } else {
      frame.at[p] = kNone;
      frame.facts[kIsAttached + p] = 0;
    }
  }
  const Record* first = here.returned >= 0 ? &arena_->records_[find(kB0)] : nullptr;
  const Counters& counters = here.counters;
  frame.at[kB0] = first ? first->token : counters.front < counters.end() ? counters.front : kNone;
  frame.facts[kIsAttached + int(kB0)] = first && first->head != kNone;
  fill(frame, counters);
  frame.on_stack = arena_->width_ ? on_stack() : nullptr;
  frame.attached = arena_->width_ ? attached() : nullptr;
  return frame;
}

void LinkedState::list_stack(std::vector<Token>& out) const {
  out.resize(state().counters.stack_size);
  auto place = out.rbegin();
  for (std::int32_t link = state().stack; link >= 0; link = arena_->links_[link].next) {
    *place++ = arena_->records_[arena_->links_[link].record].token;
  }
}

void LinkedState::list_buffer(std::vector<Token>& out) const {
  out.clear();
  for (std::int32_t link = state().returned; link >= 0; link = arena_->links_[link].next) {
    out.push_back(arena_->records_[arena_->links_[link].record].token);
  }
  for (Token token = state().counters.front; token < state().counters.end(); ++token) out.push_back(token);
}

std::vector<Arc> LinkedState::arcs() const {
  std::vector<Arc> arcs;
  for (std::int32_t at = index_; at >= 0; at = arena_->states_[at].parent) {
    if (arena_->states_[at].arc.head != kNone) arcs.push_back(arena_->states_[at].arc);
  }
  auto before = [](const Arc& a, const Arc& b) { return a.dependent < b.dependent; };
  std::stable_sort(arcs.begin(), arcs.end(), before);  // the latest arc of a dependent comes first
  auto same = [](const Arc& a, const Arc& b) { return a.dependent == b.dependent; };
  arcs.erase(std::unique(arcs.begin(), arcs.end(), same), arcs.end());
  return arcs;
}

Record LinkedState::record(Position position) const {
  const std::int32_t record = find(position);
  if (record >= 0) return arena_->records_[record];
  Record fresh;
  fresh.token = frame().at[position];
  return fresh;
}

Window LinkedState::window() const {
  const Arena::State& here = state();
  const auto& links = arena_->links_;
  Window window;
  std::int32_t link = here.stack;
  for (auto& record : window.stack) {
    record = link < 0 ? nullptr : &arena_->records_[links[link].record];
    if (link >= 0) link = links[link].next;
  }
  int filled = 0;
  for (link = here.returned; link >= 0 && filled < Window::kDepth; link = links[link].next) {
    window.buffer[filled++] = arena_->records_[links[link].record].token;
  }
  fill_buffer(window, filled, here.counters);
  window.front = here.returned < 0 ? nullptr : &arena_->records_[links[here.returned].record];
  window.history = here.counters.history;
  return window;
}

void LinkedState::materialize() {
  if (state().returned >= 0) return;
  Record record;
  record.token = state().counters.front;
  const std::int32_t link = arena_->add_link(arena_->add_record(record), -1);
  state().returned = link;
  ++state().counters.front;
  ++state().counters.returned_size;
}

// A copy of the list at `link` whose element at `depth` holds `record` instead, or is left out.
std::int32_t LinkedState::splice(std::int32_t link, int depth, std::int32_t record, bool drop) {
  const Arena::Link here = arena_->links_[link];
  if (depth > 0) return arena_->add_link(here.record, splice(here.next, depth - 1, record, drop));
  return drop ? here.next : arena_->add_link(record, here.next);
}

void LinkedState::put(Position position, std::int32_t record) {
  const bool buffer = position == kB0;
  const std::int32_t link =
      splice(buffer ? state().returned : state().stack, buffer ? 0 : depth_of(position), record, false);
  (buffer ? state().returned : state().stack) = link;
}

void LinkedState::shift() {
  materialize();
  const Arena::Link link = arena_->links_[state().returned];
  const Record& record = arena_->records_[link.record];
  const Token token = record.token;
  const bool open = token != state().counters.root && record.head == kNone;
  const std::int32_t pushed = arena_->add_link(link.record, state().stack);
  Arena::State& here = state();
  here.stack = pushed;
  here.returned = link.next;
  --here.counters.returned_size;
  ++here.counters.stack_size;
  here.counters.open_words += open;
  if (arena_->width_) set_bit(on_stack(), token);
}

void LinkedState::pop(int depth) {
  const Record& record = arena_->records_[find(Position(kS0 + depth))];
  const Token token = record.token;
  const bool open = token != state().counters.root && record.head == kNone;
  const std::int32_t stack = splice(state().stack, depth, -1, true);
  Arena::State& here = state();
  here.stack = stack;
  --here.counters.stack_size;
  here.counters.open_words -= open;
  if (arena_->width_) clear_bit(on_stack(), token);
}

void LinkedState::back() {
  const std::int32_t record = find(kS1);
  pop(1);
  const std::int32_t returned = arena_->add_link(record, state().returned);
  state().returned = returned;
  ++state().counters.returned_size;
}

void LinkedState::attach(Position head, Position dependent, std::int32_t label, bool leaves) {
  if (head == kB0 || dependent == kB0) materialize();
  Record parent = arena_->records_[find(head)];
  const std::int32_t before = find(dependent);
  const Token token = arena_->records_[before].token;
  parent.add_child(token, label);
  put(head, arena_->add_record(parent));
  if (!leaves) {
    Record child = arena_->records_[before];
    state().counters.open_words -= dependent != kB0 && token != state().counters.root && child.head == kNone;
    child.set_head(parent.token, label);
    put(dependent, arena_->add_record(child));
  }
  Arena::State& here = state();
  here.arc = {parent.token, token, label};
  here.counters.root_children += parent.token == here.counters.root;
  if (arena_->width_) set_bit(attached(), token);
}

void LinkedState::propose(Position head, Position dependent, std::int32_t label) {
  if (head == kB0 || dependent == kB0) materialize();
  Record child = arena_->records_[find(dependent)];
  child.propose_head(arena_->records_[find(head)].token, label);
  put(dependent, arena_->add_record(child));
}

}  // namespace panparser
