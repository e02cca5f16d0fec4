// Random numbers: the same on every machine.
#pragma once

#include <cstdint>

namespace panparser {

class Random {  // xorshift64*
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du) {
    if (state_ == 0) state_ = 1;
  }
  std::uint32_t bits() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1Du) >> 32);
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(std::uint64_t(bits()) * bound >> 32); }
  double uniform() { return bits() * 0x1p-32; }  // in [0, 1)

  std::uint64_t state() const { return state_; }
  void set_state(std::uint64_t state) { state_ = state ? state : 1; }

 private:
  std::uint64_t state_;
};

}  // namespace panparser
