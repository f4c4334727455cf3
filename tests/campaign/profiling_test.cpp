#include <catch2/catch.hpp>

#include "tests/campaign/world.h"

// Profiles in a campaign: of what, when, at what cost, and who sees them.
using namespace harness;
using namespace harness::fakes;

namespace {

struct Profiling : World {
  Profiling() { profiles = true; }
};

}  // namespace

TEST_CASE("baselines and new bests are profiled once, and a winner's confirmation has the same profile") {
  Profiling world;
  world.run();
  CHECK(world.profiler.asked.size() == 2 * 9);  // each of the 8 points is faster than the one before
  CHECK(count(world.ledger, Purpose::confirm) == 2);
  REQUIRE(world.ledger.profiled.size() == 2 * 10);
  const ProfileRecord& last = world.ledger.profiled.back();
  CHECK(world.ledger.rows.at(static_cast<std::size_t>(last.iteration) - 1).purpose == Purpose::confirm);
  CHECK(last.profile.diagnosis->text == "8");
  CHECK(last.profile.number("timed_ns") == 100);
  CHECK(world.ledger.charged["profile"] == Approx(1.8));
}

TEST_CASE("what a strategy sees of an arm and of a workload is the profile of the best") {
  Profiling world;
  std::vector<std::string> seen;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    const WorkloadState& state = snapshot.workloads.front();
    seen.push_back(state.diagnosis ? state.diagnosis->text : "-");
    for (const ArmState& arm : snapshot.arms)
      if (!arm.exhausted && !arm.baseline) {
        CHECK(arm.counters.empty() == !arm.diagnosis);
        return FakeScripts::try_arm(arm);
      }
    return FakeScripts::try_arm(snapshot.arms.front());
  };
  world.options.goal_speedup = 3;
  world.options.workloads = {"w1"};
  world.run();
  CHECK(seen == std::vector<std::string>{"-", "1", "2"});
}

TEST_CASE("a resumed campaign knows the profiles that were recorded, and makes none of them again") {
  Profiling world;
  world.options.goal_speedup = 3;
  world.run();
  const std::size_t before = world.profiler.asked.size();
  world.options.goal_speedup.reset();
  world.run(1);
  CHECK(world.profiler.asked.size() == 18);
  CHECK(before < 18);
}

TEST_CASE("profiles take a small share of the budget while candidates are tried; a winner's comes from what is left") {
  Profiling world;
  world.options.budget_s = 200;
  world.profiler.cost_s = 1;
  CHECK(world.run().reason == EndReason::exhausted);
  CHECK(world.profiler.asked.size() > 2);
  CHECK(world.profiler.asked.size() < 10);
  CHECK(world.ledger.charged["profile"] <= 0.04 * 200 + 2);
  CHECK(world.display.not_profiled.empty());
}

TEST_CASE("a budget without time for a winner's profile says so once") {
  Profiling world;
  world.options.profile = "on";
  world.profiler.cost_s = 50;
  world.options.budget_s = 80;
  world.run();  // the first winner's profile takes what the second's would have needed
  CHECK(world.profiler.asked.size() == 1);
  CHECK(world.display.not_profiled == std::vector<std::string>{"the budget has no time left for it"});
}

TEST_CASE("where counters are missing nothing is asked for again; a run that failed is that candidate's alone") {
  Profiling world;
  world.profiler.missing = true;
  CHECK(world.run().reason == EndReason::exhausted);
  CHECK(world.profiler.asked.size() == 1);
  CHECK(world.display.not_profiled == std::vector<std::string>{"no counters here"});
  Profiling other;
  other.profiler.fails = true;
  other.run();
  CHECK(other.profiler.asked.size() > 4);
  CHECK(other.display.not_profiled.size() == 1);
  CHECK(other.ledger.profiled.empty());
}

TEST_CASE("--profile off asks for none") {
  Profiling world;
  world.options.profile = "off";
  world.run();
  CHECK(world.profiler.asked.empty());
}
