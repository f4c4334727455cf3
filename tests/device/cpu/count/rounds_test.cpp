#include "harness/device/cpu/count/rounds.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::cpu;

namespace {

constexpr std::int64_t kBytes = 1 << 20;

/// What a warp did at one place: lane i begins at `begin` + i * `apart` and goes on by `step`, `times` / (1 + i %
/// `ragged`) times.
struct Loop {
  Touched::Access access;
  std::uint64_t begin, apart, step, times, ragged;

  std::uint64_t times_of(std::uint64_t lane) const { return times / (1 + lane % ragged); }
  std::uint64_t address(std::uint64_t lane, std::uint64_t number) const {
    // Every 40th access begins elsewhere.
    return (begin + lane * apart + number * step + number / 40 * 4096) % (kBytes - 64) / 4 * 4;
  }
};

struct Found {
  std::vector<Counts> counts;
  std::vector<CountedBuffer> buffers;
};

/// The rule, request by request.
Found one_by_one(const std::vector<Loop>& loops, std::int64_t l1_bytes, Touched& touched) {
  Found found{std::vector<Counts>(loops.size()), {}};
  L1Cache l1;
  l1.begin(l1_bytes);
  for (std::uint64_t number = 0; number < WarpLog::kKept; ++number)
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const Loop& loop = loops[i];
      Request request{0, 4, {}};
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        request.lanes |= static_cast<std::uint32_t>(number < loop.times_of(lane)) << lane;
        request.address[lane] = loop.address(lane, number);
      }
      if (request.lanes == 0) continue;
      const bool load = loop.access == Touched::load;
      ++found.counts[i][load ? Count::load_requests : Count::store_requests];
      found.counts[i][Count::bytes] += different_bytes(request);
      for (const std::uint64_t sector : sectors_of(request)) {
        touched.touch(sector, loop.access);
        ++found.counts[i][load ? Count::load_sectors : Count::store_sectors];
        if (load) found.counts[i][Count::load_missed] += !l1.load(sector);
      }
    }
  found.buffers = touched.buffers();
  return found;
}

Found in_rounds(const std::vector<Loop>& loops, std::int64_t l1_bytes, Touched& touched) {
  Found found{std::vector<Counts>(loops.size()), {}};
  constexpr std::uint64_t kOrigin = 1 << 30;
  WarpLog log;
  for (std::size_t i = 0; i < loops.size(); ++i)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint64_t number = 0; number < loops[i].times_of(lane); ++number)
        log.note(log.place(i), lane, kOrigin + loops[i].address(lane, number), kOrigin, 4);
  L1Cache l1;
  l1.begin(l1_bytes);
  AtomicSectors atomics;
  Rounds rounds(touched, atomics, l1);
  for (const WarpLog::PlaceLog* const place : log.touched())
    rounds.add(*place, loops[place->number].access, place->number, found.counts[place->number]);
  rounds.run();
  found.buffers = touched.buffers();
  return found;
}

}  // namespace

TEST_CASE("requests that are counted in trains count as they do one by one") {
  const std::vector<ImageBuffer> buffers = {{"a", 0, kBytes}};
  const std::vector<std::vector<Loop>> cases = {
      {{Touched::load, 0, 4, 128, 300, 1}, {Touched::load, 0, 0, 4, 700, 1}},         // side by side; all the same
      {{Touched::load, 512, 256, 4, 500, 1}, {Touched::store, 512, 256, 4, 500, 1}},  // a row each
      {{Touched::load, 64, 36, 4, 200, 3}, {Touched::load, 8, 4, 0, 900, 1}},         // some leave; one address
      {{Touched::store, 4096, 4, 0ull - 128, 30, 1},
       {Touched::load, 100, 68, 20, 100, 2},
       {Touched::load, 0, 8, 64, 1, 1}},
  };
  for (const std::vector<Loop>& loops : cases)
    for (const std::int64_t l1_bytes : {2048, 16 * 1024, 128 * 1024}) {
      SharedSectors first(kBytes / kSectorBytes), second(kBytes / kSectorBytes);
      Touched touched(first, buffers), again(second, buffers);
      touched.begin(1);
      again.begin(1);
      const Found rule = one_by_one(loops, l1_bytes, touched), found = in_rounds(loops, l1_bytes, again);
      for (std::size_t i = 0; i < loops.size(); ++i)
        for (const Count what : {Count::load_requests, Count::store_requests, Count::bytes, Count::load_sectors,
                                 Count::store_sectors, Count::load_missed})
          CHECK(found.counts[i][what] == rule.counts[i][what]);
      CHECK(found.buffers[0].together.touched == rule.buffers[0].together.touched);
      CHECK(found.buffers[0].together.loaded == rule.buffers[0].together.loaded);
      CHECK(found.buffers[0].together.stored == rule.buffers[0].together.stored);
    }
}

TEST_CASE("each atomic operation is told, also in a loop") {
  const std::vector<ImageBuffer> buffers = {{"a", 0, kBytes}};
  SharedSectors shared(kBytes / kSectorBytes);
  Touched touched(shared, buffers);
  touched.begin(1);
  constexpr std::uint64_t kOrigin = 1 << 30;
  WarpLog log;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 10; ++i) log.note(log.place(0), lane, kOrigin + 64, kOrigin, 4);
  L1Cache l1;
  l1.begin(1024);
  AtomicSectors atomics;
  Counts counts;
  Rounds rounds(touched, atomics, l1);
  rounds.add(*log.touched().front(), Touched::add, 7, counts);
  rounds.run();
  atomics.end_block(1);
  CHECK(counts[Count::atomics] == 320);
  CHECK(counts[Count::atomic_turns] == 320);
  CHECK(atomics.hottest().lanes == 320);
  CHECK(atomics.hottest().requests == 10);
  CHECK(atomics.hottest().site == 7);
}
