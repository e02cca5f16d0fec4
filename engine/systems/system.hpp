// Interprets a transition system: a table of conditions, effects and cost terms, lowered to flat arrays.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "systems/losses/arc_standard.hpp"
#include "systems/losses/attardi.hpp"
#include "systems/losses/chain.hpp"
#include "systems/losses/crossing.hpp"
#include "systems/losses/cycles.hpp"
#include "systems/losses/one_root.hpp"
#include "systems/losses/swap.hpp"
#include "systems/state.hpp"
#include "trees/gold.hpp"

namespace panparser {

struct Literal {  // low <= facts[fact] <= high
  std::int32_t fact, low, high;
};

enum class EffectKind : std::int32_t {
  kShift,
  kPop,
  kDrop,
  kBack,
  kAside,
  kRestore,
  kClear,
  kArc,
  kPropose,
  kEnter,  // of no table, but added before others where the words of trees are counted: a token enters the stack,
  kLeave,  // leaves it, or all of the list enters it
  kReturn
};
struct Effect {
  EffectKind kind;
  std::int32_t first, second;  // pop: depth; arc, propose: head and dependent (positions)
};
inline bool removes(const Effect& effect, std::int32_t position) {
  return effect.kind == EffectKind::kPop ? effect.first == position
                                         : effect.kind == EffectKind::kDrop && position == kB0;
}

// What costs can be about in place of a position: Root, wherever it is; all tokens on the list.
inline constexpr auto kRootToken = Position(kPositions), kListTokens = Position(kPositions + 1);

// A number computed from state and reference. Each is evaluated once per state, for all terms that use it.
enum class ProbeKind : std::int32_t { kHead, kChildren, kHeadless, kWants, kWanting };
struct Probe {
  ProbeKind kind;
  std::int32_t position;   // whose head or children; kRootToken, kListTokens: only children
  std::int32_t region;     // bit (2 * place + is Root) for each place that counts
  bool flag;               // children: only unattached ones; wanting: the lowest token left out
  std::int32_t direction;  // wants, wanting: kLeftward or kRightward
};

// Where a token can be: on the stack at S0, S1, S2 or deeper; in the buffer at B0 or behind it; on the list at L0 or
// behind it; or gone.
enum Place : std::uint8_t { kAtS0, kAtS1, kAtS2, kDeeper, kAtB0, kBehind, kAtL0, kOnList, kGone };

struct Term {  // counts the probe when every literal of the guard holds
  std::int32_t probe;
  Bits guard;
};

struct Row {
  Bits all = 0;               // literals that must all hold
  std::vector<Bits> clauses;  // of each, one literal must hold
  std::vector<Effect> effects;
  std::vector<Term> terms;
  std::vector<Term> directed_terms;  // only for references with directions
};

enum class Potential : std::int32_t { kZero, kBlockedChain, kCrossingArcs, kArcStandard, kAttardi, kCycles, kSwap };
enum class StaticOracle : std::int32_t { kAbsent, kSwapEager, kSwapLazy };

struct Final {  // conditions as in a row; none: everything but Root, which there must be, is gone
  Bits all = 0;
  std::vector<Bits> clauses;
  bool rest_to_root = false;  // are words that are left without a head children of Root?
  bool is_given() const { return all != 0 || !clauses.empty(); }
};

struct Table {
  Shape shape;
  Final final;
  bool single_root = false;
  Potential potential = Potential::kZero;
  std::int32_t limit = 0;  // of the blocked chain, or of the work of SwapLoss
  StaticOracle static_oracle = StaticOracle::kAbsent;
  std::vector<Literal> literals;
  std::vector<Probe> probes;
  std::vector<Row> rows;
};

inline constexpr std::int32_t kIllegalCost = 1 << 20;  // the cost of an illegal action

class System;

// A reference prepared for the costs of its system; no other system may use it.
struct Reference {
  const System* system;
  Gold gold;
  std::unique_ptr<const ArcStandardLoss> arc_standard;  // if the potential needs it; `attardi` and `swap` likewise
  std::unique_ptr<const AttardiLoss> attardi;
  std::unique_ptr<const SwapLoss> swap;
  bool crosses = false;                // have the potential's crossing arcs to be counted?
  int given_up = 0;                    // arcs that are not counted: too many cross
  std::vector<std::int32_t> order;     // Swap: place of each token in the projective order
  std::vector<std::int32_t> fragment;  // Swap, lazy, all heads known: top of the fragment that arcs alone can build
};

class System {
 public:
  static constexpr int kMaxRows = 32;
  static constexpr int kMaxLiterals = 64;
  static constexpr Token kMaxWords = 16000;

  explicit System(Table table);  // throws std::invalid_argument on a table out of bounds

  int actions() const { return static_cast<int>(table_.rows.size()); }
  const Table& table() const { return table_; }
  bool has_free_focus() const { return table_.shape.free_focus; }
  bool has_back() const { return swap_ >= 0; }                              // can words come back to the buffer?
  bool attaches_deeper() const { return deepest_ >= kS1; }                  // are there arcs from or to S1 or S2?
  bool attaches_deepest() const { return deepest_ == kS2 || joins_list_; }  // ... to S2, or to the list?
  Reference reference(Gold gold) const;
  // Number of gold heads unreachable by any derivation, by the potential; nullopt if unknown.
  std::optional<int> lost(const Reference& reference) const;

  bool is_final(const Frame& frame) const;
  template <class State>
  bool is_final(const State& state) const {
    if (!table_.final.is_given() && !has_final_sizes(state.counters().stack_size, state.counters().buffer_size())) {
      return false;
    }
    return is_final(state.frame());
  }
  // Words that a final state leaves without a head get Root and a label, if the table attaches the rest.
  void attach_rest(std::span<std::int32_t> heads, std::span<std::int32_t> labels, std::int32_t label) const;
  Bits truths(const Frame& frame) const;
  std::uint32_t legal(Bits truths) const;  // bit for each action

  template <class State>
  void apply(State& state, int action, std::int32_t label) const;

  // The arc that an action makes, or proposes; kNone where it makes none.
  Arc arc(const Frame& frame, int action, EffectKind kind = EffectKind::kArc) const;
  // The head that an action decides on: that of its arc; Root for a word that it pops without one, if there is no Root.
  Arc decided(const Frame& frame, int action) const;
  // The stack from bottom to top; Root below it where there is none, as losses count from there.
  template <class State>
  void list_stack(const State& state, std::vector<Token>& out) const {
    state.list_stack(out);
    if (!table_.shape.has_root) out.insert(out.begin(), table_.shape.root(state.counters().words));
  }
  // Does an action make an arc, or propose one? That arc; kNone if there is none. Seen is a Frame or a Window.
  bool labels(int action) const { return labeled_[action].head != kPositions; }
  template <class Seen>
  Arc labeled_arc(const Seen& seen, int action) const {
    if (!labels(action)) return {};
    return {seen.token(labeled_[action].head), seen.token(labeled_[action].dependent), -1};
  }

  struct Scratch {
    std::vector<std::int32_t> probes;
    std::vector<Token> stack, after;
    ArcStandardLoss::Scratch arc_standard;
    AttardiLoss::Scratch attardi;
    SwapLoss::Scratch swap;
    CrossingArcs crossing;
    std::int64_t valued = 0, approximated = 0;  // states whose costs are by a loss, and those where it was not exact
  };
  // Costs of the legal actions, into `costs` (one each action; others are left alone).
  template <class State>
  void costs(const State& state, const Frame& frame, Bits truths, std::uint32_t legal, const Reference& reference,
             Scratch& scratch, std::span<std::int32_t> costs) const;

 private:
  void check() const;
  void count_words(Row& row) const;
  void require_positions(Row& row);
  bool builds_any_tree() const;
  bool fits_potential(const Row& row) const;
  template <bool kFree>
  int probe(const Probe& probe, const Frame& frame, const Gold& gold) const;
  template <bool kDeep>
  void add_chain(const Frame& frame, std::uint32_t legal, const Gold& gold, std::span<std::int32_t> costs) const;
  void add_potential(const Frame& frame, std::uint32_t legal, const Reference& reference, Scratch& scratch,
                     std::span<std::int32_t> costs) const;
  int children_of_list(const Probe& probe, const Frame& frame, const Gold& gold) const;
  Change change(int action, const Frame& frame) const;
  int swap_action(const Frame& frame, std::uint32_t legal, const Reference& reference) const;
  std::uint32_t free_arcs(const Frame& frame, std::uint32_t legal, const Reference& reference) const;
  void keep_to_static(const Frame& frame, std::uint32_t legal, const Reference& reference,
                      std::span<std::int32_t> costs) const;
  void static_costs(const Frame& frame, std::uint32_t legal, const Reference& reference,
                    std::span<std::int32_t> costs) const;
  template <bool kFree>  // may the focus be anywhere?
  void local_costs(const Frame& frame, Bits truths, std::uint32_t legal, const Reference& reference, Scratch& scratch,
                   std::span<std::int32_t> costs) const;
  template <class Loss>  // `scratch.stack` is the stack; for SwapLoss, and behind it the buffer
  void loss_costs(const Frame& frame, std::uint32_t legal, const Loss& loss, Scratch& scratch,
                  typename Loss::Scratch& own, std::span<std::int32_t> costs) const;
  template <class Loss>
  int reachable_after(const Frame& frame, int action, const Loss& loss, Scratch& scratch,
                      typename Loss::Scratch& own) const;
  void swap_reference(Reference& reference) const;
  void crossing_reference(Reference& reference) const;
  bool has_final_sizes(std::int32_t stack, std::int32_t buffer) const {
    const bool on_stack = table_.shape.ends_on_stack;
    return stack == (on_stack ? 1 : 0) && buffer == (on_stack ? 0 : 1);
  }

  struct Joined {
    Position head = kPositions, dependent = kPositions;  // kPositions: none
  };
  struct Moved {
    Position pushed = kPositions, popped = kPositions, attached = kPositions;  // likewise
    Passing passing = {};
  };
  Table table_;
  std::vector<Joined> labeled_;     // by action
  std::vector<Moved> moved_;        // by action
  std::vector<Move> moves_;         // by action, if cycles are counted
  std::size_t plain_probes_ = 0;    // those before it serve references without directions
  std::vector<Position> of_heads_;  // positions whose heads probes ask for
  std::int32_t deepest_ = kS0;      // of the stack, that arcs join
  bool joins_list_ = false;         // do arcs join L0?
  bool is_deep_ = false;            // do rows pop several tokens, or put some aside?
  int left_ = -1, right_ = -1, swap_ = -1, shift_ = -1, leave_ = -1;  // rows that the swap oracles choose from
};

template <class State>
void System::apply(State& state, int action, std::int32_t label) const {
  const std::vector<Effect>& effects = table_.rows[action].effects;
  state.remember(action);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const Effect& effect = effects[i];
    switch (effect.kind) {
      case EffectKind::kShift:
        state.shift();
        break;
      case EffectKind::kPop:
        state.pop(effect.first);
        break;
      case EffectKind::kDrop:
        state.drop();
        break;
      case EffectKind::kBack:
        state.back();
        break;
      case EffectKind::kAside:
        state.aside();
        break;
      case EffectKind::kRestore:
        state.restore();
        break;
      case EffectKind::kClear:
        state.clear();
        break;
      case EffectKind::kArc:
        state.attach(Position(effect.first), Position(effect.second), label,
                     i + 1 < effects.size() && removes(effects[i + 1], effect.second));
        break;
      case EffectKind::kPropose:
        state.propose(Position(effect.first), Position(effect.second), label);
        break;
      case EffectKind::kEnter:
        state.count(Position(effect.first), 1);
        break;
      case EffectKind::kLeave:
        state.count(Position(effect.first), -1);
        break;
      case EffectKind::kReturn:
        state.count_list();
        break;
    }
  }
}

template <class State>
void System::costs(const State& state, const Frame& frame, Bits truths, std::uint32_t legal, const Reference& reference,
                   Scratch& scratch, std::span<std::int32_t> costs) const {
  if (table_.potential == Potential::kSwap) {
    list_stack(state, scratch.stack);
    state.list_buffer(scratch.after);
    scratch.stack.insert(scratch.stack.end(), scratch.after.begin(), scratch.after.end());
    loss_costs(frame, legal, *reference.swap, scratch, scratch.swap, costs);
    if (table_.static_oracle != StaticOracle::kAbsent) keep_to_static(frame, legal, reference, costs);
  } else if (table_.static_oracle != StaticOracle::kAbsent) {
    static_costs(frame, legal, reference, costs);
  } else if (table_.potential == Potential::kArcStandard) {
    list_stack(state, scratch.stack);
    loss_costs(frame, legal, *reference.arc_standard, scratch, scratch.arc_standard, costs);
  } else if (table_.potential == Potential::kAttardi) {
    list_stack(state, scratch.stack);
    loss_costs(frame, legal, *reference.attardi, scratch, scratch.attardi, costs);
  } else if (has_free_focus()) {
    local_costs<true>(frame, truths, legal, reference, scratch, costs);
  } else {
    local_costs<false>(frame, truths, legal, reference, scratch, costs);
  }
}

}  // namespace panparser
