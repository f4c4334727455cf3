#include "harness/device/cuda/compile/compiler.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/device/cuda/api/toolkit.h"
#include "harness/device/cuda/compile/cubin_cache.h"
#include "harness/system/files.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

namespace {

bool no_nvrtc() {
  if (nvrtc_library().api) return false;
  harness::tests::skip(nvrtc_library().missing);
  return true;
}

bool no_toolkit_headers() {
  if (!find_toolkit_include().empty()) return false;
  harness::tests::skip("no folder with cuda_fp16.h was found");
  return true;
}

struct Fixture {
  Scratch scratch;
  NvrtcCompiler compiler{scratch.path("cache"), "sm_90a", find_toolkit_include()};

  Artifact compiled(const BuildSpec& spec) {
    BuildResult result = compiler.build(spec);
    if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
    return std::get<Artifact>(result);
  }
  CompileFailure failed(const BuildSpec& spec) {
    BuildResult result = compiler.build(spec);
    REQUIRE(std::holds_alternative<CompileFailure>(result));
    return std::get<CompileFailure>(result);
  }
};

BuildSpec simple_spec() {
  return {"dir/simple.cu", "extern \"C\" __global__ void simple(float* x, int n) { if (n > 0) x[0] = n; }", {"simple"}};
}

constexpr const char* kTemplates = R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
struct Shape { double scale; std::int32_t rows; char tail[3]; };
template <typename T, int kWidth>
__global__ void scale(const T* x, T* y, float factor, char c, Shape shape, long long n) {
  __shared__ float row[64];
  row[threadIdx.x % 64] = factor * static_cast<float>(x[threadIdx.x]);
  __syncthreads();
  y[threadIdx.x] = T(row[(threadIdx.x + kWidth) % 64] * shape.rows + c + n);
}
)";

}  // namespace

TEST_CASE("NVRTC compiles no header that is another one than when the source's hash was made") {
  if (no_nvrtc()) return;
  Fixture f;
  const std::string folder = f.scratch.path("headers"), header = folder + "/part.cuh";
  std::filesystem::create_directories(folder);
  f.scratch.write("headers/part.cuh", "#define PART 1\n");
  BuildSpec spec{"dir/k.cu", "#include \"part.cuh\"\nextern \"C\" __global__ void k(int* p) { *p = PART; }", {"k"}};
  spec.include_dirs = {folder};
  spec.included = {{std::filesystem::weakly_canonical(header).string(), sha256_hex("#define PART 1\n")}};
  CHECK(f.compiled(spec).entries.size() == 1);
  f.scratch.write("headers/part.cuh", "#define PART 2\n");
  CHECK_THROWS_WITH(f.compiler.build(spec), Catch::Contains("part.cuh has changed since dir/k.cu was read"));
}

TEST_CASE("in double a source keeps the types of its literals, and NVRTC finds the functions") {
  if (no_nvrtc() || no_toolkit_headers()) return;
  Fixture f;
  BuildSpec spec{
      "dir/wide.cu",
      "#include <harness/adopted.cuh>\n#include <harness/wide_begin.cuh>\n"
      "__global__ void k(float* x, int n) {\n"
      "  x[0] = fminf(fmaxf(x[0], 0.f), 6.f) + fmax(1.f, x[1]) + powf(x[2], 2) + powf(2.f, x[2]) + pow(x[2], n);\n"
      "  x[1] = fmaf(x[0], 2.f, x[1]) + fmodf(x[1], 3.f) + atan2f(x[0], 1.f) + hypotf(x[0], 1.f) + max(x[0], 0.f);\n"
      "}\n#include <harness/wide_end.cuh>\n",
      {"k"}};
  spec.include_dirs = {HARNESS_SOURCE_DIR "/kernels/include"};
  CHECK(f.compiled(spec).entries.size() == 1);
}

TEST_CASE("half and bfloat16 templates compile for Hopper with the sizes of their parameters") {
  if (no_nvrtc() || no_toolkit_headers()) return;
  Fixture f;
  const Artifact artifact = f.compiled({"dir/scale.cu", kTemplates, {"scale<__half, 4>", "scale<__nv_bfloat16,8>"}});
  REQUIRE(artifact.entries.size() == 2);
  CHECK(artifact.architecture == "sm_90a");
  CHECK(artifact.compiler.starts_with("NVRTC "));
  CHECK(artifact.compile_s > 0);
  CHECK_FALSE(artifact.from_cache);
  CHECK(artifact.entries[0].entry == "scale<__half, 4>");
  for (const EntryResources& entry : artifact.entries) {
    CHECK(entry.parameter_bytes == std::vector<std::int64_t>{8, 8, 4, 1, 16, 8});
    CHECK(entry.static_shared_bytes == 256);
    CHECK(entry.registers > 4);
    CHECK(entry.spill_bytes == 0);
  }
  CHECK(lowered_names(artifact).at("scale<__nv_bfloat16,8>").starts_with("_Z5scale"));
}

TEST_CASE("parameters larger than four kilobytes, empty structs and kernels without parameters are sized") {
  if (no_nvrtc()) return;
  Fixture f;
  const Artifact artifact = f.compiled({"p.cu",
                                        R"(
    struct Big { char bytes[5000]; };
    struct Empty {};
    struct alignas(64) Map { unsigned long long words[16]; };
    extern "C" __global__ void big(const __grid_constant__ Big b, bool c, short s) {}
    extern "C" __global__ void map(Empty e, const __grid_constant__ Map m) {}
    __global__ void none() {})",
                                        {"big", "map", "none", "&none"}});
  CHECK(artifact.entries[0].parameter_bytes == std::vector<std::int64_t>{5000, 1, 2});
  CHECK(artifact.entries[1].parameter_bytes == std::vector<std::int64_t>{1, 128});
  CHECK(artifact.entries[2].parameter_bytes.empty());
  CHECK(lowered_names(artifact).at("none") == lowered_names(artifact).at("&none"));
}

TEST_CASE("spills, stack and launch bounds of an entry are told") {
  if (no_nvrtc()) return;
  Fixture f;
  BuildSpec spec{"spill.cu",
                 R"(
    extern "C" __global__ void __launch_bounds__(256) bounded(int* p) { *p = 1; }
    extern "C" __global__ void spills(float* x) {
      float v[64];
      for (int i = 0; i < 64; ++i) v[i] = x[i * 32 + threadIdx.x];
      __syncthreads();
      for (int k = 0; k < 64; ++k) { float s = 0; for (int i = 0; i < 64; ++i) s += v[i] * v[(i + k) % 64]; x[k] = s; }
    }
    extern "C" __global__ void stack(int* p) { int a[100]; for (int i = 0; i < 100; ++i) a[i] = p[i]; *p = a[*p]; }
  )",
                 {"spills", "stack", "bounded"}};
  spec.options = {"-maxrregcount=24", "--use_fast_math"};
  const Artifact artifact = f.compiled(spec);
  CHECK(artifact.entries[0].spill_bytes > 0);
  CHECK(artifact.entries[0].registers <= 24);
  CHECK(artifact.entries[2].max_threads == 256);
  CHECK(artifact.entries[1].local_bytes >= 400);
  CHECK(artifact.entries[1].max_threads == 1024);
  CHECK(artifact.log.find("spill") != std::string::npos);
}

TEST_CASE("the second build of a source answers from the cache, also in a new compiler") {
  if (no_nvrtc()) return;
  Fixture f;
  const Artifact first = f.compiled(simple_spec());
  NvrtcCompiler other(f.scratch.path("cache"), "sm_90a", find_toolkit_include());
  const auto second = std::get<Artifact>(other.build(simple_spec()));
  CHECK(second.from_cache);
  CHECK(second.compile_s == 0);
  CHECK(second.key == first.key);
  CHECK(second.code_hash == first.code_hash);
  CHECK(second.log == first.log);
  CHECK(second.entries[0].parameter_bytes == first.entries[0].parameter_bytes);
  CHECK(read_cubin(second) == read_cubin(first));
}

TEST_CASE("a damaged cache entry is compiled again") {
  if (no_nvrtc()) return;
  Fixture f;
  const Artifact first = f.compiled(simple_spec());
  f.scratch.write("cache/artifacts/" + first.key + "/module.cubin", "short");
  CHECK_FALSE(f.compiled(simple_spec()).from_cache);
  f.scratch.write("cache/artifacts/" + first.key + "/module.json", "{\"artifact\":");
  CHECK_FALSE(f.compiled(simple_spec()).from_cache);
  CHECK(f.compiled(simple_spec()).from_cache);
}

TEST_CASE("the key changes with a header of a header, a define, an option and the architecture") {
  if (no_nvrtc()) return;
  Fixture f;
  f.scratch.write("inc/outer.cuh", "#pragma once\n#include \"deep/inner.cuh\"\n");
  f.scratch.write("inc/deep/inner.cuh", "#define FACTOR 2\n");
  BuildSpec spec{"h.cu", "#include <outer.cuh>\n__global__ void k(int* p) { *p = FACTOR; }", {"k"}};
  spec.include_dirs = {f.scratch.path("inc")};
  const Artifact first = f.compiled(spec);
  f.scratch.write("inc/deep/inner.cuh", "#define FACTOR 3\n");
  const Artifact changed = f.compiled(spec);
  CHECK(changed.key != first.key);
  CHECK(changed.code_hash != first.code_hash);
  spec.defines = {{"UNUSED", "1"}};
  const Artifact defined = f.compiled(spec);
  CHECK(defined.key != changed.key);
  CHECK(defined.code_hash == changed.code_hash);
  spec.options = {"--fmad=false"};
  CHECK(f.compiled(spec).key != defined.key);
  NvrtcCompiler ampere(f.scratch.path("cache"), "sm_80", find_toolkit_include());
  CHECK(std::get<Artifact>(ampere.build(spec)).key != defined.key);
}

TEST_CASE("constant data is part of the machine code") {
  if (no_nvrtc()) return;
  Fixture f;
  BuildSpec spec{"c.cu", "__constant__ int t[2] = {V, 2}; __global__ void k(int* p) { *p = t[*p]; }", {"k"}};
  spec.defines = {{"V", "1"}};
  const std::string one = f.compiled(spec).code_hash;
  spec.defines = {{"V", "3"}};
  CHECK(f.compiled(spec).code_hash != one);
}

TEST_CASE("a variable that the host fills keeps its name in the module, and is no state") {
  if (no_nvrtc()) return;
  Fixture f;
  BuildSpec spec{"c.cu",
                 "namespace ns { __constant__ float t[3]; }\nstatic __constant__ int n; __constant__ float spare;\n"
                 "__global__ void k(float* p) { if (threadIdx.x < n) p[threadIdx.x] = ns::t[threadIdx.x]; }",
                 {"k"}};
  const std::string plain = f.compiled(spec).key;
  spec.constants = {"ns::t", "n", "spare"};
  const Artifact artifact = f.compiled(spec);
  CHECK(artifact.key != plain);
  CHECK(artifact.globals.empty());
  const auto names = lowered_names(artifact);
  CHECK(names.at("&ns::t") == "_ZN2ns1tE");
  const std::string cubin = read_cubin(artifact);
  for (const char* symbol : {"&ns::t", "&n", "&spare"}) CHECK(cubin.find(names.at(symbol)) != std::string::npos);
  spec.source +=
      "\n__global__ void w(float* p, int n) { (n < 1 << 30 ? const_cast<float*>(ns::t) : p)[threadIdx.x] = *p; }";
  spec.entries = {"k", "w"};
  CHECK(f.compiled(spec).globals == std::vector<std::string>{"ns::t"});  // a place to keep things, filled or not
  spec.constants = {"ns::u"};
  CHECK_THAT(f.failed(spec).log,
             Catch::StartsWith("c.cu: 'ns::u', which the plan fills, names no __constant__ variable of this source."));
}

TEST_CASE("an entry that is not there is named in a plain sentence before the log") {
  if (no_nvrtc()) return;
  Fixture f;
  BuildSpec spec = simple_spec();
  spec.entries = {"simple", "missing<3>"};
  const CompileFailure failure = f.failed(spec);
  CHECK(failure.log.starts_with("dir/simple.cu: the entry 'missing<3>' of the plan names no __global__ function"));
  CHECK(failure.log.find("__nv_name_map") != std::string::npos);
  spec.source += "\n__device__ int helper() { return 1; }";
  spec.entries = {"helper"};
  CHECK(f.failed(spec).log.starts_with("dir/simple.cu: the entry 'helper'"));
}

TEST_CASE("a source that does not compile gives the whole log with file and line") {
  if (no_nvrtc()) return;
  Fixture f;
  const CompileFailure failure =
      f.failed({"dir/bad.cu", "\n__global__ void k() { undeclared = 1; also_not = 2; }", {"k"}});
  CHECK(failure.log.find("dir/bad.cu(2): error: identifier \"undeclared\" is undefined") != std::string::npos);
  CHECK(failure.log.find("also_not") != std::string::npos);
  CHECK(failure.compile_s > 0);
}

TEST_CASE("options off the list and includes that the text does not tell are refused in a sentence") {
  if (no_nvrtc()) return;
  Fixture f;
  BuildSpec spec = simple_spec();
  spec.options = {"--std=c++20", "--ptxas-options=-O0"};
  CHECK(f.failed(spec).log.find("'--ptxas-options=-O0' is not allowed; allowed are --use_fast_math") !=
        std::string::npos);
  spec = simple_spec();
  spec.source = "#define NAME OTHER(1)\n#include NAME\n" + spec.source;
  CHECK(f.failed(spec).log.starts_with("dir/simple.cu:2: an #include must name its file"));
}

TEST_CASE("every built-in header compiles with every other and does what portable code expects") {
  if (no_nvrtc()) return;
  Fixture f;
  f.compiled({"std.cu",
              R"(
#include <stdint.h>
#include <cstdint>
#include <stddef.h>
#include <cstddef>
#include <limits.h>
#include <climits>
#include <float.h>
#include <cfloat>
#include <math.h>
#include <cmath>
#include <type_traits>
#include <algorithm>
#include <utility>
#include <assert.h>
#include <cassert>
#include <stdio.h>
#include <cstdio>
static_assert(sizeof(std::int64_t) == 8 && sizeof(uint16_t) == 2 && INT64_MIN < INT32_MIN);
static_assert(std::is_same_v<std::remove_cv_t<const volatile int>, int> && std::is_integral_v<unsigned char>);
static_assert(std::is_floating_point<const float>::value && !std::is_pointer_v<int> && std::is_pointer_v<int*>);
static_assert(std::is_same_v<std::conditional_t<false, int, float>, float>);
static_assert(sizeof(std::size_t) == 8 && CHAR_BIT == 8 && INT_MAX == 2147483647);
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> __device__ T twice(T x) { return 2 * x; }
struct Pair { int a; double b; };
__global__ void k(float* x, double* d, int n) {
  assert(n > 0);
  if (n == 7) printf("%d %f\n", n, x[0]);
  x[0] = std::max(-INFINITY, std::sqrt(x[1])) + std::min(x[2], FLT_MAX) + std::fabs(x[3]) + twice(n) + offsetof(Pair, b);
  d[0] = std::exp(d[1]) * M_PI + std::pow(d[2], 2.0) + std::abs(n) + std::isnan(x[4]) + std::isinf(d[3]);
  std::swap(x[5], x[6]);
})",
              {"k"}});
}

TEST_CASE("std::numeric_limits for kernels that were adopted has the values of <limits>") {
  if (no_nvrtc()) return;
  Fixture f;
  f.compiled({"limits.cu",
              read_file(std::string(HARNESS_SOURCE_DIR) + "/kernels/include/harness/numeric_limits.cuh") +
                  fmt::format(R"(
using std::numeric_limits;
static_assert(numeric_limits<int>::max() == {} && numeric_limits<int>::lowest() == {});
static_assert(numeric_limits<unsigned>::max() == {}u && numeric_limits<long long>::min() + 1 == {});
static_assert(numeric_limits<signed char>::lowest() == -128 && !numeric_limits<unsigned char>::is_signed);
static_assert(numeric_limits<short>::max() == 32767 && !numeric_limits<float>::is_integer);
__global__ void k(float* x, double* d) {{
  x[0] = numeric_limits<float>::max() + numeric_limits<float>::infinity() + numeric_limits<float>::quiet_NaN();
  d[0] = numeric_limits<double>::epsilon() + numeric_limits<double>::lowest();
}})",
                              std::numeric_limits<int>::max(), std::numeric_limits<int>::lowest(),
                              std::numeric_limits<unsigned>::max(), std::numeric_limits<long long>::min() + 1),
              {"k"}});
}

TEST_CASE("the toolkit's own headers still compile beside the built-in ones") {
  if (no_nvrtc() || no_toolkit_headers()) return;
  Fixture f;
  f.compiled({"tk.cu",
              R"(
#include <cmath>
#include <type_traits>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <mma.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void k(int* p) { cooperative_groups::this_grid().sync(); *p = std::is_same_v<int, int>; })",
              {"k"}});
}

TEST_CASE("an architecture that NVRTC does not know is refused with those it knows") {
  if (no_nvrtc()) return;
  REQUIRE_THROWS_WITH(NvrtcCompiler("x", "sm_12345", ""),
                      Catch::Contains("does not compile for sm_12345; it knows sm_"));
}

TEST_CASE("a cache that cannot be written is the environment's fault") {
  if (no_nvrtc()) return;
  Scratch scratch;
  scratch.write("file", "");
  NvrtcCompiler compiler(scratch.path("file/cache"), "sm_90a", "");
  REQUIRE_THROWS_AS(compiler.build(simple_spec()), Error);
}

TEST_CASE("a source without kernels, as a library's variant has, makes a module without entries") {
  if (no_nvrtc()) return;
  Fixture f;
  const Artifact artifact = f.compiled({"library.cu", "// cuDNN does the work\n", {}});
  CHECK(artifact.entries.empty());
  CHECK(artifact.notes.empty());
}

namespace {

constexpr const char* kWgmma = R"(
__device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
__device__ __forceinline__ void multiply(float* d, unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
}
)";

constexpr const char* kSpilling = R"(
extern "C" __global__ void __launch_bounds__(1024, 2) k(const float* x, float* y, int n) {
  float a[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) a[i] = x[threadIdx.x + i * 1024];
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + 7) % 64] + x[j];
  }
#pragma unroll
  for (int i = 0; i < 64; ++i) y[threadIdx.x + i * 1024] = a[i];
}
)";

constexpr const char* kNoBounds = R"(
extern "C" __global__ void k(float* x) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  x[threadIdx.x] = 1;
}
)";

constexpr const char* kNoWait = R"(
extern "C" __global__ void __launch_bounds__(128, 1) k(unsigned long long a, unsigned long long b, float* y) {
  float d[4] = {};
  fence();
  multiply(d, a, b);
  commit();
  for (int i = 0; i < 4; ++i) y[threadIdx.x * 4 + i] = d[i];
}
)";

constexpr const char* kNoFence = R"(
extern "C" __global__ void __launch_bounds__(128, 1) k(unsigned long long a, unsigned long long b, float* y) {
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = y[i];
  multiply(d, a, b);
  commit();
  wait();
  for (int i = 0; i < 4; ++i) y[threadIdx.x * 4 + i] = d[i];
}
)";

constexpr const char* kAcrossCall = R"(
__device__ __noinline__ void more(float* d, unsigned long long a, unsigned long long b) {
  multiply(d, a, b);
  commit();
}
extern "C" __global__ void __launch_bounds__(128, 1) k(unsigned long long a, unsigned long long b, float* y) {
  float d[4] = {};
  fence();
  multiply(d, a, b);
  commit();
  more(d, a, b);
  wait();
  for (int i = 0; i < 4; ++i) y[threadIdx.x * 4 + i] = d[i];
}
)";

}  // namespace

TEST_CASE("what ptxas finds slow in a source is noted: spills, ignored setmaxnreg, wgmma serialised or mended") {
  if (no_nvrtc()) return;
  Fixture f;
  const auto notes_of = [&](const std::string& name, const std::string& source) {
    std::string joined;
    for (const std::string& note : f.compiled({name, source, {"k"}}).notes) joined += note + "\n";
    return joined;
  };
  CHECK_THAT(notes_of("spilling.cu", kSpilling), Catch::Contains("spills in k: "));
  CHECK_THAT(notes_of("no_bounds.cu", kNoBounds), Catch::Contains("C7508: 'setmaxnreg' ignored"));
  const std::string wgmma = kWgmma;
  CHECK_THAT(notes_of("no_wait.cu", wgmma + kNoWait), Catch::Contains("C7517: warpgroup.wait is injected 1 time in k"));
  CHECK_THAT(notes_of("no_fence.cu", wgmma + kNoFence), Catch::Contains("C7519: warpgroup.arrive is injected"));
  CHECK_THAT(notes_of("across_call.cu", wgmma + kAcrossCall), Catch::Contains("C7510: wgmma.mma_async instructions are "
                                                                              "serialized"));
  CHECK(notes_of("plain.cu", "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }").empty());
}
