// Scores of the states of a beam: sums of the weights of their features. What states of one sentence share is computed
// once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/selection.hpp"
#include "search/scoring_plan.hpp"
#include "search/vector_scoring.hpp"
#include "search/weight_lookups.hpp"

namespace panparser {

// Queries about states, of one kind (actions or labels), are first collected for a whole beam and then answered, so
// that all their weights are fetched together. The sums of a group of features that sees the same in two states are
// looked up once; so is the best label where all that labels see is the same.
//
// WeightLookup has lines_per_feature(program), prefetch_actions(keys, count, program, lines), actions(keys, lines,
// count, program, sums), and the same for labels.
template <class WeightLookup>
class BeamScorer {
 public:
  BeamScorer(const ScoringPlan& plan, const WeightLookup& weights)
      : plan_(plan),
        shared_sums_(plan.system.actions()),
        state_sums_(plan.system.actions()),
        label_sums_(plan.labels.size),
        shared_(weights),
        own_(weights),
        labels_(weights),
        vectors_(plan.program, weights, plan.system.actions(), plan.labels.size, plan.labels_see_vectors()) {
    // Words that return, or leave behind it, make the buffer differ even if B0 is the same.
    const bool shares = !plan.system.has_back() && !plan.system.has_free_focus();
    std::uint32_t own = 0;  // groups
    if (plan.system.has_free_focus()) parts_.push_back({kGroups, (1u << kGroups) - 1});
    for (int g = 0; g < kGroups && !plan.system.has_free_focus(); ++g) {
      if (shares && g != kOtherGroup && most_templates(Group(g)) >= kMinSharedTemplates) {
        parts_.push_back({Group(g), 1u << g});
      } else {
        own |= 1u << g;
      }
    }
    for (std::size_t p = 0; p < plan.programs(); ++p) {
      const Program& program = plan.program_at(p);
      std::vector<std::vector<int>> sections;
      sections.push_back(templates(program, own));
      for (const Part& part : parts_) sections.push_back(templates(program, part.groups));
      sees_history_ |= program.sees_history();
      selections_.emplace_back(program, sections);
      label_selections_.push_back(Selection(program, {plan.label_templates(program)}));
    }
    shares_labels_ = !plan.system.has_back() && !plan.system.attaches_deepest();
  }

  void start(const SentenceTokens& tokens) {
    tokens_ = tokens;
    forget();
  }
  void forget() {  // after a change of weights
    for (Part& part : parts_) part.memo.forget();
    decided_.forget();
    shared_sums_.clear();
    vectors_.forget();
  }

  // Scores of actions, for any number of states: start, ask for each, fetch, and answer each by its number.
  void start_actions() {
    shared_.clear();
    own_.clear();
    state_sums_.clear();
    queries_.clear();
  }
  void query_actions(const Window& window) {
    Query& rows = queries_.emplace_back();
    std::uint32_t fresh = 0;  // parts whose sums are to be looked up
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto [row, is_new] = parts_[i].memo.find(sight(parts_[i], window));
      if (is_new) {
        *row = static_cast<std::int32_t>(shared_sums_.add());
        fresh |= 1u << i;
      }
      rows[i] = *row;
    }
    const std::size_t own = state_sums_.add();
    for (std::size_t p = 0; p < selections_.size(); ++p) {
      prefetch(p, 0, window, own_, own);
      for (std::uint32_t rest = fresh; rest; rest &= rest - 1) {
        const int part = std::countr_zero(rest);
        prefetch(p, part + 1, window, shared_, rows[part]);
      }
    }
  }
  void fetch_actions() {
    shared_.read(shared_sums_.at(0), shared_sums_.width());
    own_.read(state_sums_.at(0), state_sums_.width());
  }
  const std::int32_t* actions(std::size_t query, const Window& window) {
    std::int32_t* __restrict const sums = state_sums_.at(query);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::int32_t* __restrict const shared = shared_sums_.at(queries_[query][i]);
      for (std::size_t c = 0; c < state_sums_.width(); ++c) sums[c] += shared[c];
    }
    if (vectors_.any()) vectors_.add_actions(window, tokens_, sums);
    return sums;
  }

  // The same for labels of the arcs that actions make.
  void start_labels() {
    labels_.clear();
    label_sums_.clear();
    label_queries_.clear();
  }
  void query_label(const Window& window, int action) {
    const auto query = static_cast<std::int32_t>(label_queries_.size());
    if (!shares_labels_) return query_label_sums(window, action);
    const std::uint64_t seen = label_sight(window, action);
    const auto [label, is_new] = decided_.find(seen);
    if (!is_new) {
      label_queries_.push_back({0, *label, seen});
      return;
    }
    *label = kPending - query;
    query_label_sums(window, action);
    label_queries_.back().seen = seen;
  }
  void query_label_sums(const Window& window, int action) {  // a query for the scores of all labels
    const std::size_t row = label_sums_.add();
    label_queries_.push_back({static_cast<std::uint32_t>(row), kUndecided, 0});
    for (std::size_t p = 0; p < plan_.programs(); ++p) {
      const int count = label_selections_[p].size();
      Key* const keys = labels_.room(count);
      label_selections_[p].gather(0, window, tokens_, gathered_);
      label_selections_[p].extract(0, gathered_, keys);
      for (int i = 0; i < count; ++i) keys[i] = label_key(keys[i], action);
      labels_.prefetch(count, p, row);
    }
  }
  void fetch_labels() { labels_.read(label_sums_.at(0), label_sums_.width()); }
  // The best label that the arc may have; none of those that `excluded` flags, if it is not empty.
  std::int32_t label(std::size_t query, const Window& window, int action, const Arc& arc,
                     std::span<const std::uint8_t> excluded = {}) {
    LabelQuery& answer = label_queries_[query];
    if (answer.label <= kPending) answer.label = label_queries_[kPending - answer.label].label;  // an earlier query's
    if (answer.label != kUndecided) return answer.label;
    answer.label = plan_.labels.best(label_sums(query, window, action), is_of_root(arc), excluded);
    if (shares_labels_) *decided_.find(answer.seen).first = answer.label;
    return answer.label;
  }
  const std::int32_t* label_sums(std::size_t query, const Window& window, int action) {
    std::int32_t* const sums = label_sums_.at(label_queries_[query].row);
    if (vectors_.any()) vectors_.add_labels(window, tokens_, action, sums);
    return sums;
  }
  bool is_of_root(const Arc& arc) const { return arc.head == plan_.system.table().shape.root(tokens_.words); }

 private:
  static constexpr int kMinSharedTemplates = 4;  // templates: to look fewer up takes less time than to find their sums
  static constexpr std::int32_t kUndecided = -2, kPending = -3;

  struct Part {            // templates that see as much
    Group group;           // kGroups: all of them, where the focus is free and most places stay as they were
    std::uint32_t groups;  // a bit for each that belongs to it
    Memo memo{};           // rows of shared sums
  };
  std::uint64_t sight(const Part& part, const Window& window) const {
    if (part.group != kGroups) return Program::sight(part.group, window);
    return Program::whole_sight(window) + (sees_history_ ? mix(window.history) : 0);
  }
  using Query = std::array<std::int32_t, kGroups>;  // row of each part
  struct LabelQuery {
    std::uint32_t row;
    std::int32_t label;  // or kUndecided; or kPending - the number of the query that is the same
    std::uint64_t seen;
  };

  int most_templates(Group group) const {
    std::size_t most = 0;
    for (std::size_t p = 0; p < plan_.programs(); ++p) {
      most = std::max(most, templates(plan_.program_at(p), 1u << group).size());
    }
    return static_cast<int>(most);
  }
  static std::vector<int> templates(const Program& program, std::uint32_t groups) {
    return ScoringPlan::templates(program, [&](int t) { return (groups >> program.group_of(t) & 1) != 0; });
  }
  void prefetch(std::size_t program, int section, const Window& window, Pending<WeightLookup, ActionWeights>& pending,
                std::size_t row) {
    const int count = selections_[program].size(section);
    selections_[program].gather(section, window, tokens_, gathered_);
    selections_[program].extract(section, gathered_, pending.room(count));
    pending.prefetch(count, program, row);
  }
  // The same for two states only if labels see the same in both.
  std::uint64_t label_sight(const Window& window, int action) const {
    std::uint64_t seen = mix(Program::sight(kStackChildGroup, window)) + Program::sight(kFrontChildGroup, window);
    if (plan_.system.attaches_deeper()) seen = mix(seen) + Program::sight(kTripleGroup, window);
    return mix(seen) + static_cast<std::uint64_t>(action);
  }

  const ScoringPlan plan_;
  SentenceTokens tokens_{};
  bool shares_labels_ = false, sees_history_ = false;
  std::vector<Part> parts_;
  std::vector<Selection> selections_, label_selections_;  // by program; what no states share, and a section each part
  Selection::Gathered gathered_;
  Memo decided_;  // labels
  SumRows shared_sums_, state_sums_, label_sums_;
  Pending<WeightLookup, ActionWeights> shared_, own_;
  Pending<WeightLookup, LabelWeights> labels_;
  std::vector<Query> queries_;
  std::vector<LabelQuery> label_queries_;
  VectorScoring<WeightLookup> vectors_;
};

}  // namespace panparser
