#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/device/cuda/compile/compiler.h"
#include "harness/device/cuda/peaks/peaks.h"
#include "harness/device/cuda/run/foreign_processes.h"
#include "harness/device/cuda/run/refresh_source.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

using namespace harness;
using namespace harness::cuda;

namespace {

Artifact compiled_for(const Scratch& scratch, const std::string& architecture, const std::string& source,
                      const std::vector<std::string>& entries) {
  BuildResult result = NvrtcCompiler(scratch.path("cache"), architecture, "").build({"own.cu", source, entries});
  if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(architecture << ": " << failure->log);
  return std::get<Artifact>(result);
}

}  // namespace

TEST_CASE("the kernels that measure peaks compile for old and new GPUs, without spills") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  Scratch scratch;
  const auto& known = nvrtc_library().api->architectures;
  std::size_t index = 0;
  for (const std::string architecture : {"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a"}) {
    if (!harness::tests::in_slice(index++, 3)) continue;
    const int capability = compute_capability(architecture);
    if (std::find(known.begin(), known.end(), capability) == known.end()) continue;
    CAPTURE(architecture);
    const PeakSource source = peak_source(capability, architecture);
    CHECK(source.tensor.size() == (capability >= 89 ? 3u : capability >= 80 ? 2u : 0u));
    std::vector<BuildSpec> builds{source.memory_and_arithmetic};
    for (const auto& kernel : source.tensor) builds.push_back(kernel.build);
    for (const BuildSpec& build : builds) {
      const Artifact artifact = compiled_for(scratch, architecture, build.source, build.entries);
      CHECK_THAT(artifact.log, !Catch::Contains("serialized"));
      CHECK(artifact.globals.empty());
      for (const EntryResources& entry : artifact.entries) {
        CAPTURE(entry.entry, entry.registers, entry.static_shared_bytes);
        CHECK(entry.spill_bytes == 0);
        CHECK(entry.max_threads >= 256);
      }
    }
  }
}

TEST_CASE("the kernels that refresh input sets compile and use no local memory") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  Scratch scratch;
  const Artifact artifact = compiled_for(scratch, "sm_90a", refresh_source(), kRefreshEntries);
  const std::vector<std::int64_t> words = {8, 88, 8, 8};
  CHECK(artifact.entries[0].parameter_bytes == std::vector<std::int64_t>{8, 8, 88, 8, 8});
  CHECK(artifact.entries[1].parameter_bytes == words);
  CHECK(artifact.entries[2].parameter_bytes == words);
  CHECK(artifact.entries[3].parameter_bytes == std::vector<std::int64_t>{8, 88, 8, 8, 8, 8});
  CHECK(artifact.globals.empty());
  for (const EntryResources& entry : artifact.entries) CHECK(entry.spill_bytes == 0);
}

TEST_CASE("what a builder compiled for a session or a judge is found by them") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  Scratch scratch;
  const BuildResult built = NvrtcCompiler(scratch.path("cache"), "sm_90a", "/a/toolkit").build(refresh_build());
  REQUIRE(std::holds_alternative<Artifact>(built));
  const BuildResult found = NvrtcCompiler(scratch.path("cache"), "sm_90a", "").build(refresh_build());
  CHECK(std::get<Artifact>(found).from_cache);
}

TEST_CASE("processes that are not ours are counted, by their ids where these mean something") {
  std::optional<std::vector<unsigned int>> seen = std::vector<unsigned int>{7, 8};
  const auto is_ours = [](unsigned int id) { return id == 7 || id == 8; };
  ForeignProcesses by_id([&] { return seen; }, is_ours, 7);
  by_id.sample();
  CHECK(by_id.most() == 0);
  seen = std::vector<unsigned int>{7, 8, 30, 31};
  by_id.sample();
  seen = std::vector<unsigned int>{7};
  by_id.sample();
  CHECK(by_id.most() == 2);
  seen = std::nullopt;
  by_id.sample();
  CHECK(by_id.most() == 2);

  seen = std::vector<unsigned int>{0, 0};  // of another namespace
  ForeignProcesses by_count([&] { return seen; }, is_ours, 7);
  by_count.sample();
  CHECK(by_count.most() == 0);
  seen = std::vector<unsigned int>{0, 0, 0};
  by_count.sample();
  seen = std::vector<unsigned int>{};
  by_count.sample();
  CHECK(by_count.most() == 1);
}

TEST_CASE("this process and its parent are of our family, the first of the machine is not") {
  CHECK(is_of_our_family(static_cast<unsigned int>(getpid())));
  if (getppid() > 1) CHECK(is_of_our_family(static_cast<unsigned int>(getppid())));
  CHECK_FALSE(is_of_our_family(1));
  CHECK_FALSE(is_of_our_family(0));
}
