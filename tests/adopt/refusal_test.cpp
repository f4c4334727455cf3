#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What cannot be adopted is refused with one sentence that says what to do.
using namespace harness;
using namespace harness::tests;

namespace {

std::string refusal(const std::string& source, adopt::AdoptOptions options = {}) {
  const Scratch scratch;
  scratch.write("mine.cu", source);
  options.file = scratch.path("mine.cu");
  try {
    const adopt::Adopted found = adopted(options);
    return found.seen.questions.empty() ? "" : found.seen.questions.front().why;
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::bad_input);
    return error.what();
  }
}

const std::string kAnyLaunch = "void run(float* x, int n) { k<<<(n + 63) / 64, 64>>>(x, n); }\n";
const std::string kBody = "{ int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = 2 * x[i]; }\n";

}  // namespace

TEST_CASE("which kernel is meant must be clear") {
  CHECK_THAT(refusal("int main() { return 0; }\n"), Catch::Contains("has no __global__ function"));
  const std::string two =
      "__global__ void k(float* x, int n) " + kBody + "__global__ void other(float* x, int n) " + kBody;
  CHECK_THAT(refusal(two), Catch::Contains("has 2 kernels") && Catch::Contains("k, other"));
  CHECK(refusal(two + kAnyLaunch).empty());  // exactly one is launched
  adopt::AdoptOptions options;
  options.entries = {"othr"};
  CHECK_THAT(refusal(two, options), Catch::Contains("did you mean 'other'"));
  options.entries = {"other"};
  CHECK_THAT(refusal(two, options), Catch::Contains("--grid EXPR and --block EXPR"));
  options.grid = "cdiv(n, 64)";
  options.block = "64";
  CHECK(refusal(two, options).empty());
}

TEST_CASE("a template's value that nothing says is asked by its name") {
  adopt::AdoptOptions options;
  options.grid = "cdiv(n, 64)";
  options.block = "64";
  const std::string head = "template <typename T, int N", body = ">\n__global__ void k(T* x, int n) " + kBody;
  CHECK_THAT(refusal(head + body, options),
             Catch::Contains("a template on the type T") && Catch::Contains("--type T="));
  options.types = {"T=f32"};
  CHECK_THAT(refusal(head + body, options), Catch::Contains("a template on int N") && Catch::Contains("--tune N="));
  CHECK(refusal(head + " = 2" + body, options).empty());
}

TEST_CASE("one name for several kernels is refused; several instantiations are asked for") {
  const std::string one = "template <int N> __global__ void k(float* x, int n) " + kBody,
                    two = "template <int N> __global__ void k(float* x, float* y, int n) " + kBody;
  CHECK_THAT(refusal(one + two + "void run(float* x, int n) { k<2><<<(n + 63) / 64, 64>>>(x, n); }\n"),
             Catch::Contains("has several kernels 'k'") && Catch::Contains("name one of them: "));
  CHECK_THAT(refusal(one + "void run(float* x, int n) {\n  if (props.major >= 8) k<4><<<(n + 63) / 64, 64>>>(x, n);\n"
                           "  else k<2><<<(n + 63) / 64, 64>>>(x, n);\n}\n"),
             Catch::Contains("launches k in 2 ways") && Catch::Contains("4: k<2><<<(n+63)/64, 64>>>") &&
                 Catch::Contains("name one with --launch LINE; --tune N=4,2"));
}

TEST_CASE("a size that the kernel's type does not hold is refused") {
  const std::string source = "__global__ void k(float* x, int n) " + kBody + kAnyLaunch;
  adopt::AdoptOptions options;
  options.sizes = {"n=3000000000"};
  CHECK_THAT(refusal(source, options), Catch::Contains("3000000000 does not fit 'n', which 'k' takes as s32"));
  options.sizes = {"n=0"};
  CHECK_THAT(refusal(source, options), Catch::Contains("is no whole number above 0"));
}

TEST_CASE("signatures that cannot be read or expressed are refused") {
  CHECK_THAT(refusal("__global__ void k(Matrix* x, int n) {}\n" + kAnyLaunch),
             Catch::Contains("signature of 'k' cannot be read") && Catch::Contains("Matrix"));
  CHECK_THAT(refusal("__global__ void k(float** x, int n) {}\nvoid r(float** x, int n) { k<<<1, 1>>>(x, n); }\n"),
             Catch::Contains("pointer to pointers"));
}

TEST_CASE("state beside the arguments is refused") {
  const std::string body =
      "__global__ void k(float* x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = t[0]; }\n";
  CHECK_THAT(refusal("__constant__ float t[4];\n" + body + kAnyLaunch), Catch::Contains("cudaMemcpyToSymbol"));
  CHECK_THAT(refusal("__device__ float t[4];\n" + body + kAnyLaunch), Catch::Contains("outlives a launch"));
  CHECK(refusal("__constant__ float t[4] = {1, 2, 3, 4};\n" + body + kAnyLaunch).empty());
}

TEST_CASE("what running cannot tell is refused or asked") {
  CHECK_THAT(refusal("__global__ void k(const float* x, int n) { if (x[0] > 1e30f && threadIdx.x > n) __trap(); }\n"
                     "void r(float* x, int n) { k<<<1, 32>>>(x, n); }\n"),
             Catch::Contains("never wrote"));
  const std::string gather =
      "__global__ void gather(const float* table, const int* index, float* out, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x; if (i < n) out[i] = table[index[i]]; }\n"
      "void r(float* t, int* i, float* o, int n) { gather<<<(n + 63) / 64, 64>>>(t, i, o, n); }\n";
  CHECK_THAT(refusal(gather), Catch::Contains("'table' is touched as far as the values in memory say"));
  adopt::AdoptOptions options;
  options.arguments = {"table[V] f32", "index[n] s32 < V"};
  CHECK(refusal(gather, options).empty());
}
