#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/include/harness/random.cuh"

namespace harness::judge {

/// random::philox with one counter a lane. The loops over lanes are what a compiler turns into vector instructions.
struct PhiloxLanes {
  static constexpr int kLanes = 32;
  std::uint32_t word[4][kLanes];

  PhiloxLanes(std::uint64_t seed, std::uint64_t stream, std::uint64_t first) {
    for (int lane = 0; lane < kLanes; ++lane) {
      word[0][lane] = static_cast<std::uint32_t>(first + lane);
      word[1][lane] = static_cast<std::uint32_t>((first + lane) >> 32);
      word[2][lane] = static_cast<std::uint32_t>(stream);
      word[3][lane] = static_cast<std::uint32_t>(stream >> 32);
    }
    auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < random::kPhiloxRounds; ++round) {
      turn(key0, key1);
      key0 += random::kPhiloxWeyl0;
      key1 += random::kPhiloxWeyl1;
    }
  }

  random::Words operator[](int lane) const { return {{word[0][lane], word[1][lane], word[2][lane], word[3][lane]}}; }

 private:
  void turn(std::uint32_t key0, std::uint32_t key1) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t a = random::kPhiloxFactor0 * word[0][lane], b = random::kPhiloxFactor1 * word[2][lane];
      word[0][lane] = static_cast<std::uint32_t>(b >> 32) ^ word[1][lane] ^ key0;
      word[1][lane] = static_cast<std::uint32_t>(b);
      word[2][lane] = static_cast<std::uint32_t>(a >> 32) ^ word[3][lane] ^ key1;
      word[3][lane] = static_cast<std::uint32_t>(a);
    }
  }
};

/// Calls f(i, words(seed, stream, first + i)) for i in [0, count), in order. The same bits as one at a time, and
/// faster: drawing them is most of what painting an image takes (bench/judge_bench.cpp).
template <typename F>
void for_random_words(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::size_t count, F&& f) {
  std::size_t i = 0;
  for (; i + PhiloxLanes::kLanes <= count; i += PhiloxLanes::kLanes) {
    const PhiloxLanes lanes(seed, stream, first + i);
    for (int lane = 0; lane < PhiloxLanes::kLanes; ++lane) f(i + static_cast<std::size_t>(lane), lanes[lane]);
  }
  for (; i < count; ++i) f(i, random::words(seed, stream, first + i));
}

}  // namespace harness::judge
