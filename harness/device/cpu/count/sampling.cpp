#include "harness/device/cpu/count/sampling.h"

#include <algorithm>

namespace harness::cpu {
namespace {

/// splitmix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
std::uint64_t random_word(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
  return seed ^ seed >> 31;
}

}  // namespace

Sample sample_blocks(std::uint64_t blocks, int most) {
  Sample sample;
  const auto add = [&](std::uint64_t number, std::uint64_t weight) {
    sample.numbers.push_back(number);
    sample.weights.push_back(static_cast<std::int64_t>(weight));
  };
  auto wanted = static_cast<std::uint64_t>(std::max(most, 4));
  if (blocks <= wanted) {
    for (std::uint64_t i = 0; i < blocks; ++i) add(i, 1);
    return sample;
  }
  // A counted block takes up to ten times as long: half of all would make a launch five times as long, a quarter of a
  // short launch still up to four times.
  if (blocks < 4 * wanted) wanted = std::clamp<std::uint64_t>(blocks / 6, 4, std::max<std::uint64_t>(4, wanted / 2));
  const std::uint64_t inner = blocks - 2, stretches = wanted - 2;
  add(0, 1);
  for (std::uint64_t i = 0; i < stretches; ++i) {
    const std::uint64_t begin = inner * i / stretches, end = inner * (i + 1) / stretches;
    add(1 + begin + random_word(i) % (end - begin), end - begin);
  }
  add(blocks - 1, 1);
  return sample;
}

}  // namespace harness::cpu
