#include <catch2/catch.hpp>
#include <random>

#include "tests/campaign/world.h"

// Campaigns on one record, one after the other. bench/campaigns_in_a_row.py runs real ones.
using namespace harness;
using namespace harness::fakes;

namespace {

/// What a later campaign is told of an earlier one.
std::vector<EarlierResult> results_of(const FakeLedger& ledger) {
  std::vector<EarlierResult> results;
  for (const IterationSummary& row : ledger.rows)
    results.push_back(
        {row.workload, "Fake GPU", row.candidate.variant, row.candidate.config, row.outcome, row.time_ns, {}});
  return results;
}

double best_ns(const CampaignSummary& summary, const std::string& workload) {
  for (const BestRow& row : summary.best)
    if (row.state.workload == workload && row.state.best_ns) return *row.state.best_ns;
  return INFINITY;
}

/// A campaign with time for `evaluations`, whose strategy takes any open arm and whose searches begin at either end.
CampaignSummary campaign(double evaluations, unsigned seed, std::vector<EarlierResult>& record) {
  World world;
  std::mt19937 random(seed);
  world.scripts.backwards = seed % 3 == 0;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    std::vector<ArmState> open;
    for (const ArmState& arm : snapshot.arms)
      if (!arm.exhausted && !arm.closed && !arm.busy) open.push_back(arm);
    return open.empty() ? FakeScripts::first_open(snapshot) : FakeScripts::try_arm(open[random() % open.size()]);
  };
  world.options.workloads = {"w1"};
  world.options.budget_s = evaluations;
  world.ledger.earlier_of_others = record;
  CampaignSummary summary = world.run();
  const std::vector<EarlierResult> news = results_of(world.ledger);
  record.insert(record.end(), news.begin(), news.end());
  return summary;
}

}  // namespace

TEST_CASE("ten campaigns in a row on one record never end below the one before") {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    std::vector<EarlierResult> record;
    double before = INFINITY;
    for (unsigned n = 0; n < 10; ++n) {
      const CampaignSummary summary = campaign(4.5, 10 * seed + n, record);
      INFO("seed " << seed << ", campaign " << n << ": " << summary.message);
      CHECK(best_ns(summary, "w1") <= before);
      before = std::min(before, best_ns(summary, "w1"));
    }
    CHECK(before < 1000);
  }
}

TEST_CASE("what was fastest before is tried right after the baseline, unless it failed since") {
  std::vector<EarlierResult> record{
      {"w1", "Fake GPU", "10_tile", {{"N", std::int64_t{5}}}, OutcomeKind::passed, 160.0, {}},
      {"w1", "Fake GPU", "10_tile", {{"N", std::int64_t{8}}}, OutcomeKind::passed, 100.0, {}},
      {"w1", "Fake GPU", "10_tile", {{"N", std::int64_t{8}}}, OutcomeKind::wrong_answer, {}, {}},
      {"w1", "another GPU", "10_tile", {{"N", std::int64_t{7}}}, OutcomeKind::passed, 10.0, {}},
      {"w2", "Fake GPU", "10_tile", {{"N", std::int64_t{6}}}, OutcomeKind::passed, 10.0, {}}};
  World world;
  world.options.workloads = {"w1"};
  world.options.budget_s = 100;
  world.ledger.earlier_of_others = record;
  world.run();
  REQUIRE(world.ledger.rows.size() > 2);
  CHECK(world.ledger.rows[0].purpose == Purpose::baseline);
  CHECK(to_text(world.ledger.rows[1].candidate.config) == "N=5");
  int times = 0;
  for (const IterationSummary& row : world.ledger.rows)
    times += row.purpose == Purpose::search && to_text(row.candidate.config) == "N=5" ? 1 : 0;
  CHECK(times == 1);  // its search is told, and asks for others
}

TEST_CASE("a campaign that has no time for it says what was faster before") {
  std::vector<EarlierResult> record{
      {"w1", "Fake GPU", "10_tile", {{"N", std::int64_t{5}}}, OutcomeKind::passed, 160.0, {}}};
  const CampaignSummary summary = campaign(0.5, 1, record);
  CHECK(summary.iterations == 1);
  CHECK_THAT(summary.message, Catch::Contains("faster in an earlier campaign") && Catch::Contains("10_tile on k w1"));
  CHECK_THAT(campaign(4.5, 1, record).message, !Catch::Contains("earlier campaign"));
}
