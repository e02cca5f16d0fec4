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
  // Sections of templates, by number: each can be extracted alone, once what it and the first one read is gathered. The
  // program must outlive it.
  Selection(const Program& program, const std::vector<std::vector<int>>& sections);
  explicit Selection(const Program& program);  // all its templates, in one section

  int sections() const { return static_cast<int>(sections_.size()); }
  int size(int section) const { return sections_[section].size(); }
  int size() const;

  struct Place : Program::Place {
    const Value* values;  // of the token, or of the absent one
  };
  struct Gathered {  // of one state
    std::array<Place, kAddresses> places;
    std::array<Value, Program::kMaxAtoms> atoms;
  };
  // What a section reads, but for what the first one does, which comes before all others.
  void gather(int section, const Window& window, const SentenceTokens& tokens, Gathered& gathered) const;
  // The features of a section, one each template.
  void extract(int section, const Gathered& gathered, Key* keys) const;
  // The features of the first `sections`, one after the other.
  void extract(int sections, const Window& window, const SentenceTokens& tokens, Key* keys) const;

 private:
  struct PlacedAtom : Atom {
    std::size_t place;  // of its value
  };
  struct Run {  // templates of as many atoms
    std::size_t length, count;
  };
  struct Section {
    int size() const { return static_cast<int>(seeds.size()); }

    std::vector<std::int32_t> addresses;  // here and below, without what is in the first section
    std::vector<PlacedAtom> attributes;   // of tokens
    std::vector<PlacedAtom> others;
    std::vector<Run> runs;  // shortest first; below, all templates in this order
    std::vector<std::uint16_t> atoms, numbers;
    std::vector<Key> seeds;
  };
  Section section(std::span<const int> numbers, std::vector<std::int32_t>& places) const;
  Value value(const Atom& atom, const Window& window, const SentenceTokens& tokens, const Gathered& gathered) const;
  std::int32_t own(std::int32_t label) const;
  std::uint64_t own_set(std::uint64_t labels) const;

  const Program* program_;
  std::vector<Section> sections_;
};

}  // namespace panparser
