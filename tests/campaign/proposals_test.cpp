#include "harness/campaign/proposals.h"

#include <catch2/catch.hpp>

#include "harness/core/json.h"
#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct ProposingWorld : DeskWorld {
  ProposingWorld() {
    proposes = true;
    proposer.reply = [this](const ProposalRecord&, ProposerAnswer& answer) { answer.text = reply; };
    world_is_measured();
  }
  void world_is_measured() {
    context().state.apply(passed(1, 0, 1000));
    context().state.apply(passed(2, 4, 200));
  }
  Proposals& desk() {
    if (!desk_) desk_.emplace(context(), [this] { return reserve_s; });
    return *desk_;
  }
  DecisionRecord taken() {
    DecisionRecord record;
    record.id = ++decisions;
    record.decision.action = Action::propose;
    record.decision.arm = {"k", "w1", "tile"};
    record.decision.ask = "one change";
    record.decision.parents = {"10_tile"};
    return record;
  }
  std::string reply = json{{"source", "a new source"}, {"hypothesis", "it is better"}, {"label", "mine"}}.dump();
  double reserve_s = 0;
  std::int64_t decisions = 0;

 private:
  std::optional<Proposals> desk_;
};

}  // namespace

TEST_CASE("a request is under way until its reply is taken, and then its variant is an arm") {
  ProposingWorld world;
  Proposals& desk = world.desk();
  CHECK(desk.may_come());
  CHECK_FALSE(desk.under_way());
  desk.ask(world.taken());
  CHECK(desk.under_way());
  CHECK(desk.panel().together().in_flight);
  world.clock.now += 1000;
  desk.take_ready();
  CHECK_FALSE(desk.under_way());
  REQUIRE(world.ledger.proposed.size() == 1);
  const ProposalRecord& record = world.ledger.proposed.front();
  CHECK(record.outcome == ProposalOutcome::accepted);
  CHECK(find_variant(world.catalog.info, record.variant) != nullptr);
  CHECK(desk.of({"k", record.variant, "tile", {}}) != nullptr);
  CHECK(desk.of({"k", "10_tile", "tile", {}}) == nullptr);
}

TEST_CASE("an attempt at a proposed variant says who proposed it") {
  ProposingWorld world;
  world.desk().ask(world.taken());
  world.clock.now += 1000;
  world.desk().take_ready();
  AttemptRecord attempt;
  attempt.candidate = {"k", world.ledger.proposed.front().variant, "tile", {}};
  world.desk().label(attempt);
  CHECK(attempt.label == "mine");
  AttemptRecord other;
  other.candidate = {"k", "10_tile", "tile", {}};
  world.desk().label(other);
  CHECK_FALSE(other.label);
}

TEST_CASE("a campaign that ends gives up what is under way, and records it") {
  ProposingWorld world;
  world.desk().ask(world.taken());
  world.desk().drop();
  CHECK_FALSE(world.desk().under_way());
  REQUIRE(world.ledger.proposed.size() == 1);
  CHECK(world.ledger.proposed.front().outcome == ProposalOutcome::interrupted);
}

TEST_CASE("with nothing else to do a campaign waits for a reply instead of ending, but not when its time is spent") {
  ProposingWorld world;
  CHECK_FALSE(world.desk().wait_instead({EndReason::exhausted, "nothing is left"}));
  world.desk().ask(world.taken());
  CHECK_FALSE(world.desk().wait_instead({EndReason::budget, "spent"}));
  CHECK(world.desk().wait_instead({EndReason::exhausted, "nothing is left"}));
}

TEST_CASE("without a proposer nothing comes") {
  DeskWorld world;
  Proposals desk(world.context(), [] { return 0.0; });
  CHECK_FALSE(desk.may_come());
  CHECK_FALSE(desk.under_way());
  CHECK_THROWS(desk.refuse_if_unready({}));
}
