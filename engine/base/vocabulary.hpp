// Strings as numbers: each distinct string of a column once.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/keyed_hash.hpp"
#include "base/short_text.hpp"

namespace panparser {

// Ids are dense, in order of first appearance; 0 is always "_". Strings are views: into the text that was read, which
// must outlive the vocabulary, or into its own copies.
class Vocabulary {
 public:
  Vocabulary() : slots_(64) { add("_", key("_")); }

  std::int32_t size() const { return static_cast<std::int32_t>(strings_.size()); }
  std::string_view operator[](std::int32_t id) const { return strings_[id]; }

  // The id of a string that outlives the vocabulary.
  std::int32_t intern(std::string_view text) {
    if (text.size() == 1 && text[0] == '_') return 0;
    const Key wanted = key(text);
    const std::int32_t found = slots_[find(text, wanted)].id;
    return found != kFree ? found : add(text, wanted);
  }
  // The id of a string that may not outlive it: it is copied if it is new.
  std::int32_t intern_copy(std::string_view text) {
    const Key wanted = key(text);
    const std::int32_t found = slots_[find(text, wanted)].id;
    return found != kFree ? found : add(copies_.emplace_back(text), wanted);
  }

 private:
  static constexpr std::int32_t kFree = -1;
  static constexpr std::size_t kShort = 8;
  static constexpr std::uint64_t kLength = 0x9E3779B97F4A7C15u;  // short strings of two lengths may have one code

  // What is compared first: the bytes of a short string, and its length, which are all of it; the hash of a long one.
  struct Key {
    std::uint64_t code;
    std::uint32_t length;
    friend bool operator==(const Key&, const Key&) = default;
    std::uint64_t place() const { return keyed_hash(code + length * kLength); }
  };
  struct Slot {
    std::uint64_t code = 0;
    std::uint32_t length = 0;
    std::int32_t id = kFree;
    Key key() const { return {code, length}; }
  };

  static Key key(std::string_view text) {
    const auto length = static_cast<std::uint32_t>(text.size());
    if (text.size() <= kShort) return {packed_text(text.data(), text.size()), length};
    std::uint64_t code = 0;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) code = keyed_hash(code ^ load<std::uint64_t>(text.data() + at));
    return {keyed_hash(code ^ load<std::uint64_t>(text.data() + text.size() - 8)), length};
  }

  std::size_t find(std::string_view text, const Key& wanted) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = wanted.place() & mask;
    while (slots_[slot].id != kFree &&
           !(slots_[slot].key() == wanted && (text.size() <= kShort || same_text(strings_[slots_[slot].id], text)))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  std::int32_t add(std::string_view text, const Key& key) {
    if (2 * (strings_.size() + 1) > slots_.size()) grow();
    slots_[find(text, key)] = {key.code, key.length, size()};
    strings_.push_back(text);
    return size() - 1;
  }
  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (const Slot& old : slots_) {
      if (old.id == kFree) continue;
      std::size_t slot = old.key().place() & (larger.size() - 1);
      while (larger[slot].id != kFree) slot = (slot + 1) & (larger.size() - 1);
      larger[slot] = old;
    }
    slots_ = std::move(larger);
  }

  std::vector<std::string_view> strings_;
  std::vector<Slot> slots_;
  std::deque<std::string> copies_;
};

}  // namespace panparser
