// Templates of a program, compiled to a flat list: gather each atom once a state, then hash each template.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "features/program.hpp"
#include "features/tokens.hpp"
#include "systems/state.hpp"

namespace panparser {

class Selection {
 public:
  // Templates by number. Those of `first` can also be extracted without the others. The program must outlive it.
  Selection(const Program& program, std::span<const int> first, std::span<const int> others);
  explicit Selection(const Program& program);  // all its templates

  int size() const { return first_.size() + others_.size(); }
  int first() const { return first_.size(); }
  // The features of a state, one each template: as many as `size`, or as `first`.
  void extract(const Window& window, const SentenceTokens& tokens, Key* keys) const;
  void extract_first(const Window& window, const SentenceTokens& tokens, Key* keys) const;

 private:
  struct Place : Program::Place {
    const Value* values;  // of the token, or of the absent one
  };
  struct Gathered {  // of one state
    std::array<Place, kAddresses> places;
    std::array<Value, Program::kMaxAtoms> atoms;
  };
  struct Run {  // templates of as many atoms
    std::size_t length, count;
  };
  struct Section {
    int size() const { return static_cast<int>(seeds.size()); }

    std::vector<std::int32_t> addresses;  // that its atoms are the first to use
    std::vector<Atom> attributes;         // atoms that its templates are the first to use: attributes of tokens
    std::vector<Atom> others;
    std::size_t first_atom = 0;  // where they go, the attributes first
    std::vector<Run> runs;       // shortest first; below, all templates in this order
    std::vector<std::uint16_t> atoms, numbers;
    std::vector<Key> seeds;
  };
  Section section(std::span<const int> numbers, std::vector<std::int32_t>& known, std::vector<bool>& reached) const;
  void gather(const Section& section, const Window& window, const SentenceTokens& tokens, Gathered& gathered) const;
  Value value(const Atom& atom, const Window& window, const SentenceTokens& tokens, const Gathered& gathered) const;
  static void hash(const Section& section, const Gathered& gathered, Key* keys);
  std::int32_t own(std::int32_t label) const;
  std::uint64_t own_set(std::uint64_t labels) const;

  const Program* program_;
  Section first_, others_;
};

}  // namespace panparser
