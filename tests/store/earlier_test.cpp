#include <catch2/catch.hpp>

#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

TEST_CASE("earlier results are those of campaigns before, newest first, on the same kind of device") {
  auto store = Store::in_memory();
  const auto first = store->begin_campaign(a_campaign("NVIDIA H100"));
  record(*store, an_attempt(first, 1), passed(100));
  record(*store, an_attempt(first, 2), wrong());
  CampaignRecord emulated = a_campaign("a cpu");
  emulated.device = "cpu";
  record(*store, an_attempt(store->begin_campaign(emulated), 3), passed(5000));
  const auto now = store->begin_campaign(a_campaign());
  record(*store, an_attempt(now, 4), passed(90));

  const auto on_gpu = store->earlier_results(now, "attention", "cuda:1");
  REQUIRE(on_gpu.size() == 2);
  CHECK(on_gpu[0].outcome == OutcomeKind::wrong_answer);
  CHECK_FALSE(on_gpu[0].time_ns);
  CHECK(on_gpu[1].device_name == "NVIDIA H100");
  CHECK(to_text(on_gpu[1].config) == "BLOCK=1 FAST=true");
  CHECK(on_gpu[1].time_ns.has_value());
  const auto on_cpu = store->earlier_results(now, "attention", "cpu");
  REQUIRE(on_cpu.size() == 1);
  CHECK(to_text(on_cpu[0].config) == "BLOCK=3 FAST=true");
  AttemptRecord edited = an_attempt(first, 9);
  edited.parent = "the variant's own source";
  record(*store, edited, wrong());
  CHECK(store->earlier_results(now, "attention", "cuda:1").size() == 2);
  CHECK(value(*store, "SELECT sum(iterations) FROM rollup_arm") == 4);  // nor is it evidence about its technique
  CHECK(store->earlier_results(now, "softmax", "cuda:0").empty());
  CHECK(store->earlier_results(first, "attention", "cuda:0").empty());
}

TEST_CASE("an earlier campaign's proposal is known by its texts, not by its number") {
  auto store = Store::in_memory();
  const auto propose = [&](std::int64_t campaign, const std::string& variant, const std::string& hash) {
    ProposalRecord proposal;
    proposal.campaign = campaign;
    proposal.number = static_cast<std::int64_t>(hash.size());
    proposal.arm = {"attention", "s4", "naive"};
    proposal.outcome = ProposalOutcome::accepted;
    proposal.variant = variant;
    proposal.normal_hash = hash;
    proposal.source = "the text of " + hash;
    store->record_proposal(proposal);
  };
  const auto evaluate = [&](std::int64_t campaign, const std::string& variant, int block) {
    AttemptRecord attempt = an_attempt(campaign, block);
    attempt.candidate.variant = variant;
    record(*store, attempt, passed(100));
  };
  const auto first = store->begin_campaign(a_campaign());
  propose(first, "proposed_1", "one");
  propose(first, "proposed_2", "second");
  evaluate(first, "proposed_1", 1);
  evaluate(first, "proposed_2", 2);
  const auto now = store->begin_campaign(a_campaign());
  propose(now, "proposed_1", "second");
  const auto results = store->earlier_results(now, "attention", "cuda:0");
  REQUIRE(results.size() == 1);
  CHECK(results[0].variant == "proposed_1");
  CHECK(to_text(results[0].config) == "BLOCK=2 FAST=true");
}
