#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/hash.h"
#include "harness/core/json.h"
#include "tests/support/program.h"

// Stores, texts and manifests of strangers, as a person meets them.
using namespace harness;
using namespace harness::tests;

namespace {

constexpr const char* kEvil =
    "\x1b]0;owned\x07\x1b[2J\xc2\x9b"
    "31m\xe2\x80\xae";

/// Whether a terminal would obey a part of it.
bool steers(const std::string& text) {
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
  });
  return control || text.find("\xc2\x9b") != std::string::npos || text.find("\xe2\x80\xae") != std::string::npos;
}

/// The smallest iteration that imports, of the older form.
json an_iteration(int attempt, const std::string& outcome) {
  json row = {{"type", "iteration"},
              {"attempt", attempt},
              {"ended_unix", 1.0},
              {"outcome", outcome},
              {"confirmed", outcome == "passed"},
              {"emulation", true},
              {"fingerprint", ""},
              {"binary_hash", ""},
              {"compiler", kEvil},
              {"from_cache", false},
              {"seeds", json::array()},
              {"errors", json::array()},
              {"samples", json::object()},
              {"method", kEvil}};
  for (const char* key :
       {"time_ns",      "time_lo_ns", "time_hi_ns",   "cold_ns",      "warm_ns",     "baseline_ns",      "speedup",
        "speedup_lo",   "speedup_hi", "incumbent_ns", "floor_ns",     "verdict",     "calls_per_sample", "input_sets",
        "threshold_ns", "stopped_ns", "registers",    "shared_bytes", "spill_bytes", "local_bytes",      "source_key",
        "log_key",      "same_as",    "edited",       "error"})
    row[key] = nullptr;
  if (outcome == "passed") row["time_ns"] = 10.0;
  else
    row["error"] = {
        {"stage", kEvil}, {"class", kEvil}, {"message", std::string("two\nlines ") + kEvil}, {"first_bad", nullptr}};
  row["gates"] = json::array({{{"name", kEvil}, {"passed", true}, {"checked", true}, {"detail", kEvil}}});
  row["cost"] = {{"decide_s", 0.0}, {"prepare_s", 0.0}, {"build_s", 0.0}, {"gates_s", 0.0},
                 {"timing_s", 0.0}, {"idle_s", 0.0},    {"wall_s", 1.0},  {"usd", nullptr}};
  return row;
}

std::string an_evil_text() {
  const std::string source = std::string("// ") + kEvil + "\n", log = std::string("warning: ") + kEvil;
  std::string text = "{\"harness_export\":1,\"schema\":5}\n";
  const auto add = [&text](const json& row) { text += json_text(row) + "\n"; };
  add({{"type", "source"}, {"hash", sha256_hex(source)}, {"text", source}});
  add({{"type", "build_log"}, {"hash", sha256_hex(log)}, {"text", log}});
  add({{"type", "campaign"},
       {"uuid", "u"},
       {"name", kEvil},
       {"device", "cpu"},
       {"device_name", kEvil},
       {"strategy", "s"},
       {"strategy_hash", ""},
       {"search", ""},
       {"seed", 1},
       {"budget_s", nullptr},
       {"max_cost_usd", nullptr},
       {"usd_per_hour", nullptr},
       {"kernels", json::array({kEvil})},
       {"options", json::object()},
       {"environment", json::object()},
       {"started_unix", 1.0},
       {"ended_unix", 2.0},
       {"reason", "budget"},
       {"spent_s", 1.0},
       {"cost_usd", nullptr}});
  add({{"type", "decision"},
       {"action", "try"},
       {"kernel", kEvil},
       {"workload", kEvil},
       {"technique", kEvil},
       {"from_kernel", nullptr},
       {"from_workload", nullptr},
       {"from_technique", nullptr},
       {"why", kEvil},
       {"rule", kEvil},
       {"reason", nullptr},
       {"predict_speedup_lo", 1.0},
       {"predict_speedup_hi", 1.0},
       {"predict_evaluations", 1},
       {"numbers", json::array({{{"technique", kEvil}, {kEvil, 1}}})},
       {"script", kEvil},
       {"script_hash", ""},
       {"now_unix", 1},
       {"decide_s", 0.0}});
  for (int number = 1; number <= 2; ++number) {
    add({{"type", "attempt"},
         {"decision", 1},
         {"kernel", kEvil},
         {"variant", kEvil},
         {"technique", kEvil},
         {"config", {{kEvil, number}}},
         {"contract_hash", "c"},
         {"source_hash", "s"},
         {"workload", kEvil},
         {"ask", number},
         {"purpose", "search"},
         {"begun_unix", 1.0}});
    json row = an_iteration(number, number == 1 ? "passed" : "compile_error");
    if (number == 1) row["source_key"] = sha256_hex(source);
    row["log_key"] = sha256_hex(log);
    add(row);
  }
  return text;
}

}  // namespace

TEST_CASE("nothing of a record can steer a terminal") {
  const Scratch scratch;
  scratch.write("evil.jsonl", an_evil_text());
  const Finished taken = run_harness({"import", scratch.path("evil.jsonl"), "--as-evidence", "--db", scratch.db()});
  INFO(taken.err);
  REQUIRE(taken.status == 0);
  CHECK(taken.err.find("older form") != std::string::npos);
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"history"},
           {"history", "--json"},
           {"best"},
           {"best", "--json"},
           {"show", "1", "--source"},
           {"show", "1", "--json"},
           {"show", "2"},
           {"show", "--decision", "1"},
           {"diff", "1", "2"},
           {"diff", "1", "2", "--json"},
           {"cost"},
           {"cost", "--by", "campaign"},
           {"campaigns", "--wide"},
           {"compare", "1", "1"},
           {"report", "1"},
           {"query", "SELECT * FROM v_iterations"},
           {"query", "SELECT text FROM source", "--format", "csv"},
           {"query", "SELECT text FROM source", "--format", "markdown"},
           {"query", "SELECT text FROM source", "--format", "json"},
           {"query", "SELECT text AS \"\x1b[2J\" FROM source"},
           {"query", "SELECT \x1b[2J"},
           {"show", "99"},
           {"best", kEvil},
           {"export", "-"},
       }) {
    words.insert(words.end(), {"--db", scratch.db()});
    const Finished finished = run_harness(words);
    INFO(words[0] << " " << words[1] << "\n" << finished.out << finished.err);
    CHECK_FALSE(steers(finished.out));
    CHECK_FALSE(steers(finished.err));
    if (finished.status == 0)
      CHECK((finished.out.find("\\x1b") != std::string::npos || finished.out.find("\\u001b") != std::string::npos));
  }
  // Exact for programs.
  const Finished exact = run_harness({"query", "SELECT text FROM source", "--format", "json", "--db", scratch.db()});
  CHECK(parse_json(exact.out)[0]["text"] == std::string("// ") + kEvil + "\n");
}

TEST_CASE("an error that quotes a manifest cannot steer a terminal") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path("kernels/evil/variants"));
  scratch.write("kernels/evil/kernel.lua", "error('" + std::string("\\27]0;owned\\7 \xe2\x80\xae") + "')");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"kernels"},
                                             {"variants", "evil"},
                                             {"check", "evil"},
                                             {"eval", "evil", "\x1b[2J", "--device", "cpu", "--no-record"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--kernels", scratch.path("kernels")});
    const Finished finished = run_harness(all);
    INFO(finished.out << finished.err);
    CHECK_FALSE(steers(finished.out));
    CHECK_FALSE(steers(finished.err));
    CHECK((finished.out + finished.err).find("\\x1b]0;owned") != std::string::npos);
  }
}

TEST_CASE("what was imported is marked, and is no best until it is asked to count") {
  const Scratch scratch;
  scratch.write("evil.jsonl", an_evil_text());
  CHECK(run_harness({"import", scratch.path("evil.jsonl"), "--db", scratch.db()}).err.find("no evidence") !=
        std::string::npos);
  CHECK(run_harness({"history", "--db", scratch.db()}).out.find("1 imported") != std::string::npos);
  CHECK(run_harness({"show", "1", "--db", scratch.db()}).out.find("imported") != std::string::npos);
  CHECK(run_harness({"best", "--db", scratch.db()}).out.find("--as-evidence") != std::string::npos);
  CHECK(parse_json(run_harness({"best", "--json", "--db", scratch.db()}).out).empty());
  CHECK(
      run_harness({"import", "--as-evidence", scratch.path("evil.jsonl"), "--db", scratch.db()}).err.find("1 counts") !=
      std::string::npos);
  CHECK(parse_json(run_harness({"best", "--json", "--db", scratch.db()}).out).size() == 1);
}

TEST_CASE("an export that was cut, and a foreign file, are refused in a sentence") {
  const Scratch scratch;
  scratch.write("evil.jsonl", an_evil_text());
  REQUIRE(run_harness({"import", scratch.path("evil.jsonl"), "--db", scratch.db()}).status == 0);
  REQUIRE(run_harness({"export", scratch.path("x.jsonl"), "--db", scratch.db()}).status == 0);
  std::ifstream in(scratch.path("x.jsonl"));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.resize(text.rfind('\n', text.size() - 2) + 1);
  scratch.write("cut.jsonl", text);
  for (const char* command : {"import", "replay"}) {
    std::vector<std::string> words{command, scratch.path("cut.jsonl"), "--db", scratch.path("other.db")};
    if (std::string(command) == "replay") words = {command, scratch.path("cut.jsonl"), "--strategy", "roi"};
    const Finished cut = run_harness(words);
    INFO(cut.err);
    CHECK(cut.status == 2);
    CHECK(cut.err.find("cut off") != std::string::npos);
  }
  CHECK(run_harness({"simulate", scratch.path("cut.jsonl"), "--search", "random"}).err.find("cut off") !=
        std::string::npos);
}
