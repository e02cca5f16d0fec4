// Strings as numbers: each distinct string of a column once.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace panparser {

// Ids are dense, in order of first appearance; 0 is always "_". Strings are views: into the text that was read, which
// must outlive the vocabulary, or into its own copies.
class Vocabulary {
 public:
  Vocabulary() : slots_(64, kFree) { add("_", hash("_")); }

  std::int32_t size() const { return static_cast<std::int32_t>(strings_.size()); }
  std::string_view operator[](std::int32_t id) const { return strings_[id]; }

  // The id of a string that outlives the vocabulary.
  std::int32_t intern(std::string_view text) {
    if (text.size() == 1 && text[0] == '_') return 0;
    const std::uint64_t code = hash(text);
    const std::int32_t found = slots_[find(text, code)];
    return found != kFree ? found : add(text, code);
  }
  // The id of a string that may not outlive it: it is copied if it is new.
  std::int32_t intern_copy(std::string_view text) {
    const std::uint64_t code = hash(text);
    const std::int32_t found = slots_[find(text, code)];
    return found != kFree ? found : add(copies_.emplace_back(text), code);
  }

 private:
  static constexpr std::int32_t kFree = -1;

  static std::uint64_t hash(std::string_view text) {
    std::uint64_t code = text.size() * 0x9E3779B97F4A7C15u;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) {
      std::uint64_t chunk;
      std::memcpy(&chunk, at, 8);
      code = mix(code ^ chunk);
    }
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, at, left);
    return mix(code ^ chunk);
  }
  static std::uint64_t mix(std::uint64_t x) {
    x *= 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
  }

  std::size_t find(std::string_view text, std::uint64_t code) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = code & mask;
    while (slots_[slot] != kFree && strings_[slots_[slot]] != text) slot = (slot + 1) & mask;
    return slot;
  }
  std::int32_t add(std::string_view text, std::uint64_t code) {
    if (2 * (strings_.size() + 1) > slots_.size()) grow();
    slots_[find(text, code)] = size();
    strings_.push_back(text);
    return size() - 1;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (std::int32_t id = 0; id < size(); ++id) slots_[find(strings_[id], hash(strings_[id]))] = id;
  }

  std::vector<std::string_view> strings_;
  std::vector<std::int32_t> slots_;
  std::deque<std::string> copies_;
};

}  // namespace panparser
