#include "harness/campaign/resumption.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct ResumingWorld : FlyingWorld {
  void replay(const std::vector<IterationSummary>& iterations) {
    Predictions predictions(context());
    Preparations preparations(context(), predictions);
    const auto no_limit = []() -> Ended { return std::nullopt; };
    Baselines baselines(context(), flights(), preparations, no_limit, [] { return 0.0; });
    ArmTrials trials(context(), flights(), baselines, preparations, no_limit);
    Resumption(context(), predictions, trials,
               {[this](const IterationSummary& iteration, const Prediction*) {
                  told.push_back(iteration.iteration);
                  context().state.apply(iteration);
                },
                [this](const Orphan&) { ++orphans; }})
        .replay(closed, iterations);
    unanswered = trials.has_unanswered();
  }
  /// As a search that begins with N=1 was asked for it.
  static IterationSummary asked(std::int64_t iteration, std::int64_t n) {
    IterationSummary row = passed(iteration, n, 500);
    row.ask = 1;
    row.source_hash = "source";
    return row;
  }
  std::vector<DecisionRecord> closed;
  std::vector<std::int64_t> told;
  int orphans = 0;
  bool unanswered = false;
};

}  // namespace

TEST_CASE("a resumed campaign is told its record in order, with what was lost") {
  ResumingWorld world;
  world.ledger.orphaned.emplace_back();
  world.replay({DeskWorld::passed(1, 0, 1000), ResumingWorld::asked(2, 1)});
  CHECK(world.told == std::vector<std::int64_t>{1, 2});
  CHECK(world.orphans == 1);
  CHECK(world.context().state.iterations() == 2);
  CHECK_FALSE(world.unanswered);
}

TEST_CASE("a search that asks for something else than the record ends a resume with both") {
  ResumingWorld world;
  CHECK_THROWS_WITH(world.replay({ResumingWorld::asked(1, 5)}),
                    Catch::Contains("N=5") && Catch::Contains("now asks for 10_tile N=1"));
}

TEST_CASE("a contract, a variant or a source that has changed ends a resume") {
  const auto refused = [](const std::function<void(ResumingWorld&, IterationSummary&)>& change, const char* why) {
    ResumingWorld world;
    IterationSummary row = DeskWorld::passed(1, 0, 1000);
    row.source_hash = "source";
    change(world, row);
    CHECK_THROWS_WITH(world.replay({row}), Catch::Contains(why));
  };
  refused([](ResumingWorld&, IterationSummary& row) { row.contract_hash = "another"; }, "the contract of kernel 'k'");
  refused([](ResumingWorld&, IterationSummary& row) { row.candidate.variant = "99_gone"; }, "'99_gone' has gone");
  refused([](ResumingWorld&, IterationSummary& row) { row.workload = "w9"; }, "workload 'w9'");
  refused([](ResumingWorld& world, IterationSummary&) { world.catalog.info.variants.front().source_hash = "edited"; },
          "the source of variant '00_base' has changed");
}

TEST_CASE("an arm that was closed is closed again") {
  ResumingWorld world;
  DecisionRecord record;
  record.decision.action = Action::close;
  record.decision.arm = {"k", "w1", "tile"};
  world.closed = {record};
  world.replay({});
  CHECK(find_arm(world.context().state.arms(), {"k", "w1", "tile"})->state.closed);
  CHECK_FALSE(find_arm(world.context().state.arms(), {"k", "w2", "tile"})->state.closed);
}
