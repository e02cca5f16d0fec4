// Tokens of a text as CoNLL-U: forms, spacing and places, so that the text can be rebuilt character for character.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treebank/conllu.hpp"

namespace panparser {

// Where tokens are, in code points of the text, in order and without overlap; only white space lies between them.
struct TokenSpans {
  std::span<const std::int64_t> starts, ends;
  std::span<const std::uint8_t> last;    // is it the last token of its sentence?
  std::span<const std::int32_t> splits;  // the number of its words' list among `words`, or -1
  std::size_t size() const { return starts.size(); }
};

// The forms of the tokens, each distinct one once (after "_", which is always the first), and their numbers. Throws as
// write_tokens does.
struct DistinctForms {
  Vocabulary forms;                   // views into the text
  std::vector<std::int32_t> numbers;  // by token
};
DistinctForms distinct_forms(std::string_view text, const TokenSpans& tokens);

// The place of the text within a longer one.
struct TextPlace {
  std::int64_t sentence = 1;  // number of its first sentence
  std::int64_t offset = 0;    // of its first character
  bool ranges = true;         // TokenRange in MISC?
  std::string document;       // id of the document that begins here, where one does
  bool begins = true;         // does a document begin here?
  bool paragraph = true;      // does a paragraph?
  bool lines = false;         // is each line a paragraph?
};

// Writes the tokens of a text (valid UTF-8). Throws std::invalid_argument where spans do not fit the text.
void write_tokens(std::string_view text, const TokenSpans& tokens, const std::vector<std::vector<std::string>>& words,
                  const TextPlace& place, Output& out);

}  // namespace panparser
