#include <catch2/catch.hpp>

#include "tests/campaign/world.h"

// What the searches of one campaign tell each other.
using namespace harness;
using namespace harness::fakes;

namespace {

/// First everything on w1, then on w2: each point is faster than the one before.
Decision first_then_second(const Snapshot& snapshot) {
  for (const ArmState& arm : snapshot.arms)
    if (!arm.exhausted && !arm.closed && arm.id.technique == "tile") return FakeScripts::try_arm(arm);
  return FakeScripts::first_open(snapshot);
}

/// One try on each workload in turns.
Decision by_turns(const Snapshot& snapshot) {
  const ArmState* least = nullptr;
  for (const ArmState& arm : snapshot.arms)
    if (!arm.exhausted && arm.id.technique == "tile" && (least == nullptr || arm.evaluations < least->evaluations))
      least = &arm;
  return least == nullptr ? FakeScripts::first_open(snapshot) : FakeScripts::try_arm(*least);
}

}  // namespace

TEST_CASE("a search begins with what is best on the workloads before it, ahead of what earlier campaigns know") {
  World world;
  world.scripts.decide = first_then_second;
  world.ledger.earlier_of_others = {{"gone", "gpu", "10_tile", {}, OutcomeKind::passed, 50.0, {}}};
  world.run();
  const std::vector<EarlierResult>& second = world.scripts.known.at("w2");
  REQUIRE(second.size() == 2);
  CHECK(second[0].workload == "w1");
  CHECK(second[0].variant == "10_tile");
  CHECK(to_text(second[0].config) == "N=8");
  CHECK(second[0].distance);
  CHECK(second[1].workload == "gone");
  REQUIRE(world.scripts.known.at("w1").size() == 1);  // nothing was known when it began
}

TEST_CASE("a search is told once of each new best elsewhere, and the same when the campaign is resumed") {
  const auto told = [](World& world) {
    std::vector<std::string> all;
    for (const SearchResult& result : world.scripts.told)
      for (const EarlierResult& news : result.elsewhere) all.push_back(news.workload + " " + to_text(news.config));
    return all;
  };
  World whole;
  whole.scripts.decide = by_turns;
  whole.run();
  const std::vector<std::string> expected = told(whole);
  CHECK(expected.size() == 14);  // of each of the 8 points, but w2 began with w1's first, and w1 ended before w2's last
  CHECK(std::set<std::string>(expected.begin(), expected.end()).size() == expected.size());

  World parts;
  parts.scripts.decide = by_turns;
  parts.options.budget_s = 12;
  parts.run();
  const std::size_t before = parts.scripts.told.size();
  CHECK(before < whole.scripts.told.size());
  parts.options.budget_s.reset();
  parts.scripts.told.clear();
  parts.run(1);
  CHECK(told(parts) == expected);
}

TEST_CASE("no search of several workloads is asked before its workload begins, not even for what to compile ahead") {
  World world;
  world.scripts.decide = by_turns;
  CHECK(world.run().reason == EndReason::exhausted);  // a search that is told too late throws (fakes/ports.h)
  CHECK(world.scripts.known.at("w2").size() == 1);    // w1's first, since each had one try
}
