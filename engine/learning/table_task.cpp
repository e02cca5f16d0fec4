#include "learning/table_task.hpp"

#include <algorithm>
#include <utility>

namespace panparser {

TableTask::TableTask(const ScoringPlan& plan, const TrainingWeights& weights, std::span<const std::int32_t> ties)
    : plan_(plan),
      labels_see_(plan.labels_see_vectors()),
      ties_(ties.begin(), ties.end()),
      weights_(weights),
      search_(plan_, weights_) {}

TrainingWeights TableTask::make_weights(const ScoringPlan& plan, LayeredModel base, std::int32_t unit,
                                        const Vectors& vectors) {
  const std::size_t classes = plan.labels_see_vectors().size() * plan.system.actions();
  return {DenseWeights(plan.system.actions()),
          SparseWeights(),
          std::move(base),
          unit,
          VectorWeights(vectors, classes),
          VectorWeights(vectors, classes * plan.labels.size)};
}

void TableTask::reward(std::int32_t state, std::int32_t by, Changes& changes) {
  const int count = plan_.program.templates();
  changes.class_keys.resize(changes.class_keys.size() + count);
  search_.extract(parent(state), action(state), changes.class_keys.data() + changes.class_keys.size() - count);
  changes.classes.push_back({count, action_of(action(state)), by});
  change_vectors(parent(state), action(state), by, changes);
}

// Each correct arc of a correct derivation teaches its label.
void TableTask::learn_labels(const Example& example, std::span<const std::int32_t> states, Changes& changes) {
  Arena& arena = search_.arena();
  for (const std::int32_t state : states) {
    const Arc arc = arena.arc(state);
    if (arc.head == kNone || arc.dependent < 1 || arc.dependent > example.tokens.words) continue;
    const std::int32_t gold = example.labels[arc.dependent - 1];
    if (example.constraint && example.constraint->label(arc.dependent) >= 0) continue;  // given, so never queried
    if (gold < 0 || gold == arc.label || example.reference.gold.head(arc.dependent) != arc.head) continue;
    const std::size_t first = changes.label_keys.size();
    changes.label_keys.resize(first + plan_.program.templates());
    const std::int32_t step = arena.action(state);
    const int count = search_.extract_for_labels(arena.parent(state), step, changes.label_keys.data() + first);
    changes.label_keys.resize(first + count);
    for (Key& key : std::span(changes.label_keys).subspan(first)) key = label_key(key, action_of(step));
    changes.labels.push_back({count, arc.label, gold});
    change_vectors(arena.parent(state), step, gold, weights_.unit_, changes);
    change_vectors(arena.parent(state), step, arc.label, -weights_.unit_, changes);
  }
}

void TableTask::change_vectors(std::int32_t state, std::int32_t step, std::int32_t by, Changes& changes) {
  for (std::size_t a = 0; a < labels_see_.size(); ++a) {
    const std::int32_t row = search_.vector_row(state, step, a);
    if (row >= 0) changes.vectors.push_back({false, row, a * plan_.system.actions() + action_of(step), by});
  }
}

void TableTask::change_vectors(std::int32_t state, std::int32_t step, std::int32_t label, std::int32_t by,
                               Changes& changes) {
  for (std::size_t a = 0; a < labels_see_.size(); ++a) {
    const std::int32_t row = labels_see_[a] ? search_.vector_row(state, step, a) : -1;
    const std::size_t first = (a * plan_.system.actions() + action_of(step)) * plan_.labels.size;
    if (row >= 0) changes.vectors.push_back({true, row, first + label, by});
  }
}

// The derivation that takes, of the actions of least cost, one that makes an arc of the reference, else the one that
// comes first in the system's order. Where heads are unknown, one order is as good as another only in what it costs:
// what the reference leaves open is as the parser would have it, so that it teaches nothing.
bool TableTask::derive(const Example& example, std::vector<std::int32_t>& derivation) {
  const auto heads = example.reference.gold.heads().subspan(1, example.tokens.words);
  if (example.constraint || std::find(heads.begin(), heads.end(), kUnknown) != heads.end()) return false;
  const System& system = plan_.system;
  MutableState state;
  state.reset(system.table().shape, example.tokens.words);
  System::Scratch& scratch = search_.scratch();
  std::vector<std::int32_t> costs(system.actions());
  while (system.has_free_focus() && !system.is_final(state)) {
    check_steps(static_cast<std::int64_t>(derivation.size()), example);
    const std::int32_t step = static_step(system, state, example.reference, ties_, scratch);
    if (step < 0) throw Stuck("no legal transition in a state that is not final");
    derivation.push_back(step);
    take(system, state, step, -1);
  }
  for (Frame frame = state.frame(); !system.is_final(frame); frame = state.frame()) {
    check_steps(static_cast<std::int64_t>(derivation.size()), example);
    const Bits truths = system.truths(frame);
    const std::uint32_t legal = system.legal(truths);
    if (!legal) throw Stuck("no legal transition in a state that is not final");
    system.costs(state, frame, truths, legal, example.reference, scratch, costs);
    const int best = static_action(system, frame, legal, costs, example.reference.gold, ties_);
    derivation.push_back(best);
    system.apply(state, best, -1);
  }
  return true;
}

void TableTask::finish(const Example& example, Progress& progress) {
  progress.words += example.tokens.words;
  System::Scratch& scratch = search_.scratch();
  progress.valued += std::exchange(scratch.valued, 0);
  progress.approximated += std::exchange(scratch.approximated, 0);
}

}  // namespace panparser
