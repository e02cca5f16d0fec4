#include "sequences/decode.hpp"

#include <algorithm>
#include <limits>

namespace panparser {

namespace {

// The first of the largest numbers: in two passes, each of which compilers make one of many numbers at a time.
std::int32_t first_largest(const std::vector<std::int32_t>& numbers) {
  std::int32_t largest = numbers[0];
  for (const std::int32_t number : numbers) largest = std::max(largest, number);
  std::size_t at = 0;
  constexpr std::size_t kStep = 16;
  for (; at + kStep <= numbers.size(); at += kStep) {
    bool found = false;
    for (std::size_t i = 0; i < kStep; ++i) found |= numbers[at + i] == largest;
    if (found) break;
  }
  while (numbers[at] != largest) ++at;
  return static_cast<std::int32_t>(at);
}

}  // namespace

void SequenceDecoder::decode(const Sequence& sequence, int beam, std::int32_t* classes) {
  if (sequence.length == 0) return;
  if (beam == 1) return greedy(sequence, classes);
  search_.write(search(sequence, beam).front().state, classes);
}

// The features of an item, and the lines of their weights, are prefetched while those of the item before are read.
// Where only one class is allowed, nothing is.
void SequenceDecoder::greedy(const Sequence& sequence, std::int32_t* classes) {
  const auto ask = [&](std::int32_t item, std::vector<Key>& keys) {
    if (item == sequence.length || sequence.allowed(item).size() == 1) return;
    search_.extract_fixed(sequence, item, keys.data());
    model_.prefetch(keys.data(), program_.fixed());
  };
  ask(0, now_);
  for (std::int32_t item = 0; item < sequence.length; ++item, now_.swap(next_)) {
    ask(item + 1, next_);
    const auto allowed = sequence.allowed(item);
    if (allowed.size() == 1) {
      classes[item] = allowed[0];
      continue;
    }
    std::fill(sums_.begin(), sums_.end(), 0);
    extract_given(sequence, item, classes);
    model_.prefetch(given_.data(), program_.given());
    model_.add_to(now_.data(), program_.fixed(), sums_.data());
    model_.add_to(given_.data(), program_.given(), sums_.data());
    if (allowed.empty()) {
      classes[item] = first_largest(sums_);
    } else {
      classes[item] = *std::max_element(allowed.begin(), allowed.end(),
                                        [&](std::int32_t a, std::int32_t b) { return sums_[a] < sums_[b]; });
    }
  }
}

void SequenceDecoder::extract_given(const Sequence& sequence, std::int32_t item, const std::int32_t* classes) {
  program_.extract_given(
      ItemWindow{sequence, item},
      [&](int ago, int part) { return classes_.value(part, ago > item ? -1 : classes[item - ago]); }, given_.data());
}

const std::vector<Hypothesis>& SequenceDecoder::search(const Sequence& sequence, int beam) {
  const std::size_t width = beam > 0 ? static_cast<std::size_t>(beam) : std::numeric_limits<std::size_t>::max();
  beam_ = {search_.start(sequence, width)};
  while (!beam_.front().is_final) {  // all have one length
    candidates_.clear();
    search_.expand(beam_, nullptr, candidates_);
    cut(candidates_, width);
    made_.clear();
    search_.make(beam_, candidates_, made_);
    beam_.swap(made_);
  }
  return beam_;
}

std::vector<Labeling> SequenceDecoder::best(const Sequence& sequence, int beam, int count) {
  std::vector<Labeling> found;
  for (const Hypothesis& hypothesis : search(sequence, beam)) {
    if (static_cast<int>(found.size()) == count) break;
    Labeling& labeling = found.emplace_back(std::vector<std::int32_t>(sequence.length), hypothesis.score);
    search_.write(hypothesis.state, labeling.classes.data());
  }
  return found;
}

}  // namespace panparser
