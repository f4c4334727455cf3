#include <catch2/catch.hpp>
#include <set>

#include "harness/campaign/loop.h"
#include "tests/campaign/world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

/// A campaign of four devices.
struct FleetWorld : World {
  explicit FleetWorld(std::size_t devices = 4) : fleet(clock, devices) { scripts.several = true; }
  CampaignSummary run_fleet(std::optional<std::int64_t> resume = {}, std::function<bool()> stop = {}) {
    CampaignPorts made{catalog, scripts, evaluator, ledger, display, clock, std::move(stop)};
    made.fleet = &fleet;
    return Campaign(std::move(made), options, resume).run();
  }
  FakeFleet fleet;
};

std::string described(const IterationSummary& row) {
  return row.workload + " " + row.candidate.variant + " " + to_text(row.candidate.config) + " " +
         std::string(name(row.purpose));
}

std::multiset<std::string> tried(const FakeLedger& ledger) {
  std::multiset<std::string> all;
  for (const IterationSummary& row : ledger.rows)
    if (row.purpose == Purpose::search && !says_nothing(row.outcome)) all.insert(described(row));
  return all;
}

}  // namespace

TEST_CASE("four devices evaluate at once and find what one does") {
  World alone;
  alone.run();
  FleetWorld world;
  const CampaignSummary summary = world.run_fleet();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(world.fleet.most_at_once == 4);
  CHECK(tried(world.ledger) == tried(alone.ledger));
  CHECK(count(world.ledger, Purpose::baseline) == 2);
  CHECK(summary.best[0].state.confirmed);
  CHECK(summary.best[1].state.confirmed);
  CHECK(*summary.score == Approx(10.0));
  CHECK(summary.spent_s < 9);  // 22 evaluations of a second each, baselines before the others
}

TEST_CASE("each evaluation is told of when it begins and when it ends") {
  FleetWorld world;
  int lost = 0;
  world.fleet.answer = [&](std::size_t, const EvaluationRequest& request) -> Outcome {
    if (++lost == 3) return Lost{"n3", "its process ended"};
    return FakeEvaluator::honest(request);
  };
  world.run_fleet();
  CHECK(world.display.under_way.empty());
  CHECK(world.display.never_begun == 0);
}

TEST_CASE("an attempt says where it was begun and what had ended then") {
  FleetWorld world(2);
  world.run_fleet();
  std::set<std::string> nodes;
  for (const AttemptRecord& attempt : world.ledger.attempts) {
    nodes.insert(attempt.node + " " + attempt.device_uuid);
    REQUIRE(attempt.after);
  }
  CHECK(nodes == std::set<std::string>{"n1 GPU-1", "n2 GPU-2"});
  for (const IterationSummary& row : world.ledger.rows) CHECK(*row.after < row.iteration);
}

TEST_CASE("a winner is confirmed twice on its card and once on another, and one that fails there gives way") {
  FleetWorld world(2);
  std::map<std::string, std::set<std::size_t>> confirmed_on;
  int confirmed = 0;
  world.fleet.answer = [&](std::size_t device, const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (request.confirm) confirmed_on[to_text(candidate.config)].insert(device);
    if (request.confirm && to_text(candidate.config) == "N=7") ++confirmed;
    if (request.confirm && confirmed_on["N=8"].size() == 2 && to_text(candidate.config) == "N=8")
      return WrongAnswer{"wrong on the other card", {}, ""};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run_fleet();
  CHECK(confirmed_on["N=7"].size() == 2);
  CHECK(confirmed == 6);  // on two workloads
  for (const BestRow& row : summary.best) {
    CHECK(to_text(row.config) == "N=7");
    CHECK(row.state.confirmed);
  }
}

TEST_CASE("a campaign begins with the device that is there, and gives work to one that joins") {
  FleetWorld world(2);
  world.fleet.come_late(1, world.clock.now + 4);
  const CampaignSummary summary = world.run_fleet();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(tried(world.ledger).size() == 16);
  std::size_t second = 0;
  for (const auto& [device, candidate] : world.fleet.begun) second += device == 1 ? 1 : 0;
  CHECK(second > 4);
}

TEST_CASE("a device is paid for and idle from when it joined") {
  FleetWorld world(2);
  world.options.usd_per_hour = 3600;  // a dollar a second
  world.fleet.come_late(1, world.clock.now + 4);
  const CampaignSummary summary = world.run_fleet();
  CHECK(*summary.cost_usd < 2 * summary.spent_s - 3);
  CHECK(*summary.cost_usd > summary.spent_s);
}

TEST_CASE("where the last device is lost, a campaign waits for one that is to come") {
  FleetWorld world(2);
  world.fleet.come_late(1, world.clock.now + 20);
  world.fleet.lost_stay_dead = true;
  world.fleet.answer = [](std::size_t device, const EvaluationRequest& request) -> Outcome {
    if (device == 0 && request.realized.candidate.variant == "10_tile") return Lost{"n1", "gone"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run_fleet();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(tried(world.ledger).size() == 16);
}

TEST_CASE("a verdict is against what was the best when the evaluation ended") {
  FleetWorld world(2);
  // N=1 takes long: when it ends, N=2 is the best, which it was not timed beside.
  world.fleet.answer = [](std::size_t, const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant == "00_base") return FakeEvaluator::passed(1000, request);
    const auto n = std::get<std::int64_t>(candidate.config.at("N"));
    Outcome outcome = FakeEvaluator::passed(n == 1 ? 500 : n == 2 ? 250 : 900, request);
    Timing& timing = std::get<Passed>(outcome).timing;
    timing.speedup_lo = *timing.speedup * 0.99;
    timing.speedup_hi = *timing.speedup * 1.01;
    return outcome;
  };
  world.fleet.costs = [](std::size_t, const EvaluationRequest& request) {
    const Config& config = request.realized.candidate.config;
    return config.contains("N") && std::get<std::int64_t>(config.at("N")) == 1 ? 5.0 : 1.0;
  };
  world.run_fleet();
  std::size_t seen = 0;
  for (const IterationSummary& row : world.ledger.rows) {
    if (row.purpose != Purpose::search || to_text(row.candidate.config) != "N=1") continue;
    ++seen;
    CHECK(row.verdict == Comparison::slower);
  }
  CHECK(seen == 2);
}

TEST_CASE("a strategy sees what is under way") {
  FleetWorld world(3);
  std::size_t most = 0;
  std::int64_t running = 0;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    most = std::max(most, snapshot.pending.size());
    for (const ArmState& arm : snapshot.arms) running = std::max(running, arm.running);
    CHECK(snapshot.devices == 3);
    return FakeScripts::first_open(snapshot);
  };
  world.run_fleet();
  CHECK(most == 2);
  CHECK(running == 2);
}

TEST_CASE("a search that needs each result is asked for one at a time") {
  FleetWorld world;
  world.scripts.several = false;
  world.run_fleet();
  CHECK(world.fleet.most_at_once == 2);  // an arm on each of two workloads
  CHECK(count(world.ledger, Purpose::search) == 16);
}

TEST_CASE("what a lost node worked at is tried once more, on another") {
  FleetWorld world;
  int lost = 0;
  world.fleet.lost_stay_dead = true;
  world.fleet.answer = [&](std::size_t device, const EvaluationRequest& request) -> Outcome {
    if (device == 2 && request.realized.candidate.variant == "10_tile" && lost++ == 0) return Lost{"n3", "gone"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run_fleet();
  CHECK(summary.outcomes.at("lost") == 1);
  CHECK(tried(world.ledger).size() == 16);
  const auto row = std::ranges::find(world.ledger.rows, OutcomeKind::lost, &IterationSummary::outcome);
  REQUIRE(row != world.ledger.rows.end());
  const auto again = std::ranges::find_if(world.ledger.rows, [&](const IterationSummary& each) {
    return each.iteration > row->iteration && described(each) == described(*row);
  });
  REQUIRE(again != world.ledger.rows.end());
  CHECK(again->node != "n3");
  CHECK(again->ask == row->ask);
}

TEST_CASE("a candidate that takes two nodes down is closed as crashed") {
  FleetWorld world;
  world.fleet.answer = [&](std::size_t device, const EvaluationRequest& request) -> Outcome {
    const Config& config = request.realized.candidate.config;
    if (config.contains("N") && std::get<std::int64_t>(config.at("N")) == 5)
      return Lost{"n" + std::to_string(device + 1), "gone"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run_fleet();
  CHECK(summary.outcomes.at("lost") == 2);  // once on each workload
  CHECK(summary.outcomes.at("crashed") == 2);
  CHECK(summary.reason == EndReason::exhausted);
}

TEST_CASE("with no device left a campaign ends, and what was under way is an orphan") {
  FleetWorld world(2);
  world.fleet.lost_stay_dead = true;
  world.fleet.answer = [&](std::size_t device, const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "10_tile") return Lost{"n" + std::to_string(device + 1), "gone"};
    return FakeEvaluator::honest(request);
  };
  CHECK(world.run_fleet().reason == EndReason::device_lost);
}

// The record is cut after every possible number of ended evaluations: the resumed campaign measures nothing twice, and
// its searches go on as they would have.
TEST_CASE("a fleet's campaign that was killed at any moment is resumed") {
  const auto uneven = [](std::size_t device, const EvaluationRequest& request) {
    const auto& config = request.realized.candidate.config;
    const double n = config.contains("N") ? static_cast<double>(std::get<std::int64_t>(config.at("N"))) : 3;
    return 1 + 0.37 * static_cast<double>(device) + static_cast<double>(static_cast<int>(7 * n) % 5);
  };
  FleetWorld whole;
  whole.fleet.costs = uneven;
  whole.run_fleet();
  for (std::size_t ended = 1; ended < whole.ledger.rows.size(); ++ended) {
    FleetWorld world;
    world.fleet.costs = uneven;
    world.ledger.campaigns = whole.ledger.campaigns;
    world.ledger.decision_records = whole.ledger.decision_records;
    const std::int64_t last = whole.ledger.rows[ended - 1].iteration;
    for (const AttemptRecord& attempt : whole.ledger.attempts)
      if (*attempt.after <= last) world.ledger.attempts.push_back(attempt);
    world.ledger.rows.assign(whole.ledger.rows.begin(), whole.ledger.rows.begin() + static_cast<std::ptrdiff_t>(ended));
    const CampaignSummary summary = world.run_fleet(1);
    INFO("killed after " << ended << " evaluations; " << summary.message);
    CHECK(summary.reason == EndReason::exhausted);
    CHECK(tried(world.ledger) == tried(whole.ledger));
    CHECK(*summary.score == Approx(10.0));
  }
}

TEST_CASE("stopped by the user, what is under way ends as interrupted and is tried again on resume") {
  FleetWorld world;
  world.run_fleet({}, [&] { return world.ledger.rows.size() >= 6; });
  CHECK(world.fleet.cancelled == 1);
  CHECK(world.ledger.ended == EndReason::interrupted);
  CHECK(world.run_fleet(1).reason == EndReason::exhausted);
  CHECK(tried(world.ledger).size() == 16);
}

TEST_CASE("what was timed beside a best that has fallen meanwhile is held against the new one") {
  FleetWorld world(2);
  // On each workload N=8 takes long; beside the baseline it is faster, and N=7, which ended first, is faster still.
  world.fleet.answer = [](std::size_t, const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant == "00_base") return FakeEvaluator::passed(1000, request);
    const auto n = std::get<std::int64_t>(candidate.config.at("N"));
    Outcome outcome = FakeEvaluator::passed(n == 1 ? 500 : n == 2 ? 250 : 900, request);
    Timing& timing = std::get<Passed>(outcome).timing;
    timing.speedup_lo = *timing.speedup * 0.99;
    timing.speedup_hi = *timing.speedup * 1.01;
    return outcome;
  };
  world.fleet.costs = [](std::size_t, const EvaluationRequest& request) {
    const Config& config = request.realized.candidate.config;
    return config.contains("N") && std::get<std::int64_t>(config.at("N")) == 1 ? 5.0 : 1.0;
  };
  const CampaignSummary summary = world.run_fleet();
  for (const BestRow& row : summary.best) CHECK(std::get<std::int64_t>(row.config.at("N")) == 2);
}

TEST_CASE("a time of another card is told as the anchor card would show it") {
  FleetWorld world(2);
  // The second card is a tenth slower in everything.
  world.fleet.answer = [](std::size_t device, const EvaluationRequest& request) -> Outcome {
    const double slower = device == 1 ? 1.1 : 1.0;
    Outcome outcome = FakeEvaluator::honest(request);
    Timing& timing = std::get<Passed>(outcome).timing;
    timing.time_ns *= slower;
    if (request.incumbent) timing.incumbent_ns = request.incumbent->time_ns * slower;
    return outcome;
  };
  world.run_fleet();
  std::size_t told = 0;
  for (const IterationSummary& row : world.ledger.rows) {
    if (row.device_uuid != "GPU-2" || row.purpose != Purpose::search) continue;
    const auto n = static_cast<double>(std::get<std::int64_t>(row.candidate.config.at("N")));
    if (row.anchor_ns) CHECK(*row.anchor_ns == Approx(800 / n));
    told += row.anchor_ns ? 1 : 0;
  }
  CHECK(told > 2);
}

TEST_CASE("an incumbent that is unknown on a card is measured there, and its record is kept") {
  FleetWorld world(2);
  std::map<std::string, std::set<std::size_t>> measured;  // by workload and incumbent: where it was asked for
  world.fleet.evaluated = [&](std::size_t device, const EvaluationRequest& request, Evaluation& evaluation) {
    if (!request.incumbent) return;
    CHECK(request.incumbent->by_record);
    const Candidate& incumbent = request.incumbent->realized.candidate;
    const std::string key = request.realized.problem.workload.name + incumbent.variant + to_text(incumbent.config);
    if (request.incumbent->alone_ns > 0) return;
    CHECK(measured[key].insert(device).second);  // once on each card
    evaluation.incumbent_alone_ns = request.incumbent->time_ns;
    evaluation.calibration_s = 0.5;
  };
  world.run_fleet();
  std::size_t times = 0;
  for (const auto& [key, devices] : measured) times += devices.size();
  CHECK(times >= 2);  // beside the baseline on the other card at least, and beside what was found elsewhere
  CHECK(world.ledger.charged["calibration"] == Approx(0.5 * static_cast<double>(times)));
}

TEST_CASE("a card whose record of an incumbent was out of date is doubted, and what it is found to be is recorded") {
  FleetWorld world(2);
  world.fleet.evaluated = [&](std::size_t device, const EvaluationRequest& request, Evaluation& evaluation) {
    if (device == 1 && request.incumbent && request.incumbent->alone_ns > 0)
      evaluation.incumbent_alone_ns = request.incumbent->alone_ns * 1.1;
  };
  world.fleet.checks = {
      {"n2", "GPU-2", "Fake GPU", "1.0", {4e12, 8e14, "test", {}}, "joined", CardVerdict::first, {}, "", 0.2}};
  world.run_fleet();
  CHECK(world.fleet.doubted.contains(1));
  CHECK_FALSE(world.fleet.doubted.contains(0));
  REQUIRE(world.ledger.card_checks.size() == 1);
  CHECK(world.ledger.charged["calibration"] == Approx(0.2));
}

TEST_CASE("on one card nobody asks for a record") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) {
    CHECK_FALSE((request.incumbent && request.incumbent->by_record));
    return FakeEvaluator::honest(request);
  };
  world.run();
}
