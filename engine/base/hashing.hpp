// The hash of features: a number that depends only on the template and the values of its atoms, so that a model needs
// no vocabulary. Model files depend on every constant here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace panparser {

using Value = std::uint64_t;  // of an atom, well mixed

inline constexpr Value mix(Value x) {  // the finalizer of splitmix64
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

inline constexpr Value kGolden = 0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio
inline constexpr Value kRootValue = 0x5D1D47E3A1C9F00Fu, kAbsentValue = 0xA7B5E2C94F3D1683u;

inline constexpr Value hash_number(std::int64_t number) { return mix(static_cast<Value>(number + 3) * kGolden); }
inline constexpr Value hash_set(std::uint64_t bits) { return mix(bits); }
Value hash_text(std::string_view text);

// Of a feature: a template with the values of its atoms. The low bits are the number of the template.
using Key = std::uint64_t;
inline constexpr int kTemplateBits = 9;
inline constexpr Key kTemplateMask = (Key(1) << kTemplateBits) - 1;
inline int template_of(Key key) { return static_cast<int>(key & kTemplateMask); }

inline constexpr Key template_seed(std::size_t number) { return mix(static_cast<Key>(number + 1)); }

inline Key finished_key(Key sum, std::size_t number) {
  const Key key = (sum & ~kTemplateMask) | number;
  return key ? key : kTemplateMask + 1;  // 0 means no feature
}

inline constexpr int kTurn = 13;  // bits that a value is turned by, for each place in its template

// Atoms are indices in `values`, from `atom` to `end`, at least one. The values are well mixed: turned by their place
// in the template and added up, they are a good hash.
template <class Index>
inline Key feature_key(Key seed, std::size_t number, const Value* values, const Index* atom, const Index* end) {
  Key key = seed + values[*atom++];
  for (int turn = kTurn; atom != end; turn += kTurn) key += std::rotl(values[*atom++], turn);
  return finished_key(key, number);
}

// The feature that labels of an action's arc see, of the same template.
inline constexpr Key label_key(Key key, int action) {
  return key + (mix(static_cast<Key>(action) + 0x51ED270B) & ~kTemplateMask);
}

}  // namespace panparser
