#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// Faulty kernels through the real workers of the cpu device, as a person sees them: typed outcomes, and life goes on.
using namespace harness;
using namespace harness::tests;

namespace {

json eval_fixture(const std::string& kernel, const std::string& variant) {
  static const Scratch scratch;  // one store for all, so that the kernels' gates are tried once
  const Finished finished =
      run_harness({"eval", kernel, variant, "--device", "cpu", "--emulated", "--db", scratch.db(), "--json",
                   "--kernels", std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/" + kernel});
  INFO(finished.err);
  REQUIRE(finished.lines().size() == 1);
  CHECK(finished.status == (finished.lines()[0]["outcome"] == "passed" ? 0 : 1));
  return finished.lines()[0];
}

json eval_faulty(const std::string& variant) {
  return eval_fixture("faulty", variant);
}

std::string failed_gate(const json& iteration) {
  for (const json& gate : iteration["gates"])
    if (gate["passed"] == false) return gate["name"];
  return "";
}

}  // namespace

TEST_CASE("an honest variant passes every gate twice, and its time is marked as emulation") {
  const json iteration = eval_faulty("00_good");
  CHECK(iteration["outcome"] == "passed");
  CHECK(iteration["time_ns"] > 0);
  CHECK(iteration["floor_ns"].is_null());
  CHECK(iteration["emulation"] == true);
  std::vector<std::string> names;
  for (const json& gate : iteration["gates"]) names.push_back(gate["name"]);
  for (const char* name : {"compile", "arguments", "resources", "guard-zones", "inputs-unchanged", "finite", "written",
                           "relative-l2:y", "relative-l2:y after timing"})
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  CHECK(iteration["seeds"].size() >= 2);
  CHECK(iteration["seeds"][0] != iteration["seeds"][1]);
  CHECK(iteration["hashes"]["binary"].get<std::string>().size() == 64);
}

TEST_CASE("a kernel that does not compile shows its own file and line") {
  const json iteration = eval_faulty("20_no_compile");
  CHECK(iteration["outcome"] == "compile_error");
  CHECK(iteration["error"]["message"].get<std::string>().find("undeclared_thing") != std::string::npos);
  CHECK(iteration["log"].get<std::string>().find("20_no_compile.cu:4") != std::string::npos);
}

TEST_CASE("each way of going wrong has its outcome") {
  const auto [variant, outcome, kind] = GENERATE(table<std::string, std::string, std::string>({
      {"10_trap", "crashed", "trap"},
      {"12_divide", "crashed", "trap"},
      {"14_wild", "crashed", "illegal_access"},
      {"19_deadlock", "crashed", "barrier_deadlock"},
      {"17_changes_inputs", "crashed", "illegal_access"},  // which nobody may write to
      {"22_takes_a_shell", "compile_error", "compile_error"},
      {"24_wrong_grid", "launch_error", ""},
      {"23_wrong_arguments", "rejected", ""},
  }));
  INFO(variant);
  const json iteration = eval_faulty(variant);
  CHECK(iteration["outcome"] == outcome);
  if (!kind.empty()) CHECK(iteration["error"]["class"] == kind);
  CHECK_FALSE(iteration["error"]["message"].get<std::string>().empty());
  struct stat status {};
  CHECK(stat("/tmp/harness-was-here", &status) != 0);
}

TEST_CASE("each wrong answer is caught by its gate") {
  const auto [variant, gate] = GENERATE(table<std::string, std::string>({
      {"13_past_the_end", "guard-zones"},
      {"15_zeros", "relative-l2:y"},
      {"16_half_written", "written"},
      {"18_nan", "finite"},
  }));
  INFO(variant);
  const json iteration = eval_faulty(variant);
  CHECK(iteration["outcome"] == "wrong_answer");
  CHECK(failed_gate(iteration) == gate);
}

TEST_CASE("a kernel that hangs costs its deadline") {
  const json iteration = eval_faulty("11_hang");
  CHECK(iteration["outcome"] == "timed_out");
}

TEST_CASE("a kernel that takes all the memory it can is stopped") {
  if (is_nightly()) return;
  const json iteration = eval_faulty("21_exhausts_memory");
  const std::string outcome = iteration["outcome"];
  CHECK((outcome == "crashed" || outcome == "out_of_memory" || outcome == "timed_out"));
}

TEST_CASE("a campaign over faulty variants goes on to the end and keeps the honest one") {
  const Scratch scratch;
  const Finished finished =
      run_harness({"run", "faulty", "--device", "cpu", "--emulated", "--budget", "60s", "--strategy", "exhaustive",
                   "--db", scratch.db(), "--variant", "00_good,10_trap,14_wild,15_zeros,20_no_compile", "--json",
                   "--kernels", std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/faulty"});
  INFO(finished.err);
  const json last = finished.lines().back();
  CHECK(last["event"] == "campaign_finished");
  CHECK(last["reason"] == "exhausted");
  CHECK(last["outcomes"]["crashed"] == 4);
  CHECK(last["outcomes"]["wrong_answer"] == 2);
  CHECK(last["outcomes"]["compile_error"] == 2);
  REQUIRE(last["best"].size() == 1);
  CHECK(last["best"][0]["variant"] == "00_good");
  CHECK(finished.status == 0);
}

namespace {

// A one-dimensional f4 array, format version 1: magic, header padded to 64 bytes, values.
std::string npy(const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

Finished eval_golden(const std::vector<float>& outputs) {
  const Scratch scratch;
  const std::string fixture = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/faulty/faulty/";
  const auto copy = [&](const std::string& from, const std::string& to, const std::string& replaced = "",
                        const std::string& by = "") {
    std::ifstream file(fixture + from);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (std::size_t at = 0; !replaced.empty() && (at = text.find(replaced, at)) != std::string::npos; at += by.size())
      text.replace(at, replaced.size(), by);
    scratch.write("faulty/" + to, text);
  };
  copy("kernel.lua", "kernel.lua", "n = 1000", "n = 4");
  std::ifstream manifest(scratch.path("faulty/kernel.lua"));
  std::string text((std::istreambuf_iterator<char>(manifest)), std::istreambuf_iterator<char>());
  const std::string sizes = "sizes = { \"n\" },";
  text.replace(text.find(sizes), sizes.size(), sizes + " golden = { \"golden\" },");
  scratch.write("faulty/kernel.lua", text);
  copy("reference.cu", "reference.cu");
  copy("variants/00_good.lua", "variants/00_good.lua");
  copy("variants/00_good.cu", "variants/00_good.cu");
  scratch.write("faulty/golden/x.npy", npy({1, 2, 3, 4}));
  scratch.write("faulty/golden/y.npy", npy(outputs));
  std::filesystem::create_directories(scratch.path("only"));
  std::filesystem::rename(scratch.path("faulty"), scratch.path("only/faulty"));
  return run_harness({"eval", "faulty", "00_good", "--device", "cpu", "--emulated", "--no-record", "--json",
                      "--kernels", scratch.path("only")});
}

}  // namespace

TEST_CASE("a reference is tested against golden arrays where a kernel has them") {
  const Finished good = eval_golden({2, 4, 6, 8});
  INFO(good.err);
  CHECK(good.status == 0);
  const Finished wrong = eval_golden({2, 4, 6, 9});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("golden") != std::string::npos);
}

TEST_CASE("of two launches the one that is wrong is named, each tried on right inputs") {
  const auto [variant, parts, rest] = GENERATE(table<std::string, bool, bool>({
      {"10_wrong_first", false, true},
      {"20_wrong_second", true, false},
  }));
  INFO(variant);
  const json iteration = eval_fixture("staged", variant);
  CHECK(iteration["outcome"] == "wrong_answer");
  std::map<std::string, bool> stages;
  for (const json& gate : iteration["gates"])
    if (gate["name"].get<std::string>().starts_with("stage:")) stages[gate["name"]] = gate["passed"];
  CHECK(stages == std::map<std::string, bool>{{"stage:parts", parts}, {"stage:the rest", rest}});
  const std::string message = iteration["error"]["message"];
  CHECK(message.find(parts ? "parts right" : "parts wrong (partial ") != std::string::npos);
  CHECK(message.find(rest ? "the rest right" : "the rest wrong (relative-l2:sum") != std::string::npos);
}

TEST_CASE("check tries the stages of variants that pass, and refuses a plain launch that is wrong") {
  const Finished finished =
      run_harness({"check", "staged", "--device", "cpu", "--json", "--db", ":memory:", "--kernels",
                   std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/staged"});
  REQUIRE(finished.lines().size() == 1);
  const json problems = finished.lines()[0]["problems"];
  CHECK(finished.status == 1);
  bool plain = false;
  for (const std::string problem : problems) {
    CHECK(problem.find("00_right") == std::string::npos);
    plain = plain ||
            (problem.starts_with("30_wrong_plain on m7n300 passes, and its stage:parts alone does not: partial ") &&
             problem.find("mend the launch") != std::string::npos);
  }
  CHECK(plain);
}
