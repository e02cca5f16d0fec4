#include "trees/gold.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace panparser {

Gold::Gold(std::span<const Token> heads, Token root) : words_(static_cast<Token>(heads.size())), root_(root) {
  if (words_ < 1) throw std::invalid_argument("expected at least one word, found none");
  if (root_ != 0 && root_ != words_ + 1) throw std::invalid_argument("Root must be first or last");
  head_.assign(words_ + 2, kUnknown);
  for (Token word = 1; word <= words_; ++word) {
    const Token head = heads[word - 1];
    if (head < kRightward || head > words_ + 1 || (head == 0 && root_ != 0) || (head == words_ + 1 && root_ == 0)) {
      throw std::invalid_argument("head of word " + std::to_string(word) + " is out of range");
    }
    if (head == word) throw std::invalid_argument("word " + std::to_string(word) + " is its own head");
    directed_ |= head == kLeftward || head == kRightward;
    head_[word] = head;
  }
  check_cycles();
  link_children();
  walk_chain();
}

void Gold::check_cycles() const {
  std::vector<Token> seen(head_.size(), 0);  // the word whose climb passed here first
  for (Token word = 1; word <= words_; ++word) {
    Token at = word;
    while (at > 0 && at <= words_ && seen[at] == 0) {
      seen[at] = word;
      at = head_[at];
    }
    if (at > 0 && at <= words_ && seen[at] == word) {
      std::string cycle = std::to_string(at);
      for (Token next = head_[at]; next != at; next = head_[next]) cycle += " <- " + std::to_string(next);
      throw std::invalid_argument("the heads form a cycle: " + cycle + " <- " + std::to_string(at));
    }
  }
}

void Gold::link_children() {
  first_child_.assign(words_ + 3, 0);
  for (Token word = 1; word <= words_; ++word) {
    if (head_[word] >= 0) ++first_child_[head_[word] + 1];
  }
  for (Token token = 1; token < words_ + 3; ++token) first_child_[token] += first_child_[token - 1];
  children_.resize(first_child_.back());
  std::vector<Token> next(first_child_.begin(), first_child_.end() - 1);
  for (Token word = 1; word <= words_; ++word) {
    if (head_[word] >= 0) children_[next[head_[word]]++] = word;
  }
}

void Gold::walk_chain() {
  chain_exit_.assign(words_ + 1, kNone);
  Token lowest = words_;  // the leftmost link so far
  for (Token link = head_[words_]; link >= 0 && link <= words_; link = head_[link]) {
    if (link >= lowest) continue;
    std::fill(chain_exit_.begin() + link + 1, chain_exit_.begin() + lowest + 1, link);
    lowest = link;
    if (link == root_) break;
  }
}

std::vector<Token> Gold::conflict(bool single_root) const {
  const auto tops = children(root_);
  if (single_root && tops.size() > 1) return {tops[0], tops[1]};
  for (Token word = 1; word <= words_; ++word) {
    const Token head = head_[word];
    if (head < 0) continue;
    const Token low = std::min(word, head);
    const Token high = std::max(word, head);
    for (Token inner = low + 1; inner < high; ++inner) {
      if (head_[inner] >= 0 && (head_[inner] < low || head_[inner] > high)) return {word, inner};
      const auto grown = children(inner);
      if (!grown.empty() && grown.front() < low) return {grown.front(), word};
      if (!grown.empty() && grown.back() > high) return {word, grown.back()};
    }
    // No arc may cover an ancestor of its head: {1 <- 2, 3 <- 1} crosses nothing, yet no tree has both. As nothing
    // crosses, all ancestors up to the one that is covered are covered too.
    if (low < head_[head] && head_[head] < high) return {std::min(word, head), std::max(word, head)};
  }
  return {};
}

}  // namespace panparser
