// Constraints on a tree before it is parsed: heads, directions, allowed arcs, labels.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "features/tokens.hpp"
#include "systems/system.hpp"

namespace panparser {

// Marks in place of a given label.
inline constexpr std::int32_t kAnyLabel = -1;
inline constexpr std::int32_t kStayingLabel = -2;  // any but those of arcs that are moved after parsing

// The constraint of one sentence. Only the legal actions of least cost remain: the cost of the system's own oracle for
// the given heads, and 1 for a forbidden arc. If the oracle is exact and some tree has the given heads, that tree stays
// reachable, so that all of them are kept and no state is a dead end.
class Constraint {
 public:
  // `allowed`: (n+1) * (n+1), row by head, Root is 0; empty: every arc. `labels` and `moving` (by label: is the arc
  // moved later?) may be empty. The spans must outlive the object.
  Constraint(std::optional<Reference> reference, std::span<const std::uint8_t> allowed,
             std::span<const std::int32_t> labels, std::span<const std::uint8_t> moving)
      : reference_(std::move(reference)), allowed_(allowed), labels_(labels), moving_(moving) {}

  bool needs_heads() const { return reference_.has_value(); }  // if not, all actions remain

  struct Choice {
    std::uint32_t legal;  // those that remain
    std::int32_t cost;    // of each
  };
  template <class State>
  Choice filter(const System& system, const State& state, const Frame& frame, Bits truths, std::uint32_t legal,
                System::Scratch& scratch) const {
    // With a free focus, actions at other places may cost less than a single one here.
    if (!reference_ || (std::has_single_bit(legal) && !system.has_free_focus())) return {legal, 0};
    std::array<std::int32_t, System::kMaxRows> costs;
    const bool is_standard = reference_->arc_standard && reference_->arc_standard->is_completable();
    const int left = is_standard || reference_->attardi ? find_left(system, frame, legal) : -1;
    if (left >= 0) {
      costs.fill(1);
      costs[left] = 0;
    } else if (is_standard) {
      stack_costs(system, state, frame, legal, *reference_->arc_standard, scratch.arc_standard, scratch, costs);
    } else if (reference_->attardi) {
      stack_costs(system, state, frame, legal, *reference_->attardi, scratch.attardi, scratch, costs);
    } else {
      system.costs(state, frame, truths, legal, *reference_, scratch, costs);
    }
    Choice choice{0, std::numeric_limits<std::int32_t>::max()};
    for (; legal; legal &= legal - 1) {
      const int action = std::countr_zero(legal);
      const std::int32_t cost =
          costs[action] + (!allowed_.empty() && forbids(system.decided(frame, action), frame.root));
      if (cost < choice.cost) choice = {0, cost};
      if (cost == choice.cost) choice.legal |= std::uint32_t(1) << action;
    }
    return choice;
  }

  // The label that the word must have, kAnyLabel or kStayingLabel.
  std::int32_t label(Token word) const {
    return labels_.empty() || word < 1 || word > Token(labels_.size()) ? kAnyLabel : labels_[word - 1];
  }
  std::span<const std::uint8_t> moving() const { return moving_; }

 private:
  // Where arcs join words of the stack: a given arc to the left that may be made now, with all given children of its
  // dependent. It could wait, but there is no benefit, and parsers are trained not to. -1: no such arc.
  int find_left(const System& system, const Frame& frame, std::uint32_t legal) const {
    for (; legal; legal &= legal - 1) {
      const Arc arc = system.arc(frame, std::countr_zero(legal));
      const bool is_left = arc.head != kNone && arc.dependent < arc.head;
      if (is_left && reference_->gold.head(arc.dependent) == arc.head && is_free(arc, frame)) {
        return std::countr_zero(legal);
      }
    }
    return -1;
  }

  // Where arcs join words of the stack, in a state that still has all given arcs within reach: 0 where the next one
  // has, else 1. An arc costs nothing if it is given, or its dependent has nothing to do with arcs that are; in both
  // cases the dependent must have all its given children. To shift can only break arcs within the stack.
  template <class State, class Loss>
  void stack_costs(const System& system, const State& state, const Frame& frame, std::uint32_t legal, const Loss& loss,
                   typename Loss::Scratch& own, System::Scratch& scratch, std::span<std::int32_t> costs) const {
    int shift = -1;
    bool attaches = false;
    for (; legal; legal &= legal - 1) {
      const int action = std::countr_zero(legal);
      const Arc arc = system.decided(frame, action);
      costs[action] = arc.head != kNone && !is_free(arc, frame);
      if (arc.head == kNone) {
        shift = action;
      } else {
        attaches |= costs[action] == 0;
      }
    }
    if (shift < 0 || !attaches) return;  // to shift is illegal, or there is no other way
    if (comes_and_goes(frame)) return;
    system.list_stack(state, scratch.stack);
    if (!joins_stack(scratch.stack, frame)) return;
    scratch.stack.push_back(frame.front);
    costs[shift] = loss.reachable(scratch.stack, frame.front + 1, own) < open(frame);
  }
  // May B0, with all that it is given below it, be attached as soon as it is shifted? Then all is as it was. To S0, or
  // in Attardi's system to S1; there what is below it may be anywhere, so there must be nothing.
  bool comes_and_goes(const Frame& frame) const {
    const Token front = frame.at[kB0], top = frame.at[kS0], below = frame.at[kS1];
    if (front == kNone || front == frame.root || top == frame.root) return false;
    const Token head = reference_->gold.head(front);
    const auto children = reference_->gold.children(front);
    if (reference_->attardi) {
      return children.empty() && (head == kUnknown || head == top || (head == below && below != frame.root));
    }
    return (head == kUnknown || head == top) &&
           std::none_of(children.begin(), children.end(), [&](Token c) { return contains(frame.on_stack, c); });
  }
  bool is_free(const Arc& arc, const Frame& frame) const {
    const Gold& gold = reference_->gold;
    const Token head = gold.head(arc.dependent);
    if (head >= 0 && head != arc.head) return false;
    const auto children = gold.children(arc.dependent);
    return std::all_of(children.begin(), children.end(), [&](Token c) { return contains(frame.attached, c); });
  }
  bool joins_stack(std::span<const Token> stack, const Frame& frame) const {
    return std::any_of(stack.begin(), stack.end(), [&](Token token) {
      const Token head = reference_->gold.head(token);
      return head >= 0 &&
             (contains(frame.on_stack, head) || head == stack.front());  // which may be no token of the state
    });
  }
  int open(const Frame& frame) const {  // words that are still there, and whose head is given
    const auto heads = reference_->gold.heads();
    int count = 0;
    for (Token word = 1; word <= reference_->gold.words(); ++word) {
      count += heads[word] >= 0 && (word >= frame.front || contains(frame.on_stack, word));
    }
    return count;
  }

  bool forbids(const Arc& arc, Token root) const {
    if (arc.head == kNone || arc.dependent == root) return false;
    const std::size_t head = arc.head == root ? 0 : arc.head;
    return !allowed_[head * (reference_->gold.words() + 1) + arc.dependent];
  }

  std::optional<Reference> reference_;
  std::span<const std::uint8_t> allowed_;
  std::span<const std::int32_t> labels_;
  std::span<const std::uint8_t> moving_;
};

// Of all sentences of a treebank, in columns.
class Constraints {
 public:
  // By word: heads (Root is 0, marks are those of Gold; kEmpty where words may be headless) and labels (kAnyLabel,
  // kStayingLabel). `moving`: by label. Throws std::invalid_argument on anything out of range.
  Constraints(const System& system, std::span<const std::int64_t> offsets, std::span<const std::int32_t> heads,
              std::span<const std::int32_t> labels, std::span<const std::uint8_t> moving);
  void allow(std::int64_t sentence, std::span<const std::uint8_t> arcs);  // which arcs, as in Constraint

  std::int64_t sentences() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::int64_t words() const { return offsets_.back(); }
  std::int64_t words(std::int64_t sentence) const { return offsets_[sentence + 1] - offsets_[sentence]; }
  std::size_t labels() const { return moving_.size(); }
  const System& system() const { return system_; }
  GivenColumns given() const { return {heads_, labels_}; }  // for features
  // nullopt if nothing is constrained. Throws std::invalid_argument if heads form a cycle.
  std::optional<Constraint> operator[](std::int64_t sentence) const;

 private:
  const System& system_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> heads_, labels_;
  std::vector<std::uint8_t> moving_;
  std::map<std::int64_t, std::vector<std::uint8_t>> allowed_;
};

// For each sentence of a treebank, whether no projective tree has all its heads (Root is 0, -1 unknown, no marks): a
// cycle, or two arcs that exclude each other; or an arc is longer than `max_span` (0: any length).
void find_conflicts(std::span<const std::int64_t> offsets, std::span<const std::int32_t> heads, bool root_first,
                    bool single_root, std::int32_t max_span, std::span<std::uint8_t> conflicts);

}  // namespace panparser
