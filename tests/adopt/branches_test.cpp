#include "harness/adopt/host/branches.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// Branches of the host that choose a launch are conditions of the plan, or are asked; never is the first one taken.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kBlocked =
    "template <int BLOCK> __global__ void scale(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = 2.0f * x[i];\n}\n";

/// "n <= 64: 32 | 64 < n: 128", of all launches: their conditions and blocks.
std::string launches_of(const std::string& host) {
  const adopt::AdoptedKernel kernel = chosen_kernel(kBlocked + host);
  std::string text;
  for (const adopt::LaunchShape* launch : kernel.launches())
    text += (text.empty() ? "" : " | ") + adopt::as_cpp(*launch->when, [](const std::string& name) { return name; }) +
            ": " + adopt::as_cpp(*launch->block.front(), [](const std::string& name) { return name; });
  return text;
}

}  // namespace

TEST_CASE("if, else, returns and cases that choose a launch are conditions of the plan") {
  CHECK(launches_of("void run(const float* x, float* y, int n) {\n"
                    "  if (n == 0) return;\n"
                    "  if (n <= 64) {\n    scale<32><<<(n + 31) / 32, 32>>>(x, y, n);\n    return;\n  }\n"
                    "  scale<128><<<(n + 127) / 128, 128>>>(x, y, n);\n}\n") ==
        "((n != 0) && (n <= 64)): 32 | ((n != 0) && (64 < n)): 128");
  CHECK(launches_of("void run(const float* x, float* y, int n, int mode) {\n  switch (n % 3) {\n"
                    "    case 0: case 1: scale<32><<<(n + 31) / 32, 32>>>(x, y, n); break;\n"
                    "    default: scale<64><<<(n + 63) / 64, 64>>>(x, y, n);\n  }\n}\n")
            .find(": 32 | ") != std::string::npos);
}

TEST_CASE("a launcher that is a template stands where it is called with each of its values") {
  CHECK(launches_of("template <int B> void launch(const float* x, float* y, int n) {\n"
                    "  int blocks = (n + B - 1) / B;\n  scale<B><<<blocks, B>>>(x, y, n);\n}\n"
                    "void run(const float* x, float* y, int n) {\n"
                    "  if (n >= 1024) launch<256>(x, y, n);\n  else launch<64>(x, y, n);\n}\n") ==
        "(1024 <= n): 256 | (n < 1024): 64");
}

TEST_CASE("a branch on what is no size is asked for") {
  CHECK_THROWS_WITH(launches_of("void run(const float* x, float* y, int n) {\n"
                                "  if (x != nullptr) scale<32><<<(n + 31) / 32, 32>>>(x, y, n);\n"
                                "  else scale<64><<<(n + 63) / 64, 64>>>(x, y, n);\n}\n"),
                    Catch::Contains("--launch LINE"));
}

TEST_CASE("the branch of the only launch bounds its sizes") {
  const adopt::AdoptedKernel kernel =
      chosen_kernel(kBlocked +
                    "void run(const float* x, float* y, int n) {\n"
                    "  if (n > 99 && n <= 4000) scale<32><<<(n + 31) / 32, 32>>>(x, y, n);\n}\n");
  CHECK(kernel.sizes.at(0).low == 100);
  CHECK(kernel.sizes.at(0).high == 4000);
  CHECK(kernel.conditions.empty());
}

TEST_CASE("each branch is observed, and is a launch with a condition in the plugin", "[.nightly]") {
  const adopt::Adopted adopted = adopted_source(kBlocked +
                                                "void run(const float* x, float* y, int n) {\n"
                                                "  if (n <= 64) scale<32><<<(n + 31) / 32, 32>>>(x, y, n);\n"
                                                "  else scale<128><<<(n + 127) / 128, 128>>>(x, y, n);\n}\n");
  CHECK(pointers_of(adopted) == "x: input f32 [n]\ny: output f32 [n]\n");
  CHECK_THAT(adopted.files.at(1).second,
             Catch::Contains("when = le(w.n, 64)") && Catch::Contains("when = lt(64, w.n)"));
  CHECK_THAT(adopted.files.at(0).second, Catch::Contains("when = function(w) return le(w.n, 64) end"));
  CHECK(adopted.reference.words == "its own source in double");
}
