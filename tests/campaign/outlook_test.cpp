#include "harness/campaign/outlook.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

class SeeingWorld : public FlyingWorld {
 public:
  Outlook& desk() {
    if (!desk_) {
      proposals_.emplace(context(), [] { return 0.0; });
      confirmation_.emplace(context(), cards(), flights(),
                            [this](Decision decision) { return record(std::move(decision)); });
      desk_.emplace(context(), flights(), *proposals_, *confirmation_);
    }
    return *desk_;
  }

 private:
  std::optional<Proposals> proposals_;
  std::optional<Confirmation> confirmation_;
  std::optional<Outlook> desk_;
};

}  // namespace

TEST_CASE("a strategy sees the campaign's limits, its hour and its device") {
  SeeingWorld world;
  world.options.budget_s = 100;
  world.options.usd_per_hour = 3.6;
  world.options.goal_speedup = 2;
  world.options.memory = {{"kept", 1}};
  world.options.utc_offset_s = 3600;
  Outlook& desk = world.desk();
  world.clock.now += 10;
  const Snapshot snapshot = desk.snapshot();
  CHECK(snapshot.budget_s == Approx(100));
  CHECK(snapshot.spent_s == Approx(10));
  CHECK(snapshot.spent_usd == Approx(0.01));
  CHECK(snapshot.goal_speedup == Approx(2));
  CHECK(snapshot.memory.at("kept") == 1);
  CHECK(snapshot.device_name == "Fake GPU");
  CHECK(snapshot.arms.size() == 4);
  CHECK(snapshot.now.hour == (snapshot.now_unix / 3600 + 1) % 24);
  CHECK_FALSE(snapshot.proposer);
}

TEST_CASE("the time since an evaluation is known when one has ended") {
  SeeingWorld world;
  Outlook& desk = world.desk();
  CHECK_FALSE(desk.snapshot().since_evaluation_s);
  desk.evaluation_ended();
  world.clock.now += 7;
  CHECK(desk.snapshot().since_evaluation_s == Approx(7));
}

TEST_CASE("evidence of patterns stays as it was at the start") {
  SeeingWorld world;
  PatternEvidence evidence;
  evidence.id = 17;
  world.desk().know({evidence});
  for (int i = 0; i < 2; ++i) {
    const Snapshot snapshot = world.desk().snapshot();
    REQUIRE(snapshot.playbook.size() == 1);
    CHECK(snapshot.playbook.front().id == 17);
  }
}

TEST_CASE("who proposes is seen where somebody does") {
  SeeingWorld world;
  world.proposes = true;
  CHECK(world.desk().snapshot().proposer);
}
