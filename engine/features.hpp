// Feature templates, compiled to a flat program: gather each atom once a state, then hash each template.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "state.hpp"
#include "tokens.hpp"

namespace panparser {

using Key = std::uint64_t;  // of a feature: a template with the values of its atoms

// Addresses are base * 8 + path. Keep in step with panparser._features.
inline constexpr int kBufferBase = 4;  // S0..S3, then B0..B3
enum Path : std::uint8_t { kHere, kLeft0, kLeft1, kRight0, kRight1, kHeadOf, kHeadOfHead, kPaths };
inline constexpr int kAddresses = 64;

enum class AtomKind : std::int32_t {
  kAttribute,
  kLabel,
  kLeftValency,
  kRightValency,
  kLeftLabels,
  kRightLabels,
  kDistance,
  kHistory,
  kBetween
};
struct Atom {
  AtomKind kind;
  std::int32_t first, second;  // addresses
  std::int32_t parameter;      // an attribute, a counter, or how long ago
};

class Program {
 public:
  static constexpr int kMaxTemplates = 512;
  static constexpr int kMaxAtoms = 512;

  // Throws std::invalid_argument on a number out of range.
  Program(std::vector<Attribute> attributes, std::vector<Counter> counters, std::vector<Atom> atoms,
          const std::vector<std::vector<std::int32_t>>& templates, std::vector<std::int32_t> vectors);

  int templates() const { return static_cast<int>(seeds_.size()); }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<Counter>& counters() const { return counters_; }
  const std::vector<std::int32_t>& vectors() const { return vectors_; }  // addresses with an embedding

  // The features of a state, one each template.
  void extract(const Window& window, const SentenceTokens& tokens, Key* keys) const;

  Token token(const Window& window, int address) const { return resolve(window, address).token; }

 private:
  struct Place {
    Token token;  // kNone where absent
    std::int32_t label;
    const Record* record;  // null where nothing is known
  };
  static Place resolve(const Window& window, int address);
  static Place head_of(const Window& window, int depth);
  void gather(const Window& window, const SentenceTokens& tokens, Value* values) const;

  std::vector<Attribute> attributes_;
  std::vector<Counter> counters_;
  std::vector<Atom> atoms_;
  std::vector<std::int32_t> addresses_;  // that some atom uses
  std::vector<std::int32_t> vectors_;

  std::vector<std::uint16_t> flat_;   // atoms of all templates
  std::vector<std::int32_t> starts_;  // in flat_, by template
  std::vector<Key> seeds_;
};

}  // namespace panparser
