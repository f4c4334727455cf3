#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// What files that nobody here wrote have taught: each case is one general cause why a kernel was not understood.
using namespace harness;
using namespace harness::tests;

namespace {

std::string foreign_refusal(const std::string& source) {
  try {
    const adopt::Adopted found = self_referenced(source);
    return found.seen.questions.empty() ? "" : found.seen.questions.front().why + "; " + found.seen.relations;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("dimensions of an accessor that numbers alone index are as long as these say") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
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
  const adopt::Adopted found = self_referenced(
      "#define BEFORE 2\n"
      "__global__ void blur(const float* x, float* y) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  y[i] = x[i - BEFORE] + x[i] + x[i + BEFORE];\n}\n"
      "int main() { float *x, *y; blur<<<4, 64>>>(x + BEFORE, y); }\n");
  CHECK(pointers_of(found) == "x: input f32 [260]\ny: output f32 [256]\n");
  CHECK_THAT(found.device.text, Catch::Contains("blur(x + 2, y)"));
}

TEST_CASE("of a macro's definitions the one counts that the compiler takes") {
  const adopt::Adopted found = self_referenced(
      "#ifdef FROM_OUTSIDE\n#define EDGE FROM_OUTSIDE\n#else\n#define EDGE 32\n#endif\n"
      "__global__ void k(float* x, int n) { int i = blockIdx.x * EDGE + threadIdx.x; if (i < n) x[i] = 1; }\n"
      "void run(float* x, int n) { k<<<(n + EDGE - 1) / EDGE, EDGE>>>(x, n); }\n");
  REQUIRE(found.kernel.launch.block.size() == 1);
  CHECK(found.kernel.launch.block[0]->number == 32);
  CHECK(found.kernel.tuned.empty());
}

TEST_CASE("an index below a size of the kernel is found where it says how far arrays go") {
  const adopt::Adopted found = self_referenced(
      "__global__ void scatter(const int* __restrict__ bin, const int* __restrict__ count, const float* x, float* "
      "sums,\n"
      "                        int n, int bins) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n && count[bin[i]] > 0) atomicAdd(&sums[bin[i]], x[i] / count[bin[i]]);\n}\n"
      "void run(const int* bin, const int* count, const float* x, float* sums, int n, int bins) {\n"
      "  scatter<<<(n + 63) / 64, 64>>>(bin, count, x, sums, n, bins);\n}\n",
      {.yes = true});
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
  adopt::AdoptOptions options;
  options.settings = {"edge=2", "blocks=cdiv(n,4)"};
  CHECK(pointers_of(self_referenced(kernel, options)) == "x: input f32 [n]\ny: output f32 [n]\n");
}

TEST_CASE("a variable that is called like a function of the reference in double gets another name there") {
  const adopt::Adopted found = adopted_source(
      "__global__ void turn(float* x, const float* angle, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n"
      "  const float cos = cosf(angle[i]);\n  x[i] *= cos;\n}\n"
      "void run(float* x, const float* a, int n) { turn<<<at::ceil_div(n, 64), 64>>>(x, a, n); }\n");
  CHECK(pointers_of(found) == "x: inout f32 [n]\nangle: input f32 [n]\n");
  CHECK(found.reference.wide);
}

TEST_CASE("a number of the host's that divides in the grid is what a block covers, and no size") {
  const adopt::Adopted found = self_referenced(
      "#define WIDE 64\n"
      "__global__ void twice(const float* x, float* y, unsigned n) {\n"
      "  const unsigned i = blockIdx.x * WIDE + threadIdx.x; y[i] = 2 * x[i];\n}\n"
      "void run(const float* x, float* y, unsigned n) {\n"
      "  const unsigned threads = WIDE;\n  const unsigned perBlock = threads;\n"
      "  const unsigned blocks = (n + perBlock - 1) / perBlock;\n  twice<<<blocks, threads>>>(x, y, n);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [cdiv(n, 64), 64]\ny: output f32 [cdiv(n, 64), 64]\n");
  CHECK(found.kernel.sizes.size() == 1);
}

TEST_CASE("numel() of a tensor is the product of its extents, also of those that the kernel is not passed") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
      "#include <torch/extension.h>\n"
      "template <typename scalar_t> __global__ void smooth(const scalar_t* __restrict__ x, scalar_t* __restrict__ y,\n"
      "                                                   const size_t rows, const size_t cols, const size_t n) {\n"
      "  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  const size_t c = i % cols, r = i / cols % rows;\n"
      "  y[i] = x[i] + (c == 0 ? 0 : x[i - 1]) + (r == rows - 1 ? 0 : x[i + cols]);\n}\n"
      "void run(torch::Tensor x, torch::Tensor y) {\n"
      "  const size_t n = x.numel();\n  const size_t rows = x.size(3), cols = x.size(4);\n"
      "  AT_DISPATCH_FLOATING_TYPES(x.type(), \"smooth\", ([&] {\n"
      "    smooth<scalar_t><<<(n + 63) / 64, 64>>>(x.data<scalar_t>(), y.data<scalar_t>(), rows, cols, n);\n  "
      "}));\n}\n");
  CHECK(pointers_of(found) ==
        "x: input f32 [x_size_0, x_size_1, x_size_2, rows, cols]\n"
        "y: output f32 [x_size_0, x_size_1, x_size_2, rows, cols]\n");
  // Five sizes: 33 of each would be more than the domain holds.
  CHECK_THAT(found.files.at(0).second, !Catch::Contains("x_size_0 = 33"));
}

TEST_CASE("CUDA's vectors by value become their fields, and strides follow from extents") {
  const adopt::Adopted found = self_referenced(
      "#include <torch/extension.h>\n"
      "__global__ void norms(const float* x, const long3 size, const long3 stride, float* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n"
      "  float sum = 0;\n  const long b = i / size.z, c = i % size.z;\n"
      "  for (long k = 0; k < size.y; ++k) sum += x[b * stride.x + k * stride.y + c * stride.z];\n  y[i] = sum;\n}\n"
      "void run(at::Tensor& x, at::Tensor& y) {\n"
      "  const long3 size = make_long3(x.size(0), x.size(1), x.size(2));\n"
      "  const long3 stride = make_long3(x.stride(0), x.stride(1), x.stride(2));\n"
      "  int n = x.size(0) * x.size(2);\n"
      "  norms<<<(n + 63) / 64, 64>>>(x.data<float>(), size, stride, y.data<float>(), n);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [size_x, size_y, size_z]\ny: output f32 [size_x, size_z]\n");
  CHECK(found.kernel.sizes.size() == 3);
  CHECK(found.kernel.shown_name() == "norms");
}

TEST_CASE("types of the host's system headers may stand in a signature") {
  const adopt::Adopted found = self_referenced(
      "__global__ void invert(const u_char* x, u_char* y, u_int n) {\n"
      "  u_int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 255 - x[i];\n}\n"
      "void run(const u_char* x, u_char* y, u_int n) { invert<<<(n + 63) / 64, 64>>>(x, y, n); }\n");
  CHECK(pointers_of(found) == "x: input u8 [n]\ny: output u8 [n]\n");
}

TEST_CASE("a size that must not exceed another is found where nothing else fits") {
  const adopt::Adopted found = self_referenced(
      "__global__ void cool(float* x, const float* heat, int rows, int cols) {\n"
      "  extern __shared__ float own[];\n"
      "  if (threadIdx.x < rows) own[threadIdx.x] = 1 / (1 + heat[threadIdx.x] * heat[threadIdx.x]);\n"
      "  __syncthreads();\n"
      "  for (int i = threadIdx.x; i < rows * cols; i += blockDim.x) x[i] *= own[i / cols];\n}\n"
      "void run(float* x, const float* heat, int rows, int cols) {\n"
      "  cool<<<1, cols, rows * sizeof(float)>>>(x, heat, rows, cols);\n}\n");
  REQUIRE(found.kernel.conditions.size() >= 1);
  CHECK(found.kernel.conditions[0].evidence == "it runs well where rows <= cols only");
  CHECK(pointers_of(found) == "x: inout f32 [rows, cols]\nheat: input f32 [rows]\n");
}

TEST_CASE("a size that must be a multiple of another is found where nothing else fits") {
  const adopt::Adopted found = self_referenced(
      "__global__ void spread(const float* mean, float* y, int channels, int groups) {\n"
      "  const int each = channels / groups, g = blockIdx.x;\n"
      "  for (int i = threadIdx.x; i < each; i += 32) y[g * each + i] = mean[g] + i;\n}\n"
      "void run(const float* mean, float* y, int channels, int groups) {\n"
      "  spread<<<groups, 32>>>(mean, y, channels, groups);\n}\n");
  REQUIRE(found.kernel.conditions.size() == 1);
  CHECK(found.kernel.conditions[0].evidence == "it runs well where channels is a multiple of groups only");
  CHECK(pointers_of(found) == "mean: input f32 [groups]\ny: output f32 [channels]\n");
}

TEST_CASE("a grid that the host's function is given as a dim3 is asked for") {
  CHECK_THAT(foreign_refusal(
                 "__global__ void k(float* x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = 1; }\n"
                 "void run(dim3 blocks, const dim3& threads, float* x, int n) { k<<<blocks, threads>>>(x, n); }\n"),
             Catch::Contains("the grid 'blocks' of k cannot be traced"));
}

TEST_CASE("template parameters of the host's function are what it is called with") {
  const adopt::Adopted found = self_referenced(
      "template <typename A, typename B> __global__ void cast(const A* x, B* y, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = static_cast<B>(x[i]);\n}\n"
      "template <typename From, typename To> void run(const From* x, To* y, int n) {\n"
      "  cast<From, To><<<(n + 63) / 64, 64>>>(x, y, n);\n}\n"
      "template void run<float, double>(const float*, double*, int);\n");
  CHECK(pointers_of(found) == "x: input f32 [n]\ny: output f64 [n]\n");
}

TEST_CASE("squares of the only size are tried where vectors of it would be too large") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(const float* a, float* b, int n) {\n"
      "  for (int c = threadIdx.x; c < n; c += 32) b[blockIdx.x * n + c] = 2 * a[blockIdx.x * n + c];\n}\n"
      "void run(const float* a, float* b, int n) { twice<<<n, 32>>>(a, b, n); }\n");
  CHECK(pointers_of(found) == "a: input f32 [n, n]\nb: output f32 [n, n]\n");
}
