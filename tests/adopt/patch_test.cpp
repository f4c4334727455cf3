#include "harness/adopt/patch.h"

#include <sstream>

#include "harness/adopt/moved_lines.h"
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
  winner.launch.entry = entry;
  return winner;
}

/// The changed lines, without what stands around them.
std::string changes(const Winner& winner) {
  std::string text;
  for (const PatchedFile& each : patched(winner)) {
    const std::string diff = unified_diff(each.before, each.after, "a", "b", 0);
    std::istringstream lines(diff.substr(diff.find("@@")));
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("@@")) text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a winner's parameters become values in its own file, and the launch stays where it says the same") {
  Winner winner = winner_of(ordinary("row_softmax.cu"), "row_softmax", {{"kThreads", 128}});
  winner.sizes = {{"rows", std::int64_t{4096}}, {"cols", std::int64_t{1000}}};
  winner.launch.grid = {4096, 1, 1};
  winner.launch.block = {128, 1, 1};
  CHECK(changes(winner) == "-constexpr int kThreads = 256;\n+constexpr int kThreads = 128;\n");

  Winner tiles = winner_of(ordinary("transpose.cu"), "transpose", {{"BLOCK_ROWS", 16}, {"TILE_DIM", 32}});
  tiles.sizes = {{"width", std::int64_t{1000}}, {"height", std::int64_t{77}}};
  tiles.launch.grid = {32, 3, 1};
  tiles.launch.block = {32, 16, 1};
  CHECK(changes(tiles) == "-#define BLOCK_ROWS 8\n+#define BLOCK_ROWS 16\n");

  Winner gemm = winner_of(ordinary("gemm.cu"), "sgemm_shared_mem_block", {{"BLOCKSIZE", 32}});
  gemm.sizes = {{"M", std::int64_t{64}}, {"N", std::int64_t{128}}, {"K", std::int64_t{32}}};
  gemm.launch.grid = {2, 4, 1};
  gemm.launch.block = {1024, 1, 1};
  gemm.formulas.grid = {json::parse(R"({"cdiv": [{"size": "M"}, 32]})"),
                        json::parse(R"({"cdiv": [{"size": "N"}, 32]})"), 1};
  gemm.formulas.block = {1024, 1, 1};
  CHECK(changes(gemm) ==
        "-  sgemm_shared_mem_block<16><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);\n"
        "+  sgemm_shared_mem_block<32><<<dim3(((M + 32 - 1) / 32), ((N + 32 - 1) / 32)), 1024>>>(M, N, K, alpha, A, B, "
        "beta, C);\n");
}

TEST_CASE("what a file cannot say is told in one sentence") {
  Winner winner = winner_of(ordinary("row_softmax.cu"), "row_softmax", {{"kWarps", 4}});
  CHECK_THROWS_WITH(patched(winner), "row_softmax.cu has no 'kWarps' that could be given the value 4");
  winner.set = {};
  winner.sizes = {{"rows", std::int64_t{4096}}};
  winner.launch.grid = {4096, 1, 1};
  winner.launch.block = {256, 1, 1};
  winner.launch.shared = 100000;
  winner.formulas.shared = 100000;
  CHECK_THROWS_WITH(patched(winner), Catch::Contains("cudaFuncSetAttribute"));
  CHECK_THROWS_WITH(patched(winner_of(ordinary("row_softmax.cu"), "softmax", {})),
                    "row_softmax.cu has no kernel 'softmax' any more");
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
