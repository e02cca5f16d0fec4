// What features see of a treebank's tokens: each string attribute as a well-mixed number that depends on the string
// alone, so that a model needs no vocabulary and works on any treebank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hashing.hpp"
#include "systems/state.hpp"
#include "treebank/conllu.hpp"
#include "trees/gold.hpp"

namespace panparser {

std::string lower(std::string_view text);  // Latin, Greek, Cyrillic and Armenian letters, one for one
std::string shape(std::string_view text);  // sequence of kinds of characters: Xx for Peter, d:d for 10:30

enum class Transform : std::int32_t {
  kWhole,
  kLower,
  kPrefix,
  kSuffix,
  kKey,
  kGivenHead,
  kGivenLabel,
  kShape,
  kLowerPrefix,
  kLowerSuffix
};
struct Attribute {
  Column source;
  Transform transform;
  std::int32_t number;  // of characters
  std::string key;      // of Key=Value in a cell
};
Value value_of(const Attribute& attribute, std::string_view text);

struct Counter {  // counts the tokens whose attribute has a value
  std::int32_t attribute;
  std::string value;
};

// What constraints give the words of a treebank, for features that read it: heads (Root is 0, marks are those of Gold)
// and labels (below 0: none). Empty if nothing is given.
struct GivenColumns {
  std::span<const std::int32_t> heads, labels;
};

// The tokens of one sentence: 0 and n + 1 are Root, n + 2 is the token that is absent.
struct SentenceTokens {
  Token words;
  std::int32_t attributes, counters;
  const Value* values;          // [token][attribute]
  const std::uint16_t* counts;  // [token][counter]: up to and including the token
  const std::int32_t* rows;     // [token]: of the word's vector, -1 for Root; null where no vectors are used
  const std::int32_t* given;    // [word - 1]: head that a constraint gives; null where there are no constraints

  // 1: a constraint makes `second` the head of `first`; 2: the other way round; 0: neither.
  int relation(Token first, Token second) const {
    if (!given) return 0;
    const auto is_head = [&](Token word, Token head) {
      return word >= 1 && word <= words && head >= 0 && given[word - 1] == (head > words ? 0 : head);
    };
    return is_head(first, second) ? 1 : is_head(second, first) ? 2 : 0;
  }

  Token absent() const { return words + 2; }
  Value value(Token token, int attribute) const { return values[std::int64_t(token) * attributes + attribute]; }
  int between(Token a, Token b, int counter) const {  // strictly
    const auto [left, right] = std::minmax(a, b);
    if (right - left < 2) return 0;
    return counts[std::int64_t(right - 1) * counters + counter] - counts[std::int64_t(left) * counters + counter];
  }
};

class Tokens {
 public:
  static constexpr std::int64_t kMaxWords = 16000;  // as for systems: tokens must fit 16 bits

  // Of all sentences, or of one. `rows`: of vectors, by number of the form; empty where no vectors are used.
  Tokens(const std::vector<Attribute>& attributes, const std::vector<Counter>& counters, const TreebankData& data,
         std::span<const std::int32_t> rows = {}, std::int64_t only = -1, const GivenColumns& given = {});

  std::int64_t sentences() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  SentenceTokens operator[](std::int64_t sentence) const;

 private:
  void place_rows(std::span<const std::int32_t> rows, const std::int32_t* forms);
  void place_given(std::int32_t attribute, Transform transform);
  std::int64_t first_row(std::int64_t sentence) const { return offsets_[sentence] + 3 * sentence; }

  std::vector<std::int64_t> offsets_;
  std::int32_t attributes_, counters_;
  std::vector<Value> values_;
  std::vector<std::uint16_t> counts_;
  std::vector<std::int32_t> rows_;
  std::vector<std::int32_t> given_, given_labels_;  // by word; empty where there are no constraints
};

}  // namespace panparser
