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

ImportReport take(Store& store, const std::string& text) {
  std::istringstream in(text);
  return import_store(store, in, "x.jsonl");
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
  store.begin_attempt(an_attempt(campaign, 5));
}

constexpr const char* kHeader = "{\"harness_export\":1,\"schema\":1}\n";

}  // namespace

TEST_CASE("an export makes the same store elsewhere, byte for byte when exported again") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  other->begin_campaign(a_campaign());  // so that ids differ
  auto last = Store::in_memory();
  const std::string text = text_of(*store);
  const ImportReport report = take(*other, text);
  CHECK(report.campaigns == 4);
  CHECK(report.iterations == 64);
  take(*last, text);
  CHECK(text_of(*last) == text);
  CHECK(text_of(*store) == text);
  CHECK(rows(*last, "SELECT * FROM rollup_arm").size() == rows(*store, "SELECT * FROM rollup_arm").size());
  CHECK(best(*last).size() == best(*store).size());
  CHECK(value(*last, "SELECT round(sum(seconds), 6) FROM rollup_cost") ==
        value(*store, "SELECT round(sum(seconds), 6) FROM rollup_cost"));
  CHECK(value(*last, "SELECT round(sum(usd), 9) FROM rollup_cost") ==
        value(*store, "SELECT round(sum(usd), 9) FROM rollup_cost"));
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

TEST_CASE("imported campaigns are evidence and are not resumed") {
  auto store = Store::in_memory(), other = Store::in_memory();
  record(*store, an_attempt(store->begin_campaign(a_campaign())), passed(100));
  take(*other, text_of(*store));
  CHECK_FALSE(other->latest_resumable());
  const auto now = other->begin_campaign(a_campaign());
  CHECK(other->experience({now, {"attention"}, {"c0ffee"}, "NVIDIA H200", "", ""}).arms.size() == 1);
}

TEST_CASE("an export can hold one campaign, and leave samples and logs out") {
  auto store = Store::in_memory(), other = Store::in_memory();
  rich_history(*store);
  const std::string lean = text_of(*store, {.campaign = 4, .samples = false, .logs = false});
  CHECK(lean.find("a warning") == std::string::npos);
  CHECK(lean.size() < text_of(*store, {.campaign = 4}).size());
  CHECK(take(*other, lean).campaigns == 1);
  CHECK(value(*other, "SELECT count(*) FROM sample") == 0);
  CHECK(value(*other, "SELECT count(*) FROM rollup_best") == 1);
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
  const std::string text = text_of(*store);
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
      {"{\"harness_export\":1,\"schema\":99}\n", "schema version 99"},
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
      {with("\"ended_unix\":1", "\"ended_unix\":1e300,\"x\":1"), "NOT NULL"},
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
