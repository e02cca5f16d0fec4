#include "systems/losses/loss.hpp"

#include <algorithm>

namespace panparser {

namespace {

constexpr std::int16_t kImpossible = -20000;

// Unattached words on the stack at or below `top` (positions rise towards the top of the stack), at most
// `enough`.
int count_open(const Frame& frame, Token top, int enough) {
  const int last = top >> 6;
  int count = 0;
  for (int i = 0; i <= last; ++i) {
    Bits open = frame.on_stack[i] & ~frame.attached[i];
    if (i == last && (top & 63) != 63) open &= (Bits(2) << (top & 63)) - 1;
    if (frame.root >> 6 == i) open &= ~(Bits(1) << (frame.root & 63));
    for (; open && count < enough; open &= open - 1) ++count;
  }
  return count;
}

void raise(std::int16_t& cell, int value) { cell = static_cast<std::int16_t>(std::max(int(cell), value)); }

}  // namespace

bool chain_blocked(const Frame& frame, const Change& change, const Gold& gold, int limit) {
  const Token front = frame.front + (change.pushed != kNone);
  const Token top = gold.chain_exit(front);
  if (top == kNone) return false;
  const bool on_stack = top == change.pushed || (top != change.popped && contains(frame.on_stack, top));
  if (!on_stack) return false;
  auto is_open = [&](Token token) {
    return token != kNone && token <= top && token != frame.root && !contains(frame.attached, token);
  };
  // The change removes at most two of the words that `count_open` sees.
  int open = count_open(frame, top, limit + 2);
  if (is_open(change.popped)) --open;
  if (is_open(change.attached) && change.attached != change.popped && contains(frame.on_stack, change.attached)) --open;
  if (is_open(change.pushed) && change.pushed != change.attached) ++open;
  return open >= limit;
}

namespace {

Gold reduced(const Gold& gold, bool single_root) {
  const std::vector<Token> subset = projective_subset(gold.heads(), gold.root(), single_root);
  return Gold({subset.begin() + 1, subset.end() - 1}, gold.root());
}

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

int ArcStandardLoss::from_root(std::span<const Token> tokens) const {
  return static_cast<int>(
      std::count_if(tokens.begin(), tokens.end(), [&](Token t) { return gold_.head(t) == gold_.root(); }));
}

int ArcStandardLoss::reachable(std::span<const Token> stack, Token front, Scratch& scratch) const {
  const Token root = gold_.root();
  scratch.is_exact = !is_reduced_;
  // Root last, once shifted, takes every word below.
  if (root != 0 && !stack.empty() && stack.back() == root) return from_root(stack.first(stack.size() - 1));
  if (single_root_ && !stack.empty() && stack.front() == root) stack = stack.subspan(1);
  return spans_ ? general(stack, front, scratch) : collapsed(stack, front, scratch);
}

// With one child of Root, Root is left out and takes the head of all at the very end. Otherwise Root is one
// of the tokens: at the bottom of the stack (first) or the last of the buffer (last); a span that holds Root
// has no other head.
int ArcStandardLoss::collapsed(std::span<const Token> stack, Token front, Scratch& scratch) const {
  const Token root = gold_.root();
  const Token last = root == 0 || single_root_ ? gold_.words() : root;
  auto in_buffer = [&](Token token) { return token >= front && token <= last; };

  // A buffer word is deleted, its arc won, if its head is in the buffer and no word below it, itself
  // included, has a child on the stack: so keep what climbs from the stack's children pass, and what has no
  // head in the buffer.
  auto& kept = scratch.kept;
  kept.assign(gold_.words() + 2, 0);
  for (const Token word : stack) {
    for (Token at = gold_.head(word); in_buffer(at) && !kept[at]; at = gold_.head(at)) kept[at] = 1;
  }
  // What is left and has no part in any arc that can still be won, is left out: any word may take it, at any time.
  auto& right = scratch.right;
  right.clear();
  int won = 0;
  for (Token token = front; token <= last; ++token) {
    if (!kept[token] && in_buffer(gold_.head(token))) {
      ++won;
    } else if (kept[token] || gold_.head(token) >= 0 || token == root) {
      right.push_back(token);
    }
  }

  const bool root_below = !stack.empty() && stack.front() == root;
  const bool root_ahead = !right.empty() && right.back() == root;
  if (root_below) stack = stack.subspan(1);
  if (root_ahead) right.pop_back();
  const int ahead = static_cast<int>(right.size());
  if (stack.empty()) {
    // Nothing on the stack but perhaps Root: each block left in the buffer can only hang from Root.
    return won + from_root(right);
  }

  auto& index = scratch.index;
  index.assign(gold_.words() + 2, -1);
  for (const Token token : stack) index[token] = 0;
  for (const Token token : right) index[token] = 0;
  auto& left = scratch.left;  // the stack, likewise; the top is where spans start, and always there
  left.clear();
  for (const Token token : stack) {
    const auto children = gold_.children(token);
    const auto is_alive = [&](Token other) { return other >= 0 && (other == root || index[other] >= 0); };
    if (token == stack.back() || is_alive(gold_.head(token)) ||
        std::any_of(children.begin(), children.end(), is_alive)) {
      left.push_back(token);
    }
  }
  stack = left;
  const int depth = static_cast<int>(stack.size());
  std::fill(index.begin(), index.end(), std::int16_t(-1));
  for (int i = 0; i < depth; ++i) index[stack[depth - 1 - i]] = static_cast<std::int16_t>(i);
  for (int j = 0; j < ahead; ++j) index[right[j]] = static_cast<std::int16_t>(depth + j);

  // table[j][h]: most arcs over the i+1 topmost stack words and the j first buffer words, headed by h;
  // best[j]: over all h.
  const int heads = (depth + ahead + 7) & ~7;
  auto& table = scratch.table;
  table.assign(std::size_t(ahead + 1) * heads, kImpossible);
  auto& best = scratch.best;
  best.assign(ahead + 1, kImpossible);

  // The value of `head` when it takes a whole span `row` under it.
  auto above = [&](Token head, const std::int16_t* row, int any) {
    int value = any;
    for (const Token child : gold_.children(head)) {
      if (index[child] >= 0) value = std::max(value, row[index[child]] + 1);
    }
    return value;
  };
  auto column = [&](Token token) { return token >= 0 ? int(index[token]) : -1; };
  // Adds word x to the span `from`, as a child of its head or as the new head; keeps the better in `to`.
  auto extend = [&](const std::int16_t* from, int from_best, Token x, std::int16_t* to, std::int16_t& to_best) {
    const int gold_head = column(gold_.head(x));
    const int taken = gold_head >= 0 ? from[gold_head] + 1 : kImpossible;
    const int top = above(x, from, from_best);
    for (int h = 0; h < heads; ++h) to[h] = std::max(to[h], from[h]);
    if (gold_head >= 0) raise(to[gold_head], taken);
    raise(to[index[x]], top);
    raise(to_best, std::max({from_best, taken, top}));
  };

  auto& open = scratch.open;  // the previous row of one column
  open.resize(heads);
  int with_root = kImpossible;  // Root ahead: most arcs when it heads the stack words so far and all the buffer
  for (int i = 0; i < depth; ++i) {
    const Token x = stack[depth - 1 - i];
    for (int j = 0; j <= ahead; ++j) {
      std::int16_t* row = table.data() + std::size_t(j) * heads;
      if (i == 0 && j == 0) {
        row[0] = best[0] = 0;
      } else if (i > 0) {
        std::copy_n(row, heads, open.begin());
        const int open_best = best[j];
        std::fill_n(row, heads, kImpossible);
        best[j] = kImpossible;
        extend(open.data(), open_best, x, row, best[j]);
      }
      if (j > 0) extend(row - heads, best[j - 1], right[j - 1], row, best[j]);
    }
    if (root_ahead) {
      if (i > 0) with_root += gold_.head(x) == root;
      with_root = std::max(with_root, above(root, table.data() + std::size_t(ahead) * heads, best[ahead]));
    }
  }
  if (root_ahead) return won + with_root;
  if (!root_below) return won + above(root, table.data() + std::size_t(ahead) * heads, best[ahead]);
  int value = kImpossible;  // Root below: it may come in after any number of buffer words, and takes the rest
                            // one by one
  for (int j = 0; j <= ahead; ++j) {
    if (j > 0) value += gold_.head(right[j - 1]) == root;
    value = std::max(value, above(root, table.data() + std::size_t(j) * heads, best[j]));
  }
  return won + value;
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
