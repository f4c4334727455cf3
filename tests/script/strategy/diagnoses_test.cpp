#include "harness/script/strategy/diagnoses.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/script/strategy/library.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

Profile profile_of(const std::vector<ProfileNumber>& numbers) {
  Profile profile;
  profile.numbers = numbers;
  return profile;
}

std::string rule_of(const std::vector<ProfileNumber>& numbers) {
  const auto said = script::LuaDiagnoses({kShipped}).diagnose(profile_of(numbers));
  return said ? said->rule : "";
}

std::string rule_text(const std::string& when, const std::string& more = "") {
  return "return diagnosis { name = 'one', summary = 's', source = 'b', counters = { 'spill_bytes' }, " + more +
         "\nwhen = function(profile, options) " + when +
         " end,\napplies_in = { spill_bytes = 9 }, silent_in = { spill_bytes = 0 } }";
}

/// A strategy folder with one rule.
struct Rule {
  explicit Rule(const std::string& text) { folder.write("diagnoses/one.lua", text); }
  std::string refusal() const {
    try {
      script::Library({folder.path()}, {.seconds = 2}).check("diagnoses/one");
    } catch (const Error& error) {
      return error.what();
    }
    return "fine";
  }
  Folder folder;
};

const std::string kSpeaks = "if profile.spill_bytes > 0 then return 0.5, 'it spills' end";

}  // namespace

TEST_CASE("every shipped diagnosis speaks in its example and is silent in the other, and its page is there") {
  script::Library library({kShipped});
  std::set<std::string> names;
  for (const DiagnosisRule& rule : script::LuaDiagnoses({kShipped}).rules()) {
    INFO(rule.file);
    REQUIRE(rule.error == "");
    CHECK(library.check("diagnoses/" + rule.name).at("kind") == "diagnosis");
    CHECK(rule.source.size() > 20);
    CHECK(std::filesystem::exists(kShipped.parent_path() / "playbook" / (rule.page + ".md")));
    names.insert(rule.name);
  }
  CHECK(names == std::set<std::string>{"at-the-floor", "bank-conflicts", "barrier-waits", "contended-atomics",
                                       "divergence", "few-blocks", "issue-bound", "latency-bound", "launch-bound",
                                       "memory-bound", "rereads", "shared-bound", "spills", "tail", "tensor-bound",
                                       "uncoalesced"});
}

TEST_CASE("transposes are told apart by the same numbers, counted or read from a GPU") {
  const double lines = 32768;  // warps of 1024 x 1024 floats
  const std::vector<ProfileNumber> naive{{"global_load_sectors", 4 * lines},
                                         {"global_store_sectors", 32 * lines},
                                         {"global_load_requests", lines},
                                         {"global_store_requests", lines},
                                         {"shared_wavefronts", 0},
                                         {"shared_conflicts", 0},
                                         {"predicted_ns", 9000}};
  std::vector<ProfileNumber> counted = naive;
  counted.push_back({"least_sectors", 8 * lines});
  CHECK(rule_of(naive) == "uncoalesced");
  CHECK(rule_of(counted) == "uncoalesced");
  CHECK(rule_of({{"global_load_sectors", 4 * lines},
                 {"global_store_sectors", 4 * lines},
                 {"shared_wavefronts", 33 * lines},
                 {"shared_conflicts", 31 * lines},
                 {"predicted_ns", 8000}}) == "bank-conflicts");
  CHECK(rule_of({{"global_load_sectors", 4 * lines},
                 {"global_store_sectors", 4 * lines},
                 {"shared_wavefronts", 2 * lines},
                 {"shared_conflicts", 0},
                 {"floor_ns", 3600},
                 {"timed_ns", 4000}}) == "at-the-floor");
}

TEST_CASE("the cause is named before the unit that it keeps busy") {
  CHECK(rule_of({{"dram_share", 0.75}, {"issue_share", 0.2}, {"dram_bytes", 1e8}, {"least_bytes", 1e8}}) ==
        "memory-bound");
  CHECK(rule_of({{"dram_share", 0.1}, {"issue_share", 0.1}, {"blocks", 2}, {"multiprocessors", 132}}) == "few-blocks");
  CHECK(rule_of({{"dram_share", 0.1}, {"issue_share", 0.4}, {"tensor_share", 0.8}}) == "tensor-bound");
  CHECK(
      rule_of(
          {{"predicted_latency_ns", 3000}, {"predicted_ns", 4000}, {"barriers", 4096}, {"barrier_wait_share", 0.7}}) ==
      "barrier-waits");
  CHECK(rule_of({{"predicted_latency_ns", 1900},
                 {"predicted_atomics_ns", 2100},
                 {"predicted_ns", 3400},
                 {"atomics", 69120},
                 {"atomic_contention", 32}}) == "contended-atomics");
  CHECK(rule_of({{"dram_share", 0.1}, {"issue_share", 0.3}, {"stall_long_scoreboard", 12}}) == "latency-bound");
}

TEST_CASE("a rule may name the page that answers what it saw") {
  const auto page = [](const std::vector<ProfileNumber>& numbers) {
    return script::LuaDiagnoses({kShipped}).diagnose_all(profile_of(numbers)).front().diagnosis.page;
  };
  CHECK(page({{"dram_share", 0.75}, {"dram_bytes", 1e8}, {"least_bytes", 1e8}}) == "115-vector-loads");
  CHECK(page({{"dram_share", 0.75}, {"dram_bytes", 3e8}, {"least_bytes", 1e8}}) == "123-load-once");
  // Row by row through a loop: the words are read again. A flat index that is divided: most instructions are around no
  // load.
  std::vector<ProfileNumber> rows{
      {"predicted_issue_ns", 18500},    {"predicted_ns", 39500},          {"instructions", 1.875e7},
      {"instructions_integer", 7.1e6},  {"instructions_control", 2.7e6},  {"instructions_memory", 1.1e6},
      {"global_load_requests", 786000}, {"global_load_sectors", 3.146e6}, {"l1_hit_share", 0.67}};
  CHECK(page(rows) == "123-load-once");
  rows.back().value = 0.1;
  CHECK(page(rows) == "115-vector-loads");
  rows[5].value = 2e5;
  CHECK(page(rows) == "124-fewer-instructions");
  CHECK(page({{"predicted_latency_ns", 8000},
              {"predicted_ns", 9000},
              {"shared_wavefronts", 0},
              {"global_load_requests", 100}}) == "127-loads-in-flight");
  CHECK(page({{"predicted_latency_ns", 8000},
              {"predicted_ns", 9000},
              {"shared_wavefronts", 900},
              {"global_load_requests", 100}}) == "105-async-copy-pipeline");
  CHECK(page({{"shared_conflicts", 3.8e6}, {"shared_wavefronts", 6.3e6}}) == "118-shared-memory-banks");
  CHECK(page({{"shared_conflicts", 3.8e6},
              {"shared_wavefronts", 6.3e6},
              {"atomics", 4.2e6},
              {"shared_requests", 2.4e6}}) == "122-atomics");
  CHECK_THAT(Rule(rule_text("return 0.5, 'it spills', 7")).refusal(),
             Catch::Contains("returned a number for its page"));
}

TEST_CASE("a profile that knows nothing has no diagnosis") {
  CHECK(rule_of({}) == "");
}

TEST_CASE("a rule that is wrong is refused with its line") {
  CHECK(Rule(rule_text(kSpeaks)).refusal() == "fine");
  CHECK(Rule(rule_text("return 1, 'always'")).refusal().find("speaks in its example silent_in") != std::string::npos);
  CHECK(Rule(rule_text("return nil")).refusal().find("is silent in its example applies_in") != std::string::npos);
  CHECK(Rule(rule_text("return 2, 'x'")).refusal().find("severity 2; it is above 0 and at most 1") !=
        std::string::npos);
  CHECK(Rule(rule_text("if profile.spill_bytes > 0 then return 0.5 end")).refusal().find("nil for its text") !=
        std::string::npos);
  CHECK(Rule(rule_text("if profile.registers then return 1, 'x' end")).refusal().find("reads 'registers'") !=
        std::string::npos);
  CHECK(Rule(rule_text(kSpeaks, "also = { 'spil_bytes' },")).refusal().find("did you mean 'spill_bytes'?") !=
        std::string::npos);
  CHECK(Rule(rule_text("while true do end")).refusal() != "fine");
}
