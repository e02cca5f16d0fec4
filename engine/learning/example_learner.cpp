#include "learning/example_learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "learning/sequence_task.hpp"
#include "learning/table_task.hpp"

namespace panparser {

namespace {

bool all_final(const std::vector<Hypothesis>& beam) {
  return std::all_of(beam.begin(), beam.end(), [](const Hypothesis& h) { return h.is_final; });
}

}  // namespace

template <LearningTask Task>
void ExampleLearner<Task>::learn(const Example& example, const Strategy& strategy, Random& random,
                                 const Listener& listener, const Apply& apply, Progress& progress,
                                 const IsVain& is_vain) {
  const Context context{example, strategy, random, listener, apply, progress, is_vain};
  Beam start = {task_->start(example)};
  if (strategy.static_oracle) derive(example, start[0]);
  for (bool done = start[0].is_final; !done;) start = unit(context, std::move(start), done);
  ++progress.sentences;
  task_->finish(example, progress);
}

template <LearningTask Task>
void ExampleLearner<Task>::derive(const Example& example, const Hypothesis& start) {
  derivation_.clear();
  if (task_->derive(example, derivation_)) return;
  task_->forget();
  for (Beam last = {start}, next; !last[0].is_final; last.swap(next)) {
    task_->check_steps(last[0].length, example);
    candidates_.clear();
    task_->expand(last, &example, candidates_);
    std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.loss > last[0].loss; });
    cut(candidates_, 1);
    derivation_.push_back(candidates_[0].action);
    next.clear();
    task_->make(last, candidates_, next);
  }
}

// One search, and its update if it made a mistake: what to start from next.
template <LearningTask Task>
typename ExampleLearner<Task>::Beam ExampleLearner<Task>::unit(const Context& context, Beam start, bool& done) {
  const Strategy& strategy = context.strategy;
  std::size_t first = 0;
  if (!search(context, start, first)) {
    done = true;
    return {};
  }
  std::vector<Pair> pairs;
  for (std::size_t i = first; i < steps_.size(); ++i) pairs.push_back(pair_at(steps_[i], strategy));
  const std::size_t chosen = choose(pairs, strategy);
  const Pair pair = pairs[chosen];
  const bool is_wrong = pair.positive.state != pair.negative.state;
  changes_.clear();
  if constexpr (Task::kHasLabels) {
    // All that is known to be correct teaches labels, unless the search comes by there again.
    const bool stops = !is_wrong || strategy.restart == Restart::kNever;
    learn_labels(context.example, stops ? steps_.back().correct.front().state : pair.positive.state);
  }
  if (is_wrong) {
    update(context, pair);
  } else if (!changes_.empty()) {
    context.apply(changes_);
  }
  const bool is_cut = strategy.horizon > 0 && !all_final(steps_.back().beam);
  if ((is_wrong && strategy.restart == Restart::kNever) || (!is_wrong && !is_cut)) {
    done = true;
    return {};
  }
  Beam next = is_wrong ? go_on(context, steps_[first + chosen], pair) : Beam{pair.positive};
  if (next.size() == 1) next[0].score = 0;
  done = all_final(next);
  return next;
}

// Fills the steps; `first` is that of the first violation, or the last. False if the search turns out to be in vain.
template <LearningTask Task>
bool ExampleLearner<Task>::search(const Context& context, const Beam& start, std::size_t& first) {
  const Strategy& strategy = context.strategy;
  task_->forget();
  base_ = std::numeric_limits<std::int32_t>::max();
  for (const Hypothesis& hypothesis : start) base_ = std::min(base_, hypothesis.loss);
  steps_.resize(1);
  steps_[0].beam = start;
  steps_[0].correct.clear();
  std::copy_if(start.begin(), start.end(), std::back_inserter(steps_[0].correct),
               [&](const Hypothesis& h) { return is_correct(h); });
  bool fallen = false;
  std::int32_t length = 0;
  for (;;) {
    const Step& last = steps_.back();
    const bool is_over = all_final(last.beam) && (!fallen || all_final(last.correct));
    if (is_over || (strategy.horizon > 0 && length == strategy.horizon)) break;
    if (context.is_vain && context.is_vain()) return false;
    Step next;
    advance(context, last, fallen, next);
    task_->check_steps(++length, context.example);
    if (!fallen && std::none_of(next.beam.begin(), next.beam.end(), [&](const auto& h) { return is_correct(h); })) {
      fallen = true;
      first = steps_.size();
    }
    steps_.push_back(std::move(next));
    if (fallen && strategy.update_at == UpdateAt::kFirstViolation) break;
  }
  if (!fallen) first = steps_.size() - 1;
  return true;
}

// The next step of the beam and of the correct hypotheses: those in it, or, once none is left in it, those beside it.
template <LearningTask Task>
void ExampleLearner<Task>::advance(const Context& context, const Step& from, bool fallen, Step& to) {
  const Strategy& strategy = context.strategy;
  const auto expand = [&](const Beam& beam, std::vector<Candidate>& out) {
    out.clear();
    task_->expand(beam, strategy.static_oracle ? nullptr : &context.example, out);
    if (!strategy.static_oracle) return;
    for (Candidate& candidate : out) {
      const Hypothesis& from_here = beam[candidate.from];
      const auto step = static_cast<std::size_t>(from_here.length);
      const bool follows = candidate.action < 0 || (step < derivation_.size() && candidate.action == derivation_[step]);
      candidate.loss = from_here.loss + !follows;
    }
  };
  const auto keep_correct = [&] {
    correct_.clear();
    std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(correct_),
                 [&](const Candidate& c) { return c.loss == base_; });
  };
  expand(from.beam, candidates_);
  context.progress.transitions += static_cast<std::int64_t>(from.beam.size());
  if (!fallen) keep_correct();
  cut(candidates_, beam_);
  task_->make(from.beam, candidates_, to.beam);
  if (!fallen) {
    std::copy_if(to.beam.begin(), to.beam.end(), std::back_inserter(to.correct),
                 [&](const Hypothesis& h) { return is_correct(h); });
    if (!to.correct.empty()) return;
  }
  const Beam& parents = fallen ? from.correct : from.beam;
  if (fallen) {
    expand(from.correct, candidates_);
    keep_correct();
    cut(correct_, beam_);
  } else {
    cut(correct_, correct_.size());
  }
  task_->make(parents, correct_, to.correct);
}

template <LearningTask Task>
typename ExampleLearner<Task>::Pair ExampleLearner<Task>::pair_at(const Step& step, const Strategy& strategy) {
  Pair pair{step.correct.front(), step.beam.front()};
  if (strategy.positive == Positive::kBestScoring || step.correct.size() == 1) return pair;
  const auto negative = path(pair.negative.state);
  std::size_t most = 0;
  for (const Hypothesis& hypothesis : step.correct) {
    const std::size_t shared = common(path(hypothesis.state), negative);
    if (shared > most) {
      most = shared;
      pair.positive = hypothesis;
    }
  }
  return pair;
}

template <LearningTask Task>
std::size_t ExampleLearner<Task>::choose(const std::vector<Pair>& pairs, const Strategy& strategy) {
  std::size_t best = 0;
  const auto violation = [&](std::size_t i) { return pairs[i].negative.score - pairs[i].positive.score; };
  const auto shared = [&](std::size_t i) {
    return common(path(pairs[i].positive.state), path(pairs[i].negative.state));
  };
  switch (strategy.update_at) {
    case UpdateAt::kFirstViolation:
      break;
    case UpdateAt::kMaxViolation:
      for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (violation(i) > violation(best)) best = i;
      }
      break;
    case UpdateAt::kLatestViolation:
      for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (violation(i) >= 0) best = i;
      }
      break;
    case UpdateAt::kLongestPrefix:
      for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (shared(i) > shared(best)) best = i;
      }
      break;
    case UpdateAt::kEnd:
      best = pairs.size() - 1;
      break;
  }
  return best;
}

template <LearningTask Task>
typename ExampleLearner<Task>::Beam ExampleLearner<Task>::go_on(const Context& context, const Step& step,
                                                                const Pair& pair) {
  const Strategy& strategy = context.strategy;
  switch (strategy.restart) {
    case Restart::kNever:
      return {};
    case Restart::kPair:
      return {context.random.uniform() < strategy.exploration ? pair.negative : pair.positive};
    case Restart::kRandomCorrect:
      if (context.random.uniform() < strategy.exploration) return {pair.negative};
      return {step.correct[context.random.below(static_cast<std::uint32_t>(step.correct.size()))]};
    case Restart::kBeam:
      return step.beam;
    case Restart::kSample: {
      Beam all = step.beam;
      if (std::none_of(all.begin(), all.end(), [&](const auto& h) { return h.state == pair.positive.state; })) {
        all.push_back(pair.positive);
      }
      std::vector<double> shares;
      double sum = 0;
      const double temperature = strategy.temperature * task_->unit();  // scores are in units
      for (const Hypothesis& h : all) {
        const auto behind = static_cast<double>(h.score - step.beam.front().score);
        shares.push_back(sum += std::exp(behind / temperature));
      }
      const double at = context.random.uniform() * sum;
      const auto found = std::upper_bound(shares.begin(), shares.end() - 1, at) - shares.begin();
      return {all[static_cast<std::size_t>(found)]};
    }
  }
  return {};
}

template <LearningTask Task>
void ExampleLearner<Task>::update(const Context& context, const Pair& pair) {
  const Listener& listener = context.listener;
  auto positive = path(pair.positive.state, !listener);
  auto negative = path(pair.negative.state, !listener);
  const std::size_t shared = common(positive, negative);
  Update event;
  if (listener) {
    for (const auto state : positive) event.positive.push_back(task_->action(state));
    for (const auto state : negative) event.negative.push_back(task_->action(state));
    event.positive_score = pair.positive.score;
    event.negative_score = pair.negative.score;
    event.started = steps_[0].beam[0].length;
    listener(event, false);
  }
  positive.erase(positive.begin(), positive.begin() + static_cast<std::ptrdiff_t>(shared));
  negative.erase(negative.begin(), negative.begin() + static_cast<std::ptrdiff_t>(shared));
  reward(positive, +1, context.strategy.focus);
  reward(negative, -1, context.strategy.focus);
  context.apply(changes_);
  ++context.progress.updates;
  if (listener) listener(event, true);
}

template <LearningTask Task>
void ExampleLearner<Task>::reward(const std::vector<std::int32_t>& states, std::int32_t sign, double focus) {
  // The first transition counts whole, or, where later ones count more, the last.
  double power = focus > 1 ? 1 - static_cast<double>(states.size()) : 0;
  for (const std::int32_t state : states) {
    const auto by = static_cast<std::int32_t>(std::lround(sign * task_->unit() * std::pow(focus, power)));
    task_->reward(state, by, changes_);
    power += 1;
  }
}

template <LearningTask Task>
void ExampleLearner<Task>::learn_labels(const Example& example, std::int32_t state)
  requires(Task::kHasLabels)
{
  if (!task_->has_labels()) return;
  const auto states = path(state);
  const auto known = static_cast<std::size_t>(steps_[0].beam[0].length);  // what came before was judged before
  task_->learn_labels(example, std::span(states).subspan(known), changes_);
}

template <LearningTask Task>
std::vector<std::int32_t> ExampleLearner<Task>::path(std::int32_t state, bool since_start) {
  const Beam& start = steps_[0].beam;
  const std::int32_t known = since_start && start.size() == 1 ? start[0].state : -1;
  std::vector<std::int32_t> states;
  for (; state != known && task_->parent(state) >= 0; state = task_->parent(state)) states.push_back(state);
  std::reverse(states.begin(), states.end());
  return states;
}

template <LearningTask Task>
std::size_t ExampleLearner<Task>::common(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) const {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

template class ExampleLearner<TableTask>;
template class ExampleLearner<SequenceTask>;

}  // namespace panparser
