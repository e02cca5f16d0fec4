// Many states at once, for classifiers outside the engine: numbers go in and out as flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/selection.hpp"
#include "search/constraint.hpp"
#include "systems/focus.hpp"
#include "systems/oracle.hpp"
#include "systems/system.hpp"

namespace panparser {

// States of many sentences, each with a number. The initial ones are 0, 1, ... in the order of the sentences, then the
// others as they are made. The rows of a batch are some of the states, none of which is final. With a free focus, each
// has a row for every place where an action is legal.
class Batch {
 public:
  struct Sentence {
    SentenceTokens tokens;
    const Reference* reference;              // null: costs are not available
    const Constraint* constraint = nullptr;  // actions that break it are illegal, if others remain
  };

  // `ties` orders all actions of equal cost, for `oracle`.
  Batch(const System& system, const Program& program, std::span<const std::int32_t> ties)
      : system_(system),
        program_(program),
        selection_(program),
        ties_(ties.begin(), ties.end()),
        keys_(program.templates()) {}

  // Discards all states, and starts with the initial ones of these sentences. Memory is reused.
  void start(std::span<const Sentence> sentences);
  // Makes rows of any states that are not final; throws std::invalid_argument, and changes nothing, for others.
  // `focus`, if it is not empty: only those of one place of each, by its number in `list_focus`.
  void select(std::span<const std::int32_t> states, std::span<const std::int32_t> focus);

  std::size_t rows() const { return rows_.size(); }
  std::int32_t states() const { return static_cast<std::int32_t>(states_.size()); }
  std::size_t sentences() const { return sentences_.size(); }
  std::int64_t words() const { return words_; }
  const System& system() const { return system_; }
  const Program& program() const { return program_; }
  bool has_references() const { return has_references_; }

  // Of each row.
  void list_states(std::int32_t* out) const;     // numbers
  void list_parents(std::int32_t* out) const;    // numbers; -1 for an initial state
  void list_sentences(std::int32_t* out) const;  // as they were given to `start`
  void list_actions(std::int32_t* out) const;    // that made the state; -1 for an initial one
  void list_focus(std::int32_t* out) const;      // the token at S0, if the focus is free; else -1
  void list_arcs(std::int32_t* out) const;       // [row][3]: head, dependent, label that the action made; -1 where none

  // [row]: number of constraints that every remaining action violates
  void list_violations(std::int32_t* out) const;
  // [row][action]
  void legal(bool* out) const;
  void costs(std::int32_t* out);  // kIllegalCost where illegal
  // Of one row: its state; which actions are legal, as bits; how many constraints each violates; the costs of those.
  std::int32_t state(std::size_t row) const { return rows_[row].state; }
  std::uint32_t legal_actions(std::size_t row) const { return rows_[row].legal; }
  std::int32_t violations(std::size_t row) const { return rows_[row].violations; }
  void costs(std::size_t row, std::span<std::int32_t> out);
  // [row]: the action of the static oracle; -1 where it is taken at another place
  void oracle(std::int32_t* out);
  // [row][address]: 1..n words, 0 Root, -1 none
  void positions(std::span<const std::int32_t> addresses, std::int32_t* out) const;
  // [row][address]: the same in a table of the words of all sentences, in which `first` is the row of each Root
  void places(std::span<const std::int32_t> addresses, std::span<const std::int64_t> first, std::int64_t none,
              std::int64_t* out) const;
  // [row][action]: where the arc that an action makes, or proposes, is in a table [sentence][dependent][head] of this
  // width; -1 where the action is illegal, or attaches no word
  void arc_places(std::int64_t width, std::int64_t* out) const;
  // [row][address]: the label of the arc to the token there, -1 none
  void labels(std::span<const std::int32_t> addresses, std::int32_t* out) const;
  // [row][count]: the last actions, the latest first, -1 none; a state remembers kHistory
  static constexpr std::size_t kHistory = 4;
  void history(std::size_t count, std::int32_t* out) const;
  // [row][deepest()]: what is on the stack, from the bottom: 1..n words, 0 Root, -1 behind the top
  std::int32_t deepest() const;
  void stacks(std::int32_t* out) const;
  // [row][template]
  void keys(Key* out);

  // Heads and dependents of the arcs that actions would make, or propose, in some rows; -1 where none.
  void arcs(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions, std::int32_t* heads,
            std::int32_t* dependents) const;
  // Makes the state after an action in each of some rows, and returns its number. Those that are not final become the
  // rows. Labels may be empty. Throws std::invalid_argument, and changes nothing, on an action that is illegal; Stuck
  // if the system is broken.
  void apply(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions,
             std::span<const std::int32_t> labels, std::int32_t* out);
  void is_final(std::span<const std::int32_t> states, bool* out) const;
  bool is_final(std::int32_t state) const { return states_[state].is_final; }
  std::int32_t parent(std::int32_t state) const { return states_[state].parent; }
  std::int32_t last_step(std::int32_t state) const {
    return arenas_[states_[state].sentence].action(states_[state].index);
  }
  std::int32_t length(std::int32_t state) const { return states_[state].length; }  // of its derivation
  // The derivation of a state: the states that its steps were taken in, and the steps.
  void derivation(std::int32_t state, std::int32_t* states, std::int32_t* steps) const;
  void check_states(std::span<const std::int32_t> states) const;  // throws std::invalid_argument
  // Heads and labels in one state of each sentence, for the words of all sentences in order; -1 is none.
  void trees(std::span<const std::int32_t> states, std::int32_t* heads, std::int32_t* labels) const;
  // The last state made of each sentence.
  void list_latest(std::int32_t* out) const;

 private:
  struct State {
    std::int32_t sentence, index;  // in the arena of the sentence
    std::int32_t parent, length;
    bool is_final;
  };
  struct Row {
    std::int32_t state;
    std::uint32_t legal;
    Bits truths;
    std::int32_t violations;
    Token focus;  // kNone where it is fixed
  };
  LinkedState at(std::int32_t state) const {
    const State& here = states_[state];
    return {arenas_[here.sentence], here.index};
  }
  std::int32_t step(const Row& row, int action) const {
    return row.focus == kNone ? action : make_step(action, row.focus);
  }
  // Calls a function with the state of a row, as it is seen from there.
  template <class Look>
  void see(const Row& row, const Look& look) const {
    panparser::see(system_, at(row.state), step(row, 0), look);
  }
  void check_actions(std::span<const std::int32_t> rows, std::span<const std::int32_t> actions) const;
  std::int32_t add(const State& state);  // and a row in next_, unless it is final
  void add_rows(std::int32_t state, std::vector<Row>& rows);
  Token outside(std::int32_t state, Token token) const {  // words 1..n, Root 0
    return token == system_.table().shape.root(sentences_[states_[state].sentence].tokens.words) ? 0 : token;
  }

  const System& system_;
  const Program& program_;
  Selection selection_;
  std::vector<std::int32_t> ties_;
  std::vector<Sentence> sentences_;
  std::int64_t words_ = 0;
  bool has_references_ = false;
  mutable std::vector<Arena> arenas_;  // by sentence; LinkedState reads and writes, the const members only read
  std::vector<State> states_;
  std::vector<Row> rows_, next_;
  std::vector<std::int32_t> latest_;
  std::vector<Key> keys_;
  System::Scratch scratch_, constraint_scratch_;
};

}  // namespace panparser
