// States: stack, buffer, list and arcs. Two kinds with one interface: MutableState for greedy decoding, LinkedState
// for beams.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "trees/gold.hpp"

namespace panparser {

// Tokens that tables refer to.
enum Position : std::uint8_t { kS0, kS1, kS2, kB0, kL0, kPositions };

// What conditions test: each is a number.
enum Fact : std::uint8_t {
  kStackSize,
  kBufferSize,
  kListSize,
  kOpenWords,                              // unattached words on the stack
  kOpenAside,                              // ... and on the list
  kRootChildren,                           // children of Root so far
  kIsWord,                                 // + position: 1 a word, 0 Root, -1 absent
  kIsAttached = kIsWord + kPositions,      // + position: 1 or 0 for a word, else -1
  kFromS0ToB0 = kIsAttached + kPositions,  // signed distances, out of all bounds if a token is absent
  kFromS1ToS0,
  kFromS2ToS0,
  kS0OverB0,  // 1 if the first token dominates the second, 0 if not, -1 if one is absent
  kB0OverS0,
  kS1OverS0,
  kS0OverS1,
  kTreeWords,  // + position: words on the stack that are in the tree of the token, -1 if it is absent
  kTreeOpen = kTreeWords + kPositions,  // + position: those of them without a head, the top of the tree if any
  kFacts = kTreeOpen + kPositions
};

using Bits = std::uint64_t;  // one word of a set of tokens
inline bool contains(const Bits* set, Token token) { return set[token >> 6] >> (token & 63) & 1; }

// All of a state that tables depend on; valid until the state changes.
struct Frame {
  Token token(Position position) const { return at[position]; }

  std::array<Token, kPositions> at;  // kNone where absent
  std::array<std::int32_t, kFacts> facts;
  Token front;  // B0, or the end; in systems without `back`, every token from here on is in the buffer
  Token root;
  const Bits* on_stack;  // with a free focus, in the buffer too; null if the state does not track them
  const Bits* attached;
  const Bits* on_list;  // null in systems without a list
  const Token* heads;   // by token, kNone without one; null if the state does not track trees
  const Token* tops;    // by token: that of the tree it is in; null likewise
  const Token* sizes;   // by top: how many words of its tree are on the stack; null if the state does not count them
};

// What a state stores about one token, for features.
struct Record {
  Token token = kNone;
  Token head = kNone;
  Token proposed = kNone;  // a provisional head, never part of the output
  std::int32_t label = -1;
  std::int32_t proposed_label = -1;
  std::array<Token, 2> left = {kNone, kNone};  // leftmost child, second leftmost; `right` likewise from the right
  std::array<Token, 2> right = {kNone, kNone};
  std::array<std::int32_t, 2> left_label = {-1, -1};
  std::array<std::int32_t, 2> right_label = {-1, -1};
  std::int32_t left_valency = 0;
  std::int32_t right_valency = 0;
  std::uint64_t left_labels = 0;  // sets of labels: bit (label mod 64)
  std::uint64_t right_labels = 0;
  std::uint64_t digest = 0;  // of the head, the children and their labels: equal if they are

  void add_child(Token child, std::int32_t child_label);
  void set_head(Token new_head, std::int32_t new_label);
  void propose_head(Token new_head, std::int32_t new_label);
};

struct Arc {
  Token head = kNone;
  Token dependent = kNone;
  std::int32_t label = -1;
};

// What feature templates read from a state; valid until a state is made or changed.
struct Window {
  static constexpr int kDepth = 4;
  std::array<const Record*, kDepth> stack;  // from the top; null where absent
  const Record* front;                      // of B0; null if it has neither children nor a head
  const Record* list;                       // of L0; null where absent
  std::array<Token, kDepth> buffer;         // kNone where absent
  std::uint32_t history;                    // the last actions, each + 1, in a byte; the latest is the lowest

  Token token(Position position) const {  // kNone if absent
    if (position == kB0) return buffer[0];
    if (position == kL0) return list ? list->token : kNone;
    return stack[position] ? stack[position]->token : kNone;
  }
};

// Where a derivation starts and ends. Without Root, `root` is still the head that references give to its children; no
// state has that token. The border between stack and buffer is the focus: if it is free, it may be put behind any token
// before each transition, and is where it was at the start in between.
struct Shape {
  bool has_root = true;
  bool root_first = false;
  bool starts_on_stack = false;  // is Root on the stack at the start?
  bool ends_on_stack = false;    // ... and at the end?
  bool free_focus = false;
  bool has_list = false;
  bool tracks_trees = false;  // do conditions or costs ask which tree a token is in?
  bool counts_trees = false;  // ... and how many words of it are on the stack?

  Token root(Token words) const { return root_first || !has_root ? 0 : words + 1; }
};

// Counters that both kinds keep, so that conditions are O(1).
struct Counters {
  Token words, root;
  Token front;  // first token of the buffer behind those on the list `returned`
  std::int32_t stack_size, returned_size, list_size, open_words, open_aside, root_children;
  std::uint32_t history;  // as in Window

  Token end() const { return root > words ? words + 2 : words + 1; }
  std::int32_t buffer_size() const { return returned_size + (end() - front); }
};

struct Trees;

// Changes in place. `returned` holds words that returned to the buffer, the last one in front.
class MutableState {
 public:
  void reset(const Shape& shape, Token words);

  const Counters& counters() const { return counters_; }
  Frame frame() const;
  void list_stack(std::vector<Token>& out) const { out = stack_; }  // bottom to top
  void list_buffer(std::vector<Token>& out) const;
  void list_aside(std::vector<Token>& out) const;  // the list, from its front
  std::vector<Arc> arcs() const;
  Record record(Position position) const;
  Window window() const;
  void remember(int action) { counters_.history = counters_.history << 8 | static_cast<std::uint32_t>(action + 1); }

  void shift();
  void pop(int depth);
  void drop();     // B0 leaves
  void back();     // S1 goes to the front of the buffer
  void aside();    // S0 goes to the front of the list
  void restore();  // the list goes back onto the stack, its front first
  void clear();    // all of the list leaves
  Token top() const { return stack_.empty() ? kNone : stack_.back(); }
  void advance();  // moves a free focus behind B0, and `retreat` before S0
  void retreat();
  // `leaves`: the dependent is popped next, so nobody will see its record again.
  void attach(Position head, Position dependent, std::int32_t label, bool leaves);
  void propose(Position head, Position dependent, std::int32_t label);

  // Where trees are counted: a token enters the stack, or leaves it; all of the list enters it.
  void count(Position position, int change);
  void count_list();

 private:
  Token token(Position position) const;
  Token first_in_buffer() const;
  Token take_first();  // from the buffer
  Trees trees();

  Shape shape_;
  Counters counters_;
  std::vector<Record> records_;  // by token
  std::vector<Token> stack_, returned_, list_;
  std::vector<Bits> on_stack_, attached_, on_list_;
  std::vector<Token> heads_, tops_, sizes_;  // if trees are tracked, and counted
};

// Immutable states of one sentence, by index; each shares all it can with its parent. Nothing is freed before
// `reset`.
class Arena {
 public:
  // Without `tracking` states take less memory, but costs are not available.
  void reset(const Shape& shape, Token words, bool tracking);

  std::int32_t initial() const { return 0; }
  std::int32_t size() const { return static_cast<std::int32_t>(states_.size()); }
  std::int32_t parent(std::int32_t state) const { return states_[state].parent; }
  std::int32_t action(std::int32_t state) const { return states_[state].action; }
  const Arc& arc(std::int32_t state) const { return states_[state].arc; }  // that the action made

  // What was made after a mark can be forgotten, but for records.
  struct Mark {
    std::size_t states, links, bits, trees;
  };
  Mark mark() const { return {states_.size(), links_.size(), bits_.size(), trees_.size()}; }
  void forget(const Mark& mark) {
    states_.resize(mark.states);
    links_.resize(mark.links);
    bits_.resize(mark.bits);
    trees_.resize(mark.trees);
  }

 private:
  friend class LinkedState;
  struct Link {
    std::int32_t record, next;
  };
  struct State {
    Counters counters;
    std::int32_t parent, action;
    std::int32_t stack, returned, list;  // links
    Arc arc;
  };
  std::int32_t add_record(const Record& record);
  std::int32_t add_link(std::int32_t record, std::int32_t next);

  std::vector<State> states_;
  std::vector<Record> records_;
  std::vector<Link> links_;
  std::vector<Bits> bits_;    // for each state `sets_` of `width_`: on the stack, attached, on the list
  std::vector<Token> trees_;  // for each state `planes_` of `tokens_`: heads, tops, sizes
  Shape shape_;
  std::int32_t width_ = 0, sets_ = 0, tokens_ = 0, planes_ = 0;
};

// A state in an arena. The effects below may only follow `fork`, which makes the copy that they change.
class LinkedState {
 public:
  LinkedState(Arena& arena, std::int32_t index) : arena_(&arena), index_(index) {}

  std::int32_t index() const { return index_; }
  Arena& arena() const { return *arena_; }
  LinkedState fork(std::int32_t action) const;

  const Counters& counters() const { return state().counters; }
  Frame frame() const;
  void list_stack(std::vector<Token>& out) const;
  void list_buffer(std::vector<Token>& out) const;
  void list_aside(std::vector<Token>& out) const;  // the list, from its front
  std::vector<Arc> arcs() const;
  Record record(Position position) const;
  Window window() const;
  void remember(int action) {
    state().counters.history = state().counters.history << 8 | static_cast<std::uint32_t>(action + 1);
  }

  void shift();
  void pop(int depth);
  void drop();
  void back();
  Token top() const { return state().stack < 0 ? kNone : arena_->records_[arena_->links_[state().stack].record].token; }
  void advance();
  void retreat();
  void aside();
  void restore();
  void clear();
  // `leaves`: the dependent is popped next, so nobody will see its record again.
  void attach(Position head, Position dependent, std::int32_t label, bool leaves);
  void propose(Position head, Position dependent, std::int32_t label);

  void count(Position position, int change);  // as in MutableState; `count_list` likewise
  void count_list();

 private:
  friend class Arena;
  Arena::State& state() const { return arena_->states_[index_]; }
  Bits* on_stack() const { return arena_->bits_.data() + std::int64_t(arena_->sets_) * arena_->width_ * index_; }
  Bits* attached() const { return on_stack() + arena_->width_; }
  Bits* on_list() const { return attached() + arena_->width_; }
  Token* heads() const { return arena_->trees_.data() + std::int64_t(arena_->planes_) * arena_->tokens_ * index_; }
  Token* tops() const { return heads() + arena_->tokens_; }
  Token* sizes() const { return tops() + arena_->tokens_; }
  Trees trees() const;
  std::int32_t& list_at(Position position) const;  // the links that hold a position
  std::int32_t find(Position position) const;      // record, or -1
  void put(Position position, std::int32_t record);
  void materialize();  // gives the front of the buffer a record
  std::int32_t splice(std::int32_t link, int depth, std::int32_t record, bool drop);

  Arena* arena_;
  std::int32_t index_;
};

}  // namespace panparser
