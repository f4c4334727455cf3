#include "harness/campaign/experience.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

EarlierResult earlier(const std::string& variant, const std::string& workload) {
  EarlierResult result;
  result.variant = variant;
  result.workload = workload;
  return result;
}

struct FakePlaybook : Playbook {
  std::vector<Pattern> patterns() override { return pages; }
  Pattern pattern(const std::string&) override { throw bad_input("no page is asked for by its name"); }
  std::vector<AppliedPattern> applying(const Snapshot&) override { return {}; }
  std::vector<Pattern> pages;
};

}  // namespace

TEST_CASE("the record is asked for the campaigns before this one, under its contracts and on its device") {
  DeskWorld world;
  CampaignContext& context = world.context();
  add_experience(context, "roi");
  REQUIRE(world.ledger.experience_queries.size() == 1);
  const ExperienceQuery& query = world.ledger.experience_queries.front();
  CHECK(query.before_campaign == context.campaign);
  CHECK(query.contract_hashes == std::vector<std::string>{"contract-w1", "contract-w2"});
  CHECK(query.kernels == std::vector<std::string>{"k"});
  CHECK(query.device_name == "Fake GPU");
  CHECK(query.script == "roi");
  context.campaign = 0;  // nothing is recorded: all that is there came before
  add_experience(context, "roi");
  CHECK(world.ledger.experience_queries.back().before_campaign == INT64_MAX);
}

TEST_CASE("what earlier campaigns learnt of an arm stands in what the strategy sees") {
  DeskWorld world;
  Evidence evidence;
  evidence.arm = {"k", "w1", "tile"};
  evidence.campaigns = 2;
  evidence.evaluations = 7;
  evidence.best_speedup = 3;
  world.ledger.earlier.arms = {evidence};
  CampaignContext& context = world.context();
  add_experience(context, "roi");
  const Arm& told = *find_arm(context.state.arms(), {"k", "w1", "tile"});
  CHECK(told.state.earlier_evaluations == 7);
  CHECK(told.state.earlier_best_speedup == Approx(3));
  CHECK(find_arm(context.state.arms(), {"k", "w2", "tile"})->state.earlier_evaluations == 0);
}

TEST_CASE("a search is told before its first ask what was seen of its own variants alone") {
  DeskWorld world;
  world.ledger.earlier_of_others = {earlier("10_tile", "w2"), earlier("99_gone", "w2"), earlier("00_base", "w1")};
  CampaignContext& context = world.context();
  tell_searches(context);
  const Arm& tile = *find_arm(context.state.arms(), {"k", "w1", "tile"});
  REQUIRE(tile.earlier.size() == 1);
  CHECK(tile.earlier.front().variant == "10_tile");
  const Arm& base = *find_arm(context.state.arms(), {"k", "w1", "base"});
  REQUIRE(base.earlier.size() == 1);
  CHECK(base.earlier.front().variant == "00_base");
}

TEST_CASE("a pattern has evidence where it was applied and its page can be read") {
  DeskWorld world;
  PatternApplication application;
  application.id = 3;
  world.ledger.applications = {application};
  CampaignContext& context = world.context();
  CHECK(pattern_evidence(context).empty());  // without a playbook
  FakePlaybook playbook;
  playbook.pages.resize(3);
  playbook.pages[0].id = playbook.pages[1].id = 3;
  playbook.pages[1].error = "line 3: no such word";
  playbook.pages[2].id = 4;
  context.ports.playbook = &playbook;
  const std::vector<PatternEvidence> evidence = pattern_evidence(context);
  REQUIRE(evidence.size() == 1);
  CHECK(evidence.front().id == 3);
  world.ledger.applications.clear();
  CHECK(pattern_evidence(context).empty());
}

TEST_CASE("a proposer has a history where there is one") {
  DeskWorld without, with;
  without.ledger.history.asked = with.ledger.history.asked = 5;
  with.proposes = true;
  CHECK(proposer_histories(without.context()).empty());
  CHECK(proposer_histories(with.context()).at(0).asked == 5);
}
