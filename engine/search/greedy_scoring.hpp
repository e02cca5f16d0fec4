// Scores of one state after the other. Less is shared than in a beam: what B0 and the words behind it add, while they
// stay; and the features that actions and labels both have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "features/selection.hpp"
#include "search/grammar.hpp"
#include "search/questions.hpp"
#include "search/vector_scoring.hpp"

namespace panparser {

// Scorer as in Scoring.
template <class Scorer>
class GreedyScoring {
 public:
  GreedyScoring(const Grammar& grammar, const Scorer& scorer)
      : grammar_(grammar),
        scorer_(scorer),
        kept_(grammar.system.actions()),
        sums_(grammar.system.actions()),
        label_sums_(grammar.labels.size),
        vectors_(grammar.program, scorer, grammar.system.actions(), grammar.labels.size, grammar.labels_see_vectors()) {
    for (std::size_t p = 0; p < grammar.programs(); ++p) parts_.emplace_back(grammar, grammar.program_at(p));
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::size_t room = scorer.spots(p) * static_cast<std::size_t>(grammar.program_at(p).templates());
      spots_.resize(std::max(spots_.size(), room));
      buffer_spots_.resize(spots_.size());
    }
  }

  void start(const SentenceTokens& tokens) {
    tokens_ = tokens;
    front_ = kNone;
    buffer_ = kUnknown;
    vectors_.forget();
  }
  void move_to(const Window& window) {  // the state that is meant from now on
    window_ = window;
    is_extracted_ = false;
    // Words that return make the buffer differ even if B0 is the same.
    if (window.buffer[0] != front_ || grammar_.system.has_back()) buffer_ = kUnknown;
    front_ = window.buffer[0];
  }
  const std::int32_t* actions() {
    const bool is_new = buffer_ != kSummed;
    if (is_new) std::fill(kept_.begin(), kept_.end(), 0);
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      Part& part = parts_[p];
      if (is_new) seek_actions(part.buffer, p, part.buffer_keys, buffer_spots_);
      seek_actions(part.rest, p, part.keys, spots_);
      if (is_new) add_actions(p, part.buffer_keys, buffer_spots_, kept_);
      add_actions(p, part.keys, spots_, sums_);
    }
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] += kept_[c];
    if (vectors_.any()) vectors_.add_actions(window_, tokens_, sums_.data());
    buffer_ = kSummed;
    is_extracted_ = true;
    return sums_.data();
  }
  // The best label that the arc of an action may have; none of those that `excluded` flags, if it is not empty.
  std::int32_t label(int action, const Arc& arc, std::span<const std::uint8_t> excluded) {
    std::fill(label_sums_.begin(), label_sums_.end(), 0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      Part& part = parts_[p];
      if (buffer_ == kUnknown) part.buffer.extract_first(window_, tokens_, part.buffer_keys.data());
      if (!is_extracted_) part.rest.extract_first(window_, tokens_, part.keys.data());
      Key* out = part.label_keys.data();
      for (int i = 0; i < part.buffer.first(); ++i) *out++ = label_key(part.buffer_keys[i], action);
      for (int i = 0; i < part.rest.first(); ++i) *out++ = label_key(part.keys[i], action);
      const auto count = static_cast<int>(part.label_keys.size());
      scorer_.seek_labels(part.label_keys.data(), count, p, spots_.data());
      scorer_.labels(part.label_keys.data(), spots_.data(), count, p, label_sums_.data());
    }
    if (buffer_ == kUnknown) buffer_ = kExtracted;
    is_extracted_ = true;
    if (vectors_.any()) vectors_.add_labels(window_, tokens_, action, label_sums_.data());
    return grammar_.labels.best(label_sums_.data(), arc.head == grammar_.system.table().shape.root(tokens_.words),
                                excluded);
  }

 private:
  enum Buffer : std::uint8_t { kUnknown, kExtracted, kSummed };  // what is known of the features of the buffer alone
  struct Part {                                                 // of one program; templates for labels come first
    Part(const Grammar& grammar, const Program& program)
        : buffer(select(grammar, program, true)), rest(select(grammar, program, false)) {
      buffer_keys.resize(buffer.size());
      keys.resize(rest.size());
      label_keys.resize(buffer.first() + rest.first());
    }
    Selection buffer, rest;
    std::vector<Key> buffer_keys, keys, label_keys;
  };
  static Selection select(const Grammar& grammar, const Program& program, bool buffer) {
    std::vector<int> first, others;
    for (int t = 0; t < program.templates(); ++t) {
      if ((program.group_of(t) == kBufferGroup) != buffer) continue;
      (grammar.is_for_labels(program, t) ? first : others).push_back(t);
    }
    return Selection(program, first, others);
  }
  void seek_actions(const Selection& selection, std::size_t program, std::vector<Key>& keys, std::vector<Spot>& spots) {
    selection.extract(window_, tokens_, keys.data());
    scorer_.seek_actions(keys.data(), selection.size(), program, spots.data());
  }
  void add_actions(std::size_t program, const std::vector<Key>& keys, const std::vector<Spot>& spots,
                   std::vector<std::int32_t>& sums) {
    scorer_.actions(keys.data(), spots.data(), static_cast<int>(keys.size()), program, sums.data());
  }

  const Grammar grammar_;
  const Scorer& scorer_;
  SentenceTokens tokens_{};
  Window window_{};
  Token front_ = kNone;
  Buffer buffer_ = kUnknown;
  bool is_extracted_ = false;  // are the features of the state known that labels have in common with actions?
  std::vector<Part> parts_;    // by program
  std::vector<Spot> spots_, buffer_spots_;
  std::vector<std::int32_t> kept_, sums_, label_sums_;
  VectorScoring<Scorer> vectors_;
};

}  // namespace panparser
