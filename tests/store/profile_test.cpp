#include <catch2/catch.hpp>

#include "harness/store/history.h"
#include "tests/store/recorded.h"

// The profiles of iterations, and what came of their diagnoses.
using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

Profile a_profile(const std::string& rule) {
  Profile profile;
  profile.source = ProfileSource::cupti;
  profile.device = "NVIDIA H200";
  profile.numbers = {{"time_ns", 4250}, {"dram_share", 0.25}};
  profile.launches = {{"k", 4, 4, profile.numbers, {}}};
  profile.wall_s = 0.06;
  if (!rule.empty()) profile.diagnosis = Diagnosis{rule, rule + ": so much", "115-vector-loads"};
  return profile;
}

Evaluation faster(double time_ns, Comparison verdict) {
  Evaluation evaluation = passed(time_ns);
  std::get<Passed>(evaluation.outcome).timing.verdict = verdict;
  return evaluation;
}

}  // namespace

TEST_CASE("a profile is read back as it was recorded") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const auto iteration = record(*store, an_attempt(campaign, 1), passed(100));
  store->record_profile(iteration, a_profile("uncoalesced"));
  store->record_profile(iteration, a_profile(""));
  const auto profiles = store->profiles(campaign);
  REQUIRE(profiles.size() == 2);
  CHECK(profiles[0].iteration == iteration);
  CHECK(profiles[0].profile == a_profile("uncoalesced"));
  CHECK(profiles[1].profile == a_profile(""));
  CHECK(store->profiles(campaign + 1).empty());
}

TEST_CASE("v_profiles has a row for each number, beside the iteration's own columns") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  store->record_profile(record(*store, an_attempt(campaign, 1), passed(100)), a_profile("uncoalesced"));
  CHECK(rows(*store, "SELECT metric, value, source, rule, page, time_ns FROM v_profiles ORDER BY metric") ==
        "\"dram_share\" 0.25 \"cupti\" \"uncoalesced\" \"115-vector-loads\" 100.0 \n"
        "\"time_ns\" 4250.0 \"cupti\" \"uncoalesced\" \"115-vector-loads\" 100.0 \n");
}

TEST_CASE("v_diagnoses counts after how many of a rule's profiles something was tried, and something was faster") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const auto first = record(*store, an_attempt(campaign, 1), faster(400, Comparison::faster));
  store->record_profile(first, a_profile("uncoalesced"));
  record(*store, an_attempt(campaign, 2), faster(420, Comparison::slower));
  const auto better = record(*store, an_attempt(campaign, 3), faster(100, Comparison::faster));
  store->record_profile(better, a_profile("uncoalesced"));  // after it only a slower one was tried
  record(*store, an_attempt(campaign, 4), faster(110, Comparison::slower));
  const auto last = record(*store, an_attempt(campaign, 5), faster(105, Comparison::same));
  store->record_profile(last, a_profile("uncoalesced"));  // nothing came after it
  CHECK(rows(*store, "SELECT rule, profiles, tried, faster, best_gain FROM v_diagnoses") ==
        "\"uncoalesced\" 3 2 1 4.0 \n");
  const json newest = history(*store, {});
  CHECK(newest[0]["diagnosis"] == "uncoalesced: so much");
  CHECK(newest[0]["profile_source"] == "cupti");
  CHECK(newest[1]["rule"].is_null());
}
