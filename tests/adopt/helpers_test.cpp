#include <catch2/catch.hpp>

#include "harness/adopt/kernel/options.h"
#include "harness/adopt/plugin/revision.h"
#include "tests/adopt/fixture.h"

// Launches whose grid or block a function of the host computes, in more than one statement.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kTwice =
    "__global__ void twice(const float* x, float* y, int n) {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];\n}\n";

/// "grid; block" in Lua.
std::string launch_of(const std::string& source) {
  const adopt::AdoptedKernel kernel = chosen_kernel(source);
  std::string text;
  for (const auto* list : {&kernel.launch.grid, &kernel.launch.block}) {
    for (const adopt::FormulaPtr& each : *list)
      text += adopt::as_lua(*each, [](const std::string& symbol) { return symbol; }) + " ";
    text += list == &kernel.launch.grid ? "; " : "";
  }
  return text;
}

std::string run(const std::string& helpers, const std::string& statements, const std::string& configuration) {
  return kTwice + helpers + "void run(const float* x, float* y, int n) {\n" + statements + "  twice<<<" +
         configuration + ">>>(x, y, n);\n}\n";
}

}  // namespace

TEST_CASE("a function of several statements says the grid") {
  const std::string blocks =
      "namespace launch {\ninline unsigned blocks(long n, int threads) {\n  long b = (n + threads - 1) / threads;\n"
      "  return static_cast<unsigned>(b < 2048 ? b : 2048);\n}\n}\n";
  CHECK(launch_of(run(blocks, "", "launch::blocks(n, 128), 128")) ==
        "select(lt(cdiv(n, 128), 2048), cdiv(n, 128), 2048) ; 128 ");
  const std::string early =
      "static int blocks(int n) {\n  if (n < 64) return 1;\n  int b = (n + 63) / 64;\n  if (b > 99) b = 99;\n"
      "  return b;\n}\n";
  CHECK(launch_of(run(early, "", "blocks(n), 64")) == "select(lt(n, 64), 1, min(cdiv(n, 64), 99)) ; 64 ");
}

TEST_CASE("a function returns a dim3, or a structure of two") {
  const std::string shapes =
      "dim3 grid_for(int n, int threads) {\n  const int each = 4 * threads;\n  return dim3((n + each - 1) / each, "
      "2);\n}\n"
      "struct Shape { dim3 grid, block; };\n"
      "Shape shape_of(int n) {\n  const int warps = 4;\n  return {dim3((n + warps - 1) / warps), dim3(warps * "
      "32)};\n}\n";
  CHECK(launch_of(run(shapes, "", "grid_for(n, 32), 32")) == "cdiv(n, 128) 2 ; 32 ");
  CHECK(launch_of(run(shapes, "  auto s = shape_of(n);\n", "s.grid, s.block")) == "cdiv(n, 4) ; 128 ");
}

TEST_CASE("a variable that several statements set has the value of all of them") {
  CHECK(launch_of(run("", "  int b = (n + 63) / 64;\n  if (b > 1024) b = 1024;\n", "b, 64")) ==
        "min(cdiv(n, 64), 1024) ; 64 ");
  CHECK(launch_of(run("", "  int t = 32;\n  while (t < n && t < 128) t *= 2;\n", "1, t")) ==
        "1 ; select(lt(32, n), select(lt(64, n), 128, 64), 32) ");
}

TEST_CASE("rows that the host counts as numel() / cols are a size of their own") {
  const adopt::AdoptedKernel kernel =
      chosen_kernel("#include <torch/extension.h>\n" + kTwice +
                    "void run(torch::Tensor x, torch::Tensor y) {\n  const int cols = x.size(-1);\n"
                    "  const int rows = x.numel() / cols;\n"
                    "  twice<<<rows, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);\n}\n");
  REQUIRE(kernel.sizes.size() == 2);
  CHECK(kernel.sizes[1].name == "rows");
}

TEST_CASE("a dispatch around the call of a template that launches says the types") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "#include <torch/extension.h>\n"
      "template <typename T> __global__ void twice(const T* x, T* y, int n) {\n"
      "  if (threadIdx.x < n) y[threadIdx.x] = static_cast<T>(2 * static_cast<float>(x[threadIdx.x]));\n}\n"
      "template <typename T> void launch(torch::Tensor x, torch::Tensor y) {\n"
      "  twice<T><<<1, 32>>>(x.data_ptr<T>(), y.data_ptr<T>(), x.size(0));\n}\n"
      "void run(torch::Tensor x, torch::Tensor y) {\n"
      "  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), \"twice\", [&] { launch<scalar_t>(x, y); });\n}\n");
  CHECK(kernel.dtypes == std::vector{Dtype::f32, Dtype::f64, Dtype::f16});
}

TEST_CASE("a revision of a function of several launches has its scratch as the function asks for it") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "__global__ void parts(const float* x, float* part, int n) {\n"
                "  float s = 0;\n  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) s += x[i];\n"
                "  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);\n"
                "  if (threadIdx.x == 0) part[blockIdx.x] = s;\n}\n"
                "__global__ void whole(const float* part, float* y, int count) {\n"
                "  float s = 0;\n  for (int i = 0; i < count; ++i) s += part[i];\n  *y = s;\n}\n"
                "int count_of(int n) {\n  int b = (n + 31) / 32;\n  return std::min<int>(b, 64);\n}\n"
                "void sum(const float* x, float* y, int n) {\n  const int blocks = count_of(n);\n  float* part;\n"
                "  cudaMalloc(&part, blocks * sizeof(float));\n  parts<<<blocks, 32>>>(x, part, n);\n"
                "  whole<<<1, 1>>>(part, y, blocks);\n  cudaFree(part);\n}\n");
  const adopt::Revision revision = adopt::revision_of(scratch.path("mine.cu"), {.entry = "sum"}, {"n"});
  CHECK(revision.parameters == "const float * x, float * y, int n");
  CHECK(revision.manifest.find("workspace { \"part\", bytes = 4 * (min(cdiv(w.n, 32), 64) * 4 // 4)") !=
        std::string::npos);
  CHECK(revision.manifest.find("sum_2") != std::string::npos);
}
