#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What files that nobody here wrote have taught: each case is one general cause why a kernel was not understood.
using namespace harness;
using namespace harness::tests;

namespace {

adopt::Adopted adopted_foreign(const std::string& source, adopt::AdoptOptions options = {.reference = "self"}) {
  const Scratch scratch;
  scratch.write("mine.cu", source);
  options.file = scratch.path("mine.cu");
  return adopted(options);
}

std::string foreign_refusal(const std::string& source) {
  try {
    const adopt::Adopted found = adopted_foreign(source);
    return found.seen.questions.empty() ? "" : found.seen.questions.front().why + "; " + found.seen.relations;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("dimensions of an accessor that numbers alone index are as long as these say") {
  const adopt::Adopted found = adopted_foreign(
      "#include <torch/extension.h>\n"
      "template <typename scalar_t> __global__ void mix(\n"
      "    const torch::PackedTensorAccessor<scalar_t,3,torch::RestrictPtrTraits,size_t> x,\n"
      "    const torch::PackedTensorAccessor<scalar_t,2,torch::RestrictPtrTraits,size_t> w,\n"
      "    torch::PackedTensorAccessor<scalar_t,2,torch::RestrictPtrTraits,size_t> y) {\n"
      "  const int n = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;\n"
      "  if (n >= x.size(0) || f >= x.size(2)) return;\n"
      "  y[n][f] = w[n][0] * x[n][0][f] + w[n][1] * x[n][3][f];\n}\n"
      "torch::Tensor run(const torch::Tensor x, const torch::Tensor w) {\n"
      "  const int N = x.size(0), F = x.size(2);\n"
      "  torch::Tensor y = torch::empty({N, F}, x.options());\n"
      "  const dim3 threads(32), blocks((N + 31) / 32, F);\n"
      "  AT_DISPATCH_FLOATING_TYPES(x.type(), \"mix\", ([&] {\n"
      "    mix<scalar_t><<<blocks, threads>>>(\n"
      "        x.packed_accessor<scalar_t,3,torch::RestrictPtrTraits,size_t>(),\n"
      "        w.packed_accessor<scalar_t,2,torch::RestrictPtrTraits,size_t>(),\n"
      "        y.packed_accessor<scalar_t,2,torch::RestrictPtrTraits,size_t>());\n  }));\n  return y;\n}\n");
  CHECK(pointers_of(found) ==
        "x: input f32 [x_size_0, 4, x_size_2]\nw: input f32 [x_size_0, 2]\ny: output f32 [x_size_0, x_size_2]\n");
  CHECK(found.kernel.sizes.size() == 2);  // nothing asks for the number of rows of w
}

TEST_CASE("an array that the launch passes from an element on is taken from its first one if the kernel reads there") {
  const adopt::Adopted found = adopted_foreign(
      "#define BEFORE 2\n"
      "__global__ void blur(const float* x, float* y) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  y[i] = x[i - BEFORE] + x[i] + x[i + BEFORE];\n}\n"
      "int main() { float *x, *y; blur<<<4, 64>>>(x + BEFORE, y); }\n");
  CHECK(pointers_of(found) == "x: input f32 [260]\ny: output f32 [256]\n");
  CHECK_THAT(found.device.text, Catch::Contains("blur(x + 2, y)"));
}

TEST_CASE("of a macro's definitions the one counts that the compiler takes") {
  const adopt::Adopted found = adopted_foreign(
      "#ifdef FROM_OUTSIDE\n#define EDGE FROM_OUTSIDE\n#else\n#define EDGE 32\n#endif\n"
      "__global__ void k(float* x, int n) { int i = blockIdx.x * EDGE + threadIdx.x; if (i < n) x[i] = 1; }\n"
      "void run(float* x, int n) { k<<<(n + EDGE - 1) / EDGE, EDGE>>>(x, n); }\n");
  REQUIRE(found.kernel.launch.block.size() == 1);
  CHECK(found.kernel.launch.block[0]->number == 32);
  CHECK(found.kernel.tuned.empty());
}

TEST_CASE("an index below a size of the kernel is found where it says how far arrays go") {
  const adopt::Adopted found = adopted_foreign(
      "__global__ void scatter(const int* __restrict__ bin, const int* __restrict__ count, const float* x, float* "
      "sums,\n"
      "                        int n, int bins) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n && count[bin[i]] > 0) atomicAdd(&sums[bin[i]], x[i] / count[bin[i]]);\n}\n"
      "void run(const int* bin, const int* count, const float* x, float* sums, int n, int bins) {\n"
      "  scatter<<<(n + 63) / 64, 64>>>(bin, count, x, sums, n, bins);\n}\n",
      {.reference = "self", .yes = true});
  CHECK(pointers_of(found) ==
        "bin: input s32 [n]\ncount: input s32 [bins]\nx: input f32 [n]\nsums: inout f32 [bins]\n");
  CHECK(found.kernel.parameters.at(0).below->symbol == "bins");
}

TEST_CASE("floating-point numbers that say where others are read are named") {
  CHECK_THAT(foreign_refusal("__global__ void look(const float* where, const float* x, float* y, int n) {\n"
                             "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = x[int(8 * where[i])];\n}\n"
                             "void run(const float* w, const float* x, float* y, int n) {\n"
                             "  look<<<(n + 63) / 64, 64>>>(w, x, y, n);\n}\n"),
             Catch::Contains("runs well where 'where' is zero only"));
}

TEST_CASE("a grid that a loop counts up is asked for") {
  CHECK_THAT(foreign_refusal(
                 "__global__ void k(float* x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = 1; }\n"
                 "void run(float* x, int n) {\n  int blocks = 0;\n"
                 "  for (int done = 0; done < n; done += 64) blocks++;\n  k<<<blocks, 64>>>(x, n);\n}\n"),
             Catch::Contains("a loop of the host counts 'blocks' up") && Catch::Contains("give --grid EXPR"));
}

TEST_CASE("what the host computes sizes from is told where nothing fits") {
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int n, int edge) {\n"
      "  int i = blockIdx.x * (8 - 2 * edge) + threadIdx.x - edge;\n"
      "  if (i < n && threadIdx.x >= edge && threadIdx.x < 8 - edge) y[i] = x[i];\n}\n"
      "void launch(const float* x, float* y, int n, int edge, int blocks) { k<<<blocks, 8>>>(x, y, n, edge); }\n"
      "int main(int argc, char** argv) {\n  int n = atoi(argv[1]), depth = atoi(argv[2]), edge = depth * 2;\n"
      "  int blocks = (n + 7 - 2 * edge) / (8 - 2 * edge);\n  float *x, *y;\n"
      "  launch(x, y, n, edge, blocks);\n}\n";
  CHECK_THAT(foreign_refusal(kernel), Catch::Contains("--set edge=1") && Catch::Contains("edge = depth * 2") &&
                                          Catch::Contains("blocks = (n + 7 - 2 * edge) / (8 - 2 * edge)"));
  adopt::AdoptOptions options{.reference = "self"};
  options.settings = {"edge=2", "blocks=cdiv(n,4)"};
  CHECK(pointers_of(adopted_foreign(kernel, options)) == "x: input f32 [n]\ny: output f32 [n]\n");
}

TEST_CASE("a variable that is called like a function of the reference in double gets another name there") {
  const adopt::Adopted found = adopted_foreign(
      "__global__ void turn(float* x, const float* angle, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n"
      "  const float cos = cosf(angle[i]);\n  x[i] *= cos;\n}\n"
      "void run(float* x, const float* a, int n) { turn<<<at::ceil_div(n, 64), 64>>>(x, a, n); }\n",
      {});
  CHECK(pointers_of(found) == "x: inout f32 [n]\nangle: input f32 [n]\n");
  CHECK(found.reference.wide);
}
