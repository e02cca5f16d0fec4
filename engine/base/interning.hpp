// Interning of numbers: the distinct ones, and the place of each number among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/keyed_hash.hpp"

namespace panparser {

struct InternedNumbers {
  std::vector<std::int64_t> values;      // rising
  std::vector<std::int64_t> of_numbers;  // places in `values`
};

inline InternedNumbers intern_numbers(std::span<const std::int64_t> numbers) {
  constexpr std::int32_t kFree = -1;
  std::vector<std::int32_t> slots(64, kFree);
  InternedNumbers found;
  const auto slot_of = [&](std::int64_t number) {
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = keyed_hash(static_cast<std::uint64_t>(number)) & mask;
    while (slots[slot] != kFree && found.values[slots[slot]] != number) slot = (slot + 1) & mask;
    return slot;
  };
  found.of_numbers.reserve(numbers.size());
  for (const std::int64_t number : numbers) {
    std::size_t slot = slot_of(number);
    if (slots[slot] == kFree) {
      if (2 * (found.values.size() + 1) > slots.size()) {
        slots.assign(2 * slots.size(), kFree);
        for (std::size_t i = 0; i < found.values.size(); ++i) {
          slots[slot_of(found.values[i])] = static_cast<std::int32_t>(i);
        }
        slot = slot_of(number);
      }
      slots[slot] = static_cast<std::int32_t>(found.values.size());
      found.values.push_back(number);
    }
    found.of_numbers.push_back(slots[slot]);
  }
  std::vector<std::int64_t> order(found.values.size()), place(found.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return found.values[a] < found.values[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);
  std::sort(found.values.begin(), found.values.end());
  for (std::int64_t& number : found.of_numbers) number = place[number];
  return found;
}

}  // namespace panparser
