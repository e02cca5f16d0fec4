#include "trees/projectivity.hpp"

#include <algorithm>

namespace panparser {

namespace {

// A token with all its known descendants.
struct Yield {
  Token top = kNone;  // the last known ancestor: Root, or a word without a known head
  Token low, high;    // leftmost and rightmost
  Token size = 1;
  Token entry = 0;  // they are entry..entry+size-1 in depth-first order

  bool has(const Yield& other) const { return entry <= other.entry && other.entry < entry + size; }
  // No tree with the known arcs makes `other` a descendant.
  bool surely_lacks(const Yield& other) const { return !has(other) && (other.top == 0 || other.top == top); }
};

std::vector<Yield> yields(const Gold& gold) {
  std::vector<Yield> yields(gold.words() + 1);
  std::vector<Token> order;  // heads before dependents
  order.reserve(yields.size());
  for (Token token = 0; token <= gold.words(); ++token) {
    yields[token].low = yields[token].high = token;
    if (token > 0 && gold.head(token) >= 0) continue;
    yields[token].top = token;
    order.push_back(token);
  }
  const std::size_t tops = order.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (Token child : gold.children(order[i])) {
      yields[child].top = yields[order[i]].top;
      order.push_back(child);
    }
  }
  for (std::size_t i = order.size(); i-- > tops;) {
    const Yield& below = yields[order[i]];
    Yield& above = yields[gold.head(order[i])];
    above.low = std::min(above.low, below.low);
    above.high = std::max(above.high, below.high);
    above.size += below.size;
  }
  std::vector<Token> free(yields.size());  // by token, the next entry among its descendants
  Token outside = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Token& next = i < tops ? outside : free[gold.head(order[i])];
    yields[order[i]].entry = next;
    free[order[i]] = next + 1;
    next += yields[order[i]].size;
  }
  return yields;
}

}  // namespace

int measure_projectivity(const Gold& gold, std::span<std::uint8_t> flags) {
  const std::vector<Yield> all = yields(gold);
  int degree = 0;
  for (Token head = 1; head <= gold.words(); ++head) {
    const Yield& yield = all[head];
    if (yield.high - yield.low + 1 == yield.size) continue;
    int gaps = 0;
    bool inside = true;
    Token before = yield.low - 1;  // the nearest words around the head that the yield lacks
    Token behind = yield.high + 1;
    for (Token word = yield.low; word <= yield.high; ++word) {
      if (yield.has(all[word])) {
        inside = true;
      } else if (yield.surely_lacks(all[word])) {
        gaps += inside;
        inside = false;
        if (word < head)
          before = word;
        else
          behind = std::min(behind, word);
      }
    }
    degree = std::max(degree, gaps);
    for (Token child : gold.children(head)) flags[child - 1] = child < before || child > behind;
  }
  return degree;
}

}  // namespace panparser
