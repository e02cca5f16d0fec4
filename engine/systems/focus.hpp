// A free focus: the places where it can be, and steps, which name an action and its place.
#pragma once

#include <cstdint>

#include "systems/system.hpp"

namespace panparser {

// The number of an action; with a free focus, also of the token at S0 where it is taken.
inline constexpr std::int32_t make_step(int action, Token focus) { return focus * System::kMaxRows + action; }
inline constexpr int action_of(std::int32_t step) { return step & (System::kMaxRows - 1); }
inline constexpr Token focus_of(std::int32_t step) { return step / System::kMaxRows; }

// Visits a state with its focus behind each token in turn, and leaves it behind the last one.
template <class State, class Visit>
void each_focus(State& state, const Visit& visit) {
  if (state.counters().stack_size > 0) visit(state);
  while (state.counters().buffer_size() > 0) {
    state.advance();
    visit(state);
  }
}

// Puts the focus behind a token that is there; or, from anywhere, back to where it was at the start.
template <class State>
void focus_on(State& state, Token token) {
  while (state.top() != token) state.advance();
}
template <class State>
void unfocus(State& state, const Shape& shape) {
  const std::int32_t size = shape.starts_on_stack ? 1 : 0;
  while (state.counters().stack_size > size) state.retreat();
  while (state.counters().stack_size < size && state.counters().buffer_size() > 0) state.advance();
}

// Takes a step, wherever it is.
template <class State>
void take(const System& system, State& state, std::int32_t step, std::int32_t label) {
  if (!system.has_free_focus()) return system.apply(state, step, label);
  focus_on(state, focus_of(step));
  system.apply(state, action_of(step), label);
  unfocus(state, system.table().shape);
}

// Calls a function with a state as a step sees it.
template <class See>
void see(const System& system, LinkedState state, std::int32_t step, const See& look) {
  if (!system.has_free_focus()) return look(state);
  const Arena::Mark mark = state.arena().mark();
  LinkedState view = state.fork(-1);
  focus_on(view, focus_of(step));
  look(view);
  state.arena().forget(mark);
}

// Calls a function with a state as it is seen from each place of a free focus.
template <class See>
void see_all(LinkedState state, const Shape&, const See& look) {
  const Arena::Mark mark = state.arena().mark();
  LinkedState view = state.fork(-1);
  each_focus(view, look);
  state.arena().forget(mark);
}
template <class See>
void see_all(MutableState& state, const Shape& shape, const See& look) {
  each_focus(state, look);
  unfocus(state, shape);
}

}  // namespace panparser
