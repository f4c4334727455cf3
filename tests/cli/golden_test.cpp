#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

// Set HARNESS_APPROVE=1 to write what the program prints now into tests/golden/, and read the difference in git.
void check_golden(const std::string& name, const std::string& printed) {
  const std::string path = std::string(HARNESS_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("HARNESS_APPROVE") != nullptr) std::ofstream(path) << printed;
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  CHECK(printed == golden.str());
}

}  // namespace

TEST_CASE("what --help and the lists print is approved") {
  check_golden("help.txt", run_harness({"--help"}).out);
  check_golden("help_run.txt", run_harness({"run", "--help"}).out);
  check_golden("help_replay.txt", run_harness({"replay", "--help"}).out);
  check_golden("kernels.txt", run_harness({"kernels"}).out);
  check_golden("variants_attention.txt", run_harness({"variants", "attention"}).out);
  check_golden("strategies.txt", run_harness({"strategies"}).out);
}

TEST_CASE("refusals are approved sentences") {
  std::string all;
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"rnu"},
           {"run", "atention", "--device", "cpu"},
           {"run", "softmax", "--budget", "soon"},
           {"run", "softmax", "--goal", "fast"},
           {"variants", "sofmax"},
           {"show", "x"},
           {"query", "DROP TABLE iteration", "--db", "absent.db"},
           {"eval", "softmax", "00_naive", "-p", "BLOK=64", "--device", "cpu", "--no-record"}}) {
    const Finished finished = run_harness(arguments);
    all += "harness";
    for (const std::string& argument : arguments) all += " " + argument;
    all += "\n  exit " + std::to_string(finished.status) + "\n  " + finished.err;
  }
  check_golden("refusals.txt", all);
}
