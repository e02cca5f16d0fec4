// The Python face of references and states.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "python/module.hpp"
#include "search/constraint.hpp"
#include "systems/focus.hpp"
#include "systems/random_walk.hpp"
#include "systems/state.hpp"
#include "systems/system.hpp"
#include "trees/gold.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using ArcTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
using IntMatrix = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>, nb::c_contig>;
using BoolMatrix = nb::ndarray<nb::numpy, bool, nb::ndim<2>, nb::c_contig>;

void check_owner(const System& system, const Reference* reference) {
  if (!reference) throw std::invalid_argument("expected a Reference, found None");
  if (reference->system != &system) throw std::invalid_argument("the reference was made for another system");
}

using Steps = std::vector<std::int32_t>;
struct Structures {  // of a state: from the bottom of the stack, from the fronts of the others
  std::vector<Token> stack, buffer, list;
};

// Both kinds of state behind one Python interface. A state is an index; a mutable state has only its latest.
class States {
 public:
  States(const System& system, Token words) : system_(&system) {
    if (words < 1 || words > System::kMaxWords) {
      throw std::invalid_argument("expected 1 to " + std::to_string(System::kMaxWords) + " words, found " +
                                  std::to_string(words));
    }
    words_ = words;
  }
  virtual ~States() = default;

  const System& system() const { return *system_; }
  Token words() const { return words_; }
  virtual bool is_final(std::int32_t state) const = 0;
  virtual Steps legal(std::int32_t state) const = 0;
  virtual std::int32_t apply(std::int32_t state, std::int32_t step, std::int32_t label) = 0;
  virtual void list(std::int32_t state, Structures& tokens) const = 0;
  virtual std::vector<Arc> arcs(std::int32_t state) const = 0;
  virtual Record record(std::int32_t state, Position position) const = 0;
  virtual Arc made_arc(std::int32_t state, std::int32_t step, EffectKind kind) const = 0;
  virtual void costs(std::int32_t state, const Reference& reference, std::int32_t* costs) const = 0;

  void check_step(std::int32_t state, std::int32_t step) const {
    const Steps steps = legal(state);
    const int action = system_->has_free_focus() ? action_of(step) : step;
    if (step < 0 || action >= system_->actions()) throw std::out_of_range("no such action");
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) {
      throw std::invalid_argument("the action is illegal here");
    }
  }

 protected:
  // Calls a function with a state, as it is seen from each place of the focus if that is free; unless it is final.
  template <class State, class Look>
  void each_view(State&& state, const Look& look) const {
    if (system_->is_final(state.frame())) return;
    if (system_->has_free_focus()) {
      see_all(state, system_->table().shape, look);
    } else {
      look(state);
    }
  }
  template <class State>
  Steps legal_in(State&& state) const {
    Steps steps;
    each_view(state, [&](const auto& seen) {
      const Frame frame = seen.frame();
      for (std::uint32_t rest = system_->legal(system_->truths(frame)); rest; rest &= rest - 1) {
        steps.push_back(step_at(frame, std::countr_zero(rest)));
      }
    });
    return steps;
  }
  template <class State>
  Arc arc_in(State&& state, std::int32_t step, EffectKind kind) const {
    Arc arc;
    each_view(state, [&](const auto& seen) {
      const Frame frame = seen.frame();
      if (step_at(frame, action_of(step)) == step) arc = system_->arc(frame, action_of(step), kind);
    });
    return arc;
  }
  template <class State>
  void costs_in(State&& state, const Reference& reference, std::int32_t* costs) const {
    check_owner(*system_, &reference);
    if (reference.gold.words() != words_) {
      throw std::invalid_argument("the state has " + std::to_string(words_) + " words, the reference " +
                                  std::to_string(reference.gold.words()));
    }
    std::array<std::int32_t, System::kMaxRows> found;
    each_view(state, [&](const auto& seen) {
      const Frame frame = seen.frame();
      const Bits truths = system_->truths(frame);
      std::uint32_t legal = system_->legal(truths);
      if (legal) system_->costs(seen, frame, truths, legal, reference, scratch_, found);
      for (; legal; legal &= legal - 1) *costs++ = found[std::countr_zero(legal)];
    });
  }
  std::int32_t step_at(const Frame& frame, int action) const {
    return system_->has_free_focus() ? make_step(action, frame.at[kS0]) : action;
  }

 private:
  const System* system_;
  Token words_;
  mutable System::Scratch scratch_;
};

class LinkedStates final : public States {
 public:
  LinkedStates(const System& system, Token words) : States(system, words) {
    arena_.reset(system.table().shape, words, true);
  }
  bool is_final(std::int32_t state) const override { return system().is_final(at(state).frame()); }
  Steps legal(std::int32_t state) const override { return legal_in(at(state)); }
  // The legal steps that go on under a constraint.
  Steps filtered(std::int32_t state, const Constraint& constraint, System::Scratch& scratch) const {
    Steps steps;
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    each_view(at(state), [&](const LinkedState& seen) {
      const Frame frame = seen.frame();
      const Bits truths = system().truths(frame);
      const std::uint32_t legal = system().legal(truths);
      if (!legal) return;
      const Constraint::Choice choice = constraint.filter(system(), seen, frame, truths, legal, scratch);
      if (choice.cost > least) return;
      if (choice.cost < least) steps.clear();
      least = choice.cost;
      for (std::uint32_t rest = choice.legal; rest; rest &= rest - 1) {
        steps.push_back(step_at(frame, std::countr_zero(rest)));
      }
    });
    return steps;
  }
  std::int32_t apply(std::int32_t state, std::int32_t step, std::int32_t label) override {
    check_step(state, step);
    LinkedState next = at(state).fork(step);
    take(system(), next, step, label);
    return next.index();
  }
  void list(std::int32_t state, Structures& tokens) const override {
    at(state).list_stack(tokens.stack);
    at(state).list_buffer(tokens.buffer);
    at(state).list_aside(tokens.list);
  }
  std::vector<Arc> arcs(std::int32_t state) const override { return at(state).arcs(); }
  Record record(std::int32_t state, Position position) const override { return at(state).record(position); }
  Arc made_arc(std::int32_t state, std::int32_t step, EffectKind kind) const override {
    return arc_in(at(state), step, kind);
  }
  void costs(std::int32_t state, const Reference& reference, std::int32_t* costs) const override {
    costs_in(at(state), reference, costs);
  }
  Steps derivation(std::int32_t state) const {
    at(state);
    Steps steps;
    for (; state != arena_.initial(); state = arena_.parent(state)) steps.push_back(arena_.action(state));
    return {steps.rbegin(), steps.rend()};
  }

 private:
  LinkedState at(std::int32_t state) const {
    if (state < 0 || state >= arena_.size()) throw std::out_of_range("no such state");
    return {arena_, state};
  }
  mutable Arena arena_;  // LinkedState reads and writes; the const members above only read
};

class MutableStates final : public States {
 public:
  MutableStates(const System& system, Token words) : States(system, words) {
    state_.reset(system.table().shape, words);
  }
  bool is_final(std::int32_t) const override { return system().is_final(state_.frame()); }
  Steps legal(std::int32_t) const override { return legal_in(state_); }
  std::int32_t apply(std::int32_t state, std::int32_t step, std::int32_t label) override {
    check_step(state, step);
    take(system(), state_, step, label);
    return state + 1;
  }
  void list(std::int32_t, Structures& tokens) const override {
    state_.list_stack(tokens.stack);
    state_.list_buffer(tokens.buffer);
    state_.list_aside(tokens.list);
  }
  std::vector<Arc> arcs(std::int32_t) const override { return state_.arcs(); }
  Record record(std::int32_t, Position position) const override { return state_.record(position); }
  Arc made_arc(std::int32_t, std::int32_t step, EffectKind kind) const override { return arc_in(state_, step, kind); }
  void costs(std::int32_t, const Reference& reference, std::int32_t* costs) const override {
    costs_in(state_, reference, costs);
  }

 private:
  mutable MutableState state_;  // a free focus moves, and comes back
};

IntMatrix costs_against_all(const States& states, std::int32_t state, const std::vector<const Reference*>& references) {
  const std::size_t steps = states.legal(state).size();
  auto* costs = new std::int32_t[references.size() * steps + 1];
  nb::capsule owner(costs, [](void* data) noexcept { delete[] static_cast<std::int32_t*>(data); });
  // The GIL stays held: states of one sentence share an arena and scratch space.
  for (std::size_t i = 0; i < references.size(); ++i) {
    check_owner(states.system(), references[i]);
    states.costs(state, *references[i], costs + i * steps);
  }
  return IntMatrix(costs, {references.size(), steps}, owner);
}

BoolMatrix filtered(const LinkedStates& states, std::int32_t state, const Constraints& constraints) {
  if (&constraints.system() != &states.system()) throw std::invalid_argument("the constraints are for another system");
  const Steps legal = states.legal(state);
  const auto sentences = static_cast<std::size_t>(constraints.sentences());
  auto* passes = new bool[sentences * legal.size() + 1]();
  nb::capsule owner(passes, [](void* data) noexcept { delete[] static_cast<bool*>(data); });
  System::Scratch scratch;
  for (std::size_t s = 0; s < sentences; ++s) {
    const auto number = static_cast<std::int64_t>(s);
    if (constraints.words(number) != states.words()) throw std::invalid_argument("a sentence is of another length");
    const auto constraint = constraints[number];
    const Steps kept = constraint ? states.filtered(state, *constraint, scratch) : legal;
    for (std::size_t i = 0; i < legal.size(); ++i) {
      passes[s * legal.size() + i] = std::find(kept.begin(), kept.end(), legal[i]) != kept.end();
    }
  }
  return BoolMatrix(passes, {sentences, legal.size()}, owner);
}

nb::typed<nb::dict, nb::str, nb::any> describe(const Record& record) {
  nb::dict result;
  result["token"] = record.token;
  result["head"] = record.head;
  result["proposed"] = record.proposed;
  result["label"] = record.label;
  result["proposed_label"] = record.proposed_label;
  result["left"] = record.left;
  result["right"] = record.right;
  result["left_label"] = record.left_label;
  result["right_label"] = record.right_label;
  result["left_valency"] = record.left_valency;
  result["right_valency"] = record.right_valency;
  result["left_labels"] = record.left_labels;
  result["right_labels"] = record.right_labels;
  return result;
}

}  // namespace

void bind_states(nb::module_& m) {
  nb::class_<Reference>(m, "Reference",
                        "A reference prepared for one system: heads of words 1..n, Root at its position.")
      .def(
          "__init__",
          [](Reference* self, const System& system, const std::vector<Token>& heads) {
            const Token root = system.table().shape.root(static_cast<Token>(heads.size()));
            nb::gil_scoped_release release;
            new (self) Reference(system.reference(Gold(heads, root)));
          },
          "system"_a, "heads"_a, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "lost", [](const Reference& reference) { return reference.system->lost(reference); },
          "How many heads no derivation gives; None where the system's costs do not tell.");

  nb::class_<States>(m, "States", "States of one sentence.")
      .def_prop_ro("words", &States::words)
      .def("legal", &States::legal, "state"_a,
           "The legal steps; none in a final state. A step is an action; with a free focus, + MAX_ROWS times the token "
           "at S0.")
      .def("is_final", &States::is_final, "state"_a)
      .def("apply", &States::apply, "state"_a, "step"_a, "label"_a, "The next state.")
      .def(
          "tokens",
          [](const States& s, std::int32_t state) {
            Structures tokens;
            s.list(state, tokens);
            return std::tuple{tokens.stack, tokens.buffer, tokens.list};
          },
          "state"_a, "Stack (from the bottom), buffer and list (from the front).")
      .def(
          "arcs",
          [](const States& s, std::int32_t state) {
            std::vector<ArcTuple> arcs;
            for (const Arc& arc : s.arcs(state)) arcs.emplace_back(arc.head, arc.dependent, arc.label);
            return arcs;
          },
          "state"_a, "(head, dependent, label), by dependent.")
      .def(
          "record",
          [](const States& s, std::int32_t state, int position) {
            if (position < 0 || position >= kPositions) throw std::out_of_range("no such position");
            return describe(s.record(state, Position(position)));
          },
          "state"_a, "position"_a, "What the state knows of the token at S0, S1, S2 or B0.")
      .def(
          "made_arc",
          [](const States& s, std::int32_t state, std::int32_t step, bool proposed) {
            s.check_step(state, step);
            const Arc arc = s.made_arc(state, step, proposed ? EffectKind::kPropose : EffectKind::kArc);
            return std::pair{arc.head, arc.dependent};
          },
          "state"_a, "step"_a, "proposed"_a, "(head, dependent) that the step makes, or proposes; -1 where none.")
      .def("costs", &costs_against_all, "state"_a, "references"_a, "(references, legal steps)");

  nb::class_<LinkedStates, States>(m, "LinkedStates", "Immutable states that share structure; state 0 is initial.")
      .def(nb::init<const System&, Token>(), "system"_a, "words"_a, nb::keep_alive<1, 2>())
      .def("derivation", &LinkedStates::derivation, "state"_a)
      .def("filtered", &filtered, "state"_a, "constraints"_a,
           "(sentences of the constraints, legal steps) Does the step go on? All are as long as the states'.");
  nb::class_<MutableStates, States>(m, "MutableStates", "One state that changes in place, under any index.")
      .def(nb::init<const System&, Token>(), "system"_a, "words"_a, nb::keep_alive<1, 2>());

  m.def(
      "walk",
      [](const System& system, const std::vector<nb::typed<nb::object, Reference>>& references, std::uint64_t seed,
         std::int64_t transitions, bool linked, bool with_costs) {
        std::vector<const Reference*> prepared;  // `references` keeps them alive while other threads run
        for (const auto& reference : references) {
          prepared.push_back(nb::cast<const Reference*>(reference));
          check_owner(system, prepared.back());
        }
        WalkResult result;
        {
          nb::gil_scoped_release release;
          result = random_walk(system, prepared, seed, transitions, linked, with_costs);
        }
        return std::tuple{result.transitions, result.states, result.costs, result.heads, result.approximated};
      },
      "system"_a, "references"_a, "seed"_a, "transitions"_a, "linked"_a, "with_costs"_a,
      "Random derivations: (transitions, states, digest of the costs, heads of the last tree, states with "
      "approximate costs).");
}
