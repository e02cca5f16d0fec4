// Search: hypotheses, their expansion and scores. Training and parsing share it; they differ in the weights.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "search/beam_scoring.hpp"
#include "search/constraint.hpp"
#include "systems/focus.hpp"
#include "systems/oracle.hpp"
#include "systems/random_walk.hpp"
#include "weights/perceptron.hpp"

namespace panparser {

// No sound system takes more steps: a swap system swaps each pair of words at most once, and shifts one again.
inline std::int64_t most_steps(Token words) { return 2 * std::int64_t(words + 2) * (words + 2); }
inline void check_steps(std::int64_t steps, Token words) {
  if (steps > most_steps(words)) throw Stuck("the derivation of a sentence does not end");
}

struct Hypothesis {
  std::int32_t state = 0;
  std::int32_t loss = 0;  // correct attachments lost so far
  Score score = 0;
  std::int32_t length = 0;  // of its derivation
  bool is_final = false;
  Score behind = 0;             // the largest distance behind the best so far
  std::int32_t violations = 0;  // of the sentence's constraint, so far
};

struct Candidate {
  std::int32_t from = 0;     // in the beam
  std::int32_t action = -1;  // none: a final state is kept as it is. Of tables, a step
  std::int32_t loss = 0;
  Score score = 0;
  std::int32_t order = 0;  // ties go to the earlier one
  std::int32_t violations = 0;
};
inline bool better(const Candidate& a, const Candidate& b) {
  if (a.violations != b.violations) return a.violations < b.violations;
  return a.score != b.score ? a.score > b.score : a.order < b.order;
}

// The best `width` candidates, best first.
inline void cut(std::vector<Candidate>& candidates, std::size_t width) {
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].order = static_cast<std::int32_t>(i);
  const std::size_t kept = std::min(width, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    better);
  candidates.resize(kept);
}

// Steps the states of one sentence.
template <class WeightLookup>
class Search {
 public:
  Search(const ScoringPlan& plan, const WeightLookup& weights)
      : plan_(plan),
        scoring_(plan, weights),
        features_(plan.program, {plan.label_templates(plan.program), ScoringPlan::templates(plan.program, [&](int t) {
                                   return !plan.is_for_labels(plan.program, t);
                                 })}) {}

  Arena& arena() { return arena_; }
  BeamScorer<WeightLookup>& scoring() { return scoring_; }
  System::Scratch& scratch() { return scratch_; }
  // Costs are available if states are tracked. A constraint applies from now on.
  Hypothesis start(const SentenceTokens& tokens, bool tracking, const Constraint* constraint = nullptr) {
    tokens_ = tokens;
    constraint_ = constraint;
    scoring_.start(tokens);
    tracking |= constraint && constraint->needs_heads();
    arena_.reset(plan_.system.table().shape, tokens.words, tracking);
    return {arena_.initial(), 0, 0, 0, is_final(arena_.initial())};
  }
  bool is_final(std::int32_t state) { return plan_.system.is_final(LinkedState(arena_, state)); }

  // Appends the possible next steps of each hypothesis of a beam; with losses if there is a reference.
  void expand(std::span<const Hypothesis> beam, const Reference* reference, std::vector<Candidate>& out) {
    if (plan_.system.has_free_focus()) return expand_places(beam, reference, constraint_, out);
    for (std::size_t first = 0; first < beam.size(); first += kAtOnce) {
      const std::size_t end = std::min(beam.size(), first + kAtOnce);
      scoring_.start_actions();
      for (std::size_t i = first; i < end; ++i) {
        if (!beam[i].is_final) scoring_.query_actions(LinkedState(arena_, beam[i].state).window());
      }
      scoring_.fetch_actions();
      std::size_t query = 0;
      for (std::size_t i = first; i < end; ++i) {
        const auto from = static_cast<std::int32_t>(i);
        if (beam[i].is_final) {
          out.push_back({from, -1, beam[i].loss, beam[i].score, 0, beam[i].violations});
        } else {
          add_steps(beam[i], from, query++, reference, out);
        }
      }
    }
  }

  // The same if the focus is free: steps of all places.
  void expand_places(std::span<const Hypothesis> beam, const Reference* reference, const Constraint* constraint,
                     std::vector<Candidate>& out) {
    for (std::size_t i = 0; i < beam.size(); ++i) {
      const auto from = static_cast<std::int32_t>(i);
      if (beam[i].is_final) {
        out.push_back({from, -1, beam[i].loss, beam[i].score, 0, beam[i].violations});
      } else {
        add_steps_everywhere(beam[i], from, reference, constraint, out);
      }
    }
  }

  // Appends the hypotheses of candidates, with the best labels for their arcs.
  void make(std::span<const Hypothesis> parents, std::span<const Candidate> candidates, std::vector<Hypothesis>& out) {
    for (std::size_t first = 0; first < candidates.size(); first += kAtOnce) {
      const auto some = candidates.subspan(first, std::min(kAtOnce, candidates.size() - first));
      choose_labels(parents, some);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const Hypothesis& parent = parents[some[i].from];
        if (some[i].action < 0) {
          out.push_back(parent);
          continue;
        }
        LinkedState after = LinkedState(arena_, parent.state).fork(some[i].action);
        take(plan_.system, after, some[i].action, labels_[i]);
        out.push_back({after.index(), some[i].loss, some[i].score, parent.length + 1, is_final(after.index()), 0,
                       some[i].violations});
      }
    }
  }

  // A state as a step sees it.
  Window window(std::int32_t state, std::int32_t step) {
    Window window;
    see(plan_.system, LinkedState(arena_, state), step, [&](const LinkedState& seen) { window = seen.window(); });
    return window;
  }
  // The features of a state, of the first program; or only those that labels see, and how many there are.
  void extract(std::int32_t state, std::int32_t step, Key* keys) {
    features_.extract(2, window(state, step), tokens_, keys);
  }
  int extract_for_labels(std::int32_t state, std::int32_t step, Key* keys) {
    features_.extract(1, window(state, step), tokens_, keys);
    return features_.size(0);
  }
  std::int32_t vector_row(std::int32_t state, std::int32_t step, std::size_t i) {
    return plan_.program.vector_row(i, window(state, step), tokens_);
  }

 private:
  static constexpr std::size_t kAtOnce = 32;  // states whose weights are fetched together

  void add_steps(const Hypothesis& hypothesis, std::int32_t from, std::size_t query, const Reference* reference,
                 std::vector<Candidate>& out) {
    const System& system = plan_.system;
    const LinkedState state(arena_, hypothesis.state);
    const Frame frame = state.frame();
    const Bits truths = system.truths(frame);
    std::uint32_t legal = system.legal(truths);
    if (!legal) throw Stuck("no legal transition in a state that is not final");
    std::int32_t violations = hypothesis.violations;
    if (constraint_) {
      const Constraint::Choice choice = constraint_->filter(system, state, frame, truths, legal, constraint_scratch_);
      legal = choice.legal;
      violations += choice.cost;
    }
    const std::int32_t* const sums = scoring_.actions(query, state.window());
    std::array<std::int32_t, System::kMaxRows> costs;
    std::int32_t least = 0;
    if (reference) {
      system.costs(state, frame, truths, legal, *reference, scratch_, costs);
      least = std::numeric_limits<std::int32_t>::max();
      for (std::uint32_t rest = legal; rest; rest &= rest - 1) least = std::min(least, costs[std::countr_zero(rest)]);
    }
    for (std::uint32_t rest = legal; rest; rest &= rest - 1) {
      const int action = std::countr_zero(rest);
      const std::int32_t cost = reference ? costs[action] - least : 0;
      out.push_back({from, action, hypothesis.loss + cost, hypothesis.score + sums[action], 0, violations});
    }
  }

  void add_steps_everywhere(const Hypothesis& hypothesis, std::int32_t from, const Reference* reference,
                            const Constraint* constraint, std::vector<Candidate>& out) {
    const System& system = plan_.system;
    const std::size_t first = out.size();
    std::int32_t violations = std::numeric_limits<std::int32_t>::max();
    std::array<std::int32_t, System::kMaxRows> costs{};
    windows_.clear();
    scoring_.start_actions();
    see_all(LinkedState(arena_, hypothesis.state), system.table().shape, [&](const LinkedState& seen) {
      const Frame frame = seen.frame();
      const Bits truths = system.truths(frame);
      Constraint::Choice choice{system.legal(truths), 0};
      if (!choice.legal) return;
      if (constraint) choice = constraint->filter(system, seen, frame, truths, choice.legal, constraint_scratch_);
      if (choice.cost > violations) return;
      if (choice.cost < violations) out.resize(first);
      violations = choice.cost;
      if (reference) system.costs(seen, frame, truths, choice.legal, *reference, scratch_, costs);
      const auto query = static_cast<std::int32_t>(windows_.size());
      windows_.push_back(seen.window());
      scoring_.query_actions(windows_.back());
      for (; choice.legal; choice.legal &= choice.legal - 1) {
        const int action = std::countr_zero(choice.legal);
        out.push_back({from, make_step(action, frame.at[kS0]), costs[action], hypothesis.score, query, 0});
      }
    });
    if (out.size() == first) throw Stuck("no legal transition in a state that is not final");
    scoring_.fetch_actions();
    const auto found = std::span(out).subspan(first);
    const auto costs_less = [](const Candidate& a, const Candidate& b) { return a.loss < b.loss; };
    const std::int32_t least = std::min_element(found.begin(), found.end(), costs_less)->loss;
    const std::int32_t* sums = nullptr;
    std::int32_t answered = -1;
    for (Candidate& candidate : found) {
      if (candidate.order != answered) sums = scoring_.actions(candidate.order, windows_[candidate.order]);
      answered = candidate.order;
      candidate.loss += hypothesis.loss - least;
      candidate.score += sums[action_of(candidate.action)];
      candidate.violations = hypothesis.violations + violations;
    }
  }

  // For each candidate the best label of the arc that it makes; -1 if it makes none.
  void choose_labels(std::span<const Hypothesis> parents, std::span<const Candidate> candidates) {
    labels_.assign(candidates.size(), -1);
    label_queries_.clear();
    if (plan_.labels.size == 0) return;
    scoring_.start_labels();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].action < 0) continue;
      const int action = action_of(candidates[i].action);
      if (!plan_.system.labels(action)) continue;
      const Window window = this->window(parents[candidates[i].from].state, candidates[i].action);
      const Arc arc = plan_.system.labeled_arc(window, action);
      labels_[i] = constraint_ ? constraint_->label(arc.dependent) : kAnyLabel;
      if (labels_[i] >= 0) continue;
      scoring_.query_label(window, action);
      label_queries_.push_back({i, window, arc});
    }
    scoring_.fetch_labels();
    for (std::size_t query = 0; query < label_queries_.size(); ++query) {
      const auto& [i, window, arc] = label_queries_[query];
      const bool stays = labels_[i] == kStayingLabel;
      labels_[i] = scoring_.label(query, window, action_of(candidates[i].action), arc,
                                  stays ? constraint_->moving() : std::span<const std::uint8_t>());
    }
  }

  struct LabelQuery {
    std::size_t candidate;
    Window window;
    Arc arc;
  };

  const ScoringPlan plan_;
  BeamScorer<WeightLookup> scoring_;
  Selection features_;  // those for labels, and the others
  SentenceTokens tokens_{};
  Arena arena_;
  System::Scratch scratch_;
  std::vector<std::int32_t> labels_;        // of candidates
  std::vector<LabelQuery> label_queries_;   // candidates whose labels the scores decide
  std::vector<Window> windows_;             // of the places of a free focus
  const Constraint* constraint_ = nullptr;  // of the sentence
  System::Scratch constraint_scratch_;
};

}  // namespace panparser
