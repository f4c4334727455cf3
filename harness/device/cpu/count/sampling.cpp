#include "harness/device/cpu/count/sampling.h"

#include <algorithm>
#include <utility>

namespace harness::cpu {
namespace {

/// splitmix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
std::uint64_t random_word(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
  return seed ^ seed >> 31;
}

class Sampling {
 public:
  /// Block i of the order is number i / rows + columns * (i % rows).
  Sampling(std::uint64_t blocks, std::uint64_t columns, std::uint64_t seed)
      : columns_(columns), rows_(blocks / columns), seed_(seed) {}

  void add(std::uint64_t place, std::uint64_t weight) {
    chosen_.emplace_back(place / rows_ + columns_ * (place % rows_), static_cast<std::int64_t>(weight));
  }
  /// One of each of so many equal stretches of [begin, end).
  void add_stretches(std::uint64_t begin, std::uint64_t end, std::uint64_t stretches) {
    const std::uint64_t all = end - begin;
    for (std::uint64_t i = 0; i < stretches; ++i) {
      const std::uint64_t first = all * i / stretches, last = all * (i + 1) / stretches;
      add(begin + first + random_word(seed_ + i) % (last - first), last - first);
    }
  }
  Sample take() {
    std::ranges::sort(chosen_);
    Sample sample;
    for (const auto& [number, weight] : chosen_) {
      sample.numbers.push_back(number);
      sample.weights.push_back(weight);
    }
    return sample;
  }

 private:
  std::uint64_t columns_, rows_, seed_;
  std::vector<std::pair<std::uint64_t, std::int64_t>> chosen_;
};

Sample sample_of_many(std::uint64_t blocks, std::uint64_t wanted, std::uint64_t seed) {
  Sampling sampling(blocks, blocks, seed);
  sampling.add(0, 1);
  sampling.add_stretches(1, blocks - 1, wanted - 2);
  sampling.add(blocks - 1, 1);
  return sampling.take();
}

}  // namespace

Sample all_blocks(std::uint64_t blocks) {
  Sample sample;
  for (std::uint64_t i = 0; i < blocks; ++i) sample.numbers.push_back(i);
  sample.weights.assign(blocks, 1);
  return sample;
}

Sample sample_blocks(std::uint64_t blocks, int most, std::uint64_t columns, std::uint64_t seed) {
  constexpr std::uint64_t kAll = 2, kLeast = 4, kTwo = 12;
  const std::uint64_t allowed = std::max(static_cast<std::uint64_t>(std::max(most, 0)), kLeast);
  if (blocks <= kAll) return all_blocks(blocks);
  if (blocks >= 4 * allowed) return sample_of_many(blocks, allowed, seed);
  const std::uint64_t column = blocks / columns;  // blocks of one
  Sampling sampling(blocks, columns, seed);
  if (blocks < kTwo) {
    sampling.add((blocks - column) / 2, blocks - column);
    sampling.add(blocks - 1, column);
    return sampling.take();
  }
  const std::uint64_t wanted = std::clamp(blocks / 6, kLeast, std::max(kLeast, allowed / 2));
  const std::uint64_t end = std::min(column, blocks / (wanted == kLeast ? 3 : wanted));
  sampling.add(0, end);
  sampling.add_stretches(end, blocks - end, wanted - 2);
  sampling.add(blocks - 1, end);
  return sampling.take();
}

}  // namespace harness::cpu
