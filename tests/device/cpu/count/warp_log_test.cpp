#include "harness/device/cpu/count/warp_log.h"

#include <catch2/catch.hpp>

using namespace harness::cpu;

namespace {

/// The addresses of a lane's n-th access: equally far apart, then not, then again.
std::uint64_t address(std::uint32_t lane, std::uint32_t number) {
  if (number < 10) return 1000 * lane + 4 * number;
  if (number < 20) return 77 * lane + number * number * 13 % 101;
  return 5000 - 8 * number + lane;
}

}  // namespace

TEST_CASE("a log gives back each lane's accesses in their order, equally far apart or not") {
  WarpLog log;
  for (int again = 0; again < 2; ++again) {  // it is empty afterwards
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t number = 0; number < (lane == 5 ? 12u : 40u); ++number)
        CHECK(log.note(3, lane, address(lane, number), number % 2 == 0 ? 4 : 8));
    std::uint32_t number = 0;
    log.flush(
        [&](std::size_t place, const Request& request) {
          CHECK(place == 3);
          CHECK(request.bytes == (number % 2 == 0 ? 4 : 8));
          CHECK(request.lanes == (number < 12 ? ~0u : ~0u & ~(1u << 5)));
          bool same = true;
          for (std::uint32_t lane = 0; lane < 32; ++lane)
            same = same && ((request.lanes >> lane & 1) == 0 || request.address[lane] == address(lane, number));
          CHECK(same);
          ++number;
        },
        [](std::size_t, std::uint32_t kept, std::uint32_t all, bool uneven) {
          CHECK(kept == 40);
          CHECK(all == 40);
          CHECK(uneven);
        });
    CHECK(number == 40);
  }
}

TEST_CASE("what is beyond the kept accesses of a place is only numbered") {
  WarpLog log;
  for (std::uint32_t number = 0; number < WarpLog::kKept; ++number) CHECK(log.note(0, 7, 64 * number, 4));
  CHECK_FALSE(log.note(0, 7, 12, 4));
  std::uint64_t last = 0;
  log.flush([&](std::size_t, const Request& request) { last = request.address[7]; },
            [](std::size_t, std::uint32_t kept, std::uint32_t all, bool) {
              CHECK(kept == WarpLog::kKept);
              CHECK(all == WarpLog::kKept + 1);
            });
  CHECK(last == 64 * (WarpLog::kKept - 1));
}
