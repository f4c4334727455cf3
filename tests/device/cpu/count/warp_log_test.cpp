#include "harness/device/cpu/count/warp_log.h"

#include <catch2/catch.hpp>

#include "harness/device/cpu/count/walk.h"

using namespace harness::cpu;

namespace {

constexpr std::uint64_t kOrigin = 1 << 20;

/// Of a lane's n-th access: equally far apart, then not, then again.
std::uint64_t address(std::uint32_t lane, std::uint64_t number) {
  if (number < 10) return 1000 * lane + 4 * number;
  if (number < 20) return 77 * lane + number * number * 13 % 101;
  return 5000 - 8 * number + lane;
}

void note(WarpLog& log, std::size_t place, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
  CHECK(log.note(log.place(place), lane, kOrigin + address, kOrigin, bytes).count == 0);
}

/// Calls `body(request)` for each one that is kept.
template <typename Body>
int walk(const WarpLog::PlaceLog& place, Body body) {
  Walk walk;
  Train train;
  int trains = 0;
  for (walk.begin(place); walk.next(train); ++trains)
    for (std::uint64_t i = 0; i < train.count; ++i, train.move(1)) body(train.request);
  return trains;
}

}  // namespace

TEST_CASE("a log gives back each lane's accesses in their order, equally far apart or not") {
  WarpLog log;
  for (int again = 0; again < 2; ++again) {  // it is empty afterwards
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t number = 0; number < (lane == 5 ? 12u : 40u); ++number)
        note(log, 3, lane, address(lane, number), number < 30 ? 4 : 8);
    REQUIRE(log.touched().size() == 1);
    const WarpLog::PlaceLog& place = *log.touched().front();
    CHECK(place.number == 3);
    CHECK(place.lanes[5].times() == 12);
    CHECK(place.lanes[6].times() == 40);
    std::uint32_t number = 0;
    const int trains = walk(place, [&](const Request& request) {
      CHECK(request.bytes == (number < 30 ? 4 : 8));
      CHECK(request.lanes == (number < 12 ? ~0u : ~0u & ~(1u << 5)));
      bool same = true;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        same = same && ((request.lanes >> lane & 1) == 0 || request.address[lane] == address(lane, number));
      CHECK(same);
      ++number;
    });
    CHECK(number == 40);
    CHECK(trains < 20);  // the first ten and the last twenty are few
    log.clear();
    CHECK(log.touched().empty());
  }
}

TEST_CASE("lanes that move on by different steps make requests one by one") {
  WarpLog log;
  for (std::uint32_t lane = 0; lane < 4; ++lane)
    for (std::uint64_t number = 0; number < 6; ++number) note(log, 0, lane, number * (lane < 2 ? 4 : 8), 4);
  int requests = 0;
  CHECK(walk(*log.touched().front(), [&](const Request& request) {
          CHECK(request.address[3] == 8u * static_cast<unsigned>(requests));
          CHECK(request.address[0] == 4u * static_cast<unsigned>(requests++));
        }) == 6);
  CHECK(requests == 6);
}

TEST_CASE("what is beyond the kept accesses of a place is only numbered, and told when it ends") {
  WarpLog log;
  for (std::uint64_t number = 0; number < WarpLog::kKept; ++number) note(log, 0, 7, 64 * number, 4);
  note(log, 0, 7, 12, 4);  // the kept ones end
  const Run ended = log.note(log.place(0), 7, kOrigin + 5000, kOrigin, 8);
  CHECK(ended.count == 1);
  CHECK(ended.first == 12);
  CHECK(log.note(log.place(0), 7, kOrigin + 5001, kOrigin, 8).count == 0);  // two are equally far apart
  const WarpLog::PlaceLog& place = *log.touched().front();
  CHECK(place.lanes[7].times() == WarpLog::kKept + 3);
  std::uint64_t last = 0, requests = 0;
  walk(place, [&](const Request& request) { last = request.address[7], ++requests; });
  CHECK(requests == WarpLog::kKept);
  CHECK(last == 64 * (WarpLog::kKept - 1));
}
