#include "learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace panparser {

Learner::Learner(const Grammar& grammar, LayeredModel base, std::int32_t unit, int beam,
                 std::span<const std::int32_t> ties, std::uint64_t seed, const Vectors& vectors)
    : grammar_(grammar),
      labels_see_(grammar.labels_see_vectors()),
      beam_(static_cast<std::size_t>(beam)),
      ties_(ties.begin(), ties.end()),
      weights_{DenseWeights(grammar.system.actions()),
               SparseWeights(),
               std::move(base),
               unit,
               VectorWeights(vectors, labels_see_.size() * grammar.system.actions()),
               VectorWeights(vectors, labels_see_.size() * grammar.system.actions() * grammar.labels.size)},
      search_(grammar_, weights_),
      random_(seed),
      keys_(grammar.program.templates()) {}

void Learner::train(const Example& example, const Strategy& strategy, const Listener& listener) {
  Beam start = {search_.start(example.tokens, true, example.constraint)};
  if (strategy.static_oracle) prepare_static(example, start[0]);
  for (bool done = start[0].is_final; !done;) start = unit(example, strategy, std::move(start), listener, done);
  ++time_;
  ++progress_.sentences;
  progress_.words += example.tokens.words;
  System::Scratch& scratch = search_.scratch();
  progress_.valued += std::exchange(scratch.valued, 0);
  progress_.approximated += std::exchange(scratch.approximated, 0);
}

// One search, and its update if it made a mistake: what to start from next.
Learner::Beam Learner::unit(const Example& example, const Strategy& strategy, Beam start, const Listener& listener,
                            bool& done) {
  search_.scoring().forget();
  base_ = std::numeric_limits<std::int32_t>::max();
  for (const Hypothesis& hypothesis : start) base_ = std::min(base_, hypothesis.loss);
  const auto all_final = [](const Beam& beam) {
    return std::all_of(beam.begin(), beam.end(), [](const Hypothesis& h) { return h.is_final; });
  };
  steps_.resize(1);
  steps_[0].beam = start;
  steps_[0].correct.clear();
  std::copy_if(start.begin(), start.end(), std::back_inserter(steps_[0].correct),
               [&](const Hypothesis& h) { return is_correct(h); });
  bool fallen = false;
  std::size_t first = 0;  // step of the first violation
  std::int32_t length = 0;
  for (;;) {
    const Step& last = steps_.back();
    const bool is_over = all_final(last.beam) && (!fallen || all_final(last.correct));
    if (is_over || (strategy.horizon > 0 && length == strategy.horizon)) break;
    Step next;
    advance(example, strategy, last, fallen, next);
    check_steps(++length, example.tokens.words);
    if (!fallen && std::none_of(next.beam.begin(), next.beam.end(), [&](const auto& h) { return is_correct(h); })) {
      fallen = true;
      first = steps_.size();
    }
    steps_.push_back(std::move(next));
    if (fallen && strategy.update_at == UpdateAt::kFirstViolation) break;
  }
  if (!fallen) first = steps_.size() - 1;
  std::vector<Pair> pairs;
  for (std::size_t i = first; i < steps_.size(); ++i) pairs.push_back(pair_at(steps_[i], strategy));
  const std::size_t chosen = choose(pairs, strategy);
  const Pair pair = pairs[chosen];
  const bool is_wrong = pair.positive.state != pair.negative.state;
  if (grammar_.labels.size > 0) {
    // All that is known to be correct teaches labels, unless the search comes by there again.
    const bool stops = !is_wrong || strategy.go_on == GoOn::kStop;
    update_labels(example, stops ? steps_.back().correct.front().state : pair.positive.state);
  }
  if (is_wrong) update(pair, strategy, listener);
  const bool is_cut = strategy.horizon > 0 && !all_final(steps_.back().beam);
  if ((is_wrong && strategy.go_on == GoOn::kStop) || (!is_wrong && !is_cut)) {
    done = true;
    return {};
  }
  Beam next = is_wrong ? go_on(steps_[first + chosen], pair, strategy) : Beam{pair.positive};
  if (next.size() == 1) next[0].score = 0;
  done = all_final(next);
  return next;
}

// The next step of the beam and of the correct hypotheses: those in it, or, once none is left in it, those beside it.
void Learner::advance(const Example& example, const Strategy& strategy, const Step& from, bool fallen, Step& to) {
  const auto expand = [&](const Beam& beam, std::vector<Candidate>& out) {
    out.clear();
    search_.expand(beam, strategy.static_oracle ? nullptr : &example.reference, out);
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
  progress_.transitions += static_cast<std::int64_t>(from.beam.size());
  if (!fallen) keep_correct();
  search_.cut(candidates_, beam_);
  search_.make(from.beam, candidates_, to.beam);
  if (!fallen) {
    std::copy_if(to.beam.begin(), to.beam.end(), std::back_inserter(to.correct),
                 [&](const Hypothesis& h) { return is_correct(h); });
    if (!to.correct.empty()) return;
  }
  const Beam& parents = fallen ? from.correct : from.beam;
  if (fallen) {
    expand(from.correct, candidates_);
    keep_correct();
    search_.cut(correct_, beam_);
  } else {
    search_.cut(correct_, correct_.size());
  }
  search_.make(parents, correct_, to.correct);
}

Learner::Pair Learner::pair_at(const Step& step, const Strategy& strategy) {
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

std::size_t Learner::choose(const std::vector<Pair>& pairs, const Strategy& strategy) {
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

Learner::Beam Learner::go_on(const Step& step, const Pair& pair, const Strategy& strategy) {
  switch (strategy.go_on) {
    case GoOn::kStop:
      return {};
    case GoOn::kPair:
      return {random_.uniform() < strategy.exploration ? pair.negative : pair.positive};
    case GoOn::kRandomCorrect:
      if (random_.uniform() < strategy.exploration) return {pair.negative};
      return {step.correct[random_.below(static_cast<std::uint32_t>(step.correct.size()))]};
    case GoOn::kBeam:
      return step.beam;
    case GoOn::kSample: {
      Beam all = step.beam;
      if (std::none_of(all.begin(), all.end(), [&](const auto& h) { return h.state == pair.positive.state; })) {
        all.push_back(pair.positive);
      }
      std::vector<double> shares;
      double sum = 0;
      const double temperature = strategy.temperature * weights_.unit_;  // scores are in units
      for (const Hypothesis& h : all) {
        const auto behind = static_cast<double>(h.score - step.beam.front().score);
        shares.push_back(sum += std::exp(behind / temperature));
      }
      const double at = random_.uniform() * sum;
      const auto found = std::upper_bound(shares.begin(), shares.end() - 1, at) - shares.begin();
      return {all[static_cast<std::size_t>(found)]};
    }
  }
  return {};
}

void Learner::update(const Pair& pair, const Strategy& strategy, const Listener& listener) {
  auto positive = path(pair.positive.state);
  auto negative = path(pair.negative.state);
  const std::size_t shared = common(positive, negative);
  Update event;
  if (listener) {
    for (const auto state : positive) event.positive.push_back(search_.arena().action(state));
    for (const auto state : negative) event.negative.push_back(search_.arena().action(state));
    event.positive_score = pair.positive.score;
    event.negative_score = pair.negative.score;
    event.started = steps_[0].beam[0].length;
    listener(event, false);
  }
  positive.erase(positive.begin(), positive.begin() + static_cast<std::ptrdiff_t>(shared));
  negative.erase(negative.begin(), negative.begin() + static_cast<std::ptrdiff_t>(shared));
  reward(positive, +1, strategy.focus);
  reward(negative, -1, strategy.focus);
  ++progress_.updates;
  if (listener) listener(event, true);
}

void Learner::reward(const std::vector<std::int32_t>& states, std::int32_t sign, double focus) {
  // The first transition counts whole, or, where later ones count more, the last.
  double power = focus > 1 ? 1 - static_cast<double>(states.size()) : 0;
  for (const std::int32_t state : states) {
    search_.extract(search_.arena().parent(state), keys_.data());
    const int action = search_.arena().action(state);
    const auto by = static_cast<std::int32_t>(std::lround(sign * weights_.unit_ * std::pow(focus, power)));
    weights_.actions_.prefetch(keys_.data(), static_cast<int>(keys_.size()));
    for (const Key key : keys_) weights_.actions_.change(key, action, by, time_);
    change_vectors(search_.arena().parent(state), action, by);
    power += 1;
  }
}

// Each correct arc of a correct derivation teaches its label.
void Learner::update_labels(const Example& example, std::int32_t state) {
  Arena& arena = search_.arena();
  const auto known = static_cast<std::size_t>(steps_[0].beam[0].length);  // arcs before were judged before
  const auto states = path(state);
  for (std::size_t i = known; i < states.size(); ++i) {
    const Arc arc = arena.arc(states[i]);
    if (arc.head == kNone || arc.dependent < 1 || arc.dependent > example.tokens.words) continue;
    const std::int32_t gold = example.labels[arc.dependent - 1];
    if (example.constraint && example.constraint->label(arc.dependent) >= 0) continue;  // given, so never asked for
    if (gold < 0 || gold == arc.label || example.reference.gold.head(arc.dependent) != arc.head) continue;
    const int count = search_.extract_for_labels(arena.parent(states[i]), keys_.data());
    const int action = arena.action(states[i]);
    for (Key& key : std::span(keys_).first(count)) key = label_key(key, action);
    weights_.labels_.prefetch(keys_.data(), count);
    for (const Key key : std::span(keys_).first(count)) {
      weights_.labels_.change(key, gold, weights_.unit_, time_);
      weights_.labels_.change(key, arc.label, -weights_.unit_, time_);
    }
    change_vectors(arena.parent(states[i]), action, gold, weights_.unit_);
    change_vectors(arena.parent(states[i]), action, arc.label, -weights_.unit_);
  }
}

void Learner::change_vectors(std::int32_t state, int action, std::int32_t by) {
  for (std::size_t a = 0; a < labels_see_.size(); ++a) {
    const std::int32_t row = search_.vector_row(state, a);
    if (row >= 0) weights_.vector_actions_.change(row, a * grammar_.system.actions() + action, by, time_);
  }
}

void Learner::change_vectors(std::int32_t state, int action, std::int32_t label, std::int32_t by) {
  for (std::size_t a = 0; a < labels_see_.size(); ++a) {
    const std::int32_t row = labels_see_[a] ? search_.vector_row(state, a) : -1;
    const std::size_t first = (a * grammar_.system.actions() + action) * grammar_.labels.size;
    if (row >= 0) weights_.vector_labels_.change(row, first + label, by, time_);
  }
}

// The derivation that takes, of the actions of least cost, one that makes an arc of the reference, else the one that
// comes first in the system's order. Where heads are unknown, one order is as good as another only in what it costs:
// what the reference leaves open is as the parser would have it, so that it teaches nothing.
void Learner::prepare_static(const Example& example, const Hypothesis& start) {
  derivation_.clear();
  const auto heads = example.reference.gold.heads().subspan(1, example.tokens.words);
  if (example.constraint || std::find(heads.begin(), heads.end(), kUnknown) != heads.end()) {
    return complete_static(example, start);
  }
  const System& system = grammar_.system;
  MutableState state;
  state.reset(system.table().shape, example.tokens.words);
  System::Scratch& scratch = search_.scratch();
  std::vector<std::int32_t> costs(system.actions());
  for (Frame frame = state.frame(); !system.is_final(frame); frame = state.frame()) {
    check_steps(static_cast<std::int64_t>(derivation_.size()), example.tokens.words);
    const Bits truths = system.truths(frame);
    const std::uint32_t legal = system.legal(truths);
    if (!legal) throw Stuck("no legal transition in a state that is not final");
    system.costs(state, frame, truths, legal, example.reference, scratch, costs);
    const int best = static_action(system, frame, legal, costs, example.reference.gold, ties_);
    derivation_.push_back(best);
    system.apply(state, best, -1);
  }
}

void Learner::complete_static(const Example& example, const Hypothesis& start) {
  search_.scoring().forget();
  for (Beam last = {start}, next; !last[0].is_final; last.swap(next)) {
    check_steps(last[0].length, example.tokens.words);
    candidates_.clear();
    search_.expand(last, &example.reference, candidates_);
    std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.loss > last[0].loss; });
    search_.cut(candidates_, 1);
    derivation_.push_back(candidates_[0].action);
    next.clear();
    search_.make(last, candidates_, next);
  }
}

std::vector<std::int32_t> Learner::path(std::int32_t state) const {
  std::vector<std::int32_t> states;
  for (; search_.arena().parent(state) >= 0; state = search_.arena().parent(state)) states.push_back(state);
  std::reverse(states.begin(), states.end());
  return states;
}

std::size_t Learner::common(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) const {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace panparser
