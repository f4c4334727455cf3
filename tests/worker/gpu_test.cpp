#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "harness/device/cuda/api/toolkit.h"
#include "harness/device/cuda/cuda_kind.h"
#include "harness/device/cuda/memory/compute_sanitizer.h"
#include "harness/judge/paint.h"
#include "harness/worker/memory/watched_check.h"
#include "harness/worker/processes/judge_process.h"
#include "harness/worker/processes/runner.h"
#include "tests/device/cuda/on_gpu.h"
#include "tests/judge/launched.h"
#include "tests/support/program.h"

// Workers on a real GPU: the program is $HARNESS_PROGRAM, or the one that was built beside the tests.
using namespace harness;
using namespace harness::judge;

namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void clean(const float* x, float* z, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) z[i] = tile[threadIdx.x ^ 1];
}
extern "C" __global__ void overrun(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) z[i] = i < n ? x[i] : 1;
}
extern "C" __global__ void race(const float* x, float* z, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  if (i < n) z[i] = tile[127 - threadIdx.x];
}
extern "C" __global__ void peek(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = z[i] * 0 + x[i];
}
extern "C" __global__ void split(const float* x, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 < 16) __syncthreads();
  if (i < n) z[i] = x[i];
}
)";

Target gpu_target(const tests::Scratch& scratch) {
  const char* program = getenv("HARNESS_PROGRAM");
  Process::set_program(program ? program : HARNESS_BINARY);
  const std::string architecture = in_child([] { return cuda::probe_cuda().at(0).architecture; });
  return {"cuda:0", architecture, scratch.path("cache"), cuda::find_toolkit_include()};
}

std::vector<MemoryCheck> checks_of(const Target& target, const std::string& entry) {
  constexpr std::int64_t kCount = 1000;
  BuildResult built =
      make_compiler(cuda::CudaKind(), target)->build({"k.cu", kSource, {"clean", "overrun", "race", "peek", "split"}});
  if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
  Executable executable;
  executable.artifact = std::get<Artifact>(built);
  executable.problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f32, {kCount}),
                                  tensor(ArgumentKind::output, "z", Dtype::f32, {kCount})};
  Launch launch;
  launch.entry = entry;
  launch.block.x = 128;
  launch.grid.x = (kCount + 1 + 127) / 128;
  launch.args = {NamedArgument{"x"}, NamedArgument{"z"}, ScalarArgument{Dtype::s32, kCount}};
  executable.plan.steps = {launch};
  executable.layout = make_layout(executable.problem, executable.plan);
  const SharedMemory image(static_cast<std::size_t>(executable.layout.bytes));
  paint(executable.problem, executable.plan, executable.layout, 1, image.bytes());
  const auto checks = check_memory_watched(cuda::ComputeSanitizer(), cuda::ComputeSanitizer().tools(), target,
                                           executable, image, 120, {});
  for (const MemoryCheck& check : checks) std::cout << entry << " " << json_text(check) << std::endl;
  return checks;
}

bool has_finding(const MemoryCheck& check, const std::string& kind) {
  return std::ranges::any_of(check.findings, [&](const Finding& f) { return f.kind == kind; });
}

}  // namespace

TEST_CASE("compute-sanitizer finds what is wrong with kernels on the GPU, and nothing in a clean one", "[gpu]") {
  if (no_gpu()) return;
  if (cuda::ComputeSanitizer().find_program().empty()) {
    harness::tests::skip("compute-sanitizer was not found");
    return;
  }
  const tests::Scratch scratch;
  const Target target = gpu_target(scratch);
  for (const MemoryCheck& check : checks_of(target, "clean")) {
    CAPTURE(check.tool, check.why);
    CHECK(check.checked);
    CHECK(check.findings.empty());
  }
  const auto overrun = checks_of(target, "overrun").at(0);
  CHECK(has_finding(overrun, "out_of_bounds"));
  if (!overrun.findings.empty()) CHECK_THAT(overrun.findings[0].message, Catch::Contains("behind the end of 'z'"));
  CHECK(has_finding(checks_of(target, "race").at(1), "race"));
  CHECK(has_finding(checks_of(target, "peek").at(2), "uninitialized"));
  CHECK(has_finding(checks_of(target, "split").at(3), "barrier_divergence"));
}

TEST_CASE("a runner measures the peaks of its GPU", "[gpu]") {
  if (no_gpu()) return;
  const tests::Scratch scratch;
  Runner runner(gpu_target(scratch), {});
  MeasuredPeaks peaks;
  const auto failure = runner.measure_peaks(60, peaks);
  REQUIRE_FALSE(failure.has_value());
  CHECK(peaks.bytes_per_s > 1e11);
  CHECK(peaks.launch_ns > 0);
}

namespace {

constexpr const char* kTwice = R"(
extern "C" __global__ void reference(const unsigned short* x, const float* given, double* state, double* y,
                                     const void*, long long rows, long long columns) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  y[i] = 2.0 * (double)x[i];
  if (i < columns) state[i] = given[i] + 1;
}
)";

/// y = 2 x over a few megabytes, and a state that grows by one.
Problem twice() {
  Problem problem;
  problem.kernel = "twice";
  problem.contract_hash = "twice";
  Argument x = tensor(ArgumentKind::input, "x", Dtype::u16, {2048, 1024});
  x.gen->options = {{"lo", 0}, {"hi", 1000}};
  problem.arguments = {x, tensor(ArgumentKind::inout, "state", Dtype::f32, {1024}),
                       tensor(ArgumentKind::output, "y", Dtype::f16, {2048, 1024}),
                       drawn("unused", Dtype::bf16, {100000}, "normal")};
  problem.reference.entry = "reference";
  problem.reference.sizes = {"rows", "columns"};
  problem.reference.size_values = {2048, 1024};
  problem.reference.threads = 2048 * 1024;
  return problem;
}

}  // namespace

TEST_CASE("on a GPU the judge paints the same bits and passes what it passes here", "[gpu]") {
  if (no_gpu()) return;
  const tests::Scratch scratch;
  const Target target = gpu_target(scratch);
  Executable executable;
  executable.problem = twice();
  executable.layout = make_layout(executable.problem, executable.plan);
  REQUIRE(executable.layout.bytes > 8 << 20);
  BuildResult built = make_compiler(cuda::CudaKind(), target)->build({"twice.cu", kTwice, {"reference"}});
  if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
  const JudgeProcess::Trusted trusted{std::get<Artifact>(built), {}};
  JudgeProcess judge(target, {});
  const DrawId draw{.seed = 77, .form = "nominal", .fresh = {}};
  const SharedMemory image(static_cast<std::size_t>(executable.layout.bytes));
  judge.paint(executable, trusted, draw, image);
  std::vector<std::byte> here(image.bytes().size());
  paint(executable.problem, executable.plan, executable.layout, draw.seed, here);
  CHECK(std::memcmp(here.data(), image.bytes().data(), here.size()) == 0);

  const auto unit = [&](const std::string& name, std::int64_t i, std::int64_t width) {
    return image.bytes().data() + find_buffer(executable.layout, name)->offset + i * width;
  };
  for (std::int64_t i = 0; i < 2048 * 1024; ++i) {
    std::uint16_t x = 0;
    std::memcpy(&x, unit("x", i, 2), 2);
    store_rounded(Dtype::f16, unit("y", i, 2), 2.0 * x);
  }
  for (std::int64_t i = 0; i < 1024; ++i) {
    float state = 0;
    std::memcpy(&state, unit("state", i, 4), 4);
    state += 1;
    std::memcpy(unit("state", i, 4), &state, 4);
  }
  const Verdict right = judge.verdict(executable, trusted, draw, image);
  CHECK(right.passed());
  CHECK(right.errors.size() == 2);
  store_rounded(Dtype::f16, unit("y", 12345, 2), -5);
  const Verdict wrong = judge.verdict(executable, trusted, draw, image);
  CHECK_FALSE(wrong.passed());
  REQUIRE(wrong.first_bad.has_value());
  CHECK(wrong.first_bad->index == std::vector<std::int64_t>{12, 57});
}
