#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What public kernels that a seed drew showed: never guessed, and a reason that is the real one.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kTwiceOfAll =
    "__global__ void twice(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n";

/// What its launch cannot be told from; "": all is told.
std::string refused_launch(const std::string& source) {
  try {
    chosen_kernel(source);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// The first question, or why it cannot be adopted.
std::string asked(const std::string& source) {
  try {
    const adopt::Adopted found = adopted_source(source);
    return found.seen.questions.empty() ? "" : found.seen.questions.front().why;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a variable of a file that a function changes is no constant of its launches") {
  const std::string launch =
      "void run(const float* x, float* y, int n) {\n  twice<<<(n + threads - 1) / threads, threads>>>(x, y, n);\n}\n";
  CHECK(refused_launch(kTwiceOfAll + "int threads = 64;\n" + launch).empty());
  for (const char* change : {"threads = 256;", "threads *= 2;", "++threads;", "read(0, &threads);"}) {
    CAPTURE(change);
    CHECK_THAT(refused_launch(kTwiceOfAll + "int threads = 1;\nvoid set() { " + change + " }\n" + launch),
               Catch::Contains("'threads' of its block cannot be traced") && Catch::Contains("--block EXPR"));
  }
  // Another variable of that name says nothing of it.
  for (const char* other :
       {"void set() { int threads = 3; threads = 5; }\n", "void set(int threads) { threads = 5; }\n",
        "void set() { if (threads == 4 && a.threads) a.threads = 5; }\n"}) {
    CAPTURE(other);
    CHECK(refused_launch(kTwiceOfAll + "int threads = 64;\n" + other + launch).empty());
  }
}

TEST_CASE("what main is given on its command line is no size") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      kTwiceOfAll +
      "int main(int argc, char** argv) {\n  if (argc != 2) return 1;\n  int n = atoi(argv[1]);\n  float *x, *y;\n"
      "  twice<<<(n + 63) / 64, 64>>>(x, y, n);\n}\n");
  REQUIRE(kernel.sizes.size() == 1);
  CHECK(kernel.sizes[0].name == "n");
}

TEST_CASE("a template parameter of a launcher that nobody calls is asked for as one") {
  CHECK_THAT(refused_launch("template <int BSZ> __global__ void k(float* x, int n) { x[blockIdx.x * BSZ] = n; }\n"
                            "template <int BSZ> void run(float* x, int n) { k<BSZ><<<n, BSZ>>>(x, n); }\n"),
             Catch::Contains("'BSZ' is a template parameter of run") && Catch::Contains("--tune BSZ=VALUE"));
}

TEST_CASE("an array that is another one at the host's own sizes is asked for") {
  // Blocks behind the end read what stands in front of them, so that small sizes show a fixed length.
  CHECK(asked("__global__ void shift(const float* x, float* y, int n) {\n"
              "  int i = blockIdx.x * 64 + threadIdx.x;\n  float left = threadIdx.x == 0 && i > 0 ? x[i - 1] : 0;\n"
              "  if (i < n) y[i] = x[i] + left;\n}\n"
              "int main() {\n  int n = 8192;\n  float *x, *y;\n  shift<<<128, 64>>>(x, y, n);\n}\n") ==
        "at n=8192, which the host's program has, 'x' has 8192 elements, and 8128 by what smaller sizes said");
}

TEST_CASE("the reason of what does not compile is told where it is known") {
  const std::string head = "__global__ void k(float* x, int n) {\n  float v = x[threadIdx.x];\n",
                    launch = "}\nvoid run(float* x, int n) { k<<<n, 32>>>(x, n); }\n";
  CHECK_THAT(asked(head + "  x[threadIdx.x] = __shfl_down(v, 1);\n" + launch),
             Catch::Contains("no GPU since Volta has") && Catch::Contains("__shfl_down_sync"));
  CHECK_THAT(asked(head + "  curandState state;\n  x[threadIdx.x] = v;\n" + launch), Catch::Contains("cuRAND"));
}

TEST_CASE("a value that a GPU leaves undefined is told") {
  const adopt::Adopted found = self_referenced(
      "__global__ void most(const float* x, float* y, int cols) {\n"
      "  float m = x[blockIdx.x * 16 + threadIdx.x];\n"
      "  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_down_sync(0xffffffffu, m, o));\n"
      "  if (threadIdx.x == 0) y[blockIdx.x] = m;\n}\n"
      "void run(const float* x, float* y, int rows) { most<<<rows, 16>>>(x, y, 16); }\n");
  CHECK_THAT(found.seen.undefined,
             Catch::Contains("reads lane 16, which takes no part") && Catch::Contains("leaves that value undefined"));
}
