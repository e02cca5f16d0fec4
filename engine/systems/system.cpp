#include "systems/system.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace panparser {

namespace {

void require_sound(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("malformed table: ") + what);
}

template <bool kFree>  // may the focus be anywhere, and so tokens behind it be gone?
Place place(const Frame& frame, Token token) {
  if (kFree && !contains(frame.on_stack, token)) return kGone;
  if (token >= frame.front) return token == frame.front ? kAtB0 : kBehind;
  if (!kFree && !contains(frame.on_stack, token)) {
    if (!frame.on_list || !contains(frame.on_list, token)) return kGone;
    return token == frame.at[kL0] ? kAtL0 : kOnList;
  }
  if (token == frame.at[kS0]) return kAtS0;
  if (token == frame.at[kS1]) return kAtS1;
  return token == frame.at[kS2] ? kAtS2 : kDeeper;
}

// The bit of regions that a token is in.
template <bool kFree>
std::int32_t region_bit(const Frame& frame, Token token) {
  return 1 << (2 * place<kFree>(frame, token) + (token == frame.root));
}

bool is_of_list(EffectKind kind) {
  return kind == EffectKind::kAside || kind == EffectKind::kRestore || kind == EffectKind::kClear;
}
bool makes_arc(const Effect& effect) { return effect.kind == EffectKind::kArc || effect.kind == EffectKind::kPropose; }

// Do all conditions of a row, or of a final state, hold?
template <class Conditions>
bool holds(const Conditions& conditions, Bits truths) {
  bool holds = (truths & conditions.all) == conditions.all;
  for (const Bits clause : conditions.clauses) holds &= (truths & clause) != 0;
  return holds;
}

// What a row of a list-based system does; nullopt if it is none.
std::optional<Move> move_of(const Row& row) {
  using Join = Move::Join;
  using Fate = Move::Fate;
  std::span<const Effect> effects = row.effects;
  Join join = Join::kNoArc;
  if (!effects.empty() && effects[0].kind == EffectKind::kArc) {
    const auto joins = [&](Position head, Position dependent) {
      return effects[0].first == head && effects[0].second == dependent;
    };
    if (!joins(kB0, kS0) && !joins(kS0, kB0)) return std::nullopt;
    join = joins(kB0, kS0) ? Join::kLeft : Join::kRight;
    effects = effects.subspan(1);
  }
  const auto is = [&](std::size_t i, EffectKind kind) { return effects[i].kind == kind; };
  if (effects.size() == 1 && is(0, EffectKind::kAside)) return Move{join, Fate::kAside};
  if (effects.size() == 1 && is(0, EffectKind::kPop) && effects[0].first == kS0) return Move{join, Fate::kPop};
  if (effects.size() == 2 && is(0, EffectKind::kRestore) && is(1, EffectKind::kShift)) return Move{join, Fate::kShift};
  return std::nullopt;
}

// Does the blocked chain know these effects? S0 is put aside; or it is popped, up to three times, the list leaves or
// comes back, and B0 is shifted: any of these, in this order.
bool fits_chain(std::span<const Effect> effects) {
  if (effects.size() == 1 && effects[0].kind == EffectKind::kAside) return true;
  std::size_t at = 0;
  const auto skip = [&](EffectKind kind) {
    const bool found = at < effects.size() && effects[at].kind == kind && effects[at].first == kS0;
    at += found;
    return found;
  };
  int pops = 0;
  while (pops < 3 && skip(EffectKind::kPop)) ++pops;
  const bool comes_back = !skip(EffectKind::kClear) && skip(EffectKind::kRestore);
  const bool shifts = skip(EffectKind::kShift);
  return !effects.empty() && at == effects.size() && (shifts || !comes_back);
}

constexpr std::int32_t kUnbounded = 1 << 20;  // as in panparser.terms
constexpr std::int32_t kBufferRegion = 0b1111 << (2 * kAtB0);
constexpr std::int32_t kEverywhere = (1 << (2 * kAtL0)) - 1;  // where there is no list

}  // namespace

System::System(Table table) : table_(std::move(table)) {
  check();
  table_.shape.tracks_trees = table_.potential == Potential::kCycles;
  const auto is_of_list_fact = [](std::int32_t fact) {
    return fact == kListSize || fact == kOpenAside || fact == kIsWord + int(kL0) || fact == kIsAttached + int(kL0) ||
           fact == kTreeWords + int(kL0) || fact == kTreeOpen + int(kL0);
  };
  for (const Probe& probe : table_.probes) {
    table_.shape.has_list |= probe.position == kL0 || probe.position == kListTokens;
  }
  for (const Literal& literal : table_.literals) {
    table_.shape.has_list |= is_of_list_fact(literal.fact);
    table_.shape.tracks_trees |= literal.fact >= kS0OverB0;
    table_.shape.counts_trees |= literal.fact >= kTreeWords;
  }
  for (Row& row : table_.rows) {
    require_positions(row);
    for (const Term& term : row.terms) plain_probes_ = std::max(plain_probes_, std::size_t(term.probe) + 1);
  }
  for (const Probe& probe : table_.probes) {
    const auto position = Position(probe.position);
    const bool is_new = std::find(of_heads_.begin(), of_heads_.end(), position) == of_heads_.end();
    if (probe.kind == ProbeKind::kHead && is_new) of_heads_.push_back(position);
  }
  labeled_.resize(table_.rows.size());
  moved_.resize(table_.rows.size());
  for (int action = 0; action < actions(); ++action) {
    for (const EffectKind kind : {EffectKind::kPropose, EffectKind::kArc}) {  // an arc comes before a proposal
      for (const Effect& effect : table_.rows[action].effects) {
        if (effect.kind == kind) labeled_[action] = {Position(effect.first), Position(effect.second)};
      }
    }
    for (const Effect& effect : table_.rows[action].effects) {
      if (effect.kind == EffectKind::kShift) moved_[action].pushed = kB0;
      if (effect.kind == EffectKind::kPop) {  // the next one down, if S0 is popped again and again
        Position& popped = moved_[action].popped;
        is_deep_ |= popped != kPositions;
        popped = effect.first == kS0 && popped < kS2 ? Position(popped + 1) : Position(effect.first);
      }
      if (effect.kind == EffectKind::kDrop) moved_[action].popped = kB0;
      if (effect.kind == EffectKind::kArc) moved_[action].attached = Position(effect.second);
      if (effect.kind == EffectKind::kBack) swap_ = action;
      if (effect.kind == EffectKind::kAside) moved_[action].passing.passes = true;
      if (effect.kind == EffectKind::kClear) moved_[action].passing.clears = true;
      table_.shape.has_list |=
          is_of_list(effect.kind) || (makes_arc(effect) && (effect.first == kL0 || effect.second == kL0));
      if (effect.kind == EffectKind::kArc || effect.kind == EffectKind::kPropose) {
        for (const std::int32_t position : {effect.first, effect.second}) {
          if (position < kB0) deepest_ = std::max(deepest_, position);
          if (position == kL0) joins_list_ = true;
        }
      }
      if (effect.kind == EffectKind::kShift) shift_ = action;
      if (effect.kind == EffectKind::kPop && !labels(action)) leave_ = action;
      if (effect.kind == EffectKind::kArc) (effect.first == kS0 ? left_ : right_) = action;
    }
  }
  require_sound(!table_.shape.free_focus || !table_.shape.has_list, "a list with a free focus");
  require_sound(!table_.shape.free_focus || !table_.shape.counts_trees, "the size of a tree with a free focus");
  is_deep_ |= table_.shape.has_list;
  if (table_.potential == Potential::kCycles) {
    for (const Row& row : table_.rows) moves_.push_back(*move_of(row));
  }
  if (table_.static_oracle != StaticOracle::kAbsent || table_.potential == Potential::kSwap) {
    const int rows = leave_ >= 0 && !table_.shape.has_root ? 5 : 4;
    require_sound(actions() == rows && swap_ >= 0 && shift_ >= 0 && left_ >= 0 && right_ >= 0, "not a swap system");
  }
  if (table_.shape.counts_trees) {
    for (Row& row : table_.rows) count_words(row);
  }
}

void System::check() const {
  require_sound(!table_.rows.empty() && table_.rows.size() <= kMaxRows, "1 to 32 transitions");
  require_sound(table_.literals.size() <= kMaxLiterals, "at most 64 different conditions");
  require_sound(table_.potential >= Potential::kZero && table_.potential <= Potential::kSwap, "potential");
  require_sound(!table_.shape.free_focus || table_.shape.root_first || !table_.shape.starts_on_stack,
                "with a free focus, tokens are in order");
  require_sound(!table_.shape.free_focus || table_.static_oracle == StaticOracle::kAbsent,
                "a static oracle with a free focus");
  const bool swaps = table_.potential == Potential::kSwap;
  require_sound(swaps ? table_.limit >= SwapLoss::kLeastLimit && table_.limit <= SwapLoss::kMostLimit
                      : table_.limit >= 0 && table_.limit <= 2,
                "limit of the potential");
  require_sound(swaps || table_.potential == Potential::kZero || table_.static_oracle == StaticOracle::kAbsent,
                "a static oracle beside a potential other than that of swaps");
  require_sound(table_.static_oracle >= StaticOracle::kAbsent && table_.static_oracle <= StaticOracle::kSwapLazy,
                "static oracle");
  const auto literals = table_.literals.size();
  const Bits known = literals == 64 ? ~Bits(0) : (Bits(1) << literals) - 1;
  for (const Literal& literal : table_.literals) {
    require_sound(literal.fact >= 0 && literal.fact < kFacts && literal.low <= literal.high, "condition");
    require_sound(literal.low >= -kUnbounded && literal.high <= kUnbounded, "bounds of a condition");
  }
  for (const Probe& probe : table_.probes) {
    require_sound(probe.kind >= ProbeKind::kHead && probe.kind <= ProbeKind::kWanting, "probe");
    const bool of_others =
        (probe.position == kRootToken || probe.position == kListTokens) && probe.kind == ProbeKind::kChildren;
    require_sound((probe.position >= 0 && probe.position < kPositions) || of_others, "position of a probe");
  }
  require_sound((table_.final.all & ~known) == 0, "conditions of a final state");
  require_sound(table_.shape.has_root || table_.final.is_given(), "neither Root nor conditions of a final state");
  require_sound(table_.shape.has_root || !table_.shape.starts_on_stack, "no Root that could be on the stack");
  for (const Bits clause : table_.final.clauses) require_sound((clause & ~known) == 0, "clause of a final state");
  for (const Row& row : table_.rows) {
    require_sound((row.all & ~known) == 0, "conditions of a row");
    for (const Bits clause : row.clauses) require_sound((clause & ~known) == 0, "clause");
    for (const auto* terms : {&row.terms, &row.directed_terms}) {
      for (const Term& term : *terms) {
        require_sound(term.probe >= 0 && std::size_t(term.probe) < table_.probes.size(), "term");
        require_sound((term.guard & ~known) == 0, "guard");
      }
    }
    for (const Effect& effect : row.effects) {
      require_sound(effect.kind >= EffectKind::kShift && effect.kind <= EffectKind::kPropose, "effect");
      require_sound(effect.first >= 0 && effect.first < kPositions, "effect's position");
      require_sound(effect.second >= 0 && effect.second < kPositions, "effect's position");
      require_sound(effect.kind != EffectKind::kPop || effect.first <= kS2, "pop");
      require_sound(effect.kind != EffectKind::kBack || table_.static_oracle != StaticOracle::kAbsent ||
                        table_.potential == Potential::kSwap,
                    "back without a static oracle or the loss of swaps");
      require_sound(!table_.shape.free_focus || (effect.kind != EffectKind::kShift && effect.kind != EffectKind::kBack),
                    "a free focus is moved by no effect");
      require_sound(!makes_arc(effect) || &effect == row.effects.data(), "an arc that does not come first");
    }
    if (!fits_potential(row)) {
      throw std::invalid_argument("the potential does not know what row " +
                                  std::to_string(&row - table_.rows.data() + 1) +
                                  " does; the reference of the table language says which ones it knows");
    }
  }
}

// Potentials know how rows change the stack: the blocked chain one shift or pop of S0, the loss of ArcStandard its
// three rows, that of Attardi's system its five, that of swaps its four, without Root also a pop, as Root's arc would
// be; cycles those of Covington's. Crossing arcs are counted where the focus is free, and one token leaves.
bool System::fits_potential(const Row& row) const {
  if (table_.potential == Potential::kZero) return true;
  if (table_.shape.free_focus != (table_.potential == Potential::kCrossingArcs)) return false;
  if (table_.potential == Potential::kCycles) {
    const std::optional<Move> move = move_of(row);
    return move && !(table_.single_root && move->fate == Move::Fate::kPop);
  }
  const bool arc = !row.effects.empty() && makes_arc(row.effects[0]);
  if (table_.potential == Potential::kBlockedChain) return fits_chain(std::span(row.effects).subspan(arc));
  if (row.effects.size() != (arc ? 2u : 1u)) return false;
  const Effect& move = row.effects.back();
  if (table_.potential == Potential::kCrossingArcs) {
    const std::int32_t removed = move.kind == EffectKind::kDrop ? std::int32_t(kB0) : move.first;
    return removes(move, removed) && (!arc || row.effects[0].second == removed);
  }
  const bool leaves = move.kind == EffectKind::kPop && move.first == kS0 && !table_.shape.has_root;
  const bool swaps = move.kind == EffectKind::kBack && table_.potential == Potential::kSwap;
  if (!arc) return move.kind == EffectKind::kShift || leaves || swaps;
  const Effect& made = row.effects[0];
  const int deepest = table_.potential == Potential::kAttardi ? kS2 : kS1;
  const bool joins = made.kind == EffectKind::kArc && std::min(made.first, made.second) == kS0 &&
                     std::max(made.first, made.second) <= deepest && made.first != made.second;
  return joins && move.kind == EffectKind::kPop && move.first == made.second;
}

// A row is legal only where every token that its effects name exists: this, not the declaration, keeps memory
// safe.
void System::require_positions(Row& row) {
  int stack = 0, buffer = 0, list = 0;      // how many tokens the row needs
  int stack_growth = 0, buffer_growth = 0;  // by the effects so far, at least
  auto need = [&](int position) {
    if (position == kB0) {
      buffer = std::max(buffer, 1 - buffer_growth);
    } else if (position == kL0) {
      list = 1;  // nothing but arcs, which come first, names it
    } else {
      stack = std::max(stack, position - kS0 + 1 - stack_growth);
    }
  };
  for (const Effect& effect : row.effects) {
    switch (effect.kind) {
      case EffectKind::kShift:
        need(kB0);
        ++stack_growth;
        --buffer_growth;
        break;
      case EffectKind::kPop:
        need(effect.first);
        --stack_growth;
        break;
      case EffectKind::kDrop:
        need(kB0);
        --buffer_growth;
        break;
      case EffectKind::kBack:
        need(kS1);
        --stack_growth;
        ++buffer_growth;
        break;
      case EffectKind::kAside:
        need(kS0);
        --stack_growth;
        break;
      case EffectKind::kRestore:
      case EffectKind::kClear:
        break;
      default:
        need(effect.first);
        need(effect.second);
    }
  }
  for (const auto& [fact, size] :
       {std::pair{kStackSize, stack}, std::pair{kBufferSize, buffer}, std::pair{kListSize, list}}) {
    if (size <= 0) continue;
    const Literal literal{fact, size, kUnbounded};
    auto same = [&](const Literal& other) {
      return other.fact == literal.fact && other.low == literal.low && other.high == literal.high;
    };
    const auto found = std::find_if(table_.literals.begin(), table_.literals.end(), same);
    const auto index = found - table_.literals.begin();
    if (found == table_.literals.end()) {
      require_sound(table_.literals.size() < kMaxLiterals,
                    "at most 64 different conditions, those that tokens exist included");
      table_.literals.push_back(literal);
    }
    row.all |= Bits(1) << index;
  }
}

Bits System::truths(const Frame& frame) const {
  Bits truths = 0;
  Bits bit = 1;
  for (const Literal& literal : table_.literals) {
    const auto above = static_cast<std::uint32_t>(frame.facts[literal.fact] - literal.low);
    truths |= above <= static_cast<std::uint32_t>(literal.high - literal.low) ? bit : 0;
    bit <<= 1;
  }
  return truths;
}

std::uint32_t System::legal(Bits truths) const {
  std::uint32_t legal = 0;
  std::uint32_t bit = 1;
  for (const Row& row : table_.rows) {
    legal |= holds(row, truths) ? bit : 0;
    bit <<= 1;
  }
  return legal;
}

bool System::is_final(const Frame& frame) const {
  if (table_.final.is_given()) return holds(table_.final, truths(frame));
  return has_final_sizes(frame.facts[kStackSize], frame.facts[kBufferSize]) && frame.facts[kListSize] == 0 &&
         frame.at[table_.shape.ends_on_stack ? kS0 : kB0] == frame.root;
}

void System::attach_rest(std::span<std::int32_t> heads, std::span<std::int32_t> labels, std::int32_t label) const {
  if (!table_.final.rest_to_root) return;
  for (std::size_t word = 0; word < heads.size(); ++word) {
    if (heads[word] >= 0) continue;
    heads[word] = 0;
    labels[word] = label;
  }
}

Arc System::arc(const Frame& frame, int action, EffectKind kind) const {
  for (const Effect& effect : table_.rows[action].effects) {
    if (effect.kind == kind) return {frame.at[effect.first], frame.at[effect.second], -1};
  }
  return {};
}

Arc System::decided(const Frame& frame, int action) const {
  for (const Effect& effect : table_.rows[action].effects) {
    if (effect.kind == EffectKind::kArc) return {frame.at[effect.first], frame.at[effect.second], -1};
    const bool leaves = effect.kind == EffectKind::kPop && frame.facts[kIsAttached + effect.first] == 0;
    if (leaves && !table_.shape.has_root) return {frame.root, frame.at[effect.first], -1};
  }
  return {};
}

// Counting is an effect of its own, before the one that moves a token.
void System::count_words(Row& row) const {
  std::vector<Effect> counted;
  for (const Effect& effect : row.effects) {
    if (effect.kind == EffectKind::kShift) counted.push_back({EffectKind::kEnter, kB0, 0});
    if (effect.kind == EffectKind::kPop) counted.push_back({EffectKind::kLeave, effect.first, 0});
    if (effect.kind == EffectKind::kBack) counted.push_back({EffectKind::kLeave, kS1, 0});
    if (effect.kind == EffectKind::kAside) counted.push_back({EffectKind::kLeave, kS0, 0});
    if (effect.kind == EffectKind::kRestore) counted.push_back({EffectKind::kReturn, 0, 0});
    counted.push_back(effect);
  }
  row.effects = std::move(counted);
}

Change System::change(int action, const Frame& frame) const {
  const auto at = [&](Position position) { return position == kPositions ? kNone : frame.at[position]; };
  const Moved& moved = moved_[action];
  return {at(moved.pushed), at(moved.popped), at(moved.attached)};
}

Reference System::reference(Gold gold) const {
  Reference reference{this, std::move(gold), nullptr, nullptr, nullptr, false, 0, {}, {}};
  if (reference.gold.words() > kMaxWords) {
    throw std::invalid_argument("expected at most " + std::to_string(kMaxWords) + " words, found " +
                                std::to_string(reference.gold.words()));
  }
  if (reference.gold.root() != table_.shape.root(reference.gold.words())) {
    throw std::invalid_argument("the reference has Root at the other end");
  }
  if (table_.potential == Potential::kArcStandard) {
    reference.arc_standard = std::make_unique<const ArcStandardLoss>(reference.gold, table_.single_root);
  }
  if (table_.potential == Potential::kAttardi) {
    reference.attardi = std::make_unique<const AttardiLoss>(reference.gold, table_.single_root);
  }
  if (table_.potential == Potential::kSwap) {
    reference.swap = std::make_unique<const SwapLoss>(reference.gold, table_.single_root, table_.limit);
  }
  if (table_.potential == Potential::kCrossingArcs) crossing_reference(reference);
  if (table_.static_oracle != StaticOracle::kAbsent) swap_reference(reference);
  return reference;
}

// If too many arcs cross, the reference is its largest projective subset.
void System::crossing_reference(Reference& reference) const {
  const Gold& gold = reference.gold;
  reference.crosses = !gold.completable(table_.single_root);
  if (!reference.crosses || CrossingArcs().core_size(gold, table_.single_root) <= CrossingArcs::kMostTokens) return;
  const std::vector<Token> kept = projective_subset(gold.heads(), gold.root(), table_.single_root);
  for (Token word = 1; word <= gold.words(); ++word) reference.given_up += gold.head(word) >= 0 && kept[word] < 0;
  reference.gold = Gold(std::span(kept).subspan(1, gold.words()), gold.root());
  reference.crosses = false;
}

// Do words that meet part with either arc or none, and stay? Then cycles alone limit the trees.
bool System::builds_any_tree() const {
  const auto has = [&](Move::Join join, Move::Fate fate) {
    return std::any_of(moves_.begin(), moves_.end(), [&](Move move) { return move.join == join && move.fate == fate; });
  };
  return has(Move::Join::kNoArc, Move::Fate::kShift) && has(Move::Join::kNoArc, Move::Fate::kAside) &&
         has(Move::Join::kLeft, Move::Fate::kAside) && has(Move::Join::kRight, Move::Fate::kAside);
}

std::optional<int> System::lost(const Reference& reference) const {
  const Gold& gold = reference.gold;
  const bool on_stack = table_.shape.starts_on_stack || !table_.shape.has_root;  // without Root as if it were there
  const Token root = gold.root();
  const std::span<const Token> stack(&root, on_stack ? 1 : 0);
  const Token front = root == 0 && !on_stack ? 0 : 1;
  const auto heads = gold.heads();
  const auto known = static_cast<int>(std::count_if(heads.begin(), heads.end(), [](Token head) { return head >= 0; }));
  Scratch scratch;
  if (table_.potential == Potential::kCycles) {
    const auto roots = static_cast<int>(gold.children(root).size());
    return builds_any_tree() ? std::optional(table_.single_root ? std::max(0, roots - 1) : 0) : std::nullopt;
  }
  if (reference.arc_standard) return known - reference.arc_standard->reachable(stack, front, scratch.arc_standard);
  if (reference.attardi) return known - reference.attardi->reachable(stack, front, scratch.attardi);
  if (reference.swap) {
    scratch.stack.assign(stack.begin(), stack.end());
    for (Token token = front; token <= gold.words(); ++token) scratch.stack.push_back(token);
    if (table_.shape.has_root && root != 0) scratch.stack.push_back(root);
    return known - reference.swap->reachable(scratch.stack, stack.size(), scratch.swap);
  }
  if (table_.potential == Potential::kCrossingArcs) {
    const std::vector<Bits> all((gold.words() + 2 + 63) / 64, ~Bits(0));
    const int lost = reference.crosses ? scratch.crossing.lost(gold, table_.single_root, all.data(), kNone) : 0;
    return lost + reference.given_up;
  }
  return std::nullopt;
}

// --- Costs ---

// How many children of a token in the reference are in the region of a probe.
template <bool kFree>
inline int count_children(const Probe& probe, Token token, const Frame& frame, const Gold& gold) {
  const std::span<const Token> children = gold.children(token);
  const auto counts = [&](Token child) {
    return (region_bit<kFree>(frame, child) & probe.region) != 0 && !(probe.flag && contains(frame.attached, child));
  };
  int count = 0;
  if (kFree && (probe.region & kEverywhere) == kEverywhere && !probe.flag) {
    for (const Token child : children) count += contains(frame.on_stack, child);
    return count;
  }
  if ((probe.region & kBufferRegion) != 0) {  // children are sorted: those in the buffer come last
    const bool all = !kFree && !probe.flag && (probe.region & kBufferRegion) == kBufferRegion;
    for (auto child = children.rbegin(); child != children.rend() && *child >= frame.front; ++child) {
      count += all || counts(*child);
    }
  }
  if ((probe.region & ~kBufferRegion) != 0) {
    for (const Token child : children) {
      if (child >= frame.front) break;
      count += counts(child);
    }
  }
  return count;
}

template <bool kFree>
int System::probe(const Probe& probe, const Frame& frame, const Gold& gold) const {
  if (probe.kind == ProbeKind::kWanting) {
    int count = 0;
    bool bottom = probe.flag;  // is the next token of the stack to be passed over?
    for (Token token = 0; token < frame.front && token <= gold.words(); ++token) {
      if (!contains(frame.on_stack, token)) continue;
      count += !bottom && gold.head(token) == probe.direction && !contains(frame.attached, token);
      bottom = false;
    }
    return count;
  }
  const Token token = probe.position < kPositions ? frame.at[probe.position] : frame.root;
  if (token == kNone) return 0;
  switch (probe.kind) {
    case ProbeKind::kHeadless:
      return gold.head(token) == (table_.shape.has_root ? kEmpty : frame.root);
    case ProbeKind::kWants:
      return gold.head(token) == probe.direction;
    default:
      return probe.position == kListTokens ? children_of_list(probe, frame, gold)
                                           : count_children<kFree>(probe, token, frame, gold);
  }
}

int System::children_of_list(const Probe& probe, const Frame& frame, const Gold& gold) const {
  int count = 0;
  for (Token other = 0; frame.facts[kListSize] > 0 && other < frame.front; ++other) {
    if (contains(frame.on_list, other)) count += count_children<false>(probe, other, frame, gold);
  }
  return count;
}

template <bool kFree>
void System::local_costs(const Frame& frame, Bits truths, std::uint32_t legal, const Reference& reference,
                         Scratch& scratch, std::span<std::int32_t> costs) const {
  const Gold& gold = reference.gold;
  scratch.probes.resize(table_.probes.size());
  const std::size_t probes = gold.directed() ? table_.probes.size() : plain_probes_;
  std::array<std::int32_t, kPositions> heads{};  // the region of the head of each position
  for (const Position position : of_heads_) {
    const Token token = frame.at[position];
    const Token head = token == kNone ? kNone : gold.head(token);
    if (head >= 0) heads[position] = region_bit<kFree>(frame, head);
  }
  for (std::size_t i = 0; i < probes; ++i) {
    const Probe& own = table_.probes[i];
    scratch.probes[i] =
        own.kind == ProbeKind::kHead ? (heads[own.position] & own.region) != 0 : probe<kFree>(own, frame, gold);
  }
  for (std::uint32_t rest = legal; rest; rest &= rest - 1) {
    const int action = std::countr_zero(rest);
    const Row& row = table_.rows[action];
    int cost = 0;
    auto add = [&](const Term& term) { cost += (truths & term.guard) == term.guard ? scratch.probes[term.probe] : 0; };
    for (const Term& term : row.terms) add(term);
    if (gold.directed()) {
      for (const Term& term : row.directed_terms) add(term);
    }
    costs[action] = cost;
  }
  if (table_.potential == Potential::kBlockedChain && !is_deep_) {
    add_chain<false>(frame, legal, gold, costs);
  } else if (table_.potential != Potential::kZero) {
    add_potential(frame, legal, reference, scratch, costs);
  }
}

// What rows change in the chain that is blocked.
template <bool kDeep>
void System::add_chain(const Frame& frame, std::uint32_t legal, const Gold& gold, std::span<std::int32_t> costs) const {
  const Chain<kDeep> now(frame, gold, frame.front, table_.limit);
  const bool is_same = !kDeep && gold.chain_exit(frame.front + 1) == gold.chain_exit(frame.front);
  const auto next = is_same ? now : Chain<kDeep>(frame, gold, frame.front + 1, table_.limit);  // when B0 has gone
  if (now.top == kNone && next.top == kNone) return;
  const int before = now.is_blocked(frame, {}, {}, table_.limit);
  for (; legal; legal &= legal - 1) {
    const int action = std::countr_zero(legal);
    const Change own = change(action, frame);
    const Passing passing = kDeep ? moved_[action].passing : Passing{};
    costs[action] += (own.pushed == kNone ? now : next).is_blocked(frame, own, passing, table_.limit) - before;
  }
}

// What rows change in the number of words that another potential counts.
void System::add_potential(const Frame& frame, std::uint32_t legal, const Reference& reference, Scratch& scratch,
                           std::span<std::int32_t> costs) const {
  const Gold& gold = reference.gold;
  if (table_.potential == Potential::kBlockedChain) return add_chain<true>(frame, legal, gold, costs);
  const auto crossing = [&](Token without) {
    return scratch.crossing.lost(gold, table_.single_root, frame.on_stack, without);
  };
  const int before = reference.crosses ? crossing(kNone) : 0;
  if (reference.given_up > 0) {
    ++scratch.valued;
    ++scratch.approximated;
  }
  const bool one_root = table_.single_root && table_.potential == Potential::kCycles;
  const int before_one_root = one_root ? lost_to_one_root(frame, std::nullopt, gold) : 0;
  for (; legal; legal &= legal - 1) {
    const int action = std::countr_zero(legal);
    if (table_.potential == Potential::kCycles) costs[action] += more_cycles(frame, moves_[action], gold);
    if (one_root) costs[action] += lost_to_one_root(frame, moves_[action], gold) - before_one_root;
    if (reference.crosses) costs[action] += crossing(change(action, frame).popped) - before;
  }
}

template void System::local_costs<true>(const Frame&, Bits, std::uint32_t, const Reference&, Scratch&,
                                        std::span<std::int32_t>) const;
template void System::local_costs<false>(const Frame&, Bits, std::uint32_t, const Reference&, Scratch&,
                                         std::span<std::int32_t>) const;

template <class Loss>
int System::reachable_after(const Frame& frame, int action, const Loss& loss, Scratch& scratch,
                            typename Loss::Scratch& own) const {
  auto& after = scratch.after;
  after = scratch.stack;
  Token front = frame.front;
  for (const Effect& effect : table_.rows[action].effects) {
    if (effect.kind == EffectKind::kShift) after.push_back(front++);
    if (effect.kind == EffectKind::kPop) after.erase(after.end() - 1 - effect.first);
  }
  return loss.reachable(after, front, own);
}

template <>
int System::reachable_after(const Frame& frame, int action, const SwapLoss& loss, Scratch& scratch,
                            SwapLoss::Scratch& own) const {
  auto& after = scratch.after;
  after = scratch.stack;
  int below = frame.facts[kStackSize] + !table_.shape.has_root;
  for (const Effect& effect : table_.rows[action].effects) {
    if (effect.kind == EffectKind::kShift) ++below;
    if (effect.kind == EffectKind::kPop) after.erase(after.begin() + --below - effect.first);
    if (effect.kind == EffectKind::kBack) {
      --below;
      std::swap(after[below - 1], after[below]);
    }
  }
  return loss.reachable(after, static_cast<std::size_t>(below), own);
}

template <class Loss>
void System::loss_costs(const Frame& frame, std::uint32_t legal, const Loss& loss, Scratch& scratch,
                        typename Loss::Scratch& own, std::span<std::int32_t> costs) const {
  // What a state can still reach is the best that its successors can, so the state itself need not be valued.
  int best = 0;
  bool is_exact = true;
  if (std::has_single_bit(legal)) {
    costs[std::countr_zero(legal)] = 0;
    return;
  }
  ++scratch.valued;
  for (std::uint32_t rest = legal; rest; rest &= rest - 1) {
    const int action = std::countr_zero(rest);
    const Arc made = decided(frame, action);
    const int value = reachable_after(frame, action, loss, scratch, own) +
                      (made.head != kNone && loss.counts(made.head, made.dependent));
    is_exact &= own.is_exact;
    costs[action] = value;
    best = std::max(best, value);
  }
  scratch.approximated += !is_exact;
  for (; legal; legal &= legal - 1) {
    std::int32_t& cost = costs[std::countr_zero(legal)];
    cost = best - cost;
  }
}

template void System::loss_costs(const Frame&, std::uint32_t, const ArcStandardLoss&, Scratch&,
                                 ArcStandardLoss::Scratch&, std::span<std::int32_t>) const;
template void System::loss_costs(const Frame&, std::uint32_t, const AttardiLoss&, Scratch&, AttardiLoss::Scratch&,
                                 std::span<std::int32_t>) const;
template void System::loss_costs(const Frame&, std::uint32_t, const SwapLoss&, Scratch&, SwapLoss::Scratch&,
                                 std::span<std::int32_t>) const;

}  // namespace panparser
