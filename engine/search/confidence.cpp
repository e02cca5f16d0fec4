#include "search/confidence.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace panparser {

namespace {

std::int32_t bounded(Score margin) { return static_cast<std::int32_t>(std::clamp<Score>(margin, -kNoRival, kNoRival)); }
void lower(std::int32_t& signal, Score margin) { signal = std::min(signal, bounded(margin)); }

}  // namespace

template <class WeightLookup>
void SignalReader<WeightLookup>::hear(std::span<const Hypothesis> beam) {
  for (const Hypothesis& hypothesis : beam) {
    const auto state = static_cast<std::size_t>(hypothesis.state);
    if (state < scores_.size()) continue;  // final, and already recorded
    scores_.resize(state + 1);
    lengths_.resize(state + 1);
    scores_[state] = hypothesis.score;
    lengths_[state] = hypothesis.length;
  }
}

template <class WeightLookup>
void SignalReader<WeightLookup>::read(Search<WeightLookup>& search, const ScoringPlan& plan,
                                      std::span<const Hypothesis> beam, Token words, Signals* signals) {
  Arena& arena = search.arena();
  path_.clear();
  for (std::int32_t at = beam.front().state; at >= 0; at = arena.parent(at)) path_.push_back(at);
  std::reverse(path_.begin(), path_.end());
  made_.assign(words, plan.system.table().final.rest_to_root ? static_cast<std::int32_t>(path_.size()) - 1 : -1);
  for (std::size_t i = 1; i < path_.size(); ++i) {
    const Arc& arc = arena.arc(path_[i]);
    if (arc.head != kNone && is_word(arc.dependent)) made_[arc.dependent - 1] = static_cast<std::int32_t>(i);
  }
  Signals none;
  none.fill(kNoRival);
  std::fill_n(signals, words, none);
  read_actions(search, plan, signals);
  if (plan.labels.size > 0) read_labels(search, plan, signals);
  read_rivals(arena, signals);
  read_trees(arena, beam, signals);
}

template <class WeightLookup>
void SignalReader<WeightLookup>::read_actions(Search<WeightLookup>& search, const ScoringPlan& plan, Signals* signals) {
  if (plan.system.has_free_focus()) return read_steps(search, signals);
  BeamScorer<WeightLookup>& scoring = search.scoring();
  Arena& arena = search.arena();
  const std::size_t steps = path_.size() - 1;
  for (std::size_t first = 0; first < steps; first += kAtOnce) {
    const std::size_t end = std::min(steps, first + kAtOnce);
    scoring.start_actions();
    for (std::size_t i = first; i < end; ++i) scoring.query_actions(LinkedState(arena, path_[i]).window());
    scoring.fetch_actions();
    for (std::size_t i = first; i < end; ++i) {
      const LinkedState state(arena, path_[i]);
      const std::int32_t* const sums = scoring.actions(i - first, state.window());
      const Frame frame = state.frame();
      const int action = arena.action(path_[i + 1]);
      const std::uint32_t others = plan.system.legal(plan.system.truths(frame)) & ~(1u << action);
      if (!others) continue;
      std::int32_t next = std::numeric_limits<std::int32_t>::min();
      for (std::uint32_t rest = others; rest; rest &= rest - 1) next = std::max(next, sums[std::countr_zero(rest)]);
      set_margin(i, Score(sums[action]) - next, frame.at[kS0], frame.at[kB0], arena.arc(path_[i + 1]), signals);
    }
  }
}

// The same if the focus is free: steps of all places are rivals.
template <class WeightLookup>
void SignalReader<WeightLookup>::read_steps(Search<WeightLookup>& search, Signals* signals) {
  Arena& arena = search.arena();
  for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
    const Hypothesis here{path_[i]};
    candidates_.clear();
    search.expand_places({&here, 1}, nullptr, nullptr, candidates_);
    if (candidates_.size() == 1) continue;
    const std::int32_t step = arena.action(path_[i + 1]);
    Score own = 0, next = std::numeric_limits<Score>::min();
    for (const Candidate& candidate : candidates_) {
      if (candidate.action == step) {
        own = candidate.score;
      } else {
        next = std::max(next, candidate.score);
      }
    }
    const Window window = search.window(path_[i], step);
    set_margin(i, own - next, window.token(kS0), window.token(kB0), arena.arc(path_[i + 1]), signals);
  }
}

template <class WeightLookup>
void SignalReader<WeightLookup>::set_margin(std::size_t at, Score margin, Token top, Token front, const Arc& arc,
                                            Signals* signals) const {
  const auto step = static_cast<std::int32_t>(at + 1);
  for (const Token word : {top, front}) {
    if (is_word(word) && made_[word - 1] >= step) lower(signals[word - 1][kLeastMargin], margin);
  }
  if (arc.head != kNone && is_word(arc.dependent) && made_[arc.dependent - 1] == step) {
    signals[arc.dependent - 1][kArcMargin] = bounded(margin);
    lower(signals[arc.dependent - 1][kLeastMargin], margin);
  }
}

template <class WeightLookup>
void SignalReader<WeightLookup>::read_labels(Search<WeightLookup>& search, const ScoringPlan& plan, Signals* signals) {
  BeamScorer<WeightLookup>& scoring = search.scoring();
  Arena& arena = search.arena();
  const auto words = static_cast<Token>(made_.size());
  for (Token first = 0; first < words; first += kAtOnce) {
    const Token end = std::min<Token>(words, first + kAtOnce);
    scoring.start_labels();
    for (Token word = first; word < end; ++word) {
      if (!has_arc(arena, word)) continue;
      const std::int32_t at = path_[made_[word]];
      scoring.query_label_sums(search.window(arena.parent(at), arena.action(at)), action_of(arena.action(at)));
    }
    scoring.fetch_labels();
    std::size_t query = 0;
    for (Token word = first; word < end; ++word) {
      if (!has_arc(arena, word)) continue;
      const std::int32_t at = path_[made_[word]];
      const Window window = search.window(arena.parent(at), arena.action(at));
      const std::int32_t label = arena.arc(at).label;
      const std::int32_t* const sums = scoring.label_sums(query++, window, action_of(arena.action(at)));
      const std::vector<std::uint8_t>& allowed = plan.labels.allowed(scoring.is_of_root(arena.arc(at)));
      for (std::int32_t other = 0; other < plan.labels.size; ++other) {
        if (allowed[other] && other != label) lower(signals[word][kLabelMargin], Score(sums[label]) - sums[other]);
      }
    }
  }
}

template <class WeightLookup>
void SignalReader<WeightLookup>::read_rivals(Arena& arena, Signals* signals) {
  const auto winner = [&](std::int32_t length) {
    return scores_[path_[std::min<std::size_t>(length, path_.size() - 1)]];
  };
  gaps_.resize(scores_.size());
  for (std::size_t s = 0; s < scores_.size(); ++s) gaps_[s] = winner(lengths_[s]) - scores_[s];
  for (std::size_t s = scores_.size(); s-- > 1;) {
    const auto state = static_cast<std::int32_t>(s);
    Score& before = gaps_[arena.parent(state)];
    before = std::min(before, gaps_[s]);
    const Arc& arc = arena.arc(state);
    if (arc.head == kNone || !is_word(arc.dependent)) continue;
    const std::int32_t made = made_[arc.dependent - 1];
    if (made < 0 || head(arena, arc.dependent - 1) == arc.head) continue;
    lower(signals[arc.dependent - 1][kRivalMargin], gaps_[s]);
  }
}

template <class WeightLookup>
void SignalReader<WeightLookup>::read_trees(Arena& arena, std::span<const Hypothesis> beam, Signals* signals) {
  for (const Hypothesis& hypothesis : beam.subspan(1)) {
    heads_.assign(made_.size(), kNone);
    for (std::int32_t at = hypothesis.state; at >= 0; at = arena.parent(at)) {
      const Arc& arc = arena.arc(at);
      if (arc.head == kNone || !is_word(arc.dependent)) continue;
      Token& head = heads_[arc.dependent - 1];
      if (head == kNone) head = arc.head;  // the latest counts
    }
    for (std::size_t word = 0; word < made_.size(); ++word) {
      if (made_[word] < 0 || head(arena, static_cast<Token>(word)) == heads_[word]) continue;
      lower(signals[word][kTreeMargin], beam.front().score - hypothesis.score);
    }
  }
}

template class SignalReader<LayeredModel>;
template class SignalReader<AveragedWeights>;

}  // namespace panparser
