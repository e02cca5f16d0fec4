// Search over sequences: hypotheses are classes given so far. Training and decoding share it; they differ in the
// weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "search/search.hpp"
#include "search/weight_lookups.hpp"
#include "sequences/sequence.hpp"

namespace panparser {

struct Sequence {  // one of many, and what is known of its items
  const Sequences& all;
  std::int64_t first;
  std::int32_t length;
  const ClassSets& sets;

  std::span<const std::int32_t> allowed(std::int32_t item) const { return sets.of(first + item); }
  bool has(std::int32_t item) const { return item >= 0 && item < length; }
};

// What features see around an item.
struct ItemWindow {
  const Sequence& sequence;
  std::int32_t item;

  const Value* row(std::int32_t source, std::int32_t offset) const {
    return sequence.has(item + offset) ? sequence.all.row(source, sequence.first + item + offset)
                                       : sequence.all.boundary();
  }
  Value number(std::int32_t column, std::int32_t offset) const {
    return sequence.has(item + offset) ? sequence.all.number(column, sequence.first + item + offset) : kRootValue;
  }
};

// WeightLookup has prefetch(keys, count) and add_to(keys, count, sums): ClassWeights, or ClassModel.
template <class WeightLookup>
class SequenceSearch {
 public:
  SequenceSearch(const SequenceProgram& program, const SequenceClasses& classes, const WeightLookup& weights)
      : program_(program),
        classes_(classes),
        weights_(weights),
        keys_(program.templates()),
        fixed_(classes.size()),
        sums_(classes.size()),
        given_sums_(static_cast<std::size_t>(classes.size())) {}

  // `width`: the maximum number of hypotheses kept, so that those that cannot be among them are dropped early.
  Hypothesis start(const Sequence& sequence, std::size_t width) {
    sequence_ = &sequence;
    width_ = width;
    nodes_.assign(1, {-1, -1, 0});
    forget();
    return {0, 0, 0, 0, sequence.length == 0};
  }
  void forget() { fixed_at_ = -1; }  // after a change of weights

  // Appends the possible next steps of each hypothesis of a beam. With the correct classes (-1 unknown), losses too:
  // the correct ones are always included, and at least those of the others that may be among the best.
  void expand(std::span<const Hypothesis> beam, const std::int32_t* right, std::vector<Candidate>& out,
              bool all = false) {
    for (std::size_t i = 0; i < beam.size(); ++i) {
      const auto from = static_cast<std::int32_t>(i);
      if (beam[i].is_final) {
        out.push_back({from, -1, beam[i].loss, beam[i].score});
      } else {
        add_steps(beam[i], from, right ? right[beam[i].length] : -1, all, out);
      }
    }
  }

  void make(std::span<const Hypothesis> parents, std::span<const Candidate> candidates, std::vector<Hypothesis>& out) {
    for (const Candidate& candidate : candidates) {
      const Hypothesis& parent = parents[candidate.from];
      if (candidate.action < 0) {
        out.push_back(parent);
        continue;
      }
      const auto state = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({parent.state, candidate.action, parent.length + 1});
      out.push_back(
          {state, candidate.loss, candidate.score, parent.length + 1, parent.length + 1 == sequence_->length});
    }
  }

  std::int32_t parent(std::int32_t state) const { return nodes_[state].parent; }
  std::int32_t action(std::int32_t state) const { return nodes_[state].given; }
  void write(std::int32_t state, std::int32_t* classes) const {  // all that were given
    for (; state > 0; state = parent(state)) classes[nodes_[state].length - 1] = action(state);
  }

  // The features of the item that comes next in a state.
  std::span<const Key> extract(std::int32_t state) {
    const std::int32_t item = nodes_[state].length;
    extract_fixed(*sequence_, item, keys_.data());
    extract_given(state, item, keys_.data() + program_.fixed());
    return keys_;
  }
  void extract_fixed(const Sequence& sequence, std::int32_t item, Key* keys) const {
    program_.extract_fixed(ItemWindow{sequence, item}, keys);
  }

 private:
  struct Node {
    std::int32_t parent, given, length;
  };

  void extract_given(std::int32_t state, std::int32_t item, Key* keys) {
    std::array<std::int32_t, SequenceProgram::kMaxDepth + 1> before;
    before.fill(-1);
    for (int ago = 1; ago <= program_.depth() && state > 0; ++ago, state = parent(state)) before[ago] = action(state);
    program_.extract_given(
        ItemWindow{*sequence_, item}, [&](int ago, int part) { return classes_.value(part, before[ago]); }, keys);
  }

  // The scores of the next item; the part that depends on items alone is computed once for all hypotheses, and the part
  // that depends on previous classes once for all hypotheses that share them.
  const std::int32_t* score(const Hypothesis& hypothesis) {
    if (fixed_at_ != hypothesis.length) {
      fixed_at_ = hypothesis.length;
      extract_fixed(*sequence_, fixed_at_, keys_.data());
      weights_.prefetch(keys_.data(), program_.fixed());
      std::fill(fixed_.begin(), fixed_.end(), 0);
      weights_.add_to(keys_.data(), program_.fixed(), fixed_.data());
      given_.forget();
      given_sums_.clear();
    }
    if (program_.given() == 0) return fixed_.data();
    std::uint64_t before = 0;  // classes fit 16 bits
    std::int32_t state = hypothesis.state;
    for (int ago = 0; ago < program_.depth() && state > 0; ++ago, state = parent(state)) {
      before |= static_cast<std::uint64_t>(action(state) + 1) << 16 * ago;
    }
    const auto [row, is_new] = given_.find(before);
    if (is_new) {
      *row = static_cast<std::int32_t>(given_sums_.add());
      extract_given(hypothesis.state, fixed_at_, keys_.data());
      weights_.prefetch(keys_.data(), program_.given());
      weights_.add_to(keys_.data(), program_.given(), given_sums_.at(*row));
    }
    const std::int32_t* const given = given_sums_.at(*row);
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] = fixed_[c] + given[c];
    return sums_.data();
  }

  void add_steps(const Hypothesis& hypothesis, std::int32_t from, std::int32_t right, bool all,
                 std::vector<Candidate>& out) {
    const std::int32_t* const sums = score(hypothesis);
    const auto allowed = sequence_->allowed(hypothesis.length);
    const auto add = [&](std::int32_t c, std::int32_t cost) {
      out.push_back({from, c, hypothesis.loss + cost, hypothesis.score + sums[c]});
    };
    if (!allowed.empty()) {  // if the correct class is not allowed, none is wrong
      const bool known = std::binary_search(allowed.begin(), allowed.end(), right);
      for (const std::int32_t c : allowed) add(c, known && c != right);
      return;
    }
    const std::int32_t least = all ? std::numeric_limits<std::int32_t>::min() : threshold(sums);
    for (std::int32_t c = 0; c < classes_.size(); ++c) {
      if (sums[c] >= least || c == right) add(c, right >= 0 && c != right);
    }
  }

  // The least score of a class that is among the best.
  std::int32_t threshold(const std::int32_t* sums) {
    const auto size = static_cast<std::size_t>(classes_.size());
    if (width_ >= size) return std::numeric_limits<std::int32_t>::min();
    if (width_ == 1) return *std::max_element(sums, sums + size);
    ranked_.assign(sums, sums + size);
    const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(width_) - 1;
    std::nth_element(ranked_.begin(), last, ranked_.end(), std::greater<>());
    return *last;
  }

  const SequenceProgram& program_;
  const SequenceClasses& classes_;
  const WeightLookup& weights_;
  const Sequence* sequence_ = nullptr;
  std::size_t width_ = 1;
  std::vector<Node> nodes_;
  std::vector<Key> keys_;
  std::int32_t fixed_at_ = -1;  // the item that the next are about
  std::vector<std::int32_t> fixed_, sums_, ranked_;
  Memo given_;  // rows, by the classes before
  SumRows given_sums_;
};

}  // namespace panparser
