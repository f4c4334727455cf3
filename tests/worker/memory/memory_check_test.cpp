#include "harness/worker/memory/memory_check.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>

#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/worker/memory/instrumented_check.h"
#include "harness/worker/processes/process.h"
#include "tests/support/program.h"

using namespace harness;

namespace {

Target target() {
  return {.device = "cpu",
          .architecture = "x86-64",
          .cache_folder = tests::build_cache(),
          .headers = HARNESS_SOURCE_DIR "/harness/device/cpu/guest",
          .native = true};
}

/// A kernel `k(const float* x, float* out, int* work, int n)`: x is an input of 64 floats, out an output of 256, `work`
/// a zeroed workspace of 64 integers. The source begins on line 1.
struct Case {
  std::string source;
  Dim3 grid, block{64};
  std::int64_t shared = 0;
  int n = 64;
  std::string entry = "k";
  bool checked = true;
  bool cooperative = false;
};

constexpr std::int64_t kGuard = 256;

Argument checked_tensor(const std::string& name, ArgumentKind kind, std::int64_t elements) {
  Argument argument;
  argument.name = name;
  argument.kind = kind;
  argument.shape = {elements};
  argument.strides = {1};
  return argument;
}

Executable executable(const Case& c) {
  static CpuCompiler compiler(target().cache_folder, target().headers);
  BuildSpec spec;
  spec.source_name = "kernel.cu";
  spec.source = c.source;
  spec.entries = {c.entry};
  if (c.checked) spec = cpu::CpuKind().checked_build(spec);
  const BuildResult built = compiler.build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&built)) throw std::runtime_error(failure->log);
  Executable made;
  made.artifact = std::get<Artifact>(built);
  made.problem.arguments = {checked_tensor("x", ArgumentKind::input, 64),
                            checked_tensor("out", ArgumentKind::output, 256)};
  made.plan.workspaces = {{.name = "work", .bytes = 256, .zeroed = true}};
  made.layout.buffers = {{"x", kGuard, 256, false}, {"out", 3 * kGuard, 1024, false}, {"work", 8 * kGuard, 256, true}};
  made.layout.bytes = 4096;
  Launch launch{.entry = c.entry, .grid = c.grid, .block = c.block, .shared = c.shared, .cooperative = c.cooperative};
  launch.args = {NamedArgument{"x"}, NamedArgument{"out"}, NamedArgument{"work"},
                 ScalarArgument{Dtype::s32, std::int64_t{c.n}}};
  made.plan.steps = {launch};
  return made;
}

MemoryCheck check(const Case& c, double deadline_s = 20) {
  Process::set_program(HARNESS_BINARY);
  const Executable made = executable(c);
  const SharedMemory image(static_cast<std::size_t>(made.layout.bytes));
  return check_memory_instrumented(cpu::CpuKind(), target(), made, image, deadline_s, {});
}

std::string text(const MemoryCheck& check) {
  std::string all = check.checked ? "" : "NOT CHECKED: " + check.why + "\n";
  for (const Finding& finding : check.findings) all += finding.kind + ": " + finding.message + "\n";
  return all;
}

std::string findings(const Case& c) {
  return text(check(c));
}

const std::string kHead = "__global__ void k(const float* x, float* out, int* work, int n) {\n";  // line 1

}  // namespace

TEST_CASE("a read behind the end of a buffer is named with its bytes, size and line, and the run goes on") {
  const std::string found = findings({.source = kHead + "  out[threadIdx.x] = x[threadIdx.x + 1];\n}\n"});
  CHECK(found ==
        "out_of_bounds: thread (63,0,0) of block (0,0,0) read 4 bytes at kernel.cu:2: bytes 256 to 259 of 'x', which "
        "has 256\n");
}

TEST_CASE("a write before the start of a buffer is found in the guard zone") {
  CHECK_THAT(findings({.source = kHead + "  out[(int)threadIdx.x - 1] = 1;\n}\n"}),
             Catch::Contains("out_of_bounds: thread (0,0,0) of block (0,0,0) wrote 4 bytes at kernel.cu:2: bytes -4 to "
                             "-1 of 'out', which has 1024"));
}

TEST_CASE("an access outside of the image ends the run before it is done, and is named") {
  CHECK(
      findings({.source = kHead + "  out[threadIdx.x] = 1;\n  out[threadIdx.x << 24] = 2;\n}\n"}) ==
      "out_of_bounds: thread (1,0,0) of block (0,0,0) wrote 4 bytes at kernel.cu:3, which belongs to no buffer: bytes "
      "67107584 to 67107587 of 'work', which has 256\n");
  CHECK_THAT(findings({.source = kHead + "  float* p = n ? nullptr : out;\n  p[threadIdx.x] = 2;\n}\n"}),
             Catch::Contains("wrote 4 bytes at kernel.cu:3: 0 bytes behind a null pointer"));
}

TEST_CASE("a write to an input is told") {
  CHECK_THAT(
      findings({.source = kHead + "  const_cast<float*>(x)[threadIdx.x] = 1;\n}\n"}),
      Catch::Contains("other: thread (0,0,0) of block (0,0,0) wrote 4 bytes at kernel.cu:2: bytes 0 to 3 of 'x', "
                      "which is an input (64 times)"));
}

TEST_CASE("shared memory beyond the launch's bytes is out of bounds") {
  const std::string source = kHead + "  extern __shared__ float s[];\n  s[threadIdx.x] = 1;\n}\n";
  CHECK_THAT(findings({.source = source, .shared = 252}),
             Catch::Contains("out_of_bounds: thread (63,0,0) of block (0,0,0) wrote 4 bytes at kernel.cu:3: bytes 252 "
                             "to 255 of dynamic shared memory, which has 252"));
  CHECK(findings({.source = source, .shared = 256}).empty());
}

TEST_CASE("an index past a static array is found, shared or local") {
  CHECK_THAT(
      findings({.source = kHead + "  __shared__ float s[63];\n  s[threadIdx.x] = 1;\n}\n"}),
      Catch::Contains("out_of_bounds: thread (63,0,0) of block (0,0,0) used index 63 of an array 'float [63]' at "
                      "kernel.cu:3"));
  CHECK_THAT(findings({.source = kHead + "  float a[4];\n  for (int i = 0; i < n; ++i)\n    a[i] = i;\n"
                                         "  out[threadIdx.x] = a[n & 3];\n}\n",
                       .n = 5}),
             Catch::Contains("used index 4 of an array 'float [4]' at kernel.cu:4"));
}

TEST_CASE("a vector access that is not aligned is found with its type") {
  CHECK_THAT(
      findings({.source = kHead + "  float4 v = *reinterpret_cast<const float4*>(x + n);\n"
                                  "  out[threadIdx.x] = v.x;\n}\n",
                .block = {1},
                .n = 1}),
      Catch::Contains("misaligned: thread (0,0,0) of block (0,0,0) used byte 4 of 'x' as 'const struct float4' at "
                      "kernel.cu:2, which must lie at a multiple of 16 bytes"));
}

TEST_CASE("shared memory that nobody wrote since the block began is uninitialized") {
  const std::string found =
      findings({.source = kHead + "  __shared__ float s[64];\n  if (threadIdx.x < 32) s[threadIdx.x] = 1;\n"
                                  "  __syncthreads();\n  out[threadIdx.x + 64 * blockIdx.x] = s[threadIdx.x];\n}\n",
                .grid = {2}});
  CHECK(found ==
        "uninitialized: thread (63,0,0) of block (0,0,0) read bytes 252 to 255 of 's' at kernel.cu:5 that no thread of "
        "the block has written (64 times)\n");
}

TEST_CASE("what the compiler keeps beside an array of a class is none of its bytes") {
  const auto rows = [](const char* written) {
    return findings({.source = "#include <cuda_fp16.h>\n" + kHead + "  __shared__ __half s[64];\n" + written +
                               "s[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
                               "  out[threadIdx.x] = s[threadIdx.x ^ 1];\n}\n"});
  };
  CHECK(rows("") == "");
  CHECK(rows("  if (threadIdx.x < 63) ") ==
        "uninitialized: thread (62,0,0) of block (0,0,0) read bytes 126 to 127 of 's' at kernel.cu:6 that no thread of "
        "the block has written\n");
}

TEST_CASE("an output that is read before it was written is uninitialized") {
  CHECK_THAT(
      findings({.source = kHead + "  out[threadIdx.x] += 1;\n}\n"}),
      Catch::Contains("uninitialized: thread (0,0,0) of block (0,0,0) read bytes 0 to 3 of 'out' at kernel.cu:2"));
}

TEST_CASE("a missing barrier is a race with the lines of both sides") {
  const std::string found = findings({.source = kHead + "  __shared__ float s[64];\n  s[threadIdx.x] = 1;\n"
                                                        "  out[threadIdx.x] = s[63 - threadIdx.x];\n}\n"});
  CHECK_THAT(
      found,
      Catch::Contains("race: thread (31,0,0) wrote 4 bytes of 's' (byte 124) at kernel.cu:3 and "
                      "thread (32,0,0) read them at kernel.cu:4 in block (0,0,0), no barrier between them (32 times)"));
}

TEST_CASE("a read before the next tile is written is a race too") {
  CHECK_THAT(
      findings({.source = kHead + "  __shared__ float s[64];\n  float sum = 0;\n  for (int i = 0; i < 2; ++i) {\n"
                                  "    s[threadIdx.x] = i;\n    __syncthreads();\n"
                                  "    sum += s[63 - threadIdx.x];\n  }\n  out[threadIdx.x] = sum;\n}\n"}),
      Catch::Contains("read 4 bytes of 's'") && Catch::Contains("at kernel.cu:7 and thread") &&
          Catch::Contains("wrote them at kernel.cu:5"));
}

TEST_CASE("two writers of one value race, and it is said that the value was the same") {
  CHECK_THAT(findings({.source = kHead + "  __shared__ float s;\n  s = 1;\n  __syncthreads();\n"
                                         "  out[threadIdx.x] = s;\n}\n"}),
             Catch::Contains(
                 "same_value: thread (0,0,0) wrote 4 bytes of 's' (byte 0) at kernel.cu:3 and thread (1,0,0) wrote "
                 "them at kernel.cu:3 in block (0,0,0), no barrier between them; both stored the same value "
                 "(63 times)"));
  CHECK_THAT(findings({.source = kHead + "  out[0] = threadIdx.x;\n}\n"}),
             Catch::Contains("race:") && !Catch::Contains("same value"));
}

TEST_CASE("warp-synchronous code without __syncwarp races, also through volatile") {
  const auto reduce = [](const std::string& qualifier, const std::string& sync) {
    return kHead + "  __shared__ " + qualifier +
           " float s[64];\n  s[threadIdx.x] = x[threadIdx.x];\n  __syncwarp();\n"
           "  for (int d = 16; d > 0; d /= 2) {\n    float v = s[threadIdx.x + d];" +
           sync + "\n    s[threadIdx.x] += v;" + sync + "\n  }\n  out[threadIdx.x] = s[threadIdx.x];\n}\n";
  };
  const auto initialized = [](std::string source) {
    return source.insert(source.find("  __syncwarp"), "  s[threadIdx.x + 32] = 0;\n");
  };
  CHECK(findings({.source = initialized(reduce("", " __syncwarp();")), .block = {32}}).empty());
  for (const char* qualifier : {"", "volatile"})
    CHECK_THAT(findings({.source = initialized(reduce(qualifier, "")), .block = {32}}),
               Catch::Contains("race:") && Catch::Contains("kernel.cu:7") && Catch::Contains("kernel.cu:8"));
}

TEST_CASE("__syncwarp orders only its own warp") {
  CHECK_THAT(findings({.source = kHead + "  __shared__ float s[64];\n  s[threadIdx.x] = 1;\n  __syncwarp();\n"
                                         "  out[threadIdx.x] = s[threadIdx.x ^ 32];\n}\n"}),
             Catch::Contains("race:") && Catch::Contains("kernel.cu:5"));
  CHECK(findings({.source = kHead + "  __shared__ float s[64];\n  s[threadIdx.x] = 1;\n  __syncwarp();\n"
                                    "  out[threadIdx.x] = s[threadIdx.x ^ 1];\n}\n"})
            .empty());
}

TEST_CASE("blocks that write one address race") {
  CHECK_THAT(findings({.source = kHead + "  out[threadIdx.x] = blockIdx.x;\n}\n", .grid = {2}}),
             Catch::Contains("race: thread (0,0,0) of block (0,0,0) wrote 4 bytes of 'out' (byte 0) at kernel.cu:2 and "
                             "thread (0,0,0) of block (1,0,0) wrote them at kernel.cu:2, and nothing orders the two "
                             "blocks (64 times)"));
}

TEST_CASE("an atomic and a plain access of two blocks race") {
  CHECK_THAT(findings({.source = kHead + "  if (blockIdx.x) atomicAdd(work, 1);\n  else work[0] = 1;\n}\n",
                       .grid = {2},
                       .block = {1}}),
             Catch::Contains("race:") && Catch::Contains("atomically updated") && Catch::Contains("kernel.cu:3"));
}

TEST_CASE("a volatile access is called so, and a variable by its name") {
  const std::string told = findings(
      {.source = kHead + "  __shared__ float zqtile[64];\n  zqtile[threadIdx.x] = 1;\n"
                         "  out[threadIdx.x] = *static_cast<volatile float*>(&zqtile[threadIdx.x ^ 32]);\n}\n"});
  CHECK_THAT(told, Catch::Contains("made a volatile read of them") && Catch::Contains("'zqtile'"));
  CHECK_THAT(told, !Catch::Contains("atomic") && !Catch::Contains("'?'"));
  CHECK_THAT(findings({.source = kHead + "  if (blockIdx.x) *static_cast<volatile float*>(out) = 1;\n"
                                         "  else out[0] = 2;\n}\n",
                       .grid = {2},
                       .block = {1}}),
             Catch::Contains("made a volatile write of") && !Catch::Contains("atomic"));
}

TEST_CASE("threads at different barriers and threads that never come are divergence, with lines") {
  CHECK_THAT(findings({.source = kHead + "  if (threadIdx.x < 32) { out[0] = 1; __syncthreads(); }\n"
                                         "  else { out[1] = 2; __syncthreads(); }\n}\n",
                       .block = {33}}),
             Catch::Contains("barrier_divergence: thread (0,0,0) waits in __syncthreads() at kernel.cu:2 and thread "
                             "(32,0,0) in __syncthreads() at kernel.cu:3, in block (0,0,0)"));
  CHECK_THAT(findings({.source = kHead + "  if (threadIdx.x < 16) __syncwarp();\n  else __syncthreads();\n}\n",
                       .block = {32}}),
             Catch::Contains("barrier_divergence: barrier_deadlock:") && Catch::Contains("kernel.cu:3"));
}

TEST_CASE("a barrier orders those who have not exited") {
  CHECK(findings({.source = kHead + "  __shared__ float tile[64];\n  if (threadIdx.x >= 40) return;\n"
                                    "  tile[threadIdx.x] = 1;\n  __syncthreads();\n"
                                    "  out[threadIdx.x] = tile[39 - threadIdx.x];\n}\n"})
            .empty());
  CHECK(findings({.source = kHead + "  __shared__ float tile[64];\n  tile[threadIdx.x] = 1;\n"
                                    "  if (threadIdx.x == 5) return;\n  __syncthreads();\n"
                                    "  out[threadIdx.x] = tile[63 - threadIdx.x];\n}\n"})
            .empty());
}

TEST_CASE("a shuffle that reads a lane which takes no part is told, and is no fault by itself") {
  const std::string text =
      findings({.source = kHead + "  if (threadIdx.x == 7) return;\n"
                                  "  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 1);\n}\n",
                .block = {32}});
  CHECK_THAT(text,
             Catch::Contains("inactive_lane: thread (6,0,0) in block (0,0,0) reads lane 7, which takes no part, in "
                             "__shfl_down_sync() at kernel.cu:3"));
  CHECK_FALSE(is_fault({"inactive_lane", text}));
  CHECK(is_fault({"race", text}));
}

TEST_CASE("an access in a function of the emulation is told at its call") {
  CHECK_THAT(findings({.source = kHead + "  out[threadIdx.x] = __ldg(x + n + threadIdx.x);\n}\n", .block = {1}}),
             Catch::Contains("read 4 bytes at kernel.cu:2: bytes 256 to 259 of 'x'"));
}

TEST_CASE("the copies of the C library are checked") {
  CHECK_THAT(findings({.source = kHead + "  memcpy(out, x, n);\n}\n", .block = {1}, .n = 260}),
             Catch::Contains("read 260 bytes at kernel.cu:2: bytes 0 to 259 of 'x'"));
}

TEST_CASE("correct kernels have no findings") {
  const auto silent = [](const Case& c) {
    INFO(c.source);
    CHECK(findings(c) == "");
  };
  silent({.source = kHead + R"(
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
})",
          .grid = {3}});
  silent({.source = kHead + R"(
  __shared__ float sums[2];
  float v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0] + sums[1];
})"});
  silent({.source = kHead + R"(
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&work[threadIdx.x], bins[threadIdx.x]);
})",
          .grid = {8}});
  silent({.source = kHead + R"(
  __shared__ float tile[2][64];
  tile[0][threadIdx.x] = x[threadIdx.x];
  float sum = 0;
  for (int i = 0; i < 6; ++i) {
    __syncthreads();
    tile[(i + 1) % 2][threadIdx.x] = x[(threadIdx.x + i) % n];
    sum += tile[i % 2][63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
})"});
  silent({.source = kHead + R"(
  __shared__ unsigned char bytes[64];
  __shared__ unsigned short halves[64];
  bytes[threadIdx.x] = threadIdx.x;
  halves[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = bytes[63 - threadIdx.x] + halves[threadIdx.x ^ 1];
  int* const heap = static_cast<int*>(malloc(n * sizeof(int)));
  heap[n - 1] = 3;
  out[threadIdx.x] += heap[n - 1];
  free(heap);
})"});
  silent({.source = R"(
struct Pair { float a, b; };
template <typename T, int kStep>
__device__ T twice(const T* p) { return p[0] * kStep; }
template <typename T, int kStep>
__global__ void k(const T* x, T* out, int* work, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  Pair* const pairs = reinterpret_cast<Pair*>(raw);
  pairs[threadIdx.x] = {twice<T, kStep>(x + threadIdx.x), 1};
  __syncthreads();
  const Pair p = pairs[63 - threadIdx.x];
  reinterpret_cast<float2*>(out)[threadIdx.x] = make_float2(p.a, p.b);
})",
          .shared = 512,
          .entry = "k<float, 2>"});
}

TEST_CASE("the last block may read what all wrote, behind a fence and an atomic counter, but not without the fence") {
  const auto last_block = [](const std::string& fence) {
    return kHead + R"(
  __shared__ bool last;
  out[blockIdx.x * 64 + threadIdx.x] = x[threadIdx.x];
  )" + fence +
           R"(
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(work, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += out[i * 64 + threadIdx.x];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *work = 0;
})";
  };
  CHECK(findings({.source = last_block("__threadfence();"), .grid = {4}}) == "");
  CHECK_THAT(findings({.source = last_block(""), .grid = {4}}),
             Catch::Contains("race:") && Catch::Contains("nothing orders the two blocks"));
}

TEST_CASE("a block may wait for another one's flag") {
  const std::string source = kHead + R"(
  if (blockIdx.x == 1) {
    out[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) { __threadfence(); atomicExch(work, 1); }
  } else {
    if (threadIdx.x == 0) while (atomicAdd(work, 0) == 0) {}
    __syncthreads();
    out[64 + threadIdx.x] = out[threadIdx.x];
  }
})";
  CHECK(findings({.source = source, .grid = {2}, .cooperative = true}) == "");
}

TEST_CASE("what the kernel says of itself is a finding too") {
  CHECK_THAT(findings({.source = kHead + "  if (threadIdx.x == 3) __trap();\n}\n"}),
             Catch::Contains("other: trap: kernel.cu:2"));
  CHECK_THAT(findings({.source = kHead + "  out[0] = (n + 7) / (n - 64);\n}\n", .block = {1}}),
             Catch::Contains("other: its process ended: signal 8"));
}

TEST_CASE("findings repeat, whatever the host threads do") {
  const Case racy{.source = kHead +
                            "  atomicAdd(work + threadIdx.x % 7, 1);\n  __threadfence();\n"
                            "  out[(threadIdx.x * 5 + blockIdx.x) % n] = blockIdx.x;\n  work[blockIdx.x % 9] = 1;\n}\n",
                  .grid = {40}};
  const std::string first = findings(racy);
  CHECK_THAT(first, Catch::Contains("race:"));
  for (int i = 0; i < 3; ++i) CHECK(findings(racy) == first);
}

TEST_CASE("what was not checked says why") {
  const MemoryCheck late = check({.source = kHead + "  while (atomicAdd(work, 0) == 0) {}\n}\n", .block = {1}}, 1.0);
  CHECK_FALSE(late.checked);
  CHECK(late.why == "it did not end within 1 s");
  const MemoryCheck plain = check({.source = kHead + "  out[threadIdx.x] = 1;\n}\n", .checked = false});
  CHECK_FALSE(plain.checked);
  CHECK(plain.why == "the candidate was not built for the checker");
  const MemoryCheck hidden = check({.source = kHead + "}\n"});
  CHECK_FALSE(hidden.checked);
  CHECK_THAT(hidden.why, Catch::Contains("nothing instrumented"));
}

TEST_CASE("findings of the same lines are one, and their text is cleaned and cut") {
  const std::map<std::uint64_t, std::string> lines = {{16, "k.cu:1"}, {20, "k.cu:1"}, {32, "k.cu:2"}};
  const std::vector<Finding> told = describe_findings({{"race", "a @0 b @1", {16, 32}, 3, 0},
                                                       {"race", "c @0 d @1", {20, 32}, 1500, 0},
                                                       {"bogus\x1b", "e\x1b[31m @0", {48}, 1, 0},
                                                       {"race", std::string(9000, 'x'), {}, 1, 0}},
                                                      lines);
  REQUIRE(told.size() == 3);
  CHECK(told[0].message == "a at k.cu:1 b at k.cu:2 (1,503 times)");
  CHECK(told[1].kind == "other");
  CHECK(told[1].message == "e?[31m at code offset 0x30");
  CHECK(told[2].message.size() <= 500);
}
