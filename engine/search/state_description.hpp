// Features of states that live outside the engine, from a description of what templates can see of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/program.hpp"
#include "features/tokens.hpp"
#include "systems/state.hpp"

namespace panparser {

// One state: tokens count 1..n, Root is always 0, -1 is none. Heads and labels are those of the words 1..n.
struct Description {
  std::span<const std::int32_t> stack, buffer;  // from the top, from the front; at most Window::kDepth of each
  std::span<const std::int32_t> heads, labels;
  std::uint32_t history;  // as in Window
};

// Makes the Window of one description after the other.
class DescribedState {
 public:
  explicit DescribedState(bool root_first) : root_first_(root_first) {}

  // Valid until the next call. Throws std::invalid_argument if the sentence does not have a token.
  Window window(const Description& description);

 private:
  Token place(std::int32_t token, Token words) const;
  const Record* describe(Token token, const Description& description);

  bool root_first_;
  std::array<Record, Window::kDepth + 1> records_;
  std::size_t used_ = 0;
};

}  // namespace panparser
