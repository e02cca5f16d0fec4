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
#include "search/grammar.hpp"
#include "search/questions.hpp"
#include "search/vector_scoring.hpp"

namespace panparser {

// Questions about states, of one kind (actions or labels), are first asked for a whole beam and then answered, so that
// all their weights are on their way together. The sums of a group of features that sees the same in two states are
// looked up once; so is the best label where all that labels see is the same.
//
// Scorer has spots(program), seek_actions(keys, count, program, spots), actions(keys, spots, count, program, sums), and
// the same for labels.
template <class Scorer>
class Scoring {
 public:
  Scoring(const Grammar& grammar, const Scorer& scorer)
      : grammar_(grammar),
        shared_sums_(grammar.system.actions()),
        own_sums_(grammar.system.actions()),
        label_sums_(grammar.labels.size),
        shared_(scorer),
        own_(scorer),
        labels_(scorer),
        vectors_(grammar.program, scorer, grammar.system.actions(), grammar.labels.size, grammar.labels_see_vectors()) {
    // Words that return, or leave behind it, make the buffer differ even if B0 is the same.
    const bool shares = !grammar.system.has_back() && !grammar.system.has_free_focus();
    std::uint32_t own = 0;  // groups
    if (grammar.system.has_free_focus()) parts_.push_back({kGroups, (1u << kGroups) - 1});
    for (int g = 0; g < kGroups && !grammar.system.has_free_focus(); ++g) {
      if (shares && g != kOtherGroup && most_templates(Group(g)) >= kWorthSharing) {
        parts_.push_back({Group(g), 1u << g});
      } else {
        own |= 1u << g;
      }
    }
    for (std::size_t p = 0; p < grammar.programs(); ++p) {
      const Program& program = grammar.program_at(p);
      std::vector<std::vector<int>> sections;
      sections.push_back(templates(program, own));
      for (const Part& part : parts_) sections.push_back(templates(program, part.groups));
      sees_history_ |= program.sees_history();
      selections_.emplace_back(program, sections);
      label_selections_.push_back(Selection(program, {grammar.label_templates(program)}));
    }
    shares_labels_ = !grammar.system.has_back() && !grammar.system.attaches_deepest();
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
    own_sums_.clear();
    asked_.clear();
  }
  void ask_actions(const Window& window) {
    Asked& asked = asked_.emplace_back();
    std::uint32_t fresh = 0;  // parts whose sums are to be looked up
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto [row, is_new] = parts_[i].memo.find(sight(parts_[i], window));
      if (is_new) {
        *row = static_cast<std::int32_t>(shared_sums_.add());
        fresh |= 1u << i;
      }
      asked[i] = *row;
    }
    const std::size_t own = own_sums_.add();
    for (std::size_t p = 0; p < selections_.size(); ++p) {
      seek(p, 0, window, own_, own);
      for (std::uint32_t rest = fresh; rest; rest &= rest - 1) {
        const int part = std::countr_zero(rest);
        seek(p, part + 1, window, shared_, asked[part]);
      }
    }
  }
  void fetch_actions() {
    shared_.read(shared_sums_.at(0), shared_sums_.width());
    own_.read(own_sums_.at(0), own_sums_.width());
  }
  const std::int32_t* actions(std::size_t question, const Window& window) {
    std::int32_t* __restrict const sums = own_sums_.at(question);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::int32_t* __restrict const shared = shared_sums_.at(asked_[question][i]);
      for (std::size_t c = 0; c < own_sums_.width(); ++c) sums[c] += shared[c];
    }
    if (vectors_.any()) vectors_.add_actions(window, tokens_, sums);
    return sums;
  }

  // The same for labels of the arcs that actions make.
  void start_labels() {
    labels_.clear();
    label_sums_.clear();
    asked_labels_.clear();
  }
  void ask_label(const Window& window, int action) {
    const auto question = static_cast<std::int32_t>(asked_labels_.size());
    if (!shares_labels_) return ask_label_sums(window, action);
    const std::uint64_t seen = label_sight(window, action);
    const auto [label, is_new] = decided_.find(seen);
    if (!is_new) {
      asked_labels_.push_back({0, *label, seen});
      return;
    }
    *label = kPending - question;
    ask_label_sums(window, action);
    asked_labels_.back().seen = seen;
  }
  void ask_label_sums(const Window& window, int action) {  // a question for the scores of all labels
    const std::size_t row = label_sums_.add();
    asked_labels_.push_back({static_cast<std::uint32_t>(row), kUndecided, 0});
    for (std::size_t p = 0; p < grammar_.programs(); ++p) {
      const int count = label_selections_[p].size();
      Key* const keys = labels_.room(count);
      label_selections_[p].gather(0, window, tokens_, gathered_);
      label_selections_[p].extract(0, gathered_, keys);
      for (int i = 0; i < count; ++i) keys[i] = label_key(keys[i], action);
      labels_.seek(count, p, row);
    }
  }
  void fetch_labels() { labels_.read(label_sums_.at(0), label_sums_.width()); }
  // The best label that the arc may have; none of those that `excluded` flags, if it is not empty.
  std::int32_t label(std::size_t question, const Window& window, int action, const Arc& arc,
                     std::span<const std::uint8_t> excluded = {}) {
    AskedLabel& asked = asked_labels_[question];
    if (asked.label <= kPending) asked.label = asked_labels_[kPending - asked.label].label;  // an earlier question's
    if (asked.label != kUndecided) return asked.label;
    asked.label = grammar_.labels.best(label_sums(question, window, action), is_of_root(arc), excluded);
    if (shares_labels_) *decided_.find(asked.seen).first = asked.label;
    return asked.label;
  }
  const std::int32_t* label_sums(std::size_t question, const Window& window, int action) {
    std::int32_t* const sums = label_sums_.at(asked_labels_[question].row);
    if (vectors_.any()) vectors_.add_labels(window, tokens_, action, sums);
    return sums;
  }
  bool is_of_root(const Arc& arc) const { return arc.head == grammar_.system.table().shape.root(tokens_.words); }

 private:
  static constexpr int kWorthSharing = 4;  // templates: to look fewer up takes less time than to find their sums
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
  using Asked = std::array<std::int32_t, kGroups>;  // row of each part
  struct AskedLabel {
    std::uint32_t row;
    std::int32_t label;  // or kUndecided; or kPending - the number of the question that asked the same
    std::uint64_t seen;
  };

  int most_templates(Group group) const {
    std::size_t most = 0;
    for (std::size_t p = 0; p < grammar_.programs(); ++p) {
      most = std::max(most, templates(grammar_.program_at(p), 1u << group).size());
    }
    return static_cast<int>(most);
  }
  static std::vector<int> templates(const Program& program, std::uint32_t groups) {
    return Grammar::templates(program, [&](int t) { return (groups >> program.group_of(t) & 1) != 0; });
  }
  void seek(std::size_t program, int section, const Window& window, Pending<Scorer, ActionWeights>& pending,
            std::size_t row) {
    const int count = selections_[program].size(section);
    selections_[program].gather(section, window, tokens_, gathered_);
    selections_[program].extract(section, gathered_, pending.room(count));
    pending.seek(count, program, row);
  }
  // The same for two states only if labels see the same in both.
  std::uint64_t label_sight(const Window& window, int action) const {
    std::uint64_t seen = mix(Program::sight(kStackChildGroup, window)) + Program::sight(kFrontChildGroup, window);
    if (grammar_.system.attaches_deeper()) seen = mix(seen) + Program::sight(kTripleGroup, window);
    return mix(seen) + static_cast<std::uint64_t>(action);
  }

  const Grammar grammar_;
  SentenceTokens tokens_{};
  bool shares_labels_ = false, sees_history_ = false;
  std::vector<Part> parts_;
  std::vector<Selection> selections_, label_selections_;  // by program; what no states share, and a section each part
  Selection::Gathered gathered_;
  Memo decided_;  // labels
  SumRows shared_sums_, own_sums_, label_sums_;
  Pending<Scorer, ActionWeights> shared_, own_;
  Pending<Scorer, LabelWeights> labels_;
  std::vector<Asked> asked_;
  std::vector<AskedLabel> asked_labels_;
  VectorScoring<Scorer> vectors_;
};

}  // namespace panparser
