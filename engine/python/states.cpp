// The Python face of references and states.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "python/module.hpp"
#include "search/constraint.hpp"
#include "systems/state.hpp"
#include "systems/system.hpp"
#include "systems/walk.hpp"
#include "trees/gold.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace panparser;

namespace {

using ArcTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
using IntMatrix = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>, nb::c_contig>;

void check_owner(const System& system, const Reference* reference) {
  if (!reference) throw std::invalid_argument("expected a Reference, found None");
  if (reference->system != &system) throw std::invalid_argument("the reference was made for another system");
}

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
  virtual Frame frame(std::int32_t state) const = 0;
  virtual std::int32_t apply(std::int32_t state, int action, std::int32_t label) = 0;
  virtual void list(std::int32_t state, std::vector<Token>& stack, std::vector<Token>& buffer) const = 0;
  virtual std::vector<Arc> arcs(std::int32_t state) const = 0;
  virtual Record record(std::int32_t state, Position position) const = 0;
  virtual void costs(std::int32_t state, const Reference& reference, std::span<std::int32_t> costs) const = 0;

  std::uint32_t legal(std::int32_t state) const {
    const Frame seen = frame(state);
    return system_->is_final(seen) ? 0 : system_->legal(system_->truths(seen));
  }
  void check_action(std::int32_t state, int action) const {
    if (action < 0 || action >= system_->actions()) throw std::out_of_range("no such action");
    if (!(legal(state) >> action & 1)) throw std::invalid_argument("the action is illegal here");
  }

 protected:
  template <class State>
  void costs_of(const State& state, const Reference& reference, std::span<std::int32_t> costs) const {
    check_owner(*system_, &reference);
    if (reference.gold.words() != words_) {
      throw std::invalid_argument("the state has " + std::to_string(words_) + " words, the reference " +
                                  std::to_string(reference.gold.words()));
    }
    std::fill(costs.begin(), costs.end(), kIllegalCost);
    const Frame frame = state.frame();
    if (system_->is_final(frame)) return;
    const Bits truths = system_->truths(frame);
    system_->costs(state, frame, truths, system_->legal(truths), reference, scratch_, costs);
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
  Frame frame(std::int32_t state) const override { return at(state).frame(); }
  std::uint32_t filtered(std::int32_t state, const Constraint& constraint, System::Scratch& scratch) const {
    const std::uint32_t actions = legal(state);
    const Frame seen = frame(state);
    return actions ? constraint.filter(system(), at(state), seen, system().truths(seen), actions, scratch).legal : 0;
  }
  std::int32_t apply(std::int32_t state, int action, std::int32_t label) override {
    check_action(state, action);
    LinkedState next = at(state).fork(action);
    system().apply(next, action, label);
    return next.index();
  }
  void list(std::int32_t state, std::vector<Token>& stack, std::vector<Token>& buffer) const override {
    at(state).list_stack(stack);
    at(state).list_buffer(buffer);
  }
  std::vector<Arc> arcs(std::int32_t state) const override { return at(state).arcs(); }
  Record record(std::int32_t state, Position position) const override { return at(state).record(position); }
  void costs(std::int32_t state, const Reference& reference, std::span<std::int32_t> costs) const override {
    costs_of(at(state), reference, costs);
  }
  std::vector<std::int32_t> derivation(std::int32_t state) const {
    at(state);
    std::vector<std::int32_t> actions;
    for (; state != arena_.initial(); state = arena_.parent(state)) actions.push_back(arena_.action(state));
    return {actions.rbegin(), actions.rend()};
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
  Frame frame(std::int32_t) const override { return state_.frame(); }
  std::int32_t apply(std::int32_t state, int action, std::int32_t label) override {
    check_action(state, action);
    system().apply(state_, action, label);
    return state + 1;
  }
  void list(std::int32_t, std::vector<Token>& stack, std::vector<Token>& buffer) const override {
    state_.list_stack(stack);
    state_.list_buffer(buffer);
  }
  std::vector<Arc> arcs(std::int32_t) const override { return state_.arcs(); }
  Record record(std::int32_t, Position position) const override { return state_.record(position); }
  void costs(std::int32_t, const Reference& reference, std::span<std::int32_t> costs) const override {
    costs_of(state_, reference, costs);
  }

 private:
  MutableState state_;
};

IntMatrix costs_against_all(const States& states, std::int32_t state, const std::vector<const Reference*>& references) {
  const auto actions = static_cast<std::size_t>(states.system().actions());
  auto* costs = new std::int32_t[references.size() * actions + 1];
  nb::capsule owner(costs, [](void* data) noexcept { delete[] static_cast<std::int32_t*>(data); });
  // The GIL stays held: states of one sentence share an arena and scratch space.
  for (std::size_t i = 0; i < references.size(); ++i) {
    check_owner(states.system(), references[i]);
    states.costs(state, *references[i], {costs + i * actions, actions});
  }
  return IntMatrix(costs, {references.size(), actions}, owner);
}

auto filtered(const LinkedStates& states, std::int32_t state, const Constraints& constraints) {
  if (&constraints.system() != &states.system()) throw std::invalid_argument("the constraints are for another system");
  std::vector<std::uint32_t> masks;
  System::Scratch scratch;
  for (std::int64_t s = 0; s < constraints.sentences(); ++s) {
    if (constraints.words(s) != states.words()) throw std::invalid_argument("a sentence is of another length");
    const auto constraint = constraints[s];
    masks.push_back(constraint ? states.filtered(state, *constraint, scratch) : states.legal(state));
  }
  return owned(std::move(masks));
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
      .def("legal", &States::legal, "state"_a, "A bit for each legal action; 0 in a final state.")
      .def(
          "is_final", [](const States& s, std::int32_t state) { return s.system().is_final(s.frame(state)); },
          "state"_a)
      .def("apply", &States::apply, "state"_a, "action"_a, "label"_a, "The next state.")
      .def(
          "tokens",
          [](const States& s, std::int32_t state) {
            std::pair<std::vector<Token>, std::vector<Token>> tokens;
            s.list(state, tokens.first, tokens.second);
            return tokens;
          },
          "state"_a, "Stack (from the bottom) and buffer (from the front).")
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
          [](const States& s, std::int32_t state, int action, bool proposed) {
            s.check_action(state, action);
            const auto kind = proposed ? EffectKind::kPropose : EffectKind::kArc;
            const Arc arc = s.system().arc(s.frame(state), action, kind);
            return std::pair{arc.head, arc.dependent};
          },
          "state"_a, "action"_a, "proposed"_a, "(head, dependent) that the action makes, or proposes; -1 where none.")
      .def("costs", &costs_against_all, "state"_a, "references"_a,
           "(references, actions); ILLEGAL_COST where illegal.");

  nb::class_<LinkedStates, States>(m, "LinkedStates", "Immutable states that share structure; state 0 is initial.")
      .def(nb::init<const System&, Token>(), "system"_a, "words"_a, nb::keep_alive<1, 2>())
      .def("derivation", &LinkedStates::derivation, "state"_a)
      .def("filtered", &filtered, "state"_a, "constraints"_a,
           "For each sentence of the constraints, all as long as the states', a bit for each legal action that goes "
           "on.");
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
          result = walk(system, prepared, seed, transitions, linked, with_costs);
        }
        return std::tuple{result.transitions, result.states, result.costs, result.heads};
      },
      "system"_a, "references"_a, "seed"_a, "transitions"_a, "linked"_a, "with_costs"_a,
      "Random derivations: (transitions, states, digest of the costs, heads of the last tree).");
}
