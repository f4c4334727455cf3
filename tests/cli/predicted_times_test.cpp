#include <catch2/catch.hpp>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// Without further words the cpu device predicts a GPU's times, also for agents and in fleets.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kFolder = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/counted";

/// The answers of a server to these calls, one after the other: the text of each is JSON.
std::vector<json> answers(const std::string& db, const std::vector<std::string>& more, const std::vector<json>& calls) {
  std::string script = "coproc S { exec " + std::string(HARNESS_BINARY) + " mcp --device cpu --budget 300s --db " + db +
                       " --kernels " + kFolder;
  for (const std::string& word : more) script += " " + word;
  script +=
      " 2>/dev/null; }\nask() { printf '%s\\n' \"$1\" >&${S[1]}; read -r line <&${S[0]}; printf '%s\\n' \"$line\"; }\n";
  std::vector<json> messages{{{"method", "initialize"},
                              {"params",
                               {{"protocolVersion", "2025-06-18"},
                                {"capabilities", json::object()},
                                {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}}};
  for (const json& call : calls) messages.push_back({{"method", "tools/call"}, {"params", call}});
  int id = 0;
  for (json& message : messages) {
    message["jsonrpc"] = "2.0";
    message["id"] = ++id;
    script += "ask '" + message.dump() + "'\n";
  }
  const Finished ran = run_program({"bash", "-c", script}, HARNESS_SOURCE_DIR, {"HARNESS_CACHE=" + build_cache()});
  INFO(ran.out << ran.err);
  const std::vector<json> lines = ran.lines();
  REQUIRE(lines.size() == messages.size());
  std::vector<json> found;
  for (std::size_t i = 1; i < lines.size(); ++i)
    found.push_back(json::parse(lines[i].at("result").at("content").at(0).at("text").get<std::string>()));
  return found;
}

json evaluation(const char* variant) {
  return {{"name", "evaluate"},
          {"arguments", {{"kernel", "transpose"}, {"variant", variant}, {"workload", "r100_c70"}, {"wait_s", 50}}}};
}

json ladder_step(const char* tool) {
  json step = evaluation("30_padded");
  step["name"] = tool;
  return step;
}

}  // namespace

TEST_CASE(
    "an agent's session on the cpu device predicts, and its campaigns do; --emulated gives the emulation's times") {
  if (is_nightly()) return;
  const Scratch scratch;
  const std::vector<json> found =
      answers(scratch.db(), {},
              {evaluation("30_padded"),
               {{"name", "campaign_start"},
                {"arguments", {{"kernel", "transpose"}, {"workload", "r100_c70"}, {"budget_s", 40}}}},
               {{"name", "job"}, {"arguments", {{"job", 2}, {"wait_s", 50}}}},
               {{"name", "best"}, {"arguments", json::object()}},
               ladder_step("predict"),
               ladder_step("compile")});
  const json& first = found[0];
  INFO(first);
  REQUIRE(first.at("passed") == true);
  CHECK(first.at("predicted_ns") > 0);
  CHECK(first.at("predicted_baseline_ns") > 0);
  CHECK(first.at("times") == "predicted for H200 by counting, not measured");
  CHECK_FALSE(first.contains("time_ns"));
  INFO(found[2]);
  REQUIRE(found[2].at("best").is_array());
  CHECK(found[2].at("best").at(0).at("predicted_ns") <= first.at("predicted_ns"));
  for (const json& row : found[3].at("best")) CHECK_FALSE(row.contains("time_ns"));
  INFO(found[4]);
  CHECK(found[4].at("predicted").at(0).at("predicted_ns") == first.at("predicted_ns"));
  CHECK_THAT(found[4].at("digest").get<std::string>(), Catch::Contains("It is made of:"));
  // What compiles for a GPU is not on every machine.
  INFO(found[5]);
  if (found[5].at("ok") == true) CHECK(found[5].at("compiled").at(0).at("entries").at(0).at("registers") > 0);
  else CHECK_THAT(found[5].at("error").at("message").get<std::string>(), Catch::Contains("compiles for sm_90a"));

  const std::vector<json> emulated =
      answers(scratch.db(), {"--session", "other", "--emulated"}, {evaluation("30_padded")});
  INFO(emulated[0]);
  CHECK(emulated[0].at("emulated_ns") > 0);
  CHECK_FALSE(emulated[0].contains("predicted_ns"));
}

TEST_CASE("a fleet of processors predicts, and a resumed one predicts for the same GPU") {
  if (is_nightly()) return;
  const Scratch scratch;
  scratch.write("fleet.lua", "return fleet { node { name = 'a', devices = { 'cpu' }, count = 2 } }");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--fleet", scratch.path("fleet.lua"), "--db", scratch.db(), "--kernels", kFolder});
    return run_harness(words);
  };
  const Finished first = run({"transpose", "--workload", "r100_c70", "--budget", "40s", "--for", "A100"});
  INFO(first.err);
  CHECK(first.status == 0);
  CHECK_THAT(first.out, Catch::Contains("predicted for A100 by counting, not measured"));
  const Finished again = run({"--resume", "1", "--budget", "20s"});
  INFO(again.err);
  CHECK_THAT(again.err + again.out, Catch::Contains("A100"));
  const Finished emulated = run({"transpose", "--workload", "r100_c70", "--budget", "20s", "--emulated"});
  CHECK_THAT(emulated.err + emulated.out, Catch::Contains("EMULATION"));
  const Finished rows =
      run_harness({"query", "SELECT campaign, device, count(time_ns) AS n FROM v_iterations GROUP BY campaign",
                   "--format", "json", "--db", scratch.db()});
  const json found = json::parse(rows.out);
  REQUIRE(found.size() == 2);
  CHECK(found[0].at("device") == "cpu:A100");
  CHECK(found[1].at("device") == "cpu");
  for (const json& row : found) CHECK(row.at("n") > 0);
}
