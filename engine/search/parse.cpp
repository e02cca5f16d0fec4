#include "search/parse.hpp"

#include <algorithm>
#include <limits>

namespace panparser {

namespace {

// Writes arcs as heads and labels of words 1..n.
void write(const ScoringPlan& plan, const std::vector<Arc>& arcs, Token words, std::int32_t* heads,
           std::int32_t* labels);

}  // namespace

// The way of a sentence through greedy parsing. engine/README.md draws it, with the steps before and after.
template <class WeightLookup>
void SentenceParser<WeightLookup>::greedy(const SentenceTokens& tokens, std::int32_t* heads, std::int32_t* labels,
                                          const Constraint* constraint) {
  const System& system = plan_.system;
  // 4. Start: all words are in the buffer.
  state_.reset(system.table().shape, tokens.words);
  scoring_.start(tokens);
  std::int64_t steps = 0;
  for (Frame frame = state_.frame(); !system.is_final(frame); frame = state_.frame()) {
    check_steps(++steps, tokens.words);
    // 5. Which transitions are allowed in this state?
    const Bits truths = system.truths(frame);
    std::uint32_t legal = system.legal(truths);
    if (!legal) throw Stuck("no legal transition in a state that is not final");
    if (constraint) legal = constraint->filter(system, state_, frame, truths, legal, search_.scratch()).legal;
    // 6. The features of the state, their weights, and one score for each transition; 7. the best allowed transition.
    scoring_.move_to(state_.window());
    int action = std::countr_zero(legal);
    if (legal & (legal - 1)) {  // there is a choice
      const std::int32_t* const sums = scoring_.actions();
      for (legal &= legal - 1; legal; legal &= legal - 1) {
        if (sums[std::countr_zero(legal)] > sums[action]) action = std::countr_zero(legal);
      }
    }
    // 8. A label, only if the transition makes an arc.
    const std::int32_t label = choose_label(frame, action, constraint);
    // 9. The next state.
    system.apply(state_, action, label);
  }
  // 10. Heads and labels, word by word.
  write(plan_, state_.arcs(), tokens.words, heads, labels);
}

// The best label for the arc that an action makes, or the one that a constraint gives; -1 where it makes no arc.
template <class WeightLookup>
std::int32_t SentenceParser<WeightLookup>::choose_label(const Frame& frame, int action, const Constraint* constraint) {
  if (plan_.labels.size == 0 || !plan_.system.labels(action)) return -1;
  const Arc arc = plan_.system.labeled_arc(frame, action);
  const std::int32_t given = constraint ? constraint->label(arc.dependent) : kAnyLabel;
  if (given >= 0) return given;
  const bool stays = given == kStayingLabel;
  return scoring_.label(action, arc, stays ? constraint->moving() : std::span<const std::uint8_t>());
}

// Beam search: `greedy` with several hypotheses. All take their steps together; the best results stay in the beam.
template <class WeightLookup>
const std::vector<Hypothesis>& SentenceParser<WeightLookup>::decode(const SentenceTokens& tokens, int beam,
                                                                    Score margin, const Constraint* constraint,
                                                                    bool heard) {
  const std::size_t width = beam > 0 ? static_cast<std::size_t>(beam) : std::numeric_limits<std::size_t>::max();
  beam_ = {search_.start(tokens, false, constraint)};
  const auto is_final = [](const Hypothesis& h) { return h.is_final; };
  reader_.start();
  if (heard) reader_.hear(beam_);
  std::int64_t steps = 0;
  while (!std::all_of(beam_.begin(), beam_.end(), is_final)) {
    check_steps(++steps, tokens.words);
    candidates_.clear();
    search_.expand(beam_, nullptr, candidates_);
    cut(candidates_, width);
    const auto behind = [&](const Candidate& candidate) { return candidates_.front().score - candidate.score; };
    while (behind(candidates_.back()) > margin) candidates_.pop_back();
    next_.clear();
    search_.make(beam_, candidates_, next_);
    for (std::size_t i = 0; i < next_.size(); ++i) {
      next_[i].behind = std::max(beam_[candidates_[i].from].behind, behind(candidates_[i]));
    }
    beam_.swap(next_);
    if (heard) reader_.hear(beam_);
  }
  return beam_;
}

template <class WeightLookup>
Score SentenceParser<WeightLookup>::find_tree(const SentenceTokens& tokens, int beam, Score margin, std::int32_t* heads,
                                              std::int32_t* labels, const Constraint* constraint, Signals* signals) {
  if (beam == 1 && !signals && !plan_.system.has_free_focus()) {
    greedy(tokens, heads, labels, constraint);
    return 0;
  }
  const Hypothesis best = decode(tokens, beam, margin, constraint, signals != nullptr).front();
  write(plan_, LinkedState(search_.arena(), best.state).arcs(), tokens.words, heads, labels);
  if (signals) reader_.read(search_, plan_, beam_, tokens.words, signals);
  return best.behind;
}

template <class WeightLookup>
std::vector<Tree> SentenceParser<WeightLookup>::best(const SentenceTokens& tokens, int beam, int count,
                                                     const Constraint* constraint) {
  std::vector<Tree> trees;
  for (const Hypothesis& hypothesis : decode(tokens, beam, kAnyMargin, constraint)) {
    Tree tree{std::vector<std::int32_t>(tokens.words), std::vector<std::int32_t>(tokens.words), hypothesis.score};
    write(plan_, LinkedState(search_.arena(), hypothesis.state).arcs(), tokens.words, tree.heads.data(),
          tree.labels.data());
    const bool known = std::any_of(trees.begin(), trees.end(), [&](const Tree& other) {
      return other.heads == tree.heads && other.labels == tree.labels;
    });
    if (!known) trees.push_back(std::move(tree));
    if (static_cast<int>(trees.size()) == count) break;
  }
  return trees;
}

template <class WeightLookup>
void SentenceParser<WeightLookup>::derivation(const SentenceTokens& tokens, int beam, Score margin,
                                              std::vector<std::int32_t>& actions, std::vector<std::int32_t>& labels) {
  const auto first = static_cast<std::ptrdiff_t>(actions.size());
  const std::int32_t last = decode(tokens, beam, margin, nullptr).front().state;
  const Arena& arena = search_.arena();
  for (std::int32_t s = last; s != arena.initial(); s = arena.parent(s)) actions.push_back(arena.action(s));
  std::reverse(actions.begin() + first, actions.end());
  // States do not keep the labels of arcs that are only proposed: all labels are chosen again, as they were.
  state_.reset(plan_.system.table().shape, tokens.words);
  scoring_.start(tokens);
  for (auto action = actions.begin() + first; action != actions.end(); ++action) {
    if (plan_.system.has_free_focus()) focus_on(state_, focus_of(*action));
    scoring_.move_to(state_.window());
    labels.push_back(choose_label(state_.frame(), action_of(*action), nullptr));
    take(plan_.system, state_, *action, labels.back());
  }
}

namespace {

void write(const ScoringPlan& plan, const std::vector<Arc>& arcs, Token words, std::int32_t* heads,
           std::int32_t* labels) {
  const Token root = plan.system.table().shape.root(words);
  std::fill_n(heads, words, -1);
  std::fill_n(labels, words, -1);
  for (const Arc& arc : arcs) {
    if (arc.dependent == root) continue;
    heads[arc.dependent - 1] = arc.head == root ? 0 : arc.head;
    labels[arc.dependent - 1] = arc.label;
  }
  const auto size = static_cast<std::size_t>(words);
  plan.system.attach_rest({heads, size}, {labels, size}, plan.labels.first_of_root());
}

}  // namespace

template class SentenceParser<LayeredModel>;
template class SentenceParser<AveragedWeights>;

}  // namespace panparser
