#include "harness/store/store.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/store/lookups.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

TEST_CASE("a campaign is read back as it was begun") {
  auto store = Store::in_memory();
  const auto id = store->begin_campaign(a_campaign());
  const CampaignRecord back = store->campaign(id);
  CHECK(back.name == "nightly");
  CHECK(back.seed == 0xfedcba9876543210u);
  CHECK(back.budget_s == 1800);
  CHECK_FALSE(back.max_cost_usd);
  CHECK(back.kernels == std::vector<std::string>{"attention"});
  CHECK(back.options == json{{"goal", "2x"}});
  CHECK(back.environment == json{{"driver", "580.1"}});
  CHECK_THROWS_AS(store->campaign(id + 1), Error);
}

TEST_CASE("decisions are read back in order, pivots with the arm they left") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const ArmId left{"attention", "s128", "tiling"};
  Decision pivot = a_decision("split-kv");
  pivot.rule = "time-overrun";
  const auto first = store->record_decision(campaign, a_decision(), {}, {"roi", "h"}, 1700000000, 0.5);
  const auto second = store->record_decision(campaign, pivot, left, {"roi", "h"}, 1700000001, 0.5);
  const auto back = store->decisions(campaign);
  REQUIRE(back.size() == 2);
  CHECK(back[0].id == first);
  CHECK_FALSE(back[0].from);
  CHECK(back[0].decision.table == a_decision().table);
  CHECK(back[0].decision.predict.evaluations == 12);
  CHECK(back[1].id == second);
  CHECK(back[1].from == left);
  CHECK(back[1].decision.rule == "time-overrun");
  CHECK(back[1].now_unix == 1700000001);
  CHECK(value(*store, "SELECT sum(pivot) FROM v_decisions") == 1);
  CHECK(store->spent_seconds(campaign) == Approx(1.0));
}

TEST_CASE("iterations are read back in order with what resume and replay need") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  AttemptRecord attempt = an_attempt(campaign, 32);
  attempt.decision = store->record_decision(campaign, a_decision(), {}, {"roi", "h"}, 1, 0);
  record(*store, attempt, passed(100));
  record(*store, an_attempt(campaign, 64), wrong());
  const auto rows = store->iterations(campaign);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].time_ns == 100);
  CHECK(rows[0].speedup == 10);
  CHECK(rows[0].verdict == Comparison::faster);
  CHECK(rows[0].decision == attempt.decision);
  CHECK(rows[0].candidate.config == attempt.candidate.config);
  CHECK(rows[0].ask == 32);
  CHECK(rows[0].binary_hash == "b1");
  CHECK(rows[0].wall_s == 0.7);
  CHECK(rows[0].usd == 0.0007);
  CHECK(rows[1].outcome == OutcomeKind::wrong_answer);
  CHECK(rows[1].fingerprint == "f00d");
  CHECK_FALSE(rows[1].time_ns);
}

TEST_CASE("an attempt is ended once, and an unknown one never") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const auto attempt = store->begin_attempt(an_attempt(campaign));
  store->end_attempt(attempt, passed(100), false);
  CHECK_THROWS_AS(store->end_attempt(attempt, passed(90), false), Error);
  CHECK_THROWS_AS(store->end_attempt(attempt + 1, passed(90), false), Error);
  CHECK_THROWS_AS(store->begin_attempt(an_attempt(campaign + 1)), Error);
  CHECK(value(*store, "SELECT count(*) FROM iteration") == 1);
  CHECK(value(*store, "SELECT count(*) FROM attempt") == 1);
}

TEST_CASE("sources edited after the attempt began belong to another candidate") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  Evaluation evaluation = passed(100);
  evaluation.source_hash = "edited";
  record(*store, an_attempt(campaign), evaluation);
  CHECK(store->iterations(campaign)[0].source_hash == "edited");
  CHECK(value(*store, "SELECT count(*) FROM candidate") == 2);
}

TEST_CASE("the same source and log are kept once") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  for (int block : {1, 2, 3}) {
    Evaluation evaluation = passed(100);
    evaluation.log = "warning: unused";
    record(*store, an_attempt(campaign, block), evaluation);
  }
  CHECK(value(*store, "SELECT count(*) FROM source") == 1);
  CHECK(value(*store, "SELECT count(*) FROM build_log") == 1);
  CHECK(value(*store, "SELECT count(*) FROM binary") == 1);
}

TEST_CASE("orphans count their tries until one of them ends") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100));
  store->begin_attempt(an_attempt(campaign, 2));
  REQUIRE(store->orphans(campaign).size() == 1);
  CHECK(store->orphans(campaign)[0].tries == 1);
  const auto again = store->begin_attempt(an_attempt(campaign, 2));
  const auto orphans = store->orphans(campaign);
  REQUIRE(orphans.size() == 1);
  CHECK(orphans[0].tries == 2);
  CHECK(orphans[0].attempt == again);
  CHECK(orphans[0].record.candidate.config == an_attempt(campaign, 2).candidate.config);
  CHECK(orphans[0].record.purpose == Purpose::search);
  store->end_attempt(again, an_evaluation(Crashed{}), false);
  CHECK(store->orphans(campaign).empty());
}

TEST_CASE("orphans count how often the machine went down after them, and a kill of the program is none of these") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  for (int i = 0; i < 4; ++i) store->begin_attempt(an_attempt(campaign, 2));
  CHECK(store->orphans(campaign)[0].machine_went_down == 0);
  store->connection().database().exec("UPDATE attempt_boot SET boot = 'monday' WHERE attempt IN (1, 2)");
  CHECK(store->orphans(campaign)[0].machine_went_down == 1);
  store->connection().database().exec("UPDATE attempt_boot SET boot = 'tuesday' WHERE attempt = 3");
  CHECK(store->orphans(campaign)[0].machine_went_down == 2);
  CHECK(store->orphans(campaign)[0].tries == 4);
}

TEST_CASE("parts of a trial are kept, by the kind of device, and apart from what was imported") {
  auto store = Store::in_memory();
  CHECK_FALSE(store->admission_part("h", "cpu", "form nominal"));
  store->keep_admission_part("h", "cpu", "k", "form nominal", {{"x", 1}});
  store->keep_admission_part("other", "cpu", "k", "form nominal", {{"x", 2}});
  CHECK(store->admission_part("h", "cpu", "form nominal") == json{{"x", 1}});
  CHECK_FALSE(store->admission_part("h", "another", "form nominal"));
  CHECK(store->imported_admission("h", "cpu").empty());
  Admission admission;
  admission.hash = "h";
  admission.device_key = "cpu";
  admission.device_name = "a processor";
  admission.spot_checked = "form nominal";
  store->record_admission(admission);
  const auto known = store->admission("h", "cpu");
  REQUIRE(known);
  CHECK(known->device_name == "a processor");
  CHECK(known->spot_checked == "form nominal");
  CHECK_FALSE(store->admission("h", "a processor"));
}

TEST_CASE("what can be resumed is the newest campaign that was cut short") {
  auto store = Store::in_memory();
  CHECK_FALSE(store->latest_resumable());
  const auto first = store->begin_campaign(a_campaign());
  CHECK(store->latest_resumable() == first);
  store->end_campaign(first, EndReason::interrupted, 10, {});
  const auto second = store->begin_campaign(a_campaign());
  store->end_campaign(second, EndReason::budget, 10, {});
  CHECK(store->latest_resumable() == first);
  CampaignRecord eval = a_campaign();
  eval.strategy = "";
  store->begin_campaign(eval);
  CHECK(store->latest_resumable() == first);
  store->end_campaign(first, EndReason::goal, 10, {});
  CHECK_FALSE(store->latest_resumable());
}

TEST_CASE("a campaign that goes on has no end, and keeps what it has spent") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100));
  store->end_campaign(campaign, EndReason::interrupted, 20, 0.02);
  CHECK(store->spent_seconds(campaign) == 20);
  record(*store, an_attempt(campaign, 2), passed(100));
  CHECK(store->spent_seconds(campaign) == Approx(20.7));
  CHECK(value(*store, "SELECT reason FROM campaign").is_null());
  store->charge(campaign, "idle", 1);
  store->charge(campaign, "prepare", 5);
  CHECK(store->spent_seconds(campaign) == Approx(21.7));
  CHECK(value(*store, "SELECT cost_usd FROM campaign").get<double>() == Approx(0.0217));
}

TEST_CASE("evidence comes from earlier campaigns on the same contract and device name") {
  auto store = Store::in_memory();
  const auto earlier = store->begin_campaign(a_campaign());
  record(*store, an_attempt(earlier, 1), passed(100));
  record(*store, an_attempt(earlier, 2), wrong());
  const auto elsewhere = store->begin_campaign(a_campaign("another GPU"));
  record(*store, an_attempt(elsewhere, 1), passed(10));
  const auto now = store->begin_campaign(a_campaign());
  record(*store, an_attempt(now, 1), passed(1));
  const auto evidence = store->experience({now, {"attention"}, {"c0ffee"}, "NVIDIA H200", "", ""}).arms;
  REQUIRE(evidence.size() == 1);
  CHECK(evidence[0].arm == ArmId{"attention", "s128", "tiling"});
  CHECK(evidence[0].evaluations == 2);
  CHECK(evidence[0].passed == 1);
  CHECK(evidence[0].spent_s == Approx(1.4));
  CHECK(evidence[0].best_speedup == 10);
  CHECK(evidence[0].campaigns == 1);
  const Experience other = store->experience({now, {"attention"}, {"other contract"}, "NVIDIA H200", "", ""});
  CHECK(other.arms.empty());
  REQUIRE(other.elsewhere.size() == 1);  // it still orders arms
  CHECK(other.elsewhere[0].best_speedup == 10);
  CHECK(store->experience({now, {"attention"}, {}, "a third GPU", "", ""}).elsewhere.empty());
  CHECK(store->experience({now, {"softmax"}, {}, "NVIDIA H200", "", ""}).elsewhere.empty());
}

TEST_CASE("the same machine code is found in this campaign alone: another campaign measures for itself") {
  auto store = Store::in_memory();
  const auto earlier = store->begin_campaign(a_campaign());
  record(*store, an_attempt(earlier, 1), passed(100));
  const auto elsewhere = store->begin_campaign(a_campaign("another GPU"));
  record(*store, an_attempt(elsewhere, 1), passed(100));
  const auto now = store->begin_campaign(a_campaign());
  const auto attempt = store->begin_attempt(an_attempt(now, 1));
  CHECK(store->same_binary(now, "s128", "b1") == 0);
  CHECK(store->same_binary(now, "s512", "b1") == 0);
  CHECK(store->same_binary(now, "s128", "b2") == 0);
  CHECK(store->same_binary(now, "s128", "") == 0);
  const auto own = store->end_attempt(attempt, passed(101), false);
  CHECK(store->same_binary(now, "s128", "b1") == own);
}

TEST_CASE("a proposal's twin is found among earlier campaigns of the same contract and device") {
  auto store = Store::in_memory();
  const auto earlier = store->begin_campaign(a_campaign());
  Evaluation evaluation = passed(50);
  evaluation.source_text = "the source";
  AttemptRecord attempt = an_attempt(earlier, 1);
  attempt.candidate.variant = "proposed_1";
  const auto iteration = record(*store, attempt, evaluation);
  ProposalRecord proposal;
  proposal.campaign = earlier;
  proposal.number = 1;
  proposal.arm = {"attention", "s128", "tiling"};
  proposal.outcome = ProposalOutcome::accepted;
  proposal.variant = "proposed_1";
  proposal.normal_hash = "normal";
  proposal.proposer = "command:p";
  proposal.latency_s = 4;
  store->record_proposal(proposal);
  const auto now = store->begin_campaign(a_campaign());
  TwinQuery asked{"attention", {"c0ffee"}, "NVIDIA H200", now};

  const auto sources = store->recorded_sources(asked);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].text == "the source");
  const auto twin = store->same_source(asked, sources[0].source_hash);
  REQUIRE(twin);
  CHECK(twin->iteration == iteration);
  CHECK(twin->campaign == earlier);
  CHECK(twin->variant == "proposed_1");
  CHECK(twin->outcome == "passed");
  REQUIRE(store->same_proposal(asked, "normal"));
  CHECK(!store->same_proposal(asked, "another"));
  CHECK(store->same_binary_before(asked, "b1") == iteration);
  CHECK(store->same_binary_before(asked, "b2") == 0);

  TwinQuery elsewhere = asked;
  elsewhere.device_name = "another GPU";
  CHECK(!store->same_source(elsewhere, sources[0].source_hash));
  CHECK(store->same_binary_before(elsewhere, "b1") == 0);
  TwinQuery changed = asked;
  changed.contract_hashes = {"other contract"};
  CHECK(store->recorded_sources(changed).empty());
  CHECK(!store->same_proposal(changed, "normal"));
  TwinQuery before = asked;
  before.before_campaign = earlier;  // its own records are the campaign's own business
  CHECK(store->same_binary_before(before, "b1") == 0);

  const ProposerHistory history = store->proposer_history("command:p", "NVIDIA H200", now);
  CHECK(history.asked == 1);
  CHECK(history.latency_s == 4.0);
  CHECK(!history.usd_each);
  CHECK(store->proposer_history("command:other", "NVIDIA H200", now).asked == 0);

  proposal.number = 2;
  proposal.variant = "";
  proposal.outcome = ProposalOutcome::refused;
  proposal.proposer = "other=command:q";
  proposal.usage.usd = 0.5;
  store->record_proposal(proposal);
  const json rows = store::proposer_table(*store, std::nullopt);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["proposer"] == "command:p");
  CHECK(rows[0]["passed"] == 1);
  CHECK(rows[0]["device_s"] > 0);
  CHECK(rows[0]["usd"].is_null());
  CHECK(rows[1]["proposer"] == "other");
  CHECK(rows[1]["asked"] == 1);
  CHECK(rows[1]["accepted"] == 0);
  CHECK(rows[1]["usd"] == 0.5);
  CHECK(store::proposer_table(*store, now).empty());
}

TEST_CASE("what earlier campaigns found in no folder is told: winners, failures by their mistake, notes") {
  auto store = Store::in_memory();
  const auto earlier = store->begin_campaign(a_campaign());
  Evaluation fast = passed(50);
  std::get<Passed>(fast.outcome).timing.speedup = 4;
  fast.source_text = "the source";
  AttemptRecord attempt = an_attempt(earlier, 1);
  record(*store, attempt, fast);  // stands in a folder
  attempt.candidate.variant = "proposed_1";
  const auto iteration = record(*store, attempt, fast);
  ProposalRecord proposal;
  proposal.campaign = earlier;
  proposal.number = 1;
  proposal.arm = {"attention", "s128", "tiling"};
  proposal.outcome = ProposalOutcome::accepted;
  proposal.variant = "proposed_1";
  proposal.source = "the source";
  proposal.hypothesis = "wider";
  proposal.parents = {"00_naive"};
  store->record_proposal(proposal);
  AttemptRecord edit = an_attempt(earlier, 2);
  edit.candidate.variant = "10_edited";
  edit.parent = "hash of its own";
  edit.label = "mine";
  std::get<Passed>(fast.outcome).timing.speedup = 3;
  record(*store, edit, fast);
  for (int i = 0; i < 2; ++i) record(*store, edit, an_evaluation(WrongAnswer{"y is 0", {}, "zeros"}));
  store->record_note(earlier, "attention", "BLOCK=512 spills");
  const auto now = store->begin_campaign(a_campaign());
  const TwinQuery asked{"attention", {"c0ffee"}, "NVIDIA H200", now};

  const auto winners = store->recorded_winners(asked, 10);
  REQUIRE(winners.size() == 2);
  CHECK(winners[0].iteration == iteration);
  CHECK(winners[0].speedup == 4);
  CHECK(winners[0].workload == "s128");
  CHECK(winners[0].proposal.variant == "proposed_1");
  CHECK(winners[0].proposal.hypothesis == "wider");
  CHECK(winners[0].proposal.source == "the source");
  CHECK(winners[1].proposal.source == "the source");
  CHECK(winners[1].proposal.manifest.empty());
  CHECK(winners[1].proposal.parents == std::vector<std::string>{"10_edited"});
  CHECK(winners[1].proposal.label == "mine");
  const auto failures = store->recorded_failures(asked, 10);
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].fingerprint == "zeros");
  CHECK(failures[0].hypothesis == "mine");
  CHECK(store->recorded_notes("attention", 5) == std::vector<std::string>{"BLOCK=512 spills"});
  CHECK(store->recorded_winners({"attention", {"other"}, "NVIDIA H200", now}, 10).empty());
  CHECK(store->recorded_winners({"attention", {"c0ffee"}, "NVIDIA H200", earlier}, 10).empty());
}

TEST_CASE("an interrupted evaluation says nothing about its machine code") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), an_evaluation(Interrupted{}));
  record(*store, an_attempt(campaign, 2), an_evaluation(NoEffect{1}));
  CHECK(store->same_binary(campaign, "s128", "b1") == 0);
}

TEST_CASE("a campaign is resumed under new limits, and only by whom it may be") {
  auto store = Store::in_memory();
  CampaignRecord record = a_campaign();
  record.strategy = "roi";
  const auto campaign = store->begin_campaign(record);
  record.budget_s = 77;
  store->resume_campaign(campaign, record);
  CHECK(*store->campaign(campaign).budget_s == 77);
  CHECK_THROWS_WITH(store->resume_campaign(99, record), Catch::Contains("none of this number"));
  record.strategy = "";
  const auto eval = store->begin_campaign(record);
  CHECK_THROWS_WITH(store->resume_campaign(eval, record), Catch::Contains("single eval"));
}

TEST_CASE("where nothing is confirmed, the best is what passed, marked; a rival is none of ours") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  AttemptRecord rival = an_attempt(campaign, 1);
  rival.purpose = Purpose::rival;
  record(*store, rival, passed(50));
  CHECK(value(*store, "SELECT count(*) FROM v_best") == 0);
  record(*store, an_attempt(campaign, 2), passed(200));
  record(*store, an_attempt(campaign, 3), passed(150));
  CHECK(value(*store, "SELECT time_ns FROM v_best") == 150);
  CHECK(value(*store, "SELECT confirmed FROM v_best") == 0);
  record(*store, an_attempt(campaign, 2), passed(210), true);
  CHECK(value(*store, "SELECT time_ns FROM v_best") == 210);
  CHECK(value(*store, "SELECT confirmed FROM v_best") == 1);
}

TEST_CASE("a screened iteration has a time and is no evidence: no best, no pass, nothing to confirm") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100), true);
  const auto fast = record(*store, an_attempt(campaign, 2), screened(50));
  const IterationSummary row = store->iterations(campaign).back();
  CHECK(row.outcome == OutcomeKind::screened);
  CHECK(row.time_ns == 50);
  CHECK(row.speedup == 20);
  CHECK(value(*store, "SELECT time_ns FROM v_best") == 100);
  CHECK(value(*store, "SELECT max(time_ns) FROM rollup_best") == 100);
  CHECK(value(*store, "SELECT passed FROM rollup_arm") == 1);
  CHECK(value(*store, "SELECT best_speedup FROM rollup_arm") == 10);
  CHECK(value(*store, "SELECT passed FROM v_techniques") == 1);
  CHECK(store->same_binary(campaign, "s128", "b1") != fast);  // a passed one says more
  // A strategy learns that nothing was wrong with it.
  const auto next = store->begin_campaign(a_campaign());
  const auto arms = store->experience({next, {"attention"}, {"c0ffee"}, "NVIDIA H200", "", ""}).arms;
  REQUIRE(arms.size() == 1);
  CHECK(arms[0].passed == 2);
  CHECK(arms[0].best_speedup == 10);
}

TEST_CASE("the gates that a campaign's candidates failed are read back with their sources") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100));
  Evaluation late = wrong();
  late.gates.push_back({"timed-launch", false, "secretly chosen"});
  late.gates.push_back({"screened", false, "not needed", false});  // not checked: it failed nothing
  const auto iteration = record(*store, an_attempt(campaign, 2), late);
  const auto failed = store->failed_gates(campaign);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].iteration == iteration);
  CHECK(failed[0].source_hash == "beef");
  CHECK(failed[0].gate == "timed-launch");
  CHECK(store->failed_gates(campaign + 1).empty());
}

TEST_CASE("how long baselines and trials of gates took is known by device") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  AttemptRecord baseline = an_attempt(campaign, 0);
  baseline.purpose = Purpose::baseline;
  record(*store, baseline, passed(100));
  record(*store, baseline, passed(100));
  record(*store, an_attempt(campaign, 1), passed(100));
  AttemptRecord confirmation = an_attempt(campaign, 2);
  confirmation.purpose = Purpose::confirm;
  Evaluation by_other_gates = passed(100);
  by_other_gates.gates_version = kGatesVersion - 1;
  record(*store, confirmation, by_other_gates);
  CHECK_FALSE(store->usual_seconds("NVIDIA H200", "sm_90a").evaluations.contains({"attention", Purpose::confirm}));
  Evaluation by_these = passed(100);
  by_these.gates_version = kGatesVersion;
  by_these.cost.wall_s = 9;
  record(*store, confirmation, by_these);
  Admission admission;
  admission.hash = "h", admission.device_key = "sm_90a", admission.kernel = "attention", admission.seconds = 12;
  store->record_admission(admission);
  const UsualSeconds usual = store->usual_seconds("NVIDIA H200", "sm_90a");
  CHECK(usual.evaluations.size() == 3);
  CHECK(usual.evaluations.at({"attention", Purpose::confirm}) == Approx(9));
  CHECK(usual.evaluations.at({"attention", Purpose::search}) == Approx(passed(100).cost.wall_s));
  CHECK(usual.evaluations.at({"attention", Purpose::baseline}) == Approx(passed(100).cost.wall_s));
  CHECK(usual.trials.at("attention") == 12);
  const UsualSeconds elsewhere = store->usual_seconds("another GPU", "cpu emulation 1");
  CHECK(elsewhere.evaluations.empty());
  CHECK(elsewhere.trials.empty());
}

TEST_CASE("what was measured of a device holds for that device and its driver") {
  auto store = Store::in_memory();
  DeviceInfo device;
  device.name = "NVIDIA H200", device.driver = "580.1";
  CHECK_FALSE(store->peaks(device));
  MeasuredPeaks peaks;
  peaks.bytes_per_s = 4e12;
  store->record_peaks(device, peaks);
  REQUIRE(store->peaks(device));
  CHECK(store->peaks(device)->bytes_per_s == 4e12);
  device.driver = "590.1";
  CHECK_FALSE(store->peaks(device));
}

// SQLite would refuse only where another process had written since the row was read.
TEST_CASE("no writing transaction begins while rows are read") {
  Connection connection = Connection::in_memory();
  {
    Statement query(connection, "SELECT 1 UNION SELECT 2");
    REQUIRE(query.next());
    CHECK_THROWS_AS(Write(connection), std::logic_error);
  }
  CHECK_NOTHROW(Write(connection));
}
