#include "search/batch.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "search/search.hpp"

namespace panparser {

void Batch::start(std::span<const Sentence> sentences) {
  rows_.clear();
  sentences_.assign(sentences.begin(), sentences.end());
  if (arenas_.size() < sentences.size()) arenas_.resize(sentences.size());
  states_.clear();
  next_.clear();
  latest_.assign(sentences.size(), 0);
  words_ = 0;
  has_references_ = !sentences.empty();
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const Sentence& sentence = sentences[s];
    has_references_ &= sentence.reference != nullptr;
    const Token words = sentence.tokens.words;
    words_ += words;
    const bool asks = sentence.constraint && sentence.constraint->needs_heads();
    if (words > 0) arenas_[s].reset(system_.table().shape, words, sentence.reference != nullptr || asks);
    const auto number = static_cast<std::int32_t>(s);
    const bool is_final = words == 0 || system_.is_final(LinkedState(arenas_[s], 0));
    latest_[s] = add({number, 0, -1, 0, is_final});
  }
  rows_.swap(next_);
}

std::int32_t Batch::add(const State& state) {
  if (states_.size() >= std::numeric_limits<std::int32_t>::max()) throw std::length_error("too many states");
  const auto number = static_cast<std::int32_t>(states_.size());
  states_.push_back(state);
  if (!state.is_final) add_rows(number, next_);
  return number;
}

void Batch::add_rows(std::int32_t state, std::vector<Row>& rows) {
  const Constraint* const constraint = sentences_[states_[state].sentence].constraint;
  const std::size_t first = rows.size();
  const auto add_row = [&](const LinkedState& seen) {
    const Frame frame = seen.frame();
    const Bits truths = system_.truths(frame);
    Constraint::Choice choice{system_.legal(truths), 0};
    if (!choice.legal) return;
    if (constraint) choice = constraint->filter(system_, seen, frame, truths, choice.legal, constraint_scratch_);
    if (rows.size() > first && choice.cost > rows.back().violations) return;
    if (rows.size() > first && choice.cost < rows.back().violations) rows.resize(first);
    rows.push_back({state, choice.legal, truths, choice.cost, system_.has_free_focus() ? frame.at[kS0] : kNone});
  };
  if (system_.has_free_focus()) {
    see_all(at(state), system_.table().shape, add_row);
  } else {
    add_row(at(state));
  }
  if (rows.size() == first) throw Stuck("no legal transition in a state that is not final");
}

void Batch::check_states(std::span<const std::int32_t> states) const {
  for (const std::int32_t state : states) {
    if (state < 0 || state >= this->states()) {
      throw std::invalid_argument("expected states from 0 to " + std::to_string(this->states() - 1) + ", found " +
                                  std::to_string(state));
    }
  }
}

void Batch::select(std::span<const std::int32_t> states, std::span<const std::int32_t> focus) {
  check_states(states);
  for (const std::int32_t state : states) {
    if (states_[state].is_final) throw std::invalid_argument("state " + std::to_string(state) + " is final");
  }
  next_.clear();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::size_t first = next_.size();
    add_rows(states[i], next_);
    if (focus.empty()) continue;
    const auto is_there = [&](const Row& row) { return row.focus == focus[i]; };
    const auto begin = next_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = std::find_if(begin, next_.end(), is_there);
    if (found == next_.end()) {
      throw std::invalid_argument("no action is legal in state " + std::to_string(states[i]) + " with the focus at " +
                                  std::to_string(focus[i]));
    }
    *begin = *found;
    next_.resize(first + 1);
  }
  rows_.swap(next_);
}

void Batch::list_states(std::int32_t* out) const {
  for (const Row& row : rows_) *out++ = row.state;
}
void Batch::list_parents(std::int32_t* out) const {
  for (const Row& row : rows_) *out++ = states_[row.state].parent;
}
void Batch::list_sentences(std::int32_t* out) const {
  for (const Row& row : rows_) *out++ = states_[row.state].sentence;
}
void Batch::list_violations(std::int32_t* out) const {
  for (const Row& row : rows_) *out++ = row.violations;
}
void Batch::list_actions(std::int32_t* out) const {
  for (const Row& row : rows_) {
    const State& here = states_[row.state];
    const std::int32_t last = arenas_[here.sentence].action(here.index);
    *out++ = last < 0 ? last : action_of(last);
  }
}
void Batch::list_focus(std::int32_t* out) const {
  for (const Row& row : rows_) *out++ = row.focus;
}
void Batch::list_arcs(std::int32_t* out) const {
  for (const Row& row : rows_) {
    const Arc& arc = arenas_[states_[row.state].sentence].arc(states_[row.state].index);
    *out++ = outside(row.state, arc.head);
    *out++ = outside(row.state, arc.dependent);
    *out++ = arc.label;
  }
}

void Batch::legal(bool* out) const {
  const int actions = system_.actions();
  for (const Row& row : rows_) {
    for (int action = 0; action < actions; ++action) *out++ = row.legal >> action & 1;
  }
}

void Batch::costs(std::int32_t* out) {
  const auto actions = static_cast<std::size_t>(system_.actions());
  std::fill_n(out, rows_.size() * actions, kIllegalCost);
  for (std::size_t row = 0; row < rows_.size(); ++row, out += actions) costs(row, {out, actions});
}

void Batch::costs(std::size_t row, std::span<std::int32_t> out) {
  const Row& own = rows_[row];
  const Reference& reference = *sentences_[states_[own.state].sentence].reference;
  see(own, [&](const LinkedState& seen) {
    system_.costs(seen, seen.frame(), own.truths, own.legal, reference, scratch_, out);
  });
}

void Batch::oracle(std::int32_t* out) {
  std::array<std::int32_t, System::kMaxRows> costs;
  Rank least;
  std::int32_t* chosen = nullptr;  // of the rows of a state
  for (std::size_t i = 0; i < rows_.size(); ++i, ++out) {
    const Row& row = rows_[i];
    const Reference& reference = *sentences_[states_[row.state].sentence].reference;
    see(row, [&](const LinkedState& seen) {
      const Frame frame = seen.frame();
      system_.costs(seen, frame, row.truths, row.legal, reference, scratch_, costs);
      *out = static_action(system_, frame, row.legal, costs, reference.gold, ties_);
      if (row.focus == kNone) return;
      const Rank rank = static_rank(system_, frame, *out, costs[*out], reference.gold, ties_);
      const bool is_first = i == 0 || rows_[i - 1].state != row.state;
      if (is_first || rank < least) {
        if (!is_first) *chosen = -1;
        chosen = out;
        least = rank;
      } else {
        *out = -1;
      }
    });
  }
}

void Batch::positions(std::span<const std::int32_t> addresses, std::int32_t* out) const {
  for (const Row& row : rows_) {
    see(row, [&](const LinkedState& seen) {
      const Window window = seen.window();
      for (const std::int32_t address : addresses) *out++ = outside(row.state, program_.token(window, address));
    });
  }
}

void Batch::places(std::span<const std::int32_t> addresses, std::span<const std::int64_t> first, std::int64_t none,
                   std::int64_t* out) const {
  for (const Row& row : rows_) {
    const std::int64_t root = first[states_[row.state].sentence];
    see(row, [&](const LinkedState& seen) {
      const Window window = seen.window();
      for (const std::int32_t address : addresses) {
        const Token token = outside(row.state, program_.token(window, address));
        *out++ = token < 0 ? none : root + token;
      }
    });
  }
}

void Batch::arc_places(std::int64_t width, std::int64_t* out) const {
  const int actions = system_.actions();
  for (const Row& row : rows_) {
    const std::int64_t sentence = states_[row.state].sentence;
    see(row, [&](const LinkedState& seen) {
      const Frame frame = seen.frame();
      for (int action = 0; action < actions; ++action, ++out) {
        *out = -1;
        if (!(row.legal >> action & 1)) continue;
        const Arc arc = system_.labeled_arc(frame, action);
        const Token head = outside(row.state, arc.head), dependent = outside(row.state, arc.dependent);
        if (head >= 0 && dependent > 0) *out = (sentence * width + dependent) * width + head;
      }
    });
  }
}

void Batch::labels(std::span<const std::int32_t> addresses, std::int32_t* out) const {
  for (const Row& row : rows_) {
    see(row, [&](const LinkedState& seen) {
      const Window window = seen.window();
      for (const std::int32_t address : addresses) *out++ = Program::resolve(window, address).label;
    });
  }
}

void Batch::history(std::size_t count, std::int32_t* out) const {
  for (const Row& row : rows_) {
    const std::uint32_t actions = at(row.state).window().history;
    for (std::size_t ago = 0; ago < count; ++ago) *out++ = static_cast<std::int32_t>(actions >> (8 * ago) & 0xff) - 1;
  }
}

std::int32_t Batch::deepest() const {
  std::int32_t found = 0;
  for (const Row& row : rows_) {
    see(row, [&](const LinkedState& seen) { found = std::max(found, seen.counters().stack_size); });
  }
  return found;
}

void Batch::stacks(std::int32_t* out) const {
  const auto width = static_cast<std::size_t>(deepest());
  std::vector<Token> stack;
  for (const Row& row : rows_) {
    see(row, [&](const LinkedState& seen) { seen.list_stack(stack); });
    for (const Token token : stack) *out++ = outside(row.state, token);
    out = std::fill_n(out, width - stack.size(), -1);
  }
}

void Batch::keys(Key* out) {
  for (const Row& row : rows_) {
    see(row, [&](const LinkedState& seen) {
      selection_.extract(1, seen.window(), sentences_[states_[row.state].sentence].tokens, keys_.data());
    });
    for (const Key key : keys_) out[template_of(key)] = key;  // they come by what templates look at
    out += keys_.size();
  }
}

void Batch::check_actions(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t row = rows[i], action = actions[i];
    if (row < 0 || static_cast<std::size_t>(row) >= rows_.size()) {
      throw std::invalid_argument("expected rows from 0 to " + std::to_string(std::int64_t(rows_.size()) - 1) +
                                  ", found " + std::to_string(row));
    }
    if (action < 0 || action >= system_.actions() || !(rows_[row].legal >> action & 1)) {
      throw std::invalid_argument("action " + std::to_string(action) + " is illegal in row " + std::to_string(row));
    }
  }
}

void Batch::arcs(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions, std::int32_t* heads,
                 std::int32_t* dependents) const {
  check_actions(rows, actions);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows_[rows[i]];
    see(row, [&](const LinkedState& seen) {
      const Arc arc = system_.labeled_arc(seen.frame(), actions[i]);
      heads[i] = outside(row.state, arc.head);
      dependents[i] = outside(row.state, arc.dependent);
    });
  }
}

void Batch::apply(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions,
                  std::span<const std::int32_t> labels, std::int32_t* out) {
  check_actions(rows, actions);
  next_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows_[rows[i]];
    const std::int32_t before = row.state;
    const std::int32_t sentence = states_[before].sentence;
    LinkedState after = at(before).fork(step(row, actions[i]));
    take(system_, after, step(row, actions[i]), labels.empty() ? -1 : labels[i]);
    const std::int32_t length = states_[before].length + 1;
    check_steps(length, sentences_[sentence].tokens.words);
    out[i] = latest_[sentence] = add({sentence, after.index(), before, length, system_.is_final(after)});
  }
  rows_.swap(next_);
}

void Batch::is_final(std::span<const std::int32_t> states, bool* out) const {
  check_states(states);
  for (const std::int32_t state : states) *out++ = states_[state].is_final;
}

void Batch::derivation(std::int32_t state, std::int32_t* states, std::int32_t* steps) const {
  for (std::int32_t i = states_[state].length; i-- > 0; state = states_[state].parent) {
    states[i] = states_[state].parent;
    steps[i] = arenas_[states_[state].sentence].action(states_[state].index);
  }
}

void Batch::trees(std::span<const std::int32_t> states, std::int32_t* heads, std::int32_t* labels) const {
  check_states(states);
  std::fill_n(heads, words_, -1);
  std::fill_n(labels, words_, -1);
  for (std::size_t s = 0; s < states.size(); ++s) {
    const State& here = states_[states[s]];
    if (here.sentence != static_cast<std::int32_t>(s)) {
      throw std::invalid_argument("state " + std::to_string(states[s]) + " is of sentence " +
                                  std::to_string(here.sentence) + ", not " + std::to_string(s));
    }
    const Token words = sentences_[s].tokens.words;
    if (words == 0) continue;
    const Token root = system_.table().shape.root(words);
    for (std::int32_t i = here.index; i >= 0; i = arenas_[s].parent(i)) {
      const Arc& arc = arenas_[s].arc(i);
      if (arc.head == kNone || arc.dependent == root || heads[arc.dependent - 1] != -1) continue;  // the latest counts
      heads[arc.dependent - 1] = arc.head == root ? 0 : arc.head;
      labels[arc.dependent - 1] = arc.label;
    }
    const auto size = static_cast<std::size_t>(words);
    if (here.is_final) system_.attach_rest({heads, size}, {labels, size}, -1);
    heads += words;
    labels += words;
  }
}

void Batch::list_latest(std::int32_t* out) const { std::copy(latest_.begin(), latest_.end(), out); }

}  // namespace panparser
