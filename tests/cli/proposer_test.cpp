#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/program.h"

// A program that really edits, through the whole protocol: tests/proposers/transform.py.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kRoot = HARNESS_SOURCE_DIR;

json proposals(const Scratch& scratch) {
  return parse_json(run_harness({"history", "--proposals", "--db", scratch.db(), "--json"}).out);
}

std::string said(const Finished& finished) {
  return finished.err;
}

}  // namespace

TEST_CASE("edits of a program are judged, recorded and replayed without it") {
  const Scratch scratch;
  const std::string program = scratch.path("transform.py");
  std::filesystem::copy_file(kRoot + "/tests/proposers/transform.py", program);
  const Finished finished =
      run_harness({"run", "softmax", "--variant", "00_naive", "--workload", "M=35 N=257 dtype=f32", "--device", "cpu",
                   "--strategy", kRoot + "/tests/fixtures/proposals_first.lua", "--proposer",
                   "command:python3 " + program, "--budget", "120s", "--db", scratch.db(), "--json"});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  std::map<std::string, json> by_label;
  for (const json& row : proposals(scratch))
    if (row["label"].is_string()) by_label[row["label"]] = row;
  for (const char* rule : {"warp per row", "reuse", "reciprocal", "unroll"}) {
    INFO(rule);
    REQUIRE(by_label.count(rule) == 1);
    CHECK(by_label[rule]["outcome"] == "accepted");
    CHECK((by_label[rule]["became"] == "passed" || by_label[rule]["became"] == "screened" ||
           by_label[rule]["became"] == "no_effect"));
  }
  std::filesystem::remove(program);
  const Finished replayed =
      run_harness({"replay", "1", "--strategy", kRoot + "/tests/fixtures/proposals_first.lua", "--db", scratch.db()});
  INFO(replayed.err);
  CHECK(replayed.status == 0);
  CHECK_THAT(replayed.out, Catch::Contains("the two decided the same from beginning to end"));
}

TEST_CASE("a proposer is tried with one small request") {
  const Scratch scratch;
  scratch.write("good.sh", "cat >/dev/null; echo '{\"source\":\"x\",\"usage\":{\"model\":\"m\",\"usd\":0.5}}'\n");
  const Finished good = run_harness({"proposer", "--check", "command:sh " + scratch.path("good.sh")});
  INFO(good.err);
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Catch::Contains("answers as it was asked") && Catch::Contains("$0.5000, as it says"));
  const Finished bad = run_harness({"proposer", "--check", "command:echo hello", "--json"});
  CHECK(bad.status == 1);
  CHECK(bad.lines().at(0)["works"] == false);
  CHECK(bad.lines().at(0)["problem"] == "unparsable: the reply holds no JSON object");
}

TEST_CASE("what a proposer cannot be is refused before a store is made") {
  const Scratch scratch;
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "vector_scale", "--device", "cpu", "--budget", "5s", "--db", scratch.db()};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = run_harness(words);
    CHECK(finished.status == 2);
    CHECK(!std::filesystem::exists(scratch.db()));
    return said(finished);
  };
  CHECK_THAT(refused({"--proposer", "gpt"}), Catch::Contains("write 'command:PROGRAM ARGS'"));
  CHECK_THAT(refused({"--proposer", "command:no-such-program"}), Catch::Contains("no program 'no-such-program'"));
  CHECK_THAT(refused({"--proposer", "command:cat", "--max-cost", "1"}), Catch::Contains("--token-price"));
  CHECK_THAT(refused({"--proposer", "command:cat", "--token-price", "3"}), Catch::Contains("is not IN,OUT"));
}
