#include "harness/adopt/plugin/patch.h"

#include <sstream>

#include "harness/adopt/kernel/launched.h"
#include "harness/adopt/plugin/moved_lines.h"
#include "harness/adopt/plugin/patch_for_sizes.h"
#include "harness/adopt/plugin/revision.h"
#include "harness/adopt/source/slice.h"
#include "harness/core/error.h"
#include "harness/core/line_diff.h"
#include "tests/adopt/fixture.h"

using namespace harness;
using namespace harness::adopt;
using namespace harness::tests;

namespace {

Winner winner_of(const std::string& file, const std::string& entry, std::map<std::string, std::int64_t> set) {
  Winner winner;
  winner.file = file;
  winner.entry = entry;
  winner.set = std::move(set);
  winner.launches.resize(1);
  winner.launches[0].launch.entry = entry;
  return winner;
}

/// The changed lines, without what stands around them.
std::string lines_changed(const std::vector<PatchedFile>& files) {
  std::string text;
  for (const PatchedFile& each : files) {
    const std::string diff = unified_diff(each.before, each.after, "a", "b", 0);
    std::istringstream lines(diff.substr(diff.find("@@")));
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("@@")) text += line + "\n";
  }
  return text;
}

std::string changes(const Winner& winner) {
  return lines_changed(patched(winner));
}

/// y = 2 x in a template on type and tile, launched by a function of sizes.
constexpr const char* kScale =
    "#define UNROLL 2\n"
    "template <typename T, int TILE>\n__global__ void scale(const T* x, T* y, int n) {\n"
    "  for (int k = 0; k < UNROLL; ++k) {\n"
    "    const int i = (blockIdx.x * UNROLL + k) * TILE + threadIdx.x;\n    if (i < n) y[i] = T(2) * x[i];\n  }\n}\n\n"
    "void run(const float* x, float* y, int count, cudaStream_t stream) {\n"
    "  scale<float, 64><<<(count + 127) / 128, 64, 0, stream>>>(x, y, count);\n}\n";

/// scale of 1000 numbers in blocks of `threads`.
Winner winner_of_scale(const Scratch& scratch, std::int64_t threads, std::int64_t unroll) {
  scratch.write("mine.cu", kScale);
  AdoptOptions options;
  options.file = scratch.path("mine.cu");
  const Declared declared = declare(options);
  Winner winner = winner_of(scratch.path("mine.cu"), "scale", {{"TILE", threads}, {"UNROLL", unroll}});
  winner.original = winner.source =
      device_source(declared.source, choose_kernel(declared).index, {"UNROLL"}, false, "", {}).text;
  winner.was = {{"TILE", 64}, {"UNROLL", 2}};
  winner.sizes = {{"n", std::int64_t{1000}}};
  Launch& launch = winner.launches[0].launch;
  launch.entry = "scale<float," + std::to_string(threads) + ">";
  launch.grid = {static_cast<std::uint32_t>((1000 + threads * unroll - 1) / (threads * unroll)), 1, 1};
  launch.block = {static_cast<std::uint32_t>(threads), 1, 1};
  launch.args = {NamedArgument{"x"}, NamedArgument{"y"}, ScalarArgument{Dtype::s32, std::int64_t{1000}}};
  winner.originals = {launch};
  return winner;
}

/// The device part of the plugin that adopt makes of long_softmax.
std::string long_softmax_device() {
  AdoptOptions options;
  options.file = ordinary("long_softmax.cu");
  options.entries = {"long_softmax"};
  const Declared declared = declare(options);
  const std::vector<std::string>& entries = declared.options.entries;
  const std::size_t kernel = choose_kernel(declared).index;
  return device_source(declared.source, kernel, {}, false, "", {entries.begin(), entries.end()}).text;
}

/// long_softmax of 4 rows in pieces of 512 by 64 threads.
Winner winner_of_long_softmax() {
  Winner winner;
  winner.file = ordinary("long_softmax.cu");
  winner.entry = "long_softmax";
  winner.original = winner.source = long_softmax_device();
  winner.set = {{"THREADS", 64}, {"kPiece", 512}};
  winner.sizes = {{"rows", std::int64_t{4}}, {"cols", std::int64_t{20000}}};
  winner.launches.resize(2);
  for (MeasuredLaunch& each : winner.launches) {
    each.launch.grid = {40, 4, 1};
    each.launch.block = {64, 1, 1};
    each.formulas.grid = {json::parse(R"({"cdiv": [{"size": "cols"}, 512]})"), json::parse(R"({"size": "rows"})"), 1};
    each.formulas.block = {64, 1, 1};
  }
  winner.scratch = {{"piece_max", 640, 1264}, {"piece_sum", 640, 1264}};
  return winner;
}

constexpr const char* kValues =
    "-constexpr int kPiece = 256;\n-#define THREADS 128\n+constexpr int kPiece = 512;\n+#define THREADS 64\n";

}  // namespace

TEST_CASE("a launch of a number that every call has is the file's own where the winner is the original") {
  const Scratch scratch;
  scratch.write(
      "mine.cu",
      "__global__ void decay(const int B, const int H, const float* x, float* y) { y[blockIdx.x] = x[H]; }\n"
      "void run(int B, int H, const float* x, float* y) {\n  decay<<<dim3(B * H), dim3(64)>>>(B, H, x, y);\n}\n");
  Winner winner = winner_of(scratch.path("mine.cu"), "decay", {});
  winner.sizes = {{"H", std::int64_t{5}}};
  Launch& launch = winner.launches[0].launch;
  launch.grid = {5, 1, 1};
  launch.block = {64, 1, 1};
  launch.args = {ScalarArgument{Dtype::s32, std::int64_t{1}}, ScalarArgument{Dtype::s32, std::int64_t{5}}};
  CHECK(patched(winner).empty());
}

TEST_CASE("a winner's parameters become values in its own file, and the launch stays where it says the same") {
  Winner winner = winner_of(ordinary("row_softmax.cu"), "row_softmax", {{"kThreads", 128}});
  winner.sizes = {{"rows", std::int64_t{4096}}, {"cols", std::int64_t{1000}}};
  winner.launches[0].launch.grid = {4096, 1, 1};
  winner.launches[0].launch.block = {128, 1, 1};
  CHECK(changes(winner) == "-constexpr int kThreads = 256;\n+constexpr int kThreads = 128;\n");

  Winner tiles = winner_of(ordinary("transpose.cu"), "transpose", {{"BLOCK_ROWS", 16}, {"TILE_DIM", 32}});
  tiles.sizes = {{"width", std::int64_t{1000}}, {"height", std::int64_t{77}}};
  tiles.launches[0].launch.grid = {32, 3, 1};
  tiles.launches[0].launch.block = {32, 16, 1};
  CHECK(changes(tiles) == "-#define BLOCK_ROWS 8\n+#define BLOCK_ROWS 16\n");

  Winner gemm = winner_of(ordinary("gemm.cu"), "sgemm_shared_mem_block", {{"BLOCKSIZE", 32}});
  gemm.sizes = {{"M", std::int64_t{64}}, {"N", std::int64_t{128}}, {"K", std::int64_t{32}}};
  gemm.launches[0].launch.grid = {2, 4, 1};
  gemm.launches[0].launch.block = {1024, 1, 1};
  gemm.launches[0].formulas.grid = {json::parse(R"({"cdiv": [{"size": "M"}, 32]})"),
                                    json::parse(R"({"cdiv": [{"size": "N"}, 32]})"), 1};
  gemm.launches[0].formulas.block = {1024, 1, 1};
  CHECK(changes(gemm) ==
        "-  sgemm_shared_mem_block<16><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);\n"
        "+  sgemm_shared_mem_block<32><<<dim3(((M + 32 - 1) / 32), ((N + 32 - 1) / 32)), 1024>>>(M, N, K, alpha, A, B, "
        "beta, C);\n");
}

TEST_CASE("a template argument that is a constant of the same name changes with it, and so does the block") {
  const Scratch scratch;
  for (const bool local : {true, false}) {
    const std::string constant = "  constexpr int kThreads = 128;\n";
    scratch.write("mine.cu", (local ? "" : constant) +
                                 "template <int kThreads> __global__ void twice(float* x) {\n"
                                 "  x[blockIdx.x * kThreads + threadIdx.x] *= 2;\n}\n"
                                 "void run(float* x, int n) {\n" +
                                 (local ? constant : "") + "  twice<kThreads><<<n, kThreads>>>(x);\n}\n");
    Winner winner = winner_of(scratch.path("mine.cu"), "twice", {{"kThreads", 64}});
    winner.sizes = {{"n", std::int64_t{5}}};
    winner.launches[0].launch.grid = {5, 1, 1};
    winner.launches[0].launch.block = {64, 1, 1};
    CHECK(changes(winner) == "-  constexpr int kThreads = 128;\n+  constexpr int kThreads = 64;\n");
  }
}

TEST_CASE("what a file cannot say is told in one sentence") {
  Winner winner = winner_of(ordinary("row_softmax.cu"), "row_softmax", {{"kWarps", 4}});
  CHECK_THROWS_WITH(patched(winner), "row_softmax.cu has no 'kWarps' that could be given the value 4");
  winner.set = {};
  winner.sizes = {{"rows", std::int64_t{4096}}};
  winner.launches[0].launch.grid = {4096, 1, 1};
  winner.launches[0].launch.block = {256, 1, 1};
  winner.launches[0].launch.shared = 100000;
  winner.launches[0].formulas.shared = 100000;
  CHECK_THROWS_WITH(patched(winner), Catch::Contains("cudaFuncSetAttribute"));
  CHECK_THROWS_WITH(patched(winner_of(ordinary("row_softmax.cu"), "softmax", {})),
                    "row_softmax.cu has no kernel 'softmax' any more");
  CHECK_THROWS_WITH(patched(winner_of(ordinary("row_softmax.cu"), "row_softmax_unpacked", {})),
                    "'row_softmax' takes structures by value there, and the winner takes their parts");
}

TEST_CASE("a launch of all elements of a tensor stays where the workload says its extents") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "__global__ void k(float* x, int cols, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] "
                "*= cols; }\n"
                "void run(torch::Tensor x, bool twice) {\n"
                "  const int n = x.numel(), cols = x.size(1);\n"
                "  if (twice) k<<<(n + 63) / 64, 64>>>(x.data<float>(), cols, n);\n"
                "  k<<<(n + 63) / 64, 64>>>(x.data<float>(), cols, n);\n}\n");
  Winner winner = winner_of(scratch.path("mine.cu"), "k", {});
  winner.sizes = {{"x_size_0", std::int64_t{10}}, {"cols", std::int64_t{32}}};
  winner.launches[0].launch.grid = {5, 1, 1};
  winner.launches[0].launch.block = {64, 1, 1};
  CHECK_NOTHROW(patched(winner));
  winner.launches[0].launch.grid = {6, 1, 1};
  CHECK_THROWS_WITH(patched(winner), Catch::Contains("launches 'k' in 2 places, and not as it was measured"));
}

TEST_CASE("a winner's source changes the lines that it has in common with the file") {
  const std::string file =
      "#include <a.h>\n#define T 4\n\nhost();\n\n__global__ void k() {\n  one();\n  two();\n}\nmain();\n";
  const std::string device =
      "#include <harness/adopted.cuh>\n#ifndef T\n#define T 4\n#endif\n\n__global__ void k() {\n"
      "  one();\n  two();\n}\n";
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string text = device;
    text.replace(text.find(from), from.size(), to);
    return with_moved_lines(device, text, file, file, "x.cu");
  };
  CHECK(change("  one();\n", "  better();\n  faster();\n") ==
        "#include <a.h>\n#define T 4\n\nhost();\n\n__global__ void k() {\n  better();\n  faster();\n  "
        "two();\n}\nmain();\n");
  CHECK(change("__global__ void k", "#include <mma.h>\n__global__ void k")
            .starts_with("#include <mma.h>\n#include <a.h>\n"));
  CHECK_THROWS_WITH(change("__global__ void k", "#include <harness/load.cuh>\n__global__ void k"),
                    Catch::Contains("a header that x.cu is not built with"));
  CHECK_THROWS_WITH(change("#ifndef T\n", "#ifdef T\n"), Catch::Contains("which is not in x.cu"));
}

TEST_CASE("a winner of several launches becomes values, launches and lines of the function's file") {
  CHECK(changes(winner_of_long_softmax()) == kValues);

  Winner wider = winner_of_long_softmax();
  wider.launches[1].launch.block = {128, 1, 1};
  wider.launches[1].formulas.block = {128, 1, 1};
  CHECK(changes(wider) ==
        kValues + std::string("-  normalize<<<grid, THREADS, 0, stream>>>(x, piece_max, piece_sum, y, cols, pieces);\n"
                              "+  normalize<<<dim3(((cols + 512 - 1) / 512), rows), 128, 0, stream>>>(x, piece_max, "
                              "piece_sum, y, cols, pieces);\n"));

  Winner edited = winner_of_long_softmax();
  edited.set.clear();
  edited.launches.assign(2, {});
  for (MeasuredLaunch& each : edited.launches) {
    each.launch.grid = {79, 4, 1};
    each.launch.block = {128, 1, 1};
  }
  const std::string line = "  const int row = blockIdx.y;\n";  // of normalize
  edited.source.replace(edited.source.find(line), line.size(), "  const unsigned row = blockIdx.y;\n");
  CHECK(changes(edited) == "-  const int row = blockIdx.y;\n+  const unsigned row = blockIdx.y;\n");
}

TEST_CASE("what the function of a sequence does around its launches stays as it is, or there is no patch") {
  Winner winner = winner_of_long_softmax();
  winner.scratch[1].winner = 2000;
  CHECK_THROWS_WITH(patched(winner), "it needs 2000 bytes of 'piece_sum', and long_softmax would make 640");
  winner = winner_of_long_softmax();
  const std::string call = "  piece_stats(x, piece_max";
  winner.source.replace(winner.source.find(call), call.size(), "  piece_stats(x, piece_sum");
  CHECK_THROWS_WITH(patched(winner), Catch::Contains("it changes 'long_softmax_1', which adopt made of a launch"));
  winner = winner_of_long_softmax();
  winner.launches.resize(1);
  CHECK_THROWS_WITH(patched(winner), "long_softmax.cu launches 2 kernels in long_softmax, and the winner 1");
}

TEST_CASE("a winner of one workload runs on its sizes, and all other launches stay the original's") {
  const Scratch scratch;
  CHECK(patched_for_sizes(winner_of_scale(scratch, 64, 2)).empty());
  CHECK(lines_changed(patched_for_sizes(winner_of_scale(scratch, 128, 2))) ==
        "+  if (count == 1000)\n+    scale<float, 128><<<4, 128, 0, stream>>>(x, y, count);\n+  else\n");

  const std::string second = lines_changed(patched_for_sizes(winner_of_scale(scratch, 64, 4)));
  CHECK_THAT(second, Catch::StartsWith("+// Measured with harness on n=1000.\n+#undef UNROLL\n+#define "
                                       "UNROLL 4\n+namespace for_n1000 {\n") &&
                         Catch::Contains("+}  // namespace for_n1000\n+#undef UNROLL\n+#define UNROLL 2\n") &&
                         Catch::Contains("+  if (count == 1000)\n+    for_n1000::scale<float, 64><<<4, 64, 0, "
                                         "stream>>>(x, y, count);\n+  else\n"));
  CHECK(second.find("\n-") == std::string::npos);

  Winner edited = winner_of_scale(scratch, 64, 2);
  edited.source.replace(edited.source.find("T(2) * x[i]"), 11, "x[i] + x[i]");
  CHECK_THAT(lines_changed(patched_for_sizes(edited)), Catch::Contains("+    if (i < n) y[i] = x[i] + x[i];\n"));
}

TEST_CASE("a winner of one of several branches stands in front of the launch that its sizes take") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "template <int BLOCK> __global__ void scale(const float* x, float* y, int n) {\n"
                "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = 2.0f * x[i];\n}\n"
                "void run(const float* x, float* y, int n) {\n"
                "  if (n <= 64) scale<32><<<(n + 31) / 32, 32>>>(x, y, n);\n"
                "  else scale<128><<<(n + 127) / 128, 128>>>(x, y, n);\n}\n");
  AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.entries = {"scale"};
  const Declared declared = declare(options);
  const std::vector<std::string>& fronts = declared.options.entries;
  REQUIRE(fronts == std::vector<std::string>{"run_1", "run_2"});
  Winner winner = winner_of(options.file, "scale", {});
  winner.original = winner.source =
      device_source(declared.source, choose_kernel(declared).index, {}, false, "", {fronts.begin(), fronts.end()}).text;
  winner.sizes = {{"n", std::int64_t{1000}}};
  Launch& launch = winner.launches[0].launch;
  launch.entry = "run_2";
  launch.grid = {8, 1, 1};
  launch.block = {128, 1, 1};
  launch.args = {NamedArgument{"x"}, NamedArgument{"y"}, ScalarArgument{Dtype::s32, std::int64_t{1000}}};
  winner.originals = {launch};
  CHECK(patched_for_sizes(winner).empty());
  winner.source.replace(winner.source.find("2.0f * x[i]"), 11, "x[i] + x[i]");
  const std::string lines = lines_changed(patched_for_sizes(winner));
  CHECK_THAT(lines, Catch::Contains("+  else if (n == 1000) for_n1000::run_2<<<8, 128>>>(x, y, n); else "
                                    "scale<128><<<(n + 127) / 128, 128>>>(x, y, n);\n") &&
                        Catch::Contains("+namespace for_n1000 {\n") &&
                        Catch::Contains("+__global__ void run_2(const float* x, float* y, int n) {\n") &&
                        Catch::Contains("y[i] = x[i] + x[i];\n"));
  CHECK(lines.find("(n <= 64)") == std::string::npos);
}

TEST_CASE("a patch for sizes that the host does not name is refused") {
  const Scratch scratch;
  Winner winner = winner_of_scale(scratch, 128, 2);
  winner.sizes["rows"] = std::int64_t{5};
  CHECK_THROWS_WITH(patched_for_sizes(winner),
                    "the launch at mine.cu:11 cannot ask for rows, which the host does not name");
  CHECK(sizes_measured(winner) == "n=1000, rows=5");
  Winner half = winner_of_scale(scratch, 128, 2);
  half.launches[0].launch.entry = "scale<__half,128>";
  CHECK_THROWS_WITH(patched_for_sizes(half), "mine.cu launches 'scale' on no sizes that it was measured on");
}

TEST_CASE("a revision of a file is read with the options with which it was adopted") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "template <typename T> __global__ void scale(const T* x, T* y, int n) {\n"
                "  const int i = blockIdx.x * WIDTH + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n"
                "template <typename T> void run(const T* x, T* y, int n, bool wide) {\n"
                "  if (wide)\n    scale<T><<<(n + 2 * WIDTH - 1) / (2 * WIDTH), 2 * WIDTH>>>(x, y, n);\n"
                "  else\n    scale<T><<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(x, y, n);\n}\n");
  AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.types = {"T=f16"};
  options.defines = {"WIDTH=64"};
  options.launch_line = 9;
  const Launched launched = launch(declare(options));
  REQUIRE(launched.kernel.options == std::vector<std::string>{"-D WIDTH=64", "--type T=f16", "--launch #2"});
  AdoptedFrom from{.entry = "scale"};
  CHECK_THROWS(revision_of(options.file, from, {"n"}));
  from.options = launched.kernel.options;
  const Revision revision = revision_of(options.file, from, {"n"});
  CHECK_THAT(revision.manifest, Catch::Contains("grid = { cdiv(w.n, 64) }") && Catch::Contains("block = { 64 }"));
  from.options = {"--wide 3"};
  CHECK_THROWS_WITH(revision_of(options.file, from, {"n"}), Catch::Contains("adopted.options has '--wide 3'"));
}
