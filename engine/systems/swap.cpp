#include "systems/swap.hpp"

#include <algorithm>

namespace panparser {

Gold completed(const Gold& gold) {
  const Token words = gold.words(), root = gold.root();
  std::vector<Token> heads(gold.heads().begin(), gold.heads().end());
  const auto is_below = [&](Token token, Token word) {
    while (token != word && token != root && heads[token] >= 0) token = heads[token];
    return token == word;
  };
  for (Token word = 1; word <= words; ++word) {
    if (heads[word] >= 0) continue;
    Token shortest = words + 2, found = root;
    for (Token other = 1; other <= words; ++other) {
      const Token head = gold.head(other);
      if (head < 0) continue;
      const auto [first, last] = std::minmax(other, head);
      if (first < word && word < last && last - first < shortest && !is_below(head, word)) {
        shortest = last - first;
        found = head;
      }
    }
    heads[word] = found;
  }
  return Gold(std::span(heads).subspan(1, words), root);
}

std::vector<std::int32_t> projective_order(const Gold& gold) {
  std::vector<std::int32_t> order(gold.words() + 2, 0);
  std::int32_t next = 0;
  struct Visit {
    Token token;
    std::size_t child;
  };
  std::vector<Visit> path = {{gold.root(), 0}};
  while (!path.empty()) {
    Visit& visit = path.back();
    const auto children = gold.children(visit.token);
    const auto before =
        static_cast<std::size_t>(std::lower_bound(children.begin(), children.end(), visit.token) - children.begin());
    // `child` counts children, with one more step for the token itself after those on its left.
    const std::size_t step = visit.child++;
    if (step == before) {
      order[visit.token] = next++;
    } else if (step <= children.size()) {
      path.push_back({children[step < before ? step : step - 1], 0});
    } else {
      path.pop_back();
    }
  }
  return order;
}

std::vector<std::int32_t> projective_fragments(const Gold& gold) {
  const Token root = gold.root();
  std::vector<Token> built(gold.words() + 2, kNone);
  std::vector<int> missing(gold.words() + 2, 0);
  for (Token token = 0; token < gold.words() + 2; ++token)
    missing[token] = static_cast<int>(gold.children(token).size());
  std::vector<Token> stack;
  const Token first = root == 0 ? 0 : 1;
  const Token last = root == 0 ? gold.words() : root;
  auto joins = [&](Token head, Token dependent) {
    return dependent != root && gold.head(dependent) == head && missing[dependent] == 0;
  };
  for (Token next = first; next <= last; ++next) {
    stack.push_back(next);
    while (stack.size() >= 2) {
      const Token top = stack.back();
      const Token below = stack[stack.size() - 2];
      if (joins(top, below)) {
        stack.erase(stack.end() - 2);
        built[below] = top;
        --missing[top];
      } else if (joins(below, top)) {
        stack.pop_back();
        built[top] = below;
        --missing[below];
      } else {
        break;
      }
    }
  }
  std::vector<std::int32_t> fragment(gold.words() + 2);
  for (Token token = 0; token < gold.words() + 2; ++token) {
    Token top = token;
    while (built[top] != kNone) top = built[top];
    fragment[token] = top;
  }
  return fragment;
}

}  // namespace panparser
