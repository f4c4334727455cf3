#include "harness/device/cuda/session.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>

#include "harness/device/cuda/compiler.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/stopping.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"

// On a real GPU. The test process itself stays away from the driver, for a child of a process that used it cannot:
// every case runs in a forked child, which says what it found.
using namespace harness;
using namespace harness::cuda;

namespace {

/// Runs `work` in a child and returns what it printed into its pipe: a failure of the child is visible as text.
std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::cout.flush();
  std::fflush(stdout);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::string said;
    try {
      said = work();
    } catch (const std::exception& error) {
      said = std::string("exception: ") + error.what();
    }
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return said;
}

bool no_gpu() {
  static const std::string missing = in_child([] {
    const DeviceInfo info = probe_cuda().at(0);
    if (!nvrtc_available()) return std::string("no NVRTC");
    return info.available ? "" : info.missing.at(0);
  });
  if (!missing.empty()) harness::tests::skip("no GPU: " + missing);
  return !missing.empty();
}

constexpr std::int64_t kCount = 1 << 18;  // 1 MB a vector

constexpr const char* kSource = R"(
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void trap(const float* x, const float* y, float* z, int n) { asm volatile("trap;"); }
extern "C" __global__ void stray(const float* x, const float* y, float* z, int n) { z[1ll << 40] = x[0]; }
extern "C" __global__ void fail(const float* x, const float* y, float* z, int n) { assert(n < 0); }
extern "C" __global__ void accumulate(const float* const* sources, float* sum, int n) {
  extern __shared__ float staged[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = i < n ? sources[0][i] * sources[1][i] : 0;
  __syncthreads();
  if (i < n) sum[i] += staged[threadIdx.x];
}
)";

struct Fixture {
  Scratch scratch;
  Executable executable;
  std::vector<std::byte> image;

  explicit Fixture(const std::string& entry) {
    const DeviceInfo device = probe_cuda().at(0);
    NvrtcCompiler compiler(scratch.path("cache"), device.architecture, find_toolkit_include());
    BuildResult built = compiler.build({"k.cu", kSource, {"add", "trap", "stray", "fail", "accumulate"}});
    if (const auto* failure = std::get_if<CompileFailure>(&built)) throw std::runtime_error(failure->log);
    executable.artifact = std::get<Artifact>(built);
    const std::int64_t bytes = 4 * kCount;
    executable.layout = {
        3 * bytes + 4096, {{"x", 0, bytes}, {"y", bytes, bytes}, {"z", 2 * bytes, bytes, entry == "accumulate"}}, {}};
    Launch launch;
    launch.entry = entry;
    launch.block.x = 256;
    launch.grid.x = kCount / 256;
    launch.args = {NamedArgument{"x"}, NamedArgument{"y"}, NamedArgument{"z"}, ScalarArgument{Dtype::s32, kCount}};
    if (entry == "accumulate") point(launch);
    executable.plan.steps = {launch};
    image.resize(static_cast<std::size_t>(executable.layout.bytes));
    for (std::int64_t i = 0; i < kCount; ++i) {
      put(i, static_cast<float>(i % 1000));
      put(kCount + i, 0.5f);
    }
  }
  /// x and y by an array of pointers, with shared memory beyond 48 KB.
  void point(Launch& launch) {
    const std::int64_t table = 3 * 4 * kCount;
    executable.layout.buffers.push_back({"table", table, 16});
    executable.layout.relocations = {{table, 0}, {table + 8, 4 * kCount}};
    launch.args = {NamedArgument{"table"}, NamedArgument{"z"}, ScalarArgument{Dtype::s32, kCount}};
    launch.shared = 100 * 1024;
  }
  void put(std::int64_t i, float value) { std::memcpy(image.data() + 4 * i, &value, 4); }
  float z(std::int64_t i) const {
    float value;
    std::memcpy(&value, image.data() + 4 * (2 * kCount + i), 4);
    return value;
  }
};

std::string run_entry(const std::string& entry) {
  Fixture f(entry);
  CudaSession session(0);
  const auto before = f.image;
  session.run(f.executable, f.image);
  for (std::int64_t i = 0; i < kCount; ++i) {
    const float x = static_cast<float>(i % 1000);
    if (f.z(i) != (entry == "add" ? x + 0.5f : x * 0.5f)) return "wrong at " + std::to_string(i);
  }
  const std::size_t inputs = 8 * kCount, behind = 12 * kCount;
  if (std::memcmp(before.data(), f.image.data(), inputs) != 0) return "inputs changed";
  if (std::memcmp(before.data() + behind, f.image.data() + behind, 4096) != 0) return "table or guard changed";
  return "right";
}

std::string fault_of(const std::string& entry) {
  Fixture f(entry);
  CudaSession session(0);
  try {
    session.run(f.executable, f.image);
  } catch (const DeviceFault& fault) {
    return fault.what();
  }
  return "no fault";
}

std::string time_entry(const std::string& entry) {
  Fixture f(entry);
  CudaSession session(0);
  const std::vector<Executable> contenders = {f.executable, f.executable};
  const std::vector<std::vector<std::span<std::byte>>> images = {{f.image}, {f.image}};
  const auto samples = session.time(contenders, images, TimingPolicy{});
  std::string said;
  for (const Samples& s : samples) {
    said += s.method + "; rotating " + std::to_string(median_interval(s.rotating_ns).median) + " ns of " +
            std::to_string(s.rotating_ns.size()) + ", cold " + std::to_string(median_interval(s.cold_ns).median) +
            " ns of " + std::to_string(s.cold_ns.size()) + ", warm " +
            std::to_string(median_interval(s.warm_ns).median) + " ns of " + std::to_string(s.warm_ns.size()) +
            ", clock samples " + std::to_string(s.clock_mhz.size()) + "\n";
    if (s.rotating_ns.size() < 12 || s.cold_ns.size() != 10 || s.warm_ns.size() != 5) return "too few: " + said;
    // 3 MB of traffic cannot take less than 0.3 us nor plausibly more than 1 ms.
    for (double ns : s.rotating_ns) {
      if (ns < 300 || ns > 1e6) return "implausible: " + said;
    }
  }
  session.run(f.executable, f.image);  // the session is still good
  std::cout << said << std::flush;
  return "timed";
}

}  // namespace

TEST_CASE("a vector addition on the GPU is right and leaves inputs alone", "[gpu]") {
  if (no_gpu()) return;
  CHECK(in_child([] { return run_entry("add"); }) == "right");
}

TEST_CASE("pointers to pointers and 100 KB of shared memory work on the GPU", "[gpu]") {
  if (no_gpu()) return;
  CHECK(in_child([] { return run_entry("accumulate"); }) == "right");
}

TEST_CASE("two equal contenders are timed on the GPU", "[gpu]") {
  if (no_gpu()) return;
  CHECK(in_child([] { return time_entry("add"); }) == "timed");
}

TEST_CASE("a kernel with a buffer to restore is timed on the GPU", "[gpu]") {
  if (no_gpu()) return;
  CHECK(in_child([] { return time_entry("accumulate"); }) == "timed");
}

TEST_CASE("a trap, a stray write and a failed assertion on the GPU are faults of their kind", "[gpu]") {
  if (no_gpu()) return;
  CHECK_THAT(in_child([] { return fault_of("trap"); }), Catch::StartsWith("trap: "));
  CHECK_THAT(in_child([] { return fault_of("stray"); }), Catch::StartsWith("illegal_access: "));
  CHECK_THAT(in_child([] { return fault_of("fail"); }), Catch::StartsWith("assertion: "));
}

TEST_CASE("what the driver says of a function agrees with what the cubin says", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    Fixture f("add");
    CudaSession session(0);
    const auto seen = session.resources(f.executable);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const EntryResources& compiled = f.executable.artifact.entries[i];
      if (seen[i].parameter_bytes != compiled.parameter_bytes) return "parameters of " + compiled.entry;
      if (seen[i].registers != compiled.registers) return "registers of " + compiled.entry;
      if (seen[i].static_shared_bytes != compiled.static_shared_bytes) return "shared memory of " + compiled.entry;
      if (seen[i].max_threads != compiled.max_threads) return "threads of " + compiled.entry;
    }
    return std::string("agrees");
  });
  CHECK(said == "agrees");
}

TEST_CASE("a launch that the driver refuses leaves the session usable on the GPU", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    Fixture f("add");
    CudaSession session(0);
    Launch& launch = std::get<Launch>(f.executable.plan.steps[0]);
    launch.block.x = 2048;
    try {
      session.run(f.executable, f.image);
      return std::string("not refused");
    } catch (const LaunchRefused&) {
    }
    launch.block.x = 256;
    session.run(f.executable, f.image);
    return f.z(1) == 1.5f ? std::string("right") : std::string("wrong");
  });
  CHECK(said == "right");
}
