#include "harness/device/cuda/memory/sanitizer_log.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::cuda;

namespace {

const std::vector<PlacedBuffer> kBuffers = {{"x", 0x7f0000000000, 512, 4}, {"z", 0x7f0000000200, 512, 4}};

constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
the program's own words
========= Invalid __global__ write of size 4 bytes
=========     at add(const float *, const float *, float *, int)+0x120 in k.cu:5
=========     by thread (0,0,0) in block (1,0,0)
=========     Access at 0x7f0000000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000000200 of size 512 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernelEx [0x123] in libcuda.so.1
=========
========= Invalid __global__ write of size 4 bytes
=========     at add(const float *, const float *, float *, int)+0x120 in k.cu:5
=========     by thread (1,0,0) in block (1,0,0)
=========     Access at 0x7f0000000404 is out of bounds
=========
========= Invalid __global__ read of size 16 bytes
=========     at add(const float *, const float *, float *, int)+0x40 in k.cu:4
=========     by thread (2,0,0) in block (0,0,0)
=========     Access at 0x7f0000000008 is misaligned
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame: cuStreamSynchronize [0x456] in libcuda.so.1
=========
========= Target application returned an error
========= ERROR SUMMARY: 4 errors
)";

constexpr const char* kRacecheck = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at racy(float *)+0x40 in k.cu:12
=========     and Read access at racy(float *)+0x90 in k.cu:14 [124 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";

constexpr const char* kInitcheck = R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at peek(float *)+0x70 in k.cu:8
=========     by thread (65,0,0) in block (0,0,0)
=========     Access to 0x7f0000000204 is inside the nearest allocation at 0x7f0000000200 of size 512 bytes
=========
========= ERROR SUMMARY: 1 error
)";

constexpr const char* kSynccheck = R"(========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at split(float *)+0x70 in k.cu:24
=========     by thread (0,0,0) in block (0,0,0)
=========     Device Frame: split(float *)+0x70 in k.cu:24
=========
========= ERROR SUMMARY: 1 error
)";

}  // namespace

TEST_CASE("memcheck's errors become findings with buffer, element and line, those of one place together") {
  const auto findings = read_sanitizer_log(kMemcheck, kBuffers);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].kind == "out_of_bounds");
  CHECK_THAT(
      findings[0].message,
      Catch::StartsWith("Invalid __global__ write of size 4 bytes: 0 bytes behind the end of 'z' of 512 bytes, at "
                        "add(const float *, const float *, float *, int)+0x120 in k.cu:5, by thread (0,0,0)"));
  CHECK_THAT(findings[0].message, Catch::EndsWith("(and 1 more there)"));
  CHECK_THAT(findings[0].message, !Catch::Contains("Host Frame") && !Catch::Contains("backtrace"));
  CHECK(findings[1].kind == "misaligned");
  CHECK_THAT(findings[1].message, Catch::Contains("element 2 of 'x'") && Catch::Contains("k.cu:4"));
}

TEST_CASE("races, uninitialized reads and divergent barriers are told apart") {
  const auto race = read_sanitizer_log(kRacecheck, {});
  REQUIRE(race.size() == 1);
  CHECK(race[0].kind == "race");
  CHECK_THAT(race[0].message, Catch::Contains("k.cu:12") && Catch::Contains("k.cu:14"));
  const auto uninitialized = read_sanitizer_log(kInitcheck, kBuffers);
  REQUIRE(uninitialized.size() == 1);
  CHECK(uninitialized[0].kind == "uninitialized");
  CHECK_THAT(uninitialized[0].message, Catch::Contains("element 1 of 'z'"));
  const auto barrier = read_sanitizer_log(kSynccheck, {});
  REQUIRE(barrier.size() == 1);
  CHECK(barrier[0].kind == "barrier_divergence");
}

TEST_CASE("a clean log has no findings and a summary, a broken one has none of either") {
  const std::string clean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
  CHECK(read_sanitizer_log(clean, {}).empty());
  CHECK(has_sanitizer_summary(clean));
  CHECK(has_sanitizer_summary("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"));
  const std::string broken =
      "========= COMPUTE-SANITIZER\n========= Error: Target application terminated before first instrumented API "
      "call\n";
  CHECK(read_sanitizer_log(broken, {}).empty());
  CHECK_FALSE(has_sanitizer_summary(broken));
  CHECK(read_sanitizer_log("", {}).empty());
}

TEST_CASE("an error of a form that is not known is a finding when it names a place in device code") {
  const std::string log =
      "========= Something new happened to a tensor map\n=========     at tma(float *)+0x10 in k.cu:9\n=========\n"
      "========= Warning: nothing to see\n";
  const auto findings = read_sanitizer_log(log, {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == "other");
}

TEST_CASE("a log cut anywhere is read or not, never beyond its end") {
  const std::string whole = kMemcheck;
  for (std::size_t size = 0; size < whole.size(); size += 7)
    read_sanitizer_log(std::string(whole.substr(0, size)), kBuffers);
  SUCCEED();
}
