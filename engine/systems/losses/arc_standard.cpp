#include "systems/losses/arc_standard.hpp"

#include <algorithm>

namespace panparser {

namespace {

constexpr std::int16_t kImpossible = -20000;

void raise(std::int16_t& cell, int value) { cell = static_cast<std::int16_t>(std::max(int(cell), value)); }

Gold reduced(const Gold& gold, bool single_root) {
  const std::vector<Token> subset = projective_subset(gold.heads(), gold.root(), single_root);
  return Gold({subset.begin() + 1, subset.end() - 1}, gold.root());
}

// How many of the tokens Root heads.
int count_children(const Gold& gold, std::span<const Token> tokens) {
  return static_cast<int>(
      std::count_if(tokens.begin(), tokens.end(), [&](Token token) { return gold.head(token) == gold.root(); }));
}

// The answer for a completable reference. With one child of Root, Root is left out and takes the head of all at the
// very end. Otherwise Root is one of the tokens: at the bottom of the stack (first) or the last of the buffer (last); a
// span that holds Root has no other head.
class Collapsed {
 public:
  Collapsed(const Gold& gold, Token last, ArcStandardLoss::Scratch& scratch)
      : gold_(gold), root_(gold.root()), last_(last), s_(scratch) {}

  int most(std::span<const Token> stack, Token front) {
    const int won = collapse_buffer(stack, front);
    const bool root_below = !stack.empty() && stack.front() == root_;
    const bool root_ahead = !s_.right.empty() && s_.right.back() == root_;
    if (root_below) stack = stack.subspan(1);
    if (root_ahead) s_.right.pop_back();
    // Nothing on the stack but perhaps Root: each block left in the buffer can only hang from Root.
    if (stack.empty()) return won + count_children(gold_, s_.right);
    collapse_stack(stack);
    number_columns();
    if (root_ahead) return won + fill_with_root_ahead();
    for (int i = 0; i < depth_; ++i) add_stack_word(i);
    return won + (root_below ? most_with_root_below() : most_above(root_, ahead_));
  }

 private:
  // A buffer word is deleted, its arc won, if its head is in the buffer and no word below it, itself included, has a
  // child on the stack: so keep what climbs from the stack's children pass, and what has no head in the buffer. What is
  // left and has no part in any arc that can still be won, is left out: any word may take it, at any time. Returns how
  // many arcs are won.
  int collapse_buffer(std::span<const Token> stack, Token front) {
    const auto in_buffer = [&](Token token) { return token >= front && token <= last_; };
    auto& kept = s_.kept;
    kept.assign(gold_.words() + 2, 0);
    for (const Token word : stack) {
      for (Token at = gold_.head(word); in_buffer(at) && !kept[at]; at = gold_.head(at)) kept[at] = 1;
    }
    s_.right.clear();
    int won = 0;
    for (Token token = front; token <= last_; ++token) {
      if (!kept[token] && in_buffer(gold_.head(token))) {
        ++won;
      } else if (kept[token] || gold_.head(token) >= 0 || token == root_) {
        s_.right.push_back(token);
      }
    }
    return won;
  }

  // The same for the stack; the top is where spans start, and always there.
  void collapse_stack(std::span<const Token> stack) {
    auto& index = s_.index;
    index.assign(gold_.words() + 2, -1);
    for (const Token token : stack) index[token] = 0;
    for (const Token token : s_.right) index[token] = 0;
    const auto is_alive = [&](Token other) { return other >= 0 && (other == root_ || index[other] >= 0); };
    s_.left.clear();
    for (const Token token : stack) {
      const auto children = gold_.children(token);
      if (token == stack.back() || is_alive(gold_.head(token)) ||
          std::any_of(children.begin(), children.end(), is_alive)) {
        s_.left.push_back(token);
      }
    }
  }

  // Columns of the table are heads: the stack from the top, then the buffer.
  void number_columns() {
    depth_ = static_cast<int>(s_.left.size());
    ahead_ = static_cast<int>(s_.right.size());
    heads_ = (depth_ + ahead_ + 7) & ~7;
    std::fill(s_.index.begin(), s_.index.end(), std::int16_t(-1));
    for (int i = 0; i < depth_; ++i) s_.index[stack_word(i)] = static_cast<std::int16_t>(i);
    for (int j = 0; j < ahead_; ++j) s_.index[s_.right[j]] = static_cast<std::int16_t>(depth_ + j);
    s_.table.assign(std::size_t(ahead_ + 1) * heads_, kImpossible);
    s_.best.assign(ahead_ + 1, kImpossible);
    s_.open.resize(heads_);
  }

  Token stack_word(int i) const { return s_.left[depth_ - 1 - i]; }  // from the top
  std::int16_t* row(int j) { return s_.table.data() + std::size_t(j) * heads_; }

  // From then on, row(j)[h] is the most arcs over the i + 1 topmost stack words and the j first buffer words, headed by
  // h; best[j]: over all h.
  void add_stack_word(int i) {
    auto& best = s_.best;
    for (int j = 0; j <= ahead_; ++j) {
      std::int16_t* const here = row(j);
      if (i == 0 && j == 0) {
        here[0] = best[0] = 0;
      } else if (i > 0) {
        std::copy_n(here, heads_, s_.open.begin());  // the row without the word
        const int open_best = best[j];
        std::fill_n(here, heads_, kImpossible);
        best[j] = kImpossible;
        extend(s_.open.data(), open_best, stack_word(i), here, best[j]);
      }
      if (j > 0) extend(here - heads_, best[j - 1], s_.right[j - 1], here, best[j]);
    }
  }

  // Adds a word to the span `from`, as a child of its head or as the new head; keeps the better in `to`.
  void extend(const std::int16_t* from, int from_best, Token word, std::int16_t* to, std::int16_t& to_best) const {
    const Token head = gold_.head(word);
    const int gold_head = head >= 0 ? int(s_.index[head]) : -1;
    const int taken = gold_head >= 0 ? from[gold_head] + 1 : kImpossible;
    const int top = above(word, from, from_best);
    for (int h = 0; h < heads_; ++h) to[h] = std::max(to[h], from[h]);
    if (gold_head >= 0) raise(to[gold_head], taken);
    raise(to[s_.index[word]], top);
    raise(to_best, std::max({from_best, taken, top}));
  }

  // The value of `head` when it takes a whole span under it.
  int above(Token head, const std::int16_t* span, int any) const {
    int value = any;
    for (const Token child : gold_.children(head)) {
      if (s_.index[child] >= 0) value = std::max(value, span[s_.index[child]] + 1);
    }
    return value;
  }
  int most_above(Token head, int j) { return above(head, row(j), s_.best[j]); }

  // Root heads the stack words from some point on, and all the buffer.
  int fill_with_root_ahead() {
    int value = kImpossible;
    for (int i = 0; i < depth_; ++i) {
      add_stack_word(i);
      if (i > 0) value += gold_.head(stack_word(i)) == root_;
      value = std::max(value, most_above(root_, ahead_));
    }
    return value;
  }

  // Root may come in after any number of buffer words, and takes the rest one by one.
  int most_with_root_below() {
    int value = kImpossible;
    for (int j = 0; j <= ahead_; ++j) {
      if (j > 0) value += gold_.head(s_.right[j - 1]) == root_;
      value = std::max(value, most_above(root_, j));
    }
    return value;
  }

  const Gold& gold_;
  const Token root_, last_;
  ArcStandardLoss::Scratch& s_;
  int depth_ = 0, ahead_ = 0, heads_ = 0;
};

}  // namespace

ArcStandardLoss::ArcStandardLoss(const Gold& gold, bool single_root) : gold_(gold), single_root_(single_root) {
  if (gold.completable(single_root)) return;
  if (gold.words() > kExactWords) {
    gold_ = reduced(gold, single_root);
    is_reduced_ = true;
    return;
  }
  const Token first = gold.root() == 0 ? 0 : 1;
  const Token last = gold.root() == 0 ? gold.words() : gold.root();
  spans_ = std::make_unique<const Agreement>(agreement(gold.heads(), gold.root()), first, last);
}

int ArcStandardLoss::reachable(std::span<const Token> stack, Token front, Scratch& scratch) const {
  const Token root = gold_.root();
  scratch.is_exact = !is_reduced_;
  // Root last, once shifted, takes every word below.
  if (root != 0 && !stack.empty() && stack.back() == root) return count_children(gold_, stack.first(stack.size() - 1));
  if (single_root_ && !stack.empty() && stack.front() == root) stack = stack.subspan(1);
  if (spans_) return general(stack, front, scratch);
  const Token last = root == 0 || single_root_ ? gold_.words() : root;
  return Collapsed(gold_, last, scratch).most(stack, front);
}

int ArcStandardLoss::general(std::span<const Token> stack, Token front, Scratch& scratch) const {
  const Token root = gold_.root();
  const Token last = root == 0 || single_root_ ? gold_.words() : root;
  const Agreement& spans = *spans_;
  if (stack.empty() && front > last) return 0;
  if (stack.empty()) {
    if (!single_root_) return root == 0 ? spans.right(front, last) : spans.left(front, last);
    int value = 0;
    for (Token h = front; h <= last; ++h) {
      value = std::max(value, spans.left(front, h) + spans.right(h, last) + int(gold_.head(h) == root));
    }
    return value;
  }

  // table[c][h]: most arcs when the first c buffer tokens and the stack so far hang from h; open[q][h]:
  // likewise, with q a child of h that may still take tokens to its right.
  const int tokens = gold_.words() + 2;
  const int ahead = std::max(0, last - front + 1);
  auto& table = scratch.table;
  auto& open = scratch.open;
  table.assign(std::size_t(ahead + 1) * tokens, kImpossible);
  auto row = [&](int consumed) { return table.data() + std::size_t(consumed) * tokens; };
  auto taken_by = [&](Token head,
                      const std::int16_t* from) {  // `head` takes a span, whoever heads it but Root
    int value = kImpossible;
    for (Token h = 0; h < tokens; ++h) {
      if (h != root) value = std::max(value, from[h] + int(gold_.head(h) == head));
    }
    return value;
  };
  auto extend = [&] {
    open.assign(std::size_t(ahead + 1) * tokens, kImpossible);
    for (int c = 0; c <= ahead; ++c) {
      const Token j = front + c - 1;
      std::int16_t* here = row(c);
      for (int k = 1; k <= c; ++k) {  // close child q, the k-th buffer token
        const Token q = front + k - 1;
        const std::int16_t* from = open.data() + std::size_t(k) * tokens;
        const int inside = spans.right(q, j);
        for (Token h = 0; h < tokens; ++h) raise(here[h], from[h] + inside);
      }
      for (int i = 0; i < c; ++i) raise(here[j], taken_by(j, row(i)) + spans.left(front + i, j));
      for (int k = c + 1; k <= ahead; ++k) {
        const Token q = front + k - 1;
        if (q == root) continue;
        const int inside = spans.left(j + 1, q);
        std::int16_t* to = open.data() + std::size_t(k) * tokens;
        for (Token h = 0; h < tokens; ++h) raise(to[h], here[h] + inside + int(gold_.head(q) == h));
      }
    }
  };
  row(0)[stack.back()] = 0;
  extend();
  for (auto x = stack.rbegin() + 1; x != stack.rend(); ++x) {
    for (int c = 0; c <= ahead; ++c) {
      std::int16_t* here = row(c);
      const int top = taken_by(*x, here);
      const Token gold_head = gold_.head(*x);
      if (*x == root) {
        std::fill_n(here, tokens, kImpossible);
      } else if (gold_head >= 0) {
        raise(here[gold_head], here[gold_head] + 1);
      }
      raise(here[*x], top);
    }
    extend();
  }
  const std::int16_t* whole = row(ahead);
  if (!single_root_) return whole[root];
  int value = kImpossible;
  for (Token h = 1; h <= gold_.words(); ++h) value = std::max(value, whole[h] + int(gold_.head(h) == root));
  return value;
}

}  // namespace panparser
