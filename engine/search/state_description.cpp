#include "search/state_description.hpp"

#include <algorithm>
#include <stdexcept>

namespace panparser {

Token DescribedState::place(std::int32_t token, Token words) const {
  if (token < -1 || token > words) throw std::invalid_argument("a state names a word that the sentence does not have");
  if (token == -1) return kNone;
  return token == 0 && !root_first_ ? static_cast<Token>(words + 1) : static_cast<Token>(token);
}

const Record* DescribedState::describe(Token token, const Description& description) {
  const auto words = static_cast<Token>(description.heads.size());
  Record& record = records_[used_++];
  record = Record{};
  record.token = token;
  for (Token word = 1; word <= words; ++word) {
    const Token head = place(description.heads[word - 1], words);
    if (head == token && word != token) record.add_child(word, description.labels[word - 1]);
    if (word == token && head != kNone) record.set_head(head, description.labels[word - 1]);
  }
  return &record;
}

Window DescribedState::window(const Description& description) {
  used_ = 0;
  const auto words = static_cast<Token>(description.heads.size());
  Window window{};
  for (int depth = 0; depth < Window::kDepth; ++depth) {
    const auto at = [&](std::span<const std::int32_t> tokens) {
      return static_cast<std::size_t>(depth) < tokens.size() ? place(tokens[depth], words) : kNone;
    };
    const Token token = at(description.stack);
    window.stack[depth] = token == kNone ? nullptr : describe(token, description);
    window.buffer[depth] = at(description.buffer);
  }
  window.front = window.buffer[0] == kNone ? nullptr : describe(window.buffer[0], description);
  window.history = description.history;
  return window;
}

}  // namespace panparser
