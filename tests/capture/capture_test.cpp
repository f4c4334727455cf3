#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/capture/sources.h"
#include "harness/capture/trace.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

// A program that launches kernels, as far as one can tell without a GPU (tests/fakes/captured_program.cpp).
using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

struct Captured {
  Scratch scratch;
  Captured() { fs::copy(HARNESS_SOURCE_DIR "/examples/ordinary/transpose.cu", scratch.path("transpose.cu")); }
  Finished run(std::vector<std::string> options, const std::string& role = "",
               const std::vector<std::string>& environment = {}) const {
    options.insert(options.begin(), {HARNESS_BINARY, "capture"});
    options.insert(options.end(), {"--", CAPTURED_PROGRAM});
    if (!role.empty()) options.push_back(role);
    return run_program(options, scratch.path(""), environment);
  }
};

}  // namespace

TEST_CASE("what a program and its children launch is counted, ranked and traced to its source") {
  const Captured captured;
  const Finished done = captured.run({"--json"}, "parent");
  INFO(done.out << done.err);
  REQUIRE(done.status == 0);
  const std::size_t brace = done.out.find('{');
  CHECK(done.out.find("the program's own words") < brace);
  const json object = json::parse(done.out.substr(brace));
  CHECK(object["processes"] == 2);
  CHECK(object["total_ns"] == 10000);
  REQUIRE(object["kernels"].size() == 2);
  const json& first = object["kernels"][0];
  CHECK(first["kernel"] == "transpose");
  CHECK(first["calls"] == 3);
  CHECK(first["share"] == Approx(0.6));
  CHECK(first["whole_speedup_at_2x"] == Approx(1 / 0.7));
  CHECK(first["source"].get<std::string>().ends_with("/transpose.cu"));
  CHECK(first["launches"][0]["grid"] == json({2, 2, 1}));
  CHECK(first["launches"][0]["values"][0]["allocation"] == 16384);
  CHECK(first["launches"][0]["values"][2]["allocation"] == 0);
  CHECK(object["kernels"][1]["origin"] == "cuBLAS");
  CHECK_THAT(done.err, Catch::Contains("next: harness capture -o capture --launch transpose"));
}

TEST_CASE("the table says what twice as fast would bring") {
  const Captured captured;
  const Finished done = captured.run({"-o", "shown"}, "failing");
  INFO(done.out << done.err);
  CHECK(done.status == 1);
  CHECK_THAT(done.out, Catch::Contains("at 2x") && Catch::Contains("2.00x") && Catch::Contains("100.0 %"));
  CHECK_THAT(done.err, Catch::Contains("the program ended with status 7"));
}

TEST_CASE("one launch becomes a kernel with its sizes and its data") {
  const Captured captured;
  const Finished recorded = captured.run({"--launch", "transpose"}, "", {"FAKE_CUDA_GRAPH=1"});
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.status == 0);
  CHECK(fs::file_size(captured.scratch.path("capture/launch/1.before.bin")) == 16384);
  fs::create_directories(captured.scratch.path("mine"));
  const Finished adopted = run_program({HARNESS_BINARY, "adopt", "--from-capture", "capture", "--name", "turned",
                                        "--kernels", captured.scratch.path("mine"), "--db", captured.scratch.db()},
                                       captured.scratch.path(""));
  INFO(adopted.out << adopted.err);
  REQUIRE(adopted.status == 0);
  CHECK(fs::is_regular_file(captured.scratch.path("mine/turned/golden/width40_height56/idata.npy")));
  CHECK_THAT(adopted.out, Catch::Contains("checked on 1 recorded input"));
}

TEST_CASE("what cannot be captured is one sentence") {
  const Captured captured;
  const Finished busy = captured.run({}, "", {"FAKE_CUPTI_BUSY=1"});
  CHECK(busy.status == 3);
  CHECK_THAT(busy.err, Catch::Contains("MULTIPLE_SUBSCRIBERS"));
  CHECK(captured.run({}, "idle").status == 3);
  const Finished absent =
      run_program({HARNESS_BINARY, "capture", "-o", "other", "--", "no_such_program"}, captured.scratch.path(""));
  CHECK(absent.status == 2);
  const Finished unrelated = run_program({HARNESS_BINARY, "capture", "--", "true"}, captured.scratch.path(""));
  CHECK(unrelated.status == 3);
  CHECK_THAT(unrelated.err, Catch::Contains("no process of it initialized CUDA"));
  const Finished missing = captured.run({"--launch", "nothing_like_it"});
  CHECK(missing.status == 2);
  fs::create_directories(captured.scratch.path("taken"));
  captured.scratch.write("taken/file", "x");
  CHECK(captured.run({"-o", "taken"}).status == 2);
  const Finished unrecorded = run_program({HARNESS_BINARY, "adopt", "--from-capture", "capture", "--kernels",
                                           captured.scratch.path("mine"), "--db", captured.scratch.db()},
                                          captured.scratch.path(""));
  CHECK(unrecorded.status == 2);
  CHECK_THAT(unrecorded.err, Catch::Contains("--launch KERNEL"));
}

TEST_CASE("names as libraries link them are read, and sources found by them") {
  CHECK(capture::entry_of("at::native::softmax<float, 4>") == "softmax");
  const Scratch scratch;
  scratch.write("a.cu", "template <int N>\n__global__ void __launch_bounds__(N * 2, 1) scaled(float* x) {}\n");
  scratch.write("b.py", "@triton.jit\ndef add_kernel(x_ptr):\n  pass\n");
  const capture::KernelSources sources({scratch.path("")});
  CHECK(sources.cuda("scaled").ends_with("a.cu"));
  CHECK(sources.triton("add_kernel").ends_with("b.py"));
  CHECK(sources.cuda("N").empty());
}

TEST_CASE("records and calls are laid out as the toolkit declares them") {
  if (!fs::is_regular_file("/usr/local/cuda/include/cupti.h")) return skip("no CUPTI headers");
  const Scratch scratch;
  scratch.write("same.cpp", R"(
#include <cuda.h>
#include <cupti.h>
#include "harness/capture/injected/interfaces.h"
namespace ours = harness::injected;
#define SAME(mine, theirs) static_assert(offsetof(ours::KernelRecord, mine) == offsetof(CUpti_ActivityKernel10, theirs), #theirs);
SAME(start, start) SAME(end, end) SAME(registers, registersPerThread) SAME(grid, gridX) SAME(block, blockX)
SAME(static_shared, staticSharedMemory) SAME(dynamic_shared, dynamicSharedMemory) SAME(correlation, correlationId)
SAME(name, name)
static_assert(offsetof(ours::CallbackData, symbol) == offsetof(CUpti_CallbackData, symbolName));
static_assert(offsetof(ours::CallbackData, parameters) == offsetof(CUpti_CallbackData, functionParams));
static_assert(offsetof(ours::CallbackData, correlation) == offsetof(CUpti_CallbackData, correlationId));
static_assert(offsetof(ours::LaunchParameters, values) == offsetof(cuLaunchKernel_params, kernelParams));
static_assert(offsetof(ours::LaunchParameters, stream) == offsetof(cuLaunchKernel_params, hStream));
static_assert(offsetof(ours::LaunchExParameters, values) == offsetof(cuLaunchKernelEx_params, kernelParams));
static_assert(offsetof(ours::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(ours::kDriverDomain == CUPTI_CB_DOMAIN_DRIVER_API && ours::kExit == CUPTI_API_EXIT);
static_assert(ours::kConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(ours::kLaunchKernel == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
static_assert(ours::kLaunchKernelPtsz == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz);
static_assert(ours::kLaunchKernelEx == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
static_assert(ours::kLaunchKernelExPtsz == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz);
)");
  const Finished done = run_program({"g++", "-std=c++17", "-fsyntax-only", "-I" HARNESS_SOURCE_DIR,
                                     "-I/usr/local/cuda/include", scratch.path("same.cpp")},
                                    scratch.path(""));
  INFO(done.err);
  CHECK(done.status == 0);
}
