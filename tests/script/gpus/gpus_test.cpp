#include "harness/script/gpus/gpus.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "harness/core/error.h"
#include "harness/core/json.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::script;
using Catch::Contains;

namespace {

const std::filesystem::path kShippedGpus = HARNESS_SOURCE_DIR "/gpus";

std::string shipped_gpu(const std::string& name) {
  std::ifstream file(kShippedGpus / name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string gpu_complaint(const std::string& from, const std::string& to) {
  try {
    gpu_from(std::regex_replace(shipped_gpu("h200.lua"), std::regex(from), to), "gpus/mine.lua");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the GPUs that come with harness are read in the order of their ranks") {
  const std::vector<GpuFacts> gpus = read_gpus({kShippedGpus});
  REQUIRE(gpus.size() == 4);
  CHECK(gpus[0].name == "H200");
  CHECK(gpus[0].architecture == "sm_90a");
  CHECK(gpus[0].bytes_per_s == 4.2e12);
  CHECK(gpus[0].l2_bytes == 50ll << 20);
  CHECK(gpus[0].registers == 65536);
  CHECK(gpus[1].name == "H100");
  CHECK(gpus[2].cluster_bytes_per_s == 0);
  CHECK(gpus[3].name == "RTX4090");
}

TEST_CASE("a file with a mistake gets one sentence with file and line") {
  CHECK_THAT(gpu_complaint("clock_hz = 1.98e9", "clock_hz = -1"), Contains("gpus/mine.lua:9: clock_hz is no number"));
  CHECK_THAT(gpu_complaint("warps = 64", "warps = 64.5"), Contains(": warps is no whole number above 0"));
  CHECK_THAT(gpu_complaint("architecture = \"sm_90a\"", "architecture = 90"), Contains(":5: architecture is no text"));
  CHECK_THAT(gpu_complaint("l1_ns = 20,", ""), Contains(":2: l1_ns is missing"));
  CHECK_THAT(gpu_complaint("l1_ns", "l1_nanoseconds"), Contains("a GPU has no field 'l1_nanoseconds'"));
  CHECK_THAT(gpu_complaint("return gpu", "local _ ="), Contains("gpus/mine.lua:1: the file returns nothing"));
  CHECK_THAT(gpu_complaint("64 . 1024", "nothing.at.all"), Contains("gpus/mine.lua:"));
  CHECK(gpu_complaint("450", "451").empty());
}

TEST_CASE("a GPU of one's own is listed, and a file takes the place of one of its name that came with harness") {
  const tests::Scratch scratch;
  std::filesystem::create_directories(scratch.path("gpus"));
  scratch.write("gpus/l40s.lua", std::regex_replace(shipped_gpu("rtx4090.lua"), std::regex("\"RTX4090\""), "\"L40S\""));
  scratch.write("gpus/h200.lua", std::regex_replace(shipped_gpu("h200.lua"), std::regex("4.2e12"), "4.5e12"));
  const std::vector<GpuFacts> gpus = read_gpus({scratch.path("gpus"), scratch.path("none"), kShippedGpus});
  REQUIRE(gpus.size() == 5);
  CHECK(gpus[0].bytes_per_s == 4.5e12);
  CHECK(gpus[3].name == "L40S");
  scratch.write("gpus/again.lua", shipped_gpu("a100.lua"));
  CHECK_THROWS_WITH(read_gpus({scratch.path("gpus"), kShippedGpus}), Contains("has the name 'A100', too"));
}

TEST_CASE("no call that was recorded on an H200 was faster than the limit of a call") {
  const std::vector<GpuFacts> gpus = read_gpus({kShippedGpus});
  std::size_t calls = 0;
  for (const char* record : {"from_nothing.jsonl", "agent_histogram256.jsonl", "agent_silu_and_mul_kernel.jsonl"}) {
    std::ifstream lines(std::string(HARNESS_SOURCE_DIR "/bench/h200/") + record);
    REQUIRE(lines);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("\"floor_ns\":") == std::string::npos) continue;
      const json row = json::parse(line);
      if (row.value("type", "") != "iteration" || row.at("outcome") != "passed" || row.at("emulation") == true)
        continue;
      if (!row.at("floor_ns").is_number()) continue;
      const double least_ns = row.at("floor_ns").get<double>() + gpus[0].launch_ns + gpus[0].memory_ns;
      CHECK(row.at("time_ns").get<double>() > least_ns);
      ++calls;
    }
  }
  CHECK(calls > 500);
}
