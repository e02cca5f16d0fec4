// Feature templates, compiled to a flat program: gather each atom once a state, then hash each template.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "features/tokens.hpp"
#include "systems/state.hpp"

namespace panparser {

// Where templates read: a token of the stack or the buffer, or one that it has an arc with. Written base * 8 + path.
enum Base : std::uint8_t { kBaseS0, kBaseS1, kBaseS2, kBaseS3, kBaseB0, kBaseB1, kBaseB2, kBaseB3 };
inline constexpr int kBufferBase = kBaseB0;
enum Path : std::uint8_t { kHere, kLeft0, kLeft1, kRight0, kRight1, kHeadOf, kHeadOfHead, kPaths };
inline constexpr int kAddresses = 64;
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
enum Reach : std::uint8_t { kToFront, kAhead, kActionsOnly, kReaches };

class Program {
 public:
  static constexpr int kMaxTemplates = 1 << kTemplateBits;
  static constexpr int kMaxAtoms = 512;

  // `actions_only`: numbers of templates that labels do not see. `own_labels`: the number that features have for each
  // label of the states, where it is another. Throws std::invalid_argument on a number out of range.
  Program(std::vector<Attribute> attributes, std::vector<Counter> counters, std::vector<Atom> atoms,
          const std::vector<std::vector<std::int32_t>>& templates, std::vector<std::int32_t> vectors,
          const std::vector<std::int32_t>& actions_only = {}, std::vector<std::int32_t> own_labels = {});

  static bool is_address(std::int32_t number) {
    return number >= 0 && number < kAddresses && number % 8 < kPaths &&
           (number / 8 <= kBufferBase || number % 8 == kHere);
  }

  int templates() const { return templates_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<Counter>& counters() const { return counters_; }
  const std::vector<std::int32_t>& vectors() const { return vectors_; }  // addresses with an embedding
  const std::vector<std::int32_t>& own_labels() const { return own_labels_; }

  // The features of a state, one each template of a group, or of all; how many there are.
  int extract(Group group, const Window& window, const SentenceTokens& tokens, Key* keys,
              Reach reach = kActionsOnly) const;
  void extract(const Window& window, const SentenceTokens& tokens, Key* keys) const;

  // The templates of a group, as `extract` goes through them.
  std::span<const std::uint16_t> numbers(Group group, Reach reach = kActionsOnly) const {
    return std::span(parts_[group].numbers).first(parts_[group].counts[reach]);
  }

  // A number that is the same for two states of a sentence only if a group (but the last) sees the same in both (or by
  // a collision of 64 bits).
  static std::uint64_t sight(Group group, const Window& window);

  Token token(const Window& window, int address) const { return resolve(window, address).token; }

  // The row of the vector at the i-th address with one, -1 if there is no word; and the group that reads it.
  std::int32_t vector_row(std::size_t i, const Window& window, const SentenceTokens& tokens) const {
    const Token found = token(window, vectors_[i]);
    return found == kNone ? -1 : tokens.rows[found];
  }
  Group vector_group(std::size_t i) const { return group_for(sees({AtomKind::kAttribute, vectors_[i], 0, 0})); }
  Reach vector_reach(std::size_t i) const { return reach_of(sees({AtomKind::kAttribute, vectors_[i], 0, 0})); }

 private:
  struct Place {
    Token token;  // kNone if absent
    std::int32_t label;
    const Record* record;  // null if nothing is known
  };
  static Place resolve(const Window& window, int address);
  static Place head_of(const Window& window, const Record& record, int depth);
  static std::uint32_t sees(const Atom& atom);  // Sight bits
  static Group group_for(std::uint32_t sights);
  static Reach reach_of(std::uint32_t sights);

  struct Part {  // the templates of one group, those first that reach least far
    std::vector<Atom> atoms;
    std::vector<std::int32_t> addresses;  // that some atom uses
    std::vector<std::uint16_t> flat;      // atoms of all templates, and where each template's end
    std::vector<std::uint16_t> ends;
    std::vector<Key> seeds;
    std::vector<std::uint16_t> numbers;          // of the templates
    std::array<std::size_t, kReaches> counts{};  // how many reach so far at most
  };
  void gather(const Part& part, const Window& window, const SentenceTokens& tokens, Value* values) const;
  std::int32_t own(std::int32_t label) const {
    return label < 0 || own_labels_.empty() ? label : own_labels_[static_cast<std::size_t>(label)];
  }
  std::uint64_t own_set(std::uint64_t labels) const;

  std::vector<Attribute> attributes_;
  std::vector<Counter> counters_;
  std::vector<std::int32_t> vectors_, own_labels_;
  std::array<Part, kGroups> parts_;
  int templates_ = 0;
};

}  // namespace panparser
