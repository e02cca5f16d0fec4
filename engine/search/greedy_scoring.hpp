// Scores of one state after the other. Less is shared than in a beam: what B0 and the words behind it add, while they
// stay; and the features that actions and labels both have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "features/selection.hpp"
#include "search/scoring_plan.hpp"
#include "search/vector_scoring.hpp"
#include "weights/lines.hpp"

namespace panparser {

// WeightLookup as in BeamScorer.
template <class WeightLookup>
class GreedyScoring {
 public:
  GreedyScoring(const ScoringPlan& plan, const WeightLookup& weights)
      : plan_(plan),
        weights_(weights),
        kept_(plan.system.actions()),
        sums_(plan.system.actions()),
        label_sums_(plan.labels.size),
        vectors_(plan.program, weights, plan.system.actions(), plan.labels.size, plan.labels_see_vectors()) {
    for (std::size_t p = 0; p < plan.programs(); ++p) {
      parts_.emplace_back(plan, plan.program_at(p));
      const std::size_t room = weights.lines_per_feature(p) * parts_[p].keys.size();
      lines_.resize(std::max(lines_.size(), room));
      buffer_lines_.resize(lines_.size());
    }
  }

  void start(const SentenceTokens& tokens) {
    tokens_ = tokens;
    front_ = kNone;
    is_kept_ = false;
    vectors_.forget();
  }
  void move_to(const Window& window) {  // the state that is meant from now on
    window_ = window;
    is_extracted_ = false;
    // Words that return make the buffer differ even if B0 is the same.
    is_kept_ &= window.buffer[0] == front_ && !plan_.system.has_back() && !plan_.system.has_free_focus();
    front_ = window.buffer[0];
  }
  const std::int32_t* actions() {
    if (!is_kept_) std::fill(kept_.begin(), kept_.end(), 0);
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      Part& part = parts_[p];
      extract(part, kForLabels);
      extract(part, kRest);
      if (!is_kept_) {
        extract(part, kFront);
        extract(part, kBuffer);
        prefetch_actions(p, part.buffer_keys(), buffer_lines_);
      }
      prefetch_actions(p, part.other_keys(), lines_);
      if (!is_kept_) add_actions(p, part.buffer_keys(), buffer_lines_, kept_);
      add_actions(p, part.other_keys(), lines_, sums_);
    }
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] += kept_[c];
    if (vectors_.any()) vectors_.add_actions(window_, tokens_, sums_.data());
    is_kept_ = is_extracted_ = true;
    return sums_.data();
  }
  // The best label that the arc of an action may have; none of those that `excluded` flags, if it is not empty.
  std::int32_t label(int action, const Arc& arc, std::span<const std::uint8_t> excluded) {
    std::fill(label_sums_.begin(), label_sums_.end(), 0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      Part& part = parts_[p];
      if (!is_extracted_) {
        extract(part, kForLabels);
        extract(part, kFront);
      }
      const std::span<const Key> keys = part.keys_for_labels();
      const auto count = static_cast<int>(keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i) part.label_keys[i] = label_key(keys[i], action);
      weights_.prefetch_labels(part.label_keys.data(), count, p, lines_.data());
      weights_.labels(part.label_keys.data(), lines_.data(), count, p, label_sums_.data());
    }
    is_extracted_ = true;
    if (vectors_.any()) vectors_.add_labels(window_, tokens_, action, label_sums_.data());
    const bool of_root = arc.head == plan_.system.table().shape.root(tokens_.words);
    return plan_.labels.best(label_sums_.data(), of_root, excluded);
  }

 private:
  // Of the templates: those that labels see, of the buffer (of which they see B0 alone) last; and the others likewise.
  enum Section : std::uint8_t { kForLabels, kFront, kRest, kBuffer, kSections };

  struct Part {  // of one program
    Part(const ScoringPlan& plan, const Program& program) : selection(program, sections(plan, program)) {
      keys.resize(selection.size());
      label_keys.resize(selection.size(kForLabels) + selection.size(kFront));
      std::size_t at = 0;
      for (const Section section : {kBuffer, kFront, kForLabels, kRest}) {
        firsts[section] = at;
        at += selection.size(section);
      }
    }
    static std::vector<std::vector<int>> sections(const ScoringPlan& plan, const Program& program) {
      std::vector<std::vector<int>> numbers(kSections);
      for (int t = 0; t < program.templates(); ++t) {
        const bool buffer = program.group_of(t) == kBufferGroup;
        numbers[plan.is_for_labels(program, t) ? (buffer ? kFront : kForLabels)
                : buffer                       ? kBuffer
                                               : kRest]
            .push_back(t);
      }
      return numbers;
    }
    std::span<const Key> buffer_keys() const { return std::span(keys).first(firsts[kForLabels]); }
    std::span<const Key> other_keys() const { return std::span(keys).subspan(firsts[kForLabels]); }
    std::span<const Key> keys_for_labels() const { return std::span(keys).subspan(firsts[kFront], label_keys.size()); }

    Selection selection;
    std::array<std::size_t, kSections> firsts;  // keys
    std::vector<Key> keys, label_keys;
  };
  void extract(Part& part, Section section) {
    part.selection.gather(section, window_, tokens_, gathered_);
    part.selection.extract(section, gathered_, part.keys.data() + part.firsts[section]);
  }
  void prefetch_actions(std::size_t program, std::span<const Key> keys, std::vector<LineIndex>& lines) const {
    weights_.prefetch_actions(keys.data(), static_cast<int>(keys.size()), program, lines.data());
  }
  void add_actions(std::size_t program, std::span<const Key> keys, const std::vector<LineIndex>& lines,
                   std::vector<std::int32_t>& sums) const {
    weights_.actions(keys.data(), lines.data(), static_cast<int>(keys.size()), program, sums.data());
  }

  const ScoringPlan plan_;
  const WeightLookup& weights_;
  SentenceTokens tokens_{};
  Window window_{};
  Token front_ = kNone;
  bool is_kept_ = false;       // is what the words of the buffer add known?
  bool is_extracted_ = false;  // are the features of the state known that labels see?
  std::vector<Part> parts_;    // by program
  Selection::Gathered gathered_;
  std::vector<LineIndex> lines_, buffer_lines_;
  std::vector<std::int32_t> kept_, sums_, label_sums_;
  VectorScoring<WeightLookup> vectors_;
};

}  // namespace panparser
