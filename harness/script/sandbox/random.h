#pragma once
#include <cstdint>

namespace harness::script {

/// xoshiro256** 1.0 (Blackman and Vigna, 2018), its state filled by splitmix64: the same numbers on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) {
    for (std::uint64_t& word : state_) word = splitmix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

  /// Uniform over 0 .. last, without bias.
  std::uint64_t upto(std::uint64_t last) {
    if (last == UINT64_MAX) return next();
    const std::uint64_t count = last + 1;
    const std::uint64_t tail = (UINT64_MAX % count + 1) % count;  // draws past the last whole multiple of count
    std::uint64_t draw = next();
    while (tail != 0 && draw > UINT64_MAX - tail) draw = next();
    return draw % count;
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }
  static std::uint64_t splitmix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace harness::script
