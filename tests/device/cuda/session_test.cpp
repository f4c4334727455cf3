#include "harness/device/cuda/session.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "harness/device/cuda/compile/compiler.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/run/input_sets.h"
#include "harness/device/cuda/run/measuring_kernels.h"
#include "harness/device/cuda/run/stopping.h"
#include "kernels/include/harness/random.cuh"
#include "tests/device/cuda/on_gpu.h"
#include "tests/device/cuda/scratch.h"

// On a real GPU.
using namespace harness;
using namespace harness::cuda;

namespace {

constexpr std::int64_t kCount = 1 << 18;  // 1 MB a vector
constexpr std::uint64_t kStream = 5;

constexpr const char* kSessionSource = R"(
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void trap(const float* x, const float* y, float* z, int n) { asm volatile("trap;"); }
extern "C" __global__ void stray(const float* x, const float* y, float* z, int n) { z[1ll << 40] = x[0]; }
extern "C" __global__ void fail(const float* x, const float* y, float* z, int n) { assert(n < 0); }
__device__ float memo[1 << 18];
__device__ int remembered;
// Right only the first time: afterwards it gives the same answer again.
extern "C" __global__ void remember(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (memo[i] == 0) memo[i] = x[i] + y[i] + 1;
  z[i] = memo[i] - 1;
}
// Looks for an answer where a neighbouring set would have one.
extern "C" __global__ void look_around(const float* x, const float* y, float* z, int n) {
  const long long stride = (3ll << 20) + 4096;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = z[i - stride / 4] != 0 ? z[i - stride / 4] : x[i] + y[i];
}
extern "C" __global__ void chatter(const float* x, const float* y, float* z, int n) {
  for (int k = 0; k < 40 && blockIdx.x == 0; ++k) printf("line %d of thread %d of block %d\n", k, threadIdx.x, blockIdx.x);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void hoard(const float* x, const float* y, float* z, int n) {
  if (blockIdx.x + threadIdx.x != 0) return;
  unsigned long long got = 0;
  for (unsigned long long bytes = 1024; bytes <= (64ull << 20); bytes *= 2) {
    void* p = malloc(bytes);
    if (p) got = bytes;
    free(p);
  }
  z[0] = got / 1024;
}
extern "C" __global__ void accumulate(const float* const* sources, float* sum, int n) {
  extern __shared__ float staged[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = i < n ? sources[0][i] * sources[1][i] : 0;
  __syncthreads();
  if (i < n) sum[i] += staged[threadIdx.x];
}
)";

struct OnGpu {
  Scratch scratch;
  Executable executable;
  std::vector<std::byte> image;

  explicit OnGpu(const std::string& entry) {
    const DeviceInfo device = probe_cuda().at(0);
    NvrtcCompiler compiler(scratch.path("cache"), device.architecture, find_toolkit_include());
    BuildResult built =
        compiler.build({"k.cu",
                        kSessionSource,
                        {"add", "trap", "stray", "fail", "remember", "look_around", "chatter", "hoard", "accumulate"}});
    if (const auto* failure = std::get_if<CompileFailure>(&built)) throw std::runtime_error(failure->log);
    executable.artifact = std::get<Artifact>(built);
    const std::int64_t bytes = 4 * kCount;
    ElementDraw draw;
    draw.extents = {kCount};
    draw.strides = {1};
    draw.stream = kStream;
    executable.layout = {3 * bytes + 4096, {{"x", 0, bytes}, {"y", bytes, bytes}, {"z", 2 * bytes, bytes}}, {}};
    executable.layout.buffers[0].draw = draw;
    executable.layout.buffers[2].restored = entry == "accumulate";
    executable.layout.buffers[2].agreement = 0;
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
  float at(std::int64_t i) const {
    float value;
    std::memcpy(&value, image.data() + 4 * i, 4);
    return value;
  }
  float z(std::int64_t i) const { return at(2 * kCount + i); }
};

std::string run_entry(const std::string& entry) {
  OnGpu f(entry);
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

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// "right" when what came back of timed calls is x + y of the values they say, and launching twice found nothing.
std::string audit_of(const std::string& entry) {
  OnGpu f(entry);
  CudaSession session(0);
  const std::vector<ImageList> images = {{f.image}};
  std::vector<std::vector<std::byte>> memory(3, f.image);
  const std::vector<ImageList> places = {{memory[0], memory[1], memory[2]}};
  TimingPolicy policy;
  std::vector<Samples> samples;
  const double ms = milliseconds([&] { samples = session.time(std::span(&f.executable, 1), images, places, policy); });
  const Samples& s = samples.at(0);
  std::cout << entry << ": " << s.rotating_ns.size() << " samples in " << ms << " ms, " << s.twice.unequal << " of "
            << s.twice.sets << " unequal, foreign processes " << s.foreign_processes << "; " << s.method << std::endl;
  if (s.kept.size() != 3) return "not all kinds of calls were kept";
  for (const KeptCall& kept : s.kept) {
    f.image = memory[static_cast<std::size_t>(kept.place)];
    for (std::int64_t i = 0; i < kCount; ++i) {
      const auto drawn =
          static_cast<float>(random::normal(random::words(kept.seeds.values, kStream, static_cast<std::uint64_t>(i))));
      if (f.at(i) != drawn) return "input not as drawn at " + std::to_string(i);
      if (f.z(i) != drawn + 0.5f) return "wrong answer";
    }
  }
  return s.twice.unequal == 0 ? "right" : "unequal";
}

std::string fault_of(const std::string& entry) {
  OnGpu f(entry);
  CudaSession session(0);
  try {
    session.run(f.executable, f.image);
  } catch (const DeviceFault& fault) {
    return fault.what();
  }
  return "no fault";
}

std::string time_entry(const std::string& entry) {
  OnGpu f(entry);
  CudaSession session(0);
  const std::vector<Executable> contenders = {f.executable, f.executable};
  const std::vector<ImageList> images = {{f.image}, {f.image}};
  const auto samples = session.time(contenders, images, std::vector<ImageList>(2), TimingPolicy{});
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

TEST_CASE("a timed call's result comes back from the GPU, right for an honest kernel and wrong for those that remember",
          "[gpu]") {
  if (no_gpu()) return;
  CHECK(in_child([] { return audit_of("add"); }) == "right");
  CHECK(in_child([] { return audit_of("remember"); }) == "wrong answer");
  CHECK(in_child([] { return audit_of("look_around"); }) == "wrong answer");
}

TEST_CASE("variables of a module start anew in every run on the GPU", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    OnGpu f("remember"), plain("add");
    CudaSession session(0);
    session.run(f.executable, f.image);
    f.put(7, 1000);
    const double fresh_ms = milliseconds([&] { session.run(f.executable, f.image); });
    double again_ms = 0;
    for (int i = 0; i < 20; ++i) again_ms += milliseconds([&] { session.run(f.executable, f.image); }) / 20;
    std::cout << "a run of 3 MB with a module loaded anew: " << fresh_ms << " ms, then " << again_ms << " ms"
              << std::endl;
    const auto& globals = f.executable.artifact.globals;
    if (globals != std::vector<std::string>{"memo"}) return "globals: " + json_text(globals);
    return f.z(7) == 1000.5f ? std::string("anew") : std::string("remembered");
  });
  CHECK(said == "anew");
}

TEST_CASE("what device code prints and allocates is bounded on the GPU", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    OnGpu printing("chatter"), hoarding("hoard");
    CudaSession session(0);
    std::fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    FILE* const sink = std::tmpfile();
    dup2(fileno(sink), STDOUT_FILENO);
    const double ms = milliseconds([&] { session.run(printing.executable, printing.image); });
    std::fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    std::fseek(sink, 0, SEEK_END);
    const long printed = std::ftell(sink);
    session.run(hoarding.executable, hoarding.image);
    std::cout << "10,000 lines: " << ms << " ms, " << printed << " bytes came out; largest malloc " << hoarding.z(0)
              << " KB" << std::endl;
    if (printed > (1 << 20)) return std::string("a flood");
    return hoarding.z(0) > 16 * 1024 ? std::string("a large heap") : std::string("bounded");
  });
  CHECK(said == "bounded");
}

TEST_CASE("refreshing, flushing and releasing cost little on the GPU", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    OnGpu f("add");
    const DriverApi& api = *driver_library().api;
    CudaSession session(0);
    const OwnedStream stream = create_stream(api);
    ModuleCache modules(api);
    const MeasuringKernels kernels(api, modules, stream.get(), f.scratch.path("cache"), session.info());
    DeviceArena arena(api);
    const ImageList images = {f.image};
    const std::int64_t count = 43;  // 129 MB
    InputSets sets(api, 0, stream.get(), kernels, arena.reserve(InputSets::bytes_needed(f.executable.layout, count)),
                   f.executable.layout, images, count);
    const EventPair events(api);
    const auto best = [&](const std::function<void()>& work) {
      double ns = 1e12;
      for (int i = 0; i < 5; ++i) {
        events.record_start(stream.get());
        work();
        events.record_end(stream.get());
        synchronize(api, stream.get());
        ns = std::min(ns, events.ns());
      }
      return ns / 1000;
    };
    const double refresh_us = best([&] { sets.enqueue_refresh(sets.fresh(0, count, 0)); });
    const double digest_us = best([&] { sets.digests(sets.fresh(0, count, 0)); });
    const double flush_us = best([&] { kernels.enqueue_flush(stream.get()); });
    double release_us = 0;
    for (int i = 0; i < 10; ++i) release_us += milliseconds([&] { kernels.release_persisting(); }) * 100;
    std::cout << "refresh of 129 MB, a third of it drawn, " << refresh_us << " us, digests " << digest_us
              << " us, flush " << flush_us << " us, release of persisting lines " << release_us << " us" << std::endl;
    return refresh_us < 1000 && flush_us < 500 ? std::string("cheap") : std::string("dear");
  });
  CHECK(said == "cheap");
}

TEST_CASE("peaks of the GPU are measured between half and all of what its data sheet promises", "[gpu]") {
  if (no_gpu()) return;
  const std::string said = in_child([] {
    Scratch scratch;
    CudaSession session(0, scratch.path("cache"));
    const DeviceInfo info = session.info();
    MeasuredPeaks peaks;
    const double first_ms = milliseconds([&] { peaks = session.measure_peaks(); });
    const double ms = milliseconds([&] { peaks = session.measure_peaks(); });
    std::cout << "peaks in " << ms << " ms (first " << first_ms << "): " << json_text(peaks) << std::endl;
    const auto is_plausible = [](double measured, double promised) {
      return promised == 0 || (measured > 0.5 * promised && measured < 1.05 * promised);
    };
    if (!is_plausible(peaks.bytes_per_s, info.peak_bytes_per_s)) return std::string("memory");
    if (peaks.l2_bytes_per_s < peaks.bytes_per_s) return std::string("L2");
    for (const auto& [dtype, flops] : peaks.flops) {
      const auto promised = info.peak_flops.find(dtype);
      if (promised != info.peak_flops.end() && !is_plausible(flops, promised->second)) return dtype;
    }
    if (!is_plausible(peaks.exps_per_s, info.peak_exps_per_s)) return std::string("exponentials");
    return peaks.launch_ns > 200 && peaks.launch_ns < 5000 ? std::string("plausible") : std::string("launch");
  });
  CHECK(said == "plausible");
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
    OnGpu f("add");
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
    OnGpu f("add");
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
