#include "search/beams.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

namespace panparser {

Beams::Beams(Batch& batch, std::size_t width, bool restarts) : batch_(batch), width_(width), restarts_(restarts) {
  if (batch.system().has_free_focus()) throw std::invalid_argument("beams need a focus that is fixed");
  if (static_cast<std::size_t>(batch.states()) != batch.sentences()) {
    throw std::invalid_argument("beams begin with the initial states; there are others");
  }
  beams_.resize(batch.sentences());
  for (std::int32_t state = 0; state < batch.states(); ++state) {
    if (batch.is_final(state)) continue;
    beams_[static_cast<std::size_t>(state)] = {{{state, 0.0, 0, true}}, state};
  }
}

void Beams::expand(const Beam& beam, std::size_t& row, std::span<const double> scores) {
  const auto actions = static_cast<std::size_t>(batch_.system().actions());
  std::array<std::int32_t, System::kMaxRows> costs{};
  candidates_.clear();
  for (std::size_t i = 0; i < beam.kept.size(); ++i) {
    const Hypothesis& own = beam.kept[i];
    const auto source = static_cast<std::int32_t>(i);
    if (batch_.is_final(own.state)) {
      candidates_.push_back({own.score, own.violations, source, -1, -1, own.is_correct});
      continue;
    }
    if (row >= batch_.rows() || batch_.state(row) != own.state) {
      throw std::invalid_argument("the rows are not the states of the beams");
    }
    const std::uint32_t legal = batch_.legal_actions(row);
    std::int32_t least = kIllegalCost;
    if (own.is_correct) {  // what is wrong stays wrong
      batch_.costs(row, costs);
      for (std::size_t action = 0; action < actions; ++action) {
        if (legal >> action & 1) least = std::min(least, costs[action]);
      }
    }
    for (std::size_t action = 0; action < actions; ++action) {
      if (!(legal >> action & 1)) continue;
      candidates_.push_back({own.score + scores[row * actions + action], own.violations + batch_.violations(row),
                             source, static_cast<std::int32_t>(row), static_cast<std::int32_t>(action),
                             own.is_correct && costs[action] == least});
    }
    ++row;
  }
}

void Beams::choose(std::span<const double> scores) {
  rows_.clear();
  actions_.clear();
  std::size_t row = 0;
  const auto is_better = [](const Candidate& a, const Candidate& b) {
    return std::tuple(a.violations, -a.score, a.source, a.action) <
           std::tuple(b.violations, -b.score, b.source, b.action);
  };
  for (Beam& beam : beams_) {
    if (beam.kept.empty()) continue;
    expand(beam, row, scores);
    correct_.clear();
    for (const Candidate& one : candidates_) {
      if (one.is_correct) correct_.push_back(one);
    }
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(width_, candidates_.size()));
    std::partial_sort(candidates_.begin(), end, candidates_.end(), is_better);
    candidates_.erase(end, candidates_.end());
    const bool is_lost = std::none_of(candidates_.begin(), candidates_.end(), [](auto& one) { return one.is_correct; });
    before_.swap(beam.kept);
    beam.kept.clear();
    if (!is_lost) {
      for (const Candidate& one : candidates_) keep(beam, one, one.score);
      continue;
    }
    std::sort(correct_.begin(), correct_.end(), is_better);
    learn(beam, correct_, candidates_);
    ++wrong_;
    if (!restarts_) continue;
    keep(beam, correct_.front(), 0.0);
    beam.first = -1;  // the state that is made next
  }
}

// Adds a hypothesis to a beam; its state is the one before, until the step is taken.
void Beams::keep(Beam& beam, const Candidate& one, double score) {
  const std::int32_t before = before_[static_cast<std::size_t>(one.source)].state;
  beam.kept.push_back({one.action < 0 ? before : -1, score, one.violations, one.is_correct});
  if (one.action < 0) return;
  rows_.push_back(one.row);
  actions_.push_back(one.action);
}

void Beams::learn(const Beam& beam, std::span<const Candidate> correct, std::span<const Candidate> wrong) {
  const auto path = [&](const Candidate& one) {
    const std::int32_t state = before_[static_cast<std::size_t>(one.source)].state;
    return Path{beam.first, state, one.action, searches_, one.is_correct};
  };
  best_.push_back(path(correct.front()));
  if (!wrong.empty()) {
    for (const Candidate& one : correct) contested_.push_back(path(one));
    for (const Candidate& one : wrong) contested_.push_back(path(one));
    ++searches_;
  }
}

void Beams::take(std::span<const std::int32_t> labels) {
  made_.resize(rows_.size());
  batch_.apply(rows_, actions_, labels, made_.data());
  std::size_t next = 0;
  for (Beam& beam : beams_) {
    if (beam.kept.empty()) continue;
    bool is_final = true;
    for (Hypothesis& own : beam.kept) {
      if (own.state < 0) own.state = made_[next++];
      is_final &= batch_.is_final(own.state);
    }
    if (beam.first < 0) {  // a search that begins
      beam.first = beam.kept.front().state;
      if (is_final) beam.kept.clear();
    } else if (is_final) {
      wrong_ += !beam.kept.front().is_correct;
      before_.swap(beam.kept);
      beam.kept.clear();
      correct_.clear();
      wrong_of_.clear();
      for (std::size_t i = 0; i < before_.size(); ++i) {
        const Hypothesis& own = before_[i];
        (own.is_correct ? correct_ : wrong_of_)
            .push_back({own.score, own.violations, static_cast<std::int32_t>(i), -1, -1, own.is_correct});
      }
      learn(beam, correct_, wrong_of_);
    }
  }
}

Beams::Steps Beams::contested() const { return steps(contested_); }
Beams::Steps Beams::correct() const { return steps(best_); }

Beams::Steps Beams::steps(std::span<const Path> paths) const {
  Steps found;
  std::vector<std::int32_t> place(static_cast<std::size_t>(batch_.states()), -1);
  const auto add = [&](std::int32_t state, std::int32_t action) {
    std::int32_t& own = place[static_cast<std::size_t>(state)];
    if (own < 0) {
      own = static_cast<std::int32_t>(found.states.size());
      found.states.push_back(state);
    }
    found.places.push_back(own);
    found.actions.push_back(action);
    found.paths.push_back(static_cast<std::int64_t>(found.searches.size()));
  };
  for (const Path& path : paths) {
    const std::size_t first = found.places.size();
    if (path.action >= 0) add(path.state, path.action);
    for (std::int32_t state = path.state; state != path.first; state = batch_.parent(state)) {
      add(batch_.parent(state), batch_.last_step(state));
    }
    const auto begin = static_cast<std::ptrdiff_t>(first);
    std::reverse(found.places.begin() + begin, found.places.end());
    std::reverse(found.actions.begin() + begin, found.actions.end());
    found.searches.push_back(path.search);
    found.correct.push_back(path.is_correct);
  }
  return found;
}

}  // namespace panparser
