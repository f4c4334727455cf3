#include "harness/device/cpu/count/request.h"

#include <catch2/catch.hpp>

#include "harness/device/cpu/count/l1_cache.h"
#include "harness/device/cpu/count/sampling.h"

using namespace harness::cpu;

namespace {

/// Lane i accesses `bytes` at stride * i.
Request strided(std::uint64_t stride, std::uint32_t bytes, std::uint32_t lanes = ~0u) {
  Request request{lanes, bytes, {}};
  for (std::uint64_t i = 0; i < 32; ++i) request.address[i] = i * stride;
  return request;
}

}  // namespace

TEST_CASE("neighbouring words share sectors and distant ones do not") {
  CHECK(sectors_of(strided(4, 4)).size() == 4);
  CHECK(sectors_of(strided(2, 2)).size() == 2);
  CHECK(sectors_of(strided(16, 16)).size() == 16);
  CHECK(sectors_of(strided(128, 4)).size() == 32);
  CHECK(sectors_of(strided(0, 4)).size() == 1);
  CHECK(sectors_of(strided(4, 4, 0xff)).size() == 1);
  Request shifted = strided(4, 4);
  for (auto& address : shifted.address) address += 16;
  CHECK(sectors_of(shifted).size() == 5);
  CHECK(different_bytes(strided(4, 4)) == 128);
  CHECK(different_bytes(strided(0, 4)) == 4);
}

TEST_CASE("words of one bank take a pass each, and one word that many want takes one") {
  const auto passes = [](const Request& request) {
    const SharedPasses found = shared_passes(request);
    return std::pair{found.all, found.least};
  };
  CHECK(passes(strided(4, 4)) == std::pair{1, 1});
  CHECK(passes(strided(8, 4)) == std::pair{2, 1});
  CHECK(passes(strided(128, 4)) == std::pair{32, 1});
  CHECK(passes(strided(132, 4)) == std::pair{1, 1});  // padded by a word
  CHECK(passes(strided(0, 4)) == std::pair{1, 1});
  CHECK(passes(strided(2, 2)) == std::pair{1, 1});
  CHECK(passes(strided(8, 8)) == std::pair{2, 2});
  CHECK(passes(strided(16, 16)) == std::pair{4, 4});
  CHECK(passes(strided(32, 16)) == std::pair{8, 4});
  CHECK(passes(strided(128, 4, 0x3)) == std::pair{2, 1});
  // Wide words that neighbours share.
  CHECK(passes(strided(0, 8)) == std::pair{1, 1});
  CHECK(passes(strided(0, 16)) == std::pair{2, 2});
  Request pairs = strided(0, 16);
  for (std::uint64_t i = 0; i < 32; ++i) pairs.address[i] = i / 2 * 16;
  CHECK(passes(pairs) == std::pair{2, 2});
  for (std::uint64_t i = 0; i < 32; ++i) pairs.address[i] = i / 4 * 16;
  CHECK(passes(pairs) == std::pair{2, 2});
  for (std::uint64_t i = 0; i < 32; ++i) pairs.address[i] = i % 8 * 16;
  CHECK(passes(pairs) == std::pair{4, 4});
}

TEST_CASE("atomic operations on one address take turns") {
  CHECK(atomic_turns(strided(0, 4)) == 32);
  CHECK(atomic_turns(strided(4, 4)) == 1);
  Request halves = strided(4, 4);
  for (std::size_t i = 0; i < 32; ++i) halves.address[i] = i % 2 * 4;
  CHECK(atomic_turns(halves) == 16);
}

TEST_CASE("a cache keeps what fits, sector by sector") {
  L1Cache cache;
  cache.begin(64 * 1024);
  CHECK_FALSE(cache.load(8));
  CHECK(cache.load(8));
  CHECK_FALSE(cache.load(9));  // of the same line
  for (std::uint64_t sector = 0; sector < 1024; ++sector) cache.load(sector);
  int hits = 0;
  for (std::uint64_t sector = 0; sector < 1024; ++sector) hits += cache.load(sector);
  CHECK(hits == 1024);
  for (std::uint64_t sector = 0; sector < 1 << 16; ++sector) cache.load(sector);
  CHECK_FALSE(cache.load(8));
  cache.begin(64 * 1024);
  CHECK_FALSE(cache.load(65535));
}

TEST_CASE("requests that move on know how long their sectors stay the same") {
  for (const std::uint64_t step : {2ull, 4ull, 12ull, 32ull, 1000ull, 0ull - 2, 0ull - 8, 0ull - 64}) {
    Request request = strided(36, 2, 0xf0f0f0f0);
    for (std::uint64_t& address : request.address) address += 100000;
    const FewNumbers before = sectors_of(request);
    const std::uint64_t same = with_same_sectors(request, step);
    REQUIRE(same > 0);
    const auto moved = [&](std::uint64_t times) {
      Request next = request;
      for (std::uint64_t& address : next.address) address += times * step;
      return sectors_of(next);
    };
    const FewNumbers last = moved(same - 1), other = moved(same);
    CHECK(std::equal(before.begin(), before.end(), last.begin(), last.end()));
    CHECK_FALSE(std::equal(before.begin(), before.end(), other.begin(), other.end()));
  }
  CHECK(with_same_sectors(strided(4, 4), 0) == ~0ull);
}

TEST_CASE("a sample of many has the first and the last block, one of each stretch, and stands for all") {
  const Sample sample = sample_blocks(1003, 16, 1003);
  REQUIRE(sample.numbers.size() == 16);
  CHECK(sample.numbers.front() == 0);
  CHECK(sample.numbers.back() == 1002);
  CHECK(std::is_sorted(sample.numbers.begin(), sample.numbers.end()));
  CHECK(std::set(sample.numbers.begin(), sample.numbers.end()).size() == 16);
  std::int64_t all = 0;
  for (const std::int64_t weight : sample.weights) all += weight;
  CHECK(all == 1003);
  CHECK(sample_blocks(1003, 16, 17).numbers == sample.numbers);
  // The same on every machine.
  CHECK(sample_blocks(1000000, 4, 1000000).numbers == sample_blocks(1000000, 4, 1000000).numbers);
}

TEST_CASE("a sample of few blocks is a part of them that stands for all, column by column") {
  CHECK(sample_blocks(1000000, 4, 1000000, 5).numbers != sample_blocks(1000000, 4, 1000000, 6).numbers);
  CHECK(sample_blocks(2, 16, 2).numbers == std::vector<std::uint64_t>{0, 1});
  CHECK(sample_blocks(3, 16, 3).numbers == std::vector<std::uint64_t>{1, 2});
  CHECK(sample_blocks(63, 16, 63).numbers.size() == 8);
  CHECK(sample_blocks(32, 16, 32).numbers.size() == 5);
  CHECK(sample_blocks(12, 16, 12).numbers.size() == 4);
  CHECK(sample_blocks(4, 16, 4).numbers.size() == 2);
  CHECK(sample_blocks(64, 16, 64).numbers.size() == 16);
  for (std::uint64_t blocks = 1; blocks < 200; ++blocks)
    for (std::uint64_t columns = 1; columns <= blocks; ++columns) {
      if (blocks % columns != 0) continue;
      const Sample sample = sample_blocks(blocks, 16, columns);
      std::int64_t all = 0;
      for (const std::int64_t weight : sample.weights) all += weight;
      const std::set<std::uint64_t> different(sample.numbers.begin(), sample.numbers.end());
      const bool right = all == static_cast<std::int64_t>(blocks) && different.size() == sample.numbers.size() &&
                         std::is_sorted(sample.numbers.begin(), sample.numbers.end()) && sample.numbers.back() < blocks;
      CHECK(right);
    }
  // Three columns of which the last has less to do: it stands for itself, whatever the rows are.
  const std::int64_t work[] = {32, 32, 1};
  for (const std::uint64_t rows : {2u, 5u, 16u}) {
    const Sample sample = sample_blocks(3 * rows, 16, 3);
    std::int64_t estimate = 0;
    for (std::size_t i = 0; i < sample.numbers.size(); ++i) estimate += sample.weights[i] * work[sample.numbers[i] % 3];
    CHECK(estimate == Approx(65.0 * static_cast<double>(rows)).epsilon(0.15));
  }
}

TEST_CASE("all blocks stand for themselves") {
  CHECK(all_blocks(5).numbers == std::vector<std::uint64_t>{0, 1, 2, 3, 4});
  CHECK(all_blocks(5).weights == std::vector<std::int64_t>(5, 1));
}
