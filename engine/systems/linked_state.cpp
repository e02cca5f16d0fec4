// Arena and LinkedState.
#include <algorithm>

#include "systems/state_parts.hpp"

namespace panparser {

void Arena::reset(const Shape& shape, Token words, bool tracking) {
  states_.clear();
  records_.clear();
  links_.clear();
  shape_ = shape;
  width_ = tracking || shape.counts_trees ? (words + 2 + 63) / 64 : 0;
  sets_ = shape.has_list ? 3 : 2;
  bits_.assign(std::size_t(sets_) * width_, 0);
  tokens_ = shape.tracks_trees ? words + 2 : 0;
  planes_ = shape.counts_trees ? 3 : 2;
  trees_.resize(std::size_t(planes_) * tokens_);
  State start{initial_counters(shape, words), -1, -1, -1, -1, -1, {}};
  if (shape.starts_on_stack) {
    Record record;
    record.token = start.counters.root;
    start.stack = add_link(add_record(record), -1);
    if (width_) set_bit(bits_.data(), record.token);
  }
  if (shape.free_focus) {  // all tokens have a record, so that none is made where the focus only passes by
    Counters& counters = start.counters;
    counters.returned_size = counters.end() - counters.front;
    for (Token token = counters.end(); token-- > counters.front;) {
      Record record;
      record.token = token;
      start.returned = add_link(add_record(record), start.returned);
      if (tracking) set_bit(bits_.data(), token);
    }
    counters.front = counters.end();
  }
  states_.push_back(start);
  plant(LinkedState(*this, initial()).trees());
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
  const auto copy = [&](auto& parts, std::int64_t width) {
    const auto size = static_cast<std::int64_t>(parts.size());
    parts.resize(size + width);
    std::copy_n(parts.begin() + width * index_, width, parts.begin() + size);
  };
  copy(arena.bits_, std::int64_t(arena.sets_) * arena.width_);
  if (arena.tokens_) copy(arena.trees_, std::int64_t(arena.planes_) * arena.tokens_);
  arena.states_.push_back(arena.states_[index_]);
  Arena::State& next = arena.states_.back();
  next.parent = index_;
  next.action = action;
  next.arc = {};
  return {arena, arena.size() - 1};
}

inline std::int32_t& LinkedState::list_at(Position position) const {
  return position == kB0 ? state().returned : position == kL0 ? state().list : state().stack;
}

inline std::int32_t LinkedState::find(Position position) const {
  const auto& links = arena_->links_;
  std::int32_t link = list_at(position);
  if (position < kB0) {
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
  const Shape& shape = arena_->shape_;
  frame.at[kL0] = kNone;
  if (shape.has_list) {
    const Record* const aside = here.list >= 0 ? &arena_->records_[find(kL0)] : nullptr;
    frame.at[kL0] = aside ? aside->token : kNone;
    frame.facts[kIsAttached + int(kL0)] = aside && aside->head != kNone;
  }
  frame.on_stack = arena_->width_ ? on_stack() : nullptr;
  frame.attached = arena_->width_ ? attached() : nullptr;
  frame.on_list = shape.has_list && arena_->width_ ? on_list() : nullptr;
  frame.heads = shape.tracks_trees ? heads() : nullptr;
  frame.tops = shape.tracks_trees ? tops() : nullptr;
  frame.sizes = shape.counts_trees ? sizes() : nullptr;
  fill(frame, counters, shape);
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

void LinkedState::list_aside(std::vector<Token>& out) const {
  out.clear();
  for (std::int32_t link = state().list; link >= 0; link = arena_->links_[link].next) {
    out.push_back(arena_->records_[arena_->links_[link].record].token);
  }
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
  window.list = here.list < 0 ? nullptr : &arena_->records_[links[here.list].record];
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
  const std::int32_t link = splice(list_at(position), position < kB0 ? depth_of(position) : 0, record, false);
  list_at(position) = link;
}

void LinkedState::advance() {
  const Arena::Link link = arena_->links_[state().returned];
  const Record& record = arena_->records_[link.record];
  const bool open = record.token != state().counters.root && record.head == kNone;
  const std::int32_t pushed = arena_->add_link(link.record, state().stack);
  Arena::State& here = state();
  here.stack = pushed;
  here.returned = link.next;
  --here.counters.returned_size;
  ++here.counters.stack_size;
  here.counters.open_words += open;
}

void LinkedState::retreat() {
  const Arena::Link link = arena_->links_[state().stack];
  const Record& record = arena_->records_[link.record];
  const bool open = record.token != state().counters.root && record.head == kNone;
  const std::int32_t returned = arena_->add_link(link.record, state().returned);
  Arena::State& here = state();
  here.returned = returned;
  here.stack = link.next;
  ++here.counters.returned_size;
  --here.counters.stack_size;
  here.counters.open_words -= open;
}

void LinkedState::shift() {
  materialize();
  advance();
  if (arena_->width_) set_bit(on_stack(), arena_->records_[find(kS0)].token);
}

void LinkedState::drop() {
  materialize();
  Arena::State& here = state();
  const Arena::Link link = arena_->links_[here.returned];
  here.returned = link.next;
  --here.counters.returned_size;
  if (arena_->width_) clear_bit(on_stack(), arena_->records_[link.record].token);
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

void LinkedState::aside() {
  const std::int32_t record = find(kS0);
  const Token token = arena_->records_[record].token;
  const bool open = token != state().counters.root && arena_->records_[record].head == kNone;
  pop(0);
  const std::int32_t link = arena_->add_link(record, state().list);
  state().list = link;
  ++state().counters.list_size;
  state().counters.open_aside += open;
  if (arena_->width_) set_bit(on_list(), token);
}

void LinkedState::restore() {
  for (std::int32_t link = state().list; link >= 0; link = arena_->links_[link].next) {
    const std::int32_t record = arena_->links_[link].record;
    const std::int32_t pushed = arena_->add_link(record, state().stack);
    const Record& own = arena_->records_[record];
    Arena::State& here = state();
    here.stack = pushed;
    ++here.counters.stack_size;
    here.counters.open_words += own.token != here.counters.root && own.head == kNone;
    if (arena_->width_) set_bit(on_stack(), own.token);
  }
  clear();
}

void LinkedState::clear() {
  state().list = -1;
  state().counters.list_size = state().counters.open_aside = 0;
  if (arena_->width_) std::fill_n(on_list(), arena_->width_, 0);
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
    const bool was_open = token != state().counters.root && child.head == kNone;
    state().counters.open_words -= dependent < kB0 && was_open;
    state().counters.open_aside -= dependent == kL0 && was_open;
    child.set_head(parent.token, label);
    put(dependent, arena_->add_record(child));
  }
  Arena::State& here = state();
  here.arc = {parent.token, token, label};
  here.counters.root_children += parent.token == here.counters.root;
  if (arena_->width_) set_bit(attached(), token);
  if (arena_->tokens_) join(trees(), parent.token, token, on_stack(), here.counters.root);
}

Trees LinkedState::trees() const {
  return {heads(), tops(), arena_->shape_.counts_trees ? sizes() : nullptr, arena_->tokens_};
}

void LinkedState::count(Position position, int change) {
  const std::int32_t record = find(position);  // -1: it is in the buffer, and no arc has joined it
  const Token token = record < 0 ? state().counters.front : arena_->records_[record].token;
  if (token != state().counters.root) sizes()[tops()[token]] += change;
}

void LinkedState::count_list() {
  for (std::int32_t link = state().list; link >= 0; link = arena_->links_[link].next) {
    const Token token = arena_->records_[arena_->links_[link].record].token;
    sizes()[tops()[token]] += token != state().counters.root;
  }
}

void LinkedState::propose(Position head, Position dependent, std::int32_t label) {
  if (head == kB0 || dependent == kB0) materialize();
  Record child = arena_->records_[find(dependent)];
  child.propose_head(arena_->records_[find(head)].token, label);
  put(dependent, arena_->add_record(child));
}

}  // namespace panparser
