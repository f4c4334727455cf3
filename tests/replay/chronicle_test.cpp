#include "harness/replay/chronicle.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

json small() {
  return parse_json(R"({"harness_chronicle": 1, "name": "small", "kernel": "k", "workload": "w",
    "sittings": [
      {"iteration": "a", "technique": "t", "minutes": 10, "usd": {"gpu": 1, "engineer": 5}, "outcome": "passed", "source": "s"},
      {"iteration": "b", "technique": "t", "minutes": 20, "predicted_minutes": [5, 15], "outcome": "wrong_answer", "source": "s"}],
    "declared": [{"what": "minutes", "rows": ["a", "b"], "figures": ["minutes"], "declared": 30, "source": "s"}]})");
}

std::string refusal(const json& document) {
  try {
    read_chronicle(json_text(document), "small.json");
  } catch (const std::exception& error) {
    return error.what();
  }
  return "it was read";
}

}  // namespace

TEST_CASE("a chronicle keeps what is not stated apart from zero") {
  const Chronicle chronicle = read_chronicle(json_text(small()), "small.json");
  REQUIRE(chronicle.rows.size() == 2);
  CHECK(*dollars(chronicle.rows[0]) == 6);
  CHECK_FALSE(chronicle.rows[0].ai_usd);
  CHECK_FALSE(dollars(chronicle.rows[1]));
  CHECK_FALSE(chronicle.rows[0].predicted_minutes);
  CHECK(*chronicle.rows[1].predicted_minutes == Range{5, 15});
  CHECK(check_figures(chronicle)[0].holds);
}

TEST_CASE("a declared sum that its rows do not make is found out") {
  json document = small();
  document["declared"][0]["declared"] = 31;
  CHECK_FALSE(check_figures(read_chronicle(json_text(document), "small.json"))[0].holds);
  document["declared"][0]["within"] = 1;
  CHECK(check_figures(read_chronicle(json_text(document), "small.json"))[0].holds);
}

TEST_CASE("what a chronicle may not hold is refused in a sentence that names file and row") {
  json document = small();
  document["sittings"][1].erase("source");
  CHECK(refusal(document) == "small.json: sittings[1] (b) has no 'source'");
  document = small();
  document["sittings"][1]["outcome"] = "wrong";
  CHECK(refusal(document).find("small.json: sittings[1] (b) has an unknown outcome 'wrong'; use passed") == 0);
  document = small();
  document["sittings"][1]["minuts"] = 3;
  CHECK(refusal(document) == "small.json: sittings[1] (b) has an unknown field 'minuts'; did you mean 'minutes'?");
  document = small();
  document["sittings"][0]["usd"]["gpu"] = -1;
  CHECK(refusal(document) == "small.json: sittings[0] (a), usd, has a 'gpu' below 0: -1");
  document = small();
  document["sittings"][1]["iteration"] = "a";
  CHECK(refusal(document).find("the iteration 'a' is there twice") != std::string::npos);
  document = small();
  document["declared"][0]["rows"] = {"a", "c"};
  CHECK(refusal(document).find("unknown iteration 'c'") != std::string::npos);
  document = small();
  document["sittings"][0]["speedup"] = 2;
  CHECK(refusal(document).find("claims a speedup and names no 'workload'") != std::string::npos);
  CHECK(refusal(json::array()).find("small.json is not an object") == 0);
}

TEST_CASE("a time of another workload, or of a wrong answer, is no speedup") {
  ChronicleRow row;
  row.outcome = "passed";
  row.speedup = 3;
  row.workload = "w";
  CHECK_FALSE(refused_speedup(row));
  row.over_workload = "w";
  CHECK_FALSE(refused_speedup(row));
  row.over_workload = "other";
  CHECK(refused_speedup(row)->find("different workloads") != std::string::npos);
  row.over_workload = "w";
  row.outcome = "wrong_answer";
  CHECK(refused_speedup(row)->find("the answer was wrong") != std::string::npos);
}
