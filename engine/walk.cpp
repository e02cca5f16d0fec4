#include "walk.hpp"

#include <bit>
#include <string>

namespace panparser {

namespace {

class Random {  // xorshift64*
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du) {}
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t bits = (state_ * 0x2545F4914F6CDD1Du) >> 32;
    return static_cast<std::uint32_t>(bits * bound >> 32);
  }

 private:
  std::uint64_t state_;
};

int choose(std::uint32_t legal, Random& random) {
  for (auto skip = random.below(std::popcount(legal)); skip > 0; --skip) legal &= legal - 1;
  return std::countr_zero(legal);
}

struct Walker {
  const System& system;
  Random random;
  bool with_costs;
  WalkResult result = {};
  System::Scratch scratch = {};
  std::vector<std::int32_t> costs = std::vector<std::int32_t>(System::kMaxRows);
  std::int64_t steps_left = 0;  // of this sentence

  // No sound system takes more steps: a swap system swaps each pair of words once at most, and shifts one of
  // them again.
  void start(Token words) { steps_left = 2 * std::int64_t(words + 2) * (words + 2); }

  // The next action, or -1 in a final state.
  template <class State>
  int step(const State& state, const Reference& reference) {
    const Frame frame = state.frame();
    if (system.is_final(frame)) return -1;
    const Bits truths = system.truths(frame);
    const std::uint32_t legal = system.legal(truths);
    if (!legal) {
      throw Stuck("no legal transition with " + std::to_string(frame.facts[kStackSize]) + " tokens on the stack and " +
                  std::to_string(frame.facts[kBufferSize]) + " in the buffer");
    }
    if (--steps_left < 0) throw Stuck("the derivation of a sentence does not end");
    if (with_costs) {
      system.costs(state, frame, truths, legal, reference, scratch, costs);
      for (std::uint32_t rest = legal; rest; rest &= rest - 1) {
        result.costs = result.costs * 31 + costs[std::countr_zero(rest)];
      }
    }
    ++result.states;
    return choose(legal, random);
  }

  void finish(const std::vector<Arc>& arcs, Token words, Token root) {
    result.heads.assign(words, kNone);
    for (const Arc& arc : arcs) {
      if (arc.dependent != root) result.heads[arc.dependent - 1] = arc.head == root ? 0 : arc.head;
    }
  }
};

}  // namespace

WalkResult walk(const System& system, const std::vector<const Reference*>& references, std::uint64_t seed,
                std::int64_t transitions, bool linked, bool with_costs) {
  Walker walker{system, Random(seed), with_costs};
  MutableState greedy;
  Arena arena;
  const Shape& shape = system.table().shape;
  for (std::size_t i = 0; walker.result.transitions < transitions && !references.empty(); ++i) {
    const Reference& reference = *references[i % references.size()];
    const Token words = reference.gold.words();
    std::vector<Arc> arcs;
    walker.start(words);
    const bool last = [&] {
      if (linked) {
        arena.reset(shape, words, with_costs);
        LinkedState state(arena, arena.initial());
        for (int action; (action = walker.step(state, reference)) >= 0; ++walker.result.transitions) {
          state = state.fork(action);
          system.apply(state, action, action);
        }
        if (walker.result.transitions >= transitions) arcs = state.arcs();
      } else {
        greedy.reset(shape, words);
        for (int action; (action = walker.step(greedy, reference)) >= 0; ++walker.result.transitions) {
          system.apply(greedy, action, action);
        }
        if (walker.result.transitions >= transitions) arcs = greedy.arcs();
      }
      return walker.result.transitions >= transitions;
    }();
    if (last) walker.finish(arcs, words, reference.gold.root());
  }
  return walker.result;
}

}  // namespace panparser
