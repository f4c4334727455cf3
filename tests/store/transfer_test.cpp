#include "harness/store/transfer.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "harness/core/error.h"
#include "harness/store/history.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

std::string text_of(Store& store, const ExportOptions& options = {}) {
  std::ostringstream out;
  export_store(store, out, options);
  return out.str();
}

ImportReport take(Store& store, const std::string& text, bool as_evidence = false) {
  std::istringstream in(text);
  return import_store(store, in, "x.jsonl", {.as_evidence = as_evidence});
}

std::string refusal(Store& store, const std::string& text) {
  try {
    take(store, text);
  } catch (const Error& error) {
    CHECK(error.exit_status() == 2);
    return error.what();
  }
  return "";
}

ProposalRecord a_proposal(std::int64_t campaign, std::int64_t decision, std::int64_t twin) {
  ProposalRecord record;
  record.campaign = campaign;
  record.decision = decision;
  record.number = 1;
  record.arm = {"attention", "s128", "tiling"};
  record.parents = {"10_tiled"};
  record.request = "{\"id\":\"1-1\"}";
  record.reply = "{}";
  record.usage = {"a model", 1000, 200, 900, 0.25, "proposer"};
  record.outcome = ProposalOutcome::twin;
  record.message = "it is the same";
  record.twin = "10_tiled";
  record.twin_iteration = twin;
  record.predict_lo = 1.5;
  record.predict_hi = 2;
  return record;
}

void rich_history(Store& store) {
  random_history(store, 3, 3, 20);
  const auto campaign = store.begin_campaign(a_campaign());
  const ArmId left{"attention", "s128", "tiling"};
  AttemptRecord attempt = an_attempt(campaign, 1);
  attempt.decision = store.record_decision(campaign, a_decision(), left, {"roi", "h"}, 1700000000, 0.01);
  Evaluation evaluation = passed(100);
  evaluation.log = "a warning";
  evaluation.source_hash = "edited";
  const auto first = record(store, attempt, evaluation);
  record(store, an_attempt(campaign, 2), an_evaluation(NoEffect{first}));
  record(store, an_attempt(campaign, 3), an_evaluation(NoEffect{1}));  // of another campaign
  record(store, an_attempt(campaign, 4), an_evaluation(Abandoned{10, 20}));
  record(store, an_attempt(campaign, 6), screened(150));
  AttemptRecord edited = an_attempt(campaign, 7);
  edited.label = "mine";
  edited.parent = "the variant's";
  record(store, edited, passed(90));
  Profile profile;
  profile.source = ProfileSource::ncu;
  profile.why = "no cupti";
  profile.numbers = {{"dram_bytes", 1e6}, {"dram_share", 0.5}};
  profile.launches = {{"k", 4, 4, profile.numbers, {{"k.cu", 7, {{"shared_conflicts", 31}}, {"unsure"}}}}};
  profile.diagnosis = Diagnosis{"memory-bound", "memory-bound: 50 %", "115-vector-loads"};
  store.record_profile(first, profile);
  store.begin_attempt(an_attempt(campaign, 5));
  store.record_proposal(a_proposal(campaign, attempt.decision, first));
}

json small_form() {
  return {{"ranges", json::object()}, {"skipped", "out of its range"}};
}

constexpr const char* kHeader = "{\"harness_export\":1,\"schema\":1}\n";

}  // namespace

TEST_CASE("what a trial of gates found travels, and counts elsewhere only where a person says so") {
  auto store = Store::in_memory(), other = Store::in_memory();
  record(*store, an_attempt(store->begin_campaign(a_campaign()), 1), passed(100));
  const std::string kernel = an_attempt(1, 1).candidate.kernel;
  store->keep_admission_part("h", "cpu emulation 1", kernel, "form ramp of dtype=f32", small_form());
  store->keep_admission_part("g", "cpu emulation 1", "another", "form ramp of dtype=f32", small_form());
  const std::string text = text_of(*store);
  take(*other, text);
  CHECK(other->imported_admission("h", "cpu emulation 1").empty());
  CHECK_FALSE(other->admission_part("h", "cpu emulation 1", "form ramp of dtype=f32"));
  CHECK(text_of(*other) == text);
  take(*other, text, true);
  CHECK(other->imported_admission("h", "cpu emulation 1") == AdmissionParts{{"form ramp of dtype=f32", small_form()}});
  CHECK_FALSE(other->admission_part("h", "cpu emulation 1", "form ramp of dtype=f32"));
}

TEST_CASE("an export makes the same store elsewhere, byte for byte when exported again") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  other->begin_campaign(a_campaign());  // so that ids differ
  auto last = Store::in_memory();
  const std::string text = text_of(*store);
  const ImportReport report = take(*other, text);
  CHECK(report.campaigns == 4);
  CHECK(report.iterations == 66);
  take(*last, text, true);
  CHECK(text_of(*last) == text);
  CHECK(text_of(*store) == text);
  CHECK(rows(*last, "SELECT * FROM rollup_arm").size() == rows(*store, "SELECT * FROM rollup_arm").size());
  CHECK(best(*last).size() == best(*store).size());
  CHECK(rows(*last, "SELECT kernel, workload, device_name, contract_hash, confirmed, time_ns FROM rollup_best") ==
        rows(*store, "SELECT kernel, workload, device_name, contract_hash, confirmed, time_ns FROM rollup_best"));
  CHECK(value(*last, "SELECT count(*) FROM refuted") == value(*store, "SELECT count(*) FROM refuted"));
  CHECK(value(*last, "SELECT round(sum(seconds), 6) FROM rollup_cost") ==
        value(*store, "SELECT round(sum(seconds), 6) FROM rollup_cost"));
  CHECK(value(*last, "SELECT round(sum(usd), 9) FROM rollup_cost") ==
        value(*store, "SELECT round(sum(usd), 9) FROM rollup_cost"));
  CHECK(value(*last, "SELECT usd || ' ' || model FROM v_proposals") == "0.25 a model");
  CHECK(value(*other,
              "SELECT twin_iteration - (SELECT min(id) FROM iteration i WHERE i.campaign = v.campaign) FROM "
              "v_proposals v") == 0);
  // In a store with other ids, what refers to an iteration refers to the same one.
  const json moved = history(*other, {.outcome = "no_effect", .limit = 2});
  const std::int64_t campaign = moved[1]["campaign"];
  CHECK(value(*other, ("SELECT min(id) FROM iteration WHERE campaign = " + std::to_string(campaign)).c_str()) ==
        value(*other, ("SELECT same_as FROM iteration WHERE id = " + json_text(moved[1]["iteration"])).c_str()));
}

TEST_CASE("importing twice adds nothing") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  const std::string text = text_of(*store);
  take(*other, text);
  const ImportReport again = take(*other, text);
  CHECK(again.campaigns == 0);
  CHECK(again.iterations == 0);
  CHECK(again.skipped == 4);
  CHECK(text_of(*other) == text);
  CHECK(take(*store, text).skipped == 4);
}

namespace {

/// What a store's own decisions rest on.
struct Rests {
  std::size_t bests, techniques, arms, experience_bests, predictions, earlier, patterns, same_mistake, rivals;
  bool operator==(const Rests&) const = default;
};

Rests rests(Store& store) {
  const auto now = store.begin_campaign(a_campaign());
  const Experience known = store.experience({now, {"attention"}, {"c0ffee"}, "NVIDIA H200", "", "roi"});
  return {best(store).size(),
          known.techniques.size(),
          known.arms.size(),
          known.bests.size(),
          known.predictions.size(),
          store.earlier_results(now, "attention", "cuda:0").size(),
          store.pattern_applications(now, "NVIDIA H200").size(),
          store.same_fingerprint("attention", "other", "f00d", 9).size(),
          value(store, "SELECT count(*) FROM v_rivals").get<std::size_t>()};
}

/// A campaign with something of all that is asked of earlier ones.
void full_campaign(Store& store) {
  const auto campaign = store.begin_campaign(a_campaign());
  AttemptRecord attempt = an_attempt(campaign, 1);
  Decision decision = a_decision();
  decision.patterns = {7};
  attempt.decision = store.record_decision(campaign, decision, {}, {"roi", "h"}, 1700000000, 0.01);
  record(store, attempt, passed(100), true);
  record(store, an_attempt(campaign, 2), wrong());
  AttemptRecord rival = an_attempt(campaign, 3);
  rival.purpose = Purpose::rival;
  record(store, rival, passed(80));
}

constexpr Rests kNothing{};

}  // namespace

TEST_CASE("imported campaigns are marked, are not resumed, and are evidence only where that was asked for") {
  auto store = Store::in_memory(), other = Store::in_memory();
  full_campaign(*store);
  const std::string text = text_of(*store);
  CHECK(take(*other, text).evidence == 0);
  CHECK_FALSE(other->latest_resumable());
  CHECK(history(*other, {})[0]["imported"] == true);
  CHECK(show(*other, 1, false)["imported"] == true);
  CHECK(value(*other, "SELECT count(*) FROM v_iterations WHERE imported = 1") == 3);
  CHECK(value(*other, "SELECT count(*) FROM v_techniques") == 0);
  CHECK(value(*other, "SELECT count(*) FROM refuted") == 0);
  CHECK(rests(*other) == kNothing);

  const Rests own = rests(*store);
  CHECK(own.bests == 1);
  CHECK(own.patterns == 1);
  CHECK(own.same_mistake == 1);
  CHECK(own.rivals == 1);
  CHECK(own.predictions == 1);
  CHECK(own.earlier == 3);
  const ImportReport asked = take(*other, text, true);  // the same campaign, now asked to count
  CHECK(asked.skipped == 1);
  CHECK(asked.evidence == 1);
  CHECK(rests(*other) == own);
  CHECK(best(*other)[0]["imported"] == true);
  CHECK(take(*other, text, true).evidence == 0);
  CHECK(rests(*other) == own);
}

TEST_CASE("an imported mistake does not refute a candidate of this store unless it counts") {
  auto stranger = Store::in_memory(), store = Store::in_memory();
  record(*stranger, an_attempt(stranger->begin_campaign(a_campaign()), 1), wrong());
  record(*store, an_attempt(store->begin_campaign(a_campaign()), 1), passed(100), true);
  take(*store, text_of(*stranger));
  CHECK(best(*store).size() == 1);
  take(*store, text_of(*stranger), true);
  CHECK(best(*store).empty());
}

TEST_CASE("a text that lost, gained or changed a line is refused") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  const std::string text = text_of(*store);
  std::vector<std::size_t> ends;  // of lines
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) ends.push_back(at + 1);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    INFO("cut after line " << i + 1);
    CHECK(refusal(*other, text.substr(0, ends[i])).find("cut off") != std::string::npos);
  }
  const std::string without = text.substr(0, ends[ends.size() - 3]) + text.substr(ends[ends.size() - 2]);
  CHECK_THAT(refusal(*other, without), Catch::Contains("digest"));
  std::string changed = text;
  changed.replace(changed.rfind("\"seconds\":0.25"), 14, "\"seconds\":0.35");
  CHECK_THAT(refusal(*other, changed), Catch::Contains("digest"));
  CHECK_THAT(refusal(*other, text + "{\"type\":\"source\"}\n"), Catch::Contains("follows"));
  CHECK(value(*other, "SELECT count(*) FROM campaign") == 0);
  CHECK(take(*other, text).whole);
}

TEST_CASE("a text of the older form is read, and it is said that it cannot be checked") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  const std::string text = text_of(*store);
  const std::string body = text.substr(text.find('\n') + 1);
  const std::string older = kHeader + body.substr(0, body.rfind("{\"lines\""));
  const ImportReport report = take(*other, older);
  CHECK(report.campaigns == 4);
  CHECK_FALSE(report.whole);
}

TEST_CASE("an export can hold one campaign, and leave samples and logs out") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  const std::string lean = text_of(*store, {.campaign = 4, .samples = false, .logs = false});
  CHECK(lean.find("a warning") == std::string::npos);
  CHECK(lean.size() < text_of(*store, {.campaign = 4}).size());
  CHECK(take(*other, lean).campaigns == 1);
  CHECK(value(*other, "SELECT count(*) FROM sample") == 0);
  CHECK(value(*other, "SELECT count(*) FROM iteration") == 6);
  CHECK_THROWS_AS(text_of(*store, {.campaign = 99}), Error);
}

TEST_CASE("a file appears whole, and an unwritable one is a sentence") {
  const Folder folder;
  auto store = Store::in_memory();
  rich_history(*store);
  export_store(*store, folder / "x.jsonl");
  auto other = Store::in_memory();
  CHECK(import_store(*other, folder / "x.jsonl").campaigns == 4);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK_THROWS_WITH(export_store(*store, folder / "no/x.jsonl"), Catch::Contains("cannot write"));
  CHECK_THROWS_WITH(import_store(*other, folder / "none.jsonl"), Catch::Contains("cannot read"));
}

TEST_CASE("a malformed import is refused with its line, and nothing is imported") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  const std::string whole = text_of(*store);
  const std::string body = whole.substr(whole.find('\n') + 1);
  const std::string text = kHeader + body.substr(0, body.rfind("{\"lines\""));  // of the form that has no digest
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.rfind(from);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "empty"},
      {"hello\n", "x.jsonl:1: this is not a JSON object"},
      {"[]\n", "x.jsonl:1:"},
      {"{\"harness_export\":1,\"schema\":99}\n", "of version 99"},
      {"{\"other\":1}\n", "no export of harness"},
      {std::string(kHeader) + "{\"type\":\"attempt\"}\n", "x.jsonl:2: \"attempt\" before the first campaign"},
      {std::string(kHeader) + "{\"type\":\"virus\"}\n", "unknown type"},
      {std::string(kHeader) + "{\"type\":\"source\",\"hash\":\"00\",\"text\":\"x\"}\n", "not that of the text"},
      {std::string(kHeader) + "{\"type\":\"campaign\",\"uuid\":" + std::string(5000, '[') + std::string(5000, ']') +
           "}\n",
       "not a JSON"},
      {text.substr(0, text.size() - 20), "not a JSON object"},
      {with("\"outcome\":\"abandoned\"", "\"outcome\":\"excellent\""), "CHECK"},
      {with("\"outcome\":\"abandoned\"", "\"outcome\":17"), "type"},
      {with("\"time_ns\":100.0", "\"time_ns\":-1.0"), "not positive"},
      {with("\"attempt\":4", "\"attempt\":400"), "attempt 400"},
      {with("\"attempt\":4", "\"attempt\":1"), "UNIQUE"},
      {with("\"decision\":1,", "\"decision\":2,"), "decision 2"},
      {with("\"workload\":", "\"werkload\":"), "workload"},
      {with("\"ended_unix\":1", "\"ended_unix\":1e300,\"x\":1"), "1e+300 is beyond"},
      {with("\"ended_unix\":1", "\"ended_unix\":8e18,\"x\":1"), "NOT NULL"},
  };
  for (const auto& [input, expected] : bad) {
    const std::string sentence = refusal(*other, input);
    INFO(input.substr(0, 200));
    CHECK_THAT(sentence,
               Catch::StartsWith("x.jsonl:") && Catch::Contains(expected) && Catch::EndsWith("nothing was imported"));
    CHECK(value(*other, "SELECT count(*) FROM campaign") == 0);
    CHECK(value(*other, "SELECT count(*) FROM source") == 0);
  }
  CHECK(take(*other, text).campaigns == 4);
}

TEST_CASE("a campaign with a row that contradicts itself is kept and never counts as evidence") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100));
  Evaluation lie = passed(90);
  std::get<Passed>(lie.outcome).timing.speedup = 99;
  record(*store, an_attempt(campaign, 2), lie);
  const auto honest = store->begin_campaign(a_campaign());
  record(*store, an_attempt(honest, 1), passed(100));
  const std::string text = text_of(*store);

  auto other = Store::in_memory();
  const ImportReport kept = take(*other, text);
  REQUIRE(kept.not_believed.size() == 1);
  CHECK_THAT(kept.not_believed[0], Catch::Contains("its iteration 2") && Catch::Contains("its speedup is 99"));
  CHECK(kept.campaigns == 2);
  const ImportReport asked = take(*other, text, true);  // what is there already is held against itself, too
  CHECK(asked.not_believed.size() == 1);
  CHECK(asked.evidence == 1);
  CHECK(asked.checks.times == 3);
  CHECK(asked.checks.samples == 3);
  CHECK(value(*other, "SELECT sum(evidence) FROM campaign") == 1);
}
