#include <catch2/catch.hpp>

#include "harness/adopt/host/expression.h"
#include "harness/adopt/kernel/preview.h"
#include "harness/adopt/plugin/revision.h"
#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// What the host's C++ computes is what C++ computes; what is not followed is asked for.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kTwiceKernel =
    "__global__ void twice(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n";
const std::string kLiftKernel =
    "template <typename T> __global__ void lift(const T* x, T* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n";

std::string extents_text_of(const std::vector<adopt::FormulaPtr>& extents) {
  std::string text;
  for (const adopt::FormulaPtr& extent : extents)
    text += (text.empty() ? "" : ", ") + adopt::as_lua(*extent, [](const std::string& symbol) { return symbol; });
  return text;
}

std::string dimensions_of(const std::string& host) {
  const adopt::AdoptedKernel kernel = chosen_kernel(kTwiceKernel + host);
  return extents_text_of(kernel.launch.grid) + " x " + extents_text_of(kernel.launch.block);
}

std::string host_refusal(const std::string& source) {
  try {
    chosen_kernel(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string types_chosen(const std::string& source) {
  const adopt::AdoptedKernel kernel = chosen_kernel(source);
  std::string text;
  for (const Dtype dtype : kernel.dtypes) text += std::string(name(dtype)) + " ";
  return text + "| " + std::string(name(kernel.parameters.at(0).dtype));
}

}  // namespace

TEST_CASE("numbers of the host have the types of C++") {
  const auto value = [](const std::string& text) {
    const adopt::FormulaPtr formula = adopt::read_formula(adopt::tokens_of(text), {});
    return formula && formula->kind == adopt::Op::number ? formula->number : -1;
  };
  CHECK(value("1.0f / 6.0f") == Approx(1.0 / 6));
  CHECK(value("1.f / 6") == Approx(1.0 / 6));
  CHECK(value("1 / 2.0f") == 0.5);
  CHECK(value("(float)1 / 4") == 0.25);
  CHECK(value("(int)2.9f") == 2);
  CHECK(value("7 / 2") == 3);
  CHECK(value("1 << 3 + 1") == 16);
  CHECK(value("1.0f / sqrtf(64.0f)") == 0.125);
  CHECK(value("ceil(5 / 2)") == 2);
  CHECK(value("ceil(5 / 2.0)") == 3);
  const auto lua = [](const std::string& text) {
    const adopt::FormulaPtr formula = adopt::read_formula(adopt::tokens_of(text), {});
    return formula && adopt::is_whole(*formula) ? extents_text_of({formula}) : "none";
  };
  CHECK(lua("(n + 3) >> 2") == "cdiv(n, 4)");
  CHECK(lua("n & ~31") == "n // 32 * 32");
  CHECK(lua("(int)(n * 0.5f)") == "n // 2");
  CHECK(lua("n / 256.0f") == "none");  // no whole number
  CHECK(lua("n * 0.3f") == "none");
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "__global__ void blend(float c, float d, float e, const float* x, float* y, int n) {}\n"
      "int main() {\n  int n = 4096;\n  float c = 1.0f / 6.0f, *x, *y;\n  const int two = 5.0f / 2;\n"
      "  float d = two / 4;\n  float e = 2.0f / 3.0f;\n  blend<<<(n + 255) / 256, 256>>>(c, d, e, x, y, n);\n}\n");
  CHECK(kernel.parameters.at(0).value == Approx(1.0 / 6));
  CHECK(kernel.parameters.at(1).value == 0);
  CHECK(kernel.parameters.at(2).value == Approx(2.0 / 3));
}

TEST_CASE("launches are followed as they are written, or asked for") {
  CHECK(dimensions_of("void run(float* x, float* y, int n) { twice << <(n + 255) / 256, 256 >> > (x, y, n); }\n") ==
        "cdiv(n, 256) x 256");
  CHECK(dimensions_of("void run(float* x, float* y, int n) {\n  dim3 block, grid;\n  block.x = 256;\n"
                      "  grid.x = (n + 255) / 256;\n  grid.y = 2;\n  twice<<<grid, block>>>(x, y, n);\n}\n") ==
        "cdiv(n, 256), 2 x 256");
  CHECK(dimensions_of(
            "void run(float* x, float* y, int n) {\n  int quads = (n + 3) >> 2;\n  int blocks = (quads + 63) / 64;\n"
            "  blocks = min(blocks, 65535);\n  twice<<<blocks, 256>>>(x, y, n);\n}\n") ==
        "min(cdiv(cdiv(n, 4), 64), 65535) x 256");
  CHECK(dimensions_of("void run(float* x, float* y, int n) {\n  int threads;\n  if (n >= 1024) threads = 512;\n"
                      "  else threads = 64;\n  twice<<<(n + 1) / 2, threads>>>(x, y, n);\n}\n") ==
        "cdiv(n, 2) x select(le(1024, n), 512, 64)");
  CHECK_THAT(host_refusal(kTwiceKernel +
                          "void run(float* x, float* y, int n) {\n  int threads = 256;\n"
                          "  if (props.major >= 8) threads = 512;\n  twice<<<(n + 1) / 2, threads>>>(x, y, n);\n}\n"),
             Catch::Contains("'threads' of its block cannot be traced") && Catch::Contains("give --block EXPR"));
  CHECK_THAT(host_refusal(kTwiceKernel + "void run(float* x, float* y, int n) {\n"
                                         "  if (props.major >= 8) twice<<<(n + 255) / 256, 256>>>(x, y, n);\n"
                                         "  else twice<<<(n + 63) / 64, 64>>>(x, y, n);\n}\n"),
             Catch::Contains("launches twice in 2 ways") && Catch::Contains("--launch LINE"));
  CHECK_THAT(host_refusal("template <int B> __global__ void k(const float* x, float* y, int n) {}\n"
                          "template <int BS> void launch(float* x, float* y, int n) { k<BS><<<n, BS>>>(x, y, n); }\n"
                          "void run(float* x, float* y, int n) {\n  if (props.major >= 8) launch<512>(x, y, n);\n"
                          "  else launch<64>(x, y, n);\n}\n"),
             Catch::Contains("k is launched with B = 512 and 64") && Catch::Contains("--tune B=512,64"));
}

TEST_CASE("what a launcher's template gives the block is its caller's, where all callers give the same") {
  const std::string launcher =
      "template <int B> void launch(float* x, float* y, int n) { twice<<<(n + B - 1) / B, B>>>(x, y, n); }\n"
      "void run(float* x, float* y, int n) { launch<128>(x, y, n); }\n";
  CHECK(dimensions_of(launcher) == "cdiv(n, 128) x 128");
  CHECK_THAT(host_refusal(kTwiceKernel + launcher + "void again(float* x, float* y, int n) { launch<64>(x, y, n); }\n"),
             Catch::Contains("'B' of its block cannot be traced") && Catch::Contains("--tune B=V,V"));
}

TEST_CASE("types of a template are those of the call, of its dispatch or asked for") {
  CHECK(types_chosen(kLiftKernel + "void run(const unsigned char* x, unsigned char* y, int n) {\n"
                                   "  lift<<<(n + 255) / 256, 256>>>(x, y, n);\n}\n") == "f32 | u8");
  CHECK(types_chosen("#include <cuda_fp16.h>\ntypedef __half number;\n" + kLiftKernel +
                     "void run(number* x, number* y, int n) { lift<<<(n + 255) / 256, 256>>>(x, y, n); }\n") ==
        "f16 | f16");
  CHECK(types_chosen(kLiftKernel +
                     "void run(Image& a, Image& b) {\n"
                     "  lift<<<(a.n + 255) / 256, 256>>>(a.ptr<uint16_t>(), b.ptr<uint16_t>(), a.n);\n}\n") ==
        "f32 | u16");
  CHECK(types_chosen(
            "#define MY_CASES(...) AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__) \\\n"
            "  AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__)\n"
            "#define MY_DISPATCH_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, MY_CASES(__VA_ARGS__))\n" +
            kLiftKernel +
            "void run(torch::Tensor x, torch::Tensor y) {\n  int n = x.numel();\n"
            "  MY_DISPATCH_TYPES(x.scalar_type(), \"lift\", [&] {\n    auto kernel = lift<scalar_t>;\n"
            "    kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);\n  });\n}\n") ==
        "f32 bf16 | f32");
  CHECK_THAT(host_refusal(kLiftKernel + "void run(torch::Tensor x, torch::Tensor y) {\n  int n = x.numel();\n"
                                        "  OTHER_DISPATCH_TYPES(x.scalar_type(), \"lift\", [&] {\n"
                                        "    lift<scalar_t><<<(n + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), "
                                        "y.data_ptr<scalar_t>(), n);\n  });\n}\n"),
             Catch::Contains("OTHER_DISPATCH_TYPES around its launch is defined in no file") &&
                 Catch::Contains("--type T=f16,bf16"));
}

TEST_CASE("what the host's function asserts of its sizes holds in the domain") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "__global__ void k(const float* x, float* y, int B, int H, int N, int C, int D) {}\n"
      "void run(const float* x, float* y, int B, int H, int N, int C, int D) {\n"
      "  assert(H * N == C && D <= 1024);\n  assert(B == 1);\n  k<<<dim3(B * H), dim3(N)>>>(x, y, B, H, N, C, "
      "D);\n}\n");
  CHECK(kernel.size("C") == nullptr);
  CHECK(kernel.size("B") == nullptr);
  REQUIRE(kernel.size("D") != nullptr);
  CHECK(kernel.size("D")->high == 1024);
  CHECK(extents_text_of(kernel.launch.grid) == "H");
}

TEST_CASE("a macro of the compiler's command line is asked for by its name, and said by -D or --tune") {
  const Scratch scratch;
  scratch.write(
      "mine.cu",
      "__global__ void scaled(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * WIDTH + threadIdx.x;\n#if WIDTH > 32\n  if (i < n) y[i] = 2 * x[i];\n#endif\n}\n"
      "void run(const float* x, float* y, int n) {\n  scaled<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(x, y, n);\n}\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  CHECK_THAT(std::string([&] {
               try {
                 adopt::launch(adopt::declare(options));
               } catch (const Error& error) {
                 return std::string(error.what());
               }
               return std::string();
             }()),
             Catch::Contains("'WIDTH' is defined in no file") && Catch::Contains("-D WIDTH=VALUE"));
  options.defines = {"WIDTH=64"};
  const adopt::Launched said = adopt::launch(adopt::declare(options));
  CHECK(extents_text_of(said.kernel.launch.grid) == "cdiv(n, 64)");
  CHECK_THAT(said.device.text, Catch::Contains("#define WIDTH 64"));
  options.defines.clear();
  options.tune = {"WIDTH=64,128"};
  const adopt::Launched tuned = adopt::launch(adopt::declare(options));
  CHECK(extents_text_of(tuned.kernel.launch.grid) == "cdiv(n, p.WIDTH)");
  CHECK_THAT(tuned.device.text, Catch::Contains("#ifndef WIDTH\n#define WIDTH 64\n#endif"));
  CHECK(adopt::launch_preview(tuned.kernel) ==
        "scaled as in mine.cu:8: scaled<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>\n"
        "  n=1000: grid 16, block 64, 0 bytes of shared memory\n"
        "  n=4096: grid 64, block 64, 0 bytes of shared memory");
}

TEST_CASE("a __constant__ table with an initializer that nobody fills never changes") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "__constant__ float taps[2] = {0.25f, 0.5f};\n"
                "__global__ void k(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = "
                "taps[0] * x[threadIdx.x]; }\n"
                "void run(const float* x, float* y, int n) { k<<<1, 64>>>(x, y, n); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  CHECK_THAT(adopt::launch(adopt::declare(options)).device.text,
             Catch::Contains("__constant__ const float taps[2] = {0.25f, 0.5f};"));
}

TEST_CASE("the device part of an edited file is cut as adopt cuts it") {
  const Scratch scratch;
  const std::string file =
      kTwiceKernel + "void run(const float* x, float* y, int n) { twice<<<(n + 63) / 64, 64>>>(x, y, n); }\n";
  scratch.write("mine.cu", file);
  const std::string device = adopt::device_part(scratch.path("mine.cu"), file, {.entry = "twice"}, {});
  CHECK_THAT(device, Catch::Contains("y[i] = 2 * x[i];") && !Catch::Contains("<<<"));
  CHECK(adopt::device_part(scratch.path("mine.cu"), device, {.entry = "twice"}, {}) == device);
}

TEST_CASE("an argument that follows from what nothing else depends on is a size; what is partly written an inout") {
  const adopt::Adopted steps = self_referenced(
      "__global__ void steps(int iteration, const int* src, int* dst, int cols, int start) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= cols) return;\n  int v = src[i];\n"
      "  for (int s = 0; s < iteration; s++) v = v * 3 + start;\n  dst[i] = v;\n}\n"
      "void all(const int* a, int* b, int rows, int cols, int t) {\n"
      "  steps<<<(cols + 63) / 64, 64>>>(rows - t - 1, a, b, cols, t);\n}\n");
  CHECK(steps.kernel.size("iteration") != nullptr);
  CHECK(steps.kernel.size("rows") == nullptr);
  const adopt::Adopted owners = self_referenced(
      "__global__ void fill(const int* counts, int* owner, int groups) {\n  int at = 0;\n"
      "  if (threadIdx.x == 0)\n    for (int g = 0; g < groups; g++)\n"
      "      for (int k = 0; k < counts[g]; k++) owner[at++] = g;\n}\n"
      "void run(const int* counts, int* owner, int groups) { fill<<<1, 32>>>(counts, owner, groups); }\n",
      {.arguments = {"counts[groups] s32 < 4", "owner[groups * 4] s32"}});
  CHECK(pointers_of(owners) == "counts: input s32 [groups]\nowner: inout s32 [groups * 4]\n");
}

TEST_CASE("a launch of one thread that never ends leaves the order to the host; a domain is the kernel's") {
  if (tests::is_nightly()) return;  // seconds until a launch is given up
  adopt::AdoptOptions options;
  options.sizes = {"rows=8192", "cols=4096"};
  const adopt::Adopted sums = self_referenced(
      "__global__ void row_sums(const float* x, float* y, int rows, int cols) {\n"
      "  int warps = blockDim.x / 32, lane = threadIdx.x % 32;\n"
      "  for (int r = blockIdx.x * warps + threadIdx.x / 32; r < rows; r += gridDim.x * warps) {\n    float sum = 0;\n"
      "    for (int c = lane; c < cols; c += 32) sum += x[r * cols + c];\n"
      "    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);\n"
      "    if (lane == 0) y[r] = sum;\n  }\n}\n"
      "void run(const float* x, float* y, int rows, int cols) { row_sums<<<64, 128>>>(x, y, rows, cols); }\n",
      options);
  CHECK(pointers_of(sums) == "x: input f32 [rows, cols]\ny: output f32 [rows]\n");
  CHECK_THAT(sums.files.at(0).second,
             Catch::Contains("rows = range(1, 268435456)") && Catch::Contains("name = \"rows8192_cols4096\""));
}

TEST_CASE("a launch by a call of the runtime is the launch that it says, or is asked for") {
  const std::string kernel =
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "void run(const float* x, float* y, int n, cudaStream_t s) {\n";
  const std::string config =
      "  cudaLaunchConfig_t config = {};\n  config.gridDim = (n + 127) / 128;\n  config.blockDim = 128;\n";
  const std::string ex = "  cudaLaunchKernelEx(&config, twice, x, y,\n                     n);\n}\n";
  const std::string list =
      "  void* args[] = {&x, (void*)&y, &n};\n"
      "  cudaLaunchKernel((const void*)twice, dim3((n + 127) / 128), dim3(128), args, 0, s);\n}\n";
  for (const std::string& host : {config + ex, list}) {
    const adopt::AdoptedKernel read = chosen_kernel(kernel + host);
    CHECK(evaluate(*read.launch.grid.front(), {{"n", 1000}}) == 8);
    CHECK(evaluate(*read.launch.block.front(), {}) == 128);
  }
  CHECK_THROWS_WITH(chosen_kernel(kernel + config + "  config.attrs = cluster;\n" + ex),
                    Catch::Contains("--grid EXPR"));
  CHECK_THROWS_WITH(chosen_kernel(kernel + config + "  if (n > 9) config.blockDim = 256;\n" + ex),
                    Catch::Contains("--grid EXPR"));
}
