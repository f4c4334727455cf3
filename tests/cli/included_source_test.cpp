#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "tests/support/program.h"

// The record says which text was judged: also the text of headers, however they are included.
using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSource = R"(/**/#include "comment.cuh"
%:include "digraph.cuh"
#inc\
lude "splice.cuh"
template <typename T>
__global__ void f(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * T(comment * digraph * splice);
}
)";

}  // namespace

TEST_CASE("a changed header is another source in the record, however it is included") {
  const Scratch scratch;
  const std::string kernel = scratch.path("kernels/faulty");
  fs::create_directories(kernel + "/variants");
  const fs::path fixture = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/faulty/faulty";
  for (const char* file : {"kernel.lua", "reference.cu", "variants/00_good.lua", "variants/00_good.cu"})
    fs::copy_file(fixture / file, fs::path(kernel) / file);
  fs::copy_file(fixture / "variants/00_good.lua", fs::path(kernel) / "variants/05_included.lua");
  scratch.write("kernels/faulty/variants/05_included.cu", kSource);
  const std::vector<std::string> headers{"comment", "digraph", "splice"};
  const auto write = [&](const std::string& header, int factor) {
    scratch.write("kernels/faulty/variants/" + header + ".cuh",
                  "constexpr int " + header + " = " + std::to_string(factor) + ";\n");
  };
  const auto eval = [&] {
    const Finished finished = run_harness({"eval", "faulty", "05_included", "--device", "cpu", "--emulated", "--db",
                                           scratch.db(), "--json", "--kernels", scratch.path("kernels")});
    INFO(finished.err << finished.out);
    REQUIRE(finished.lines().size() == 1);
    return finished.lines()[0];
  };
  for (const std::string& header : headers) write(header, header == "comment" ? 2 : 1);
  const json right = eval();
  CHECK(right["outcome"] == "passed");
  std::set<std::string> hashes{right["hashes"]["source"]};
  for (const std::string& header : headers) {
    write(header, 5);
    const json wrong = eval();
    INFO(header);
    CHECK(wrong["outcome"] == "wrong_answer");
    CHECK(hashes.insert(wrong["hashes"]["source"]).second);
    write(header, header == "comment" ? 2 : 1);
  }
  CHECK(eval()["hashes"]["source"] == right["hashes"]["source"]);
}

TEST_CASE("an include that the text does not tell is refused before anything is compiled") {
  const Scratch scratch;
  scratch.write("edited.cu", "\n#include BLOCK\n");
  const Finished refused =
      run_harness({"eval", "faulty", "00_good", "--device", "cpu", "--emulated", "--source", scratch.path("edited.cu"),
                   "--db", scratch.db(), "--kernels", std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/faulty"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("00_good.cu:2: an #include must name its file"));
}
