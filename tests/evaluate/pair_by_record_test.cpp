#include "harness/evaluate/pair_by_record.h"

#include <catch2/catch.hpp>
#include <deque>

using namespace harness;

namespace {

/// A pair of a candidate that takes 90 ns and an incumbent that takes what is said, pair by pair.
struct Pair {
  std::deque<double> beside, alone;
  int restarts = 0;
  PairByRecord by_record;

  std::optional<Outcome> time(Timing& timing, double known_ns) {
    by_record.pair = [this](Timing& measured) -> std::optional<Outcome> {
      if (beside.empty()) return Abandoned{200, 90};
      measured.time_ns = measured.time_lo_ns = measured.time_hi_ns = 90;
      measured.incumbent_ns = beside.front();
      beside.pop_front();
      measured.verdict = 90 < *measured.incumbent_ns ? Comparison::faster : Comparison::same;
      measured.baseline_ns = 10 * *measured.incumbent_ns;
      measured.speedup = *measured.baseline_ns / 90;
      return std::nullopt;
    };
    by_record.alone = [this]() -> std::optional<double> {
      if (alone.empty()) return std::nullopt;
      const double ns = alone.front();
      alone.pop_front();
      return ns;
    };
    by_record.restart = [this] { ++restarts; };
    by_record.alone_ns = known_ns;
    return by_record.time(timing);
  }
};

}  // namespace

TEST_CASE("a pair that agrees with the incumbent's record is taken as it is, and nothing is said") {
  Pair pair{{100.5}, {}};
  Timing timing;
  CHECK_FALSE(pair.time(timing, 100));
  CHECK(*timing.incumbent_ns == 100.5);
  CHECK(pair.restarts == 0);
  CHECK(pair.by_record.said.empty());
}

TEST_CASE("an incumbent without a record on this card is measured alone first") {
  Pair pair{{101}, {100}};
  Timing timing;
  CHECK_FALSE(pair.time(timing, 0));
  CHECK(pair.by_record.alone_ns == 100);
  CHECK_THAT(pair.by_record.said, Catch::Contains("alone on this card"));
}

TEST_CASE("a pair that disagrees once was disturbed") {
  Pair pair{{130, 101}, {}};
  Timing timing;
  CHECK_FALSE(pair.time(timing, 100));
  CHECK(pair.restarts == 1);
  CHECK(*timing.incumbent_ns == 101);
  CHECK_THAT(pair.by_record.said, Catch::Contains("repeated in fresh processes they agree"));
}

TEST_CASE("a record that was out of date is renewed, and the pair decides") {
  Pair pair{{110, 110}, {110.5}};
  Timing timing;
  CHECK_FALSE(pair.time(timing, 100));
  CHECK(pair.by_record.alone_ns == 110.5);
  CHECK(*timing.incumbent_ns == 110);
  CHECK(timing.verdict == Comparison::faster);
}

TEST_CASE("a candidate that slows its neighbour does not win by it") {
  Pair pair{{130, 130}, {91}};
  Timing timing;
  CHECK_FALSE(pair.time(timing, 91));
  CHECK(timing.verdict == Comparison::same);
  CHECK(*timing.incumbent_ns == 91);
  CHECK(*timing.speedup == Approx(910.0 / 90));
  CHECK_THAT(pair.by_record.said, Catch::Contains("held against what the incumbent takes alone"));
}

TEST_CASE("one that is truly faster wins all the same") {
  Pair pair{{130, 130}, {100}};
  Timing timing;
  CHECK_FALSE(pair.time(timing, 100));
  CHECK(timing.verdict == Comparison::faster);
}

TEST_CASE("what settles a pair settles it, and an incumbent that cannot be timed alone stops nothing") {
  Timing timing;
  Pair settled{{}, {}};
  CHECK(settled.time(timing, 100).has_value());
  Pair unknown{{130}, {}};
  CHECK_FALSE(unknown.time(timing, 0));
  CHECK(*timing.incumbent_ns == 130);
}
