// Feature templates: what they read, and how they share it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hashing.hpp"
#include "features/tokens.hpp"
#include "systems/state.hpp"

namespace panparser {

// Where templates read: a token of the stack, the buffer or the list, or one that it has an arc with. Written base * 8
// + path.
enum Base : std::uint8_t { kBaseS0, kBaseS1, kBaseS2, kBaseS3, kBaseB0, kBaseB1, kBaseB2, kBaseB3, kBaseL0 };
inline constexpr int kBufferBase = kBaseB0;
enum Path : std::uint8_t { kHere, kLeft0, kLeft1, kRight0, kRight1, kHeadOf, kHeadOfHead, kPaths };
inline constexpr int kAddresses = 8 * (kBaseL0 + 1);
inline constexpr std::int32_t address(Base base, Path path) { return base * 8 + path; }

enum class AtomKind : std::int32_t {
  kAttribute,
  kLabel,
  kLeftValency,
  kRightValency,
  kLeftLabels,
  kRightLabels,
  kDistance,
  kHistory,
  kBetween,
  kGiven
};
struct Atom {
  AtomKind kind;
  std::int32_t first, second;  // addresses
  std::int32_t parameter;      // an attribute, a counter, or how long ago
};

// Templates are grouped by what they read, so that scores of states that look alike to a group are computed once.
// A template belongs to the first group that sees enough.
enum Group : std::uint8_t {
  kBufferGroup,      // words in the buffer
  kPairGroup,        // ... and S0
  kTripleGroup,      // ... and S1
  kStackGroup,       // ... and S2
  kStackChildGroup,  // buffer, S0, and all that is known of S0
  kFrontChildGroup,  // buffer, S0, and all that is known of B0
  kOtherGroup,       // anything: never shared
  kGroups
};

// How far templates look into the buffer: up to B0, or beyond. Those for actions alone count as beyond that.
enum Reach : std::uint8_t { kToFront, kAhead, kActionsOnly };

class Program {
 public:
  static constexpr int kMaxTemplates = 1 << kTemplateBits;
  static constexpr int kMaxAtoms = 512;

  // `actions_only`: numbers of templates that labels do not see. `own_labels`: the number that features have for each
  // label of the states, where it is another. Throws std::invalid_argument on a number out of range.
  Program(std::vector<Attribute> attributes, std::vector<Counter> counters, std::vector<Atom> atoms,
          std::vector<std::vector<std::int32_t>> templates, std::vector<std::int32_t> vectors,
          const std::vector<std::int32_t>& actions_only = {}, std::vector<std::int32_t> own_labels = {});

  static bool is_address(std::int32_t number) {
    return number >= 0 && number < kAddresses && number % 8 < kPaths &&
           (number / 8 <= kBufferBase || number / 8 == kBaseL0 || number % 8 == kHere);
  }

  int templates() const { return static_cast<int>(templates_.size()); }
  const std::vector<std::int32_t>& atoms_of(int number) const { return templates_[number]; }  // of a template
  Group group_of(int number) const { return groups_[number]; }
  Reach reach_of(int number) const { return reaches_[number]; }
  const Atom& atom(std::int32_t number) const { return atoms_[number]; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<Counter>& counters() const { return counters_; }
  const std::vector<std::int32_t>& vectors() const { return vectors_; }  // addresses with an embedding
  const std::vector<std::int32_t>& own_labels() const { return own_labels_; }

  // A number that is the same for two states of a sentence only if a group (but the last) sees the same in both (or by
  // a collision of 64 bits).
  static std::uint64_t sight(Group group, const Window& window);
  // The same of all groups together, but for the last actions, which templates may see too.
  static std::uint64_t whole_sight(const Window& window);
  bool sees_history() const;

  // What an address leads to: a token, its label, and what is known about it (null if nothing is).
  struct Place {
    Token token;  // kNone if absent
    std::int32_t label;
    const Record* record;
  };
  static Place resolve(const Window& window, int address);
  static Token token(const Window& window, int address) { return resolve(window, address).token; }

  // The row of the vector at the i-th address with one, -1 if there is no word; and the group that reads it.
  std::int32_t vector_row(std::size_t i, const Window& window, const SentenceTokens& tokens) const {
    const Token found = token(window, vectors_[i]);
    return found == kNone ? -1 : tokens.rows[found];
  }
  Group vector_group(std::size_t i) const { return group_for(sees({AtomKind::kAttribute, vectors_[i], 0, 0})); }
  Reach vector_reach(std::size_t i) const { return reach_for(sees({AtomKind::kAttribute, vectors_[i], 0, 0})); }

 private:
  static Place head_of(const Window& window, const Record& record);
  static std::uint32_t sees(const Atom& atom);  // Sight bits
  static Group group_for(std::uint32_t sights);
  static Reach reach_for(std::uint32_t sights);

  std::vector<Attribute> attributes_;
  std::vector<Counter> counters_;
  std::vector<Atom> atoms_;
  std::vector<std::vector<std::int32_t>> templates_;  // numbers of atoms
  std::vector<std::int32_t> vectors_, own_labels_;
  std::vector<Group> groups_;  // by template
  std::vector<Reach> reaches_;
};

}  // namespace panparser
