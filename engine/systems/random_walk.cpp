#include "systems/random_walk.hpp"

#include <bit>
#include <string>

#include "base/random.hpp"
#include "systems/focus.hpp"

namespace panparser {

namespace {

int choose(std::uint32_t legal, Random& random) {
  for (auto skip = random.below(std::popcount(legal)); skip > 0; --skip) legal &= legal - 1;
  return std::countr_zero(legal);
}

[[noreturn]] void throw_stuck(const Counters& counters) {
  throw Stuck("no legal transition with " + std::to_string(counters.stack_size) + " tokens on the stack and " +
              std::to_string(counters.buffer_size()) + " in the buffer");
}

struct Walker {
  const System& system;
  Random random;
  bool with_costs;
  std::int64_t wanted;  // transitions
  WalkResult result = {};
  System::Scratch scratch = {};
  std::vector<std::int32_t> costs = std::vector<std::int32_t>(System::kMaxRows);
  std::int64_t steps_left = 0;           // of this sentence
  std::vector<std::int32_t> steps = {};  // to choose from, if the focus is free

  // The legal actions of a state that is not final.
  template <class State>
  std::uint32_t look(const State& state, const Frame& frame, const Reference& reference) {
    const Bits truths = system.truths(frame);
    const std::uint32_t legal = system.legal(truths);
    if (with_costs && legal) {
      system.costs(state, frame, truths, legal, reference, scratch, costs);
      for (std::uint32_t rest = legal; rest; rest &= rest - 1) {
        result.costs = result.costs * 31 + costs[std::countr_zero(rest)];
      }
    }
    return legal;
  }

  // The next action, or -1 in a final state.
  template <class State>
  int step(const State& state, const Reference& reference) {
    const Frame frame = state.frame();
    if (system.is_final(frame)) return -1;
    const std::uint32_t legal = look(state, frame, reference);
    if (!legal) throw_stuck(state.counters());
    if (--steps_left < 0) throw Stuck("the derivation of a sentence does not end");
    ++result.states;
    return choose(legal, random);
  }

  // The same if the focus is free.
  template <class State>
  std::int32_t free_step(State& state, const Reference& reference) {
    if (system.is_final(state)) return -1;
    steps.clear();
    see_all(state, system.table().shape, [&](const State& seen) {
      const Frame frame = seen.frame();
      for (std::uint32_t rest = look(seen, frame, reference); rest; rest &= rest - 1) {
        steps.push_back(make_step(std::countr_zero(rest), frame.at[kS0]));
      }
    });
    if (steps.empty()) throw_stuck(state.counters());
    if (--steps_left < 0) throw Stuck("the derivation of a sentence does not end");
    ++result.states;
    return steps[random.below(static_cast<std::uint32_t>(steps.size()))];
  }

  // Moves on from state to state until the end, then keeps the tree. `next` makes the state after an action.
  template <class State, class Next>
  void derive(State& state, const Reference& reference, Next next) {
    const Token words = reference.gold.words();
    // As in search.hpp.
    steps_left = 2 * std::int64_t(words + 2) * (words + 2);
    const auto follow = [&](const auto& choose_step) {
      for (std::int32_t step; (step = choose_step()) >= 0; ++result.transitions) {
        next(state, step);
        take(system, state, step, action_of(step));
      }
    };
    if (system.has_free_focus()) {
      follow([&] { return free_step(state, reference); });
    } else {
      follow([&] { return step(state, reference); });
    }
    if (result.transitions < wanted) return;
    const Token root = reference.gold.root();
    result.heads.assign(words, kNone);
    for (const Arc& arc : state.arcs()) {
      if (arc.dependent != root) result.heads[arc.dependent - 1] = arc.head == root ? 0 : arc.head;
    }
  }
};

}  // namespace

WalkResult random_walk(const System& system, const std::vector<const Reference*>& references, std::uint64_t seed,
                       std::int64_t transitions, bool linked, bool with_costs) {
  Walker walker{system, Random(seed), with_costs, transitions};
  MutableState greedy;
  Arena arena;
  const Shape& shape = system.table().shape;
  for (std::size_t i = 0; walker.result.transitions < transitions && !references.empty(); ++i) {
    const Reference& reference = *references[i % references.size()];
    if (linked) {
      arena.reset(shape, reference.gold.words(), with_costs);
      LinkedState state(arena, arena.initial());
      walker.derive(state, reference, [](LinkedState& at, int action) { at = at.fork(action); });
    } else {
      greedy.reset(shape, reference.gold.words());
      walker.derive(greedy, reference, [](MutableState&, int) {});
    }
  }
  walker.result.approximated = walker.scratch.approximated;
  return walker.result;
}

}  // namespace panparser
