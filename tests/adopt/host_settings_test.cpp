#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "harness/adopt/kernel/answers.h"
#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What the host's code and further options say of a kernel: numbers that it computes, what it asserts, which overload.
using namespace harness;
using namespace harness::tests;

namespace {

adopt::AdoptedKernel chosen(const Scratch& scratch, const std::string& source, adopt::AdoptOptions options = {}) {
  scratch.write("mine.cu", source);
  options.file = scratch.path("mine.cu");
  const adopt::Declared declared = adopt::declare(options);
  adopt::AdoptedKernel kernel = adopt::choose_kernel(declared);
  adopt::apply_answers(kernel, declared.answers);
  return kernel;
}

std::string sizes_of(const adopt::AdoptedKernel& kernel) {
  std::string text;
  for (const adopt::AdoptedSize& each : kernel.sizes) text += each.name + " ";
  return text;
}

std::string value_of(const adopt::AdoptedKernel& kernel, const std::string& name) {
  for (const adopt::AdoptedParameter& each : kernel.parameters)
    if (each.name == name && each.kind == adopt::Param::fixed) return fmt::format("{}", each.value);
    else if (each.name == name && each.kind == adopt::Param::derived)
      return adopt::as_lua(*each.follows, [](const std::string& symbol) { return symbol; });
  return "a size";
}

const std::string kTiles =
    "__global__ void tiles(const float* x, float* y, int n, int tile, int count) {\n"
    "  int i = blockIdx.x * tile + threadIdx.x;\n"
    "  if (i < n && blockIdx.x < count) y[i] = 2 * x[i];\n"
    "}\n";

const std::string kLaunchOfTiles = "  tiles<<<count, tile>>>(x, y, n, tile, count);\n}\n";

}  // namespace

TEST_CASE("numbers that a function computes from the sizes that it is given are no sizes") {
  const Scratch scratch;
  const std::string head = kTiles + "void run(const float* x, float* y, int n) {\n  const int tile = 64;\n";
  const adopt::AdoptedKernel kernel = chosen(scratch, head + "  int count = (n + tile - 1) / tile;\n" + kLaunchOfTiles);
  CHECK(sizes_of(kernel) == "n ");
  CHECK(value_of(kernel, "tile") == "64");
  CHECK(value_of(kernel, "count") == "cdiv(n, 64)");

  adopt::AdoptOptions tuned;
  tuned.tune = {"tile=32,64"};
  CHECK(value_of(chosen(scratch, head + "  int count = (n + tile - 1) / tile;\n" + kLaunchOfTiles, tuned), "count") ==
        "cdiv(n, p.tile)");

  adopt::AdoptOptions otherwise;
  otherwise.settings = {"tile=16"};
  const adopt::AdoptedKernel said =
      chosen(scratch, head + "  int count = (n + tile - 1) / tile;\n" + kLaunchOfTiles, otherwise);
  CHECK(value_of(said, "tile") == "16");

  // Neither what is set twice nor what a main makes up.
  CHECK(sizes_of(chosen(scratch, head + "  int count = 1;\n  if (n > 9) count = 2;\n" + kLaunchOfTiles)) == "n count ");
  CHECK(sizes_of(chosen(scratch, kTiles +
                                     "int main() {\n  float *x, *y;\n  int n = 4096, tile = 64, count = n / tile;\n" +
                                     kLaunchOfTiles)) == "n tile count ");
}

TEST_CASE("what is tuned begins with the value that the file has") {
  const Scratch scratch;
  const auto begins = [&](const std::string& source, const std::string& tune) {
    adopt::AdoptOptions options;
    options.tune = {tune};
    return chosen(scratch, source, options).tuned.begin()->second;
  };
  const std::string kernel = "template <int N> __global__ void k(float* y, int n) { y[threadIdx.x] = N * W; }\n";
  const auto file = [&](const std::string& before, const std::string& launch) {
    return before + kernel + "void run(float* y, int n) {\n" + launch + "}\n";
  };
  using Values = std::vector<std::int64_t>;
  CHECK(begins(file("#define W 4  // wide\n", "k<2><<<n, 64>>>(y, n);"), "W=2,4,8") == Values{4, 2, 8});
  CHECK(begins(file("constexpr int W = 4;\n", "k<2><<<n, 64>>>(y, n);"), "N=1,2") == Values{2, 1});
  CHECK(begins(file("#define W 4\n", "const int N = 8; k<N><<<n, 64>>>(y, n);"), "N=1,2") == Values{8, 1, 2});
  CHECK(begins(file("#define W 4\n", "const int t = 96; k<2><<<n, t>>>(y, n);"), "t=64,128") == Values{96, 64, 128});
  CHECK(begins(file("#define W 4\n", "k<2><<<n, 96>>>(y, n);"), "block=64,128") == Values{96, 64, 128});
  // No number stands there: the first that was asked for is the baseline.
  CHECK(begins(file("#define W 4\n", "const int t = n > 9 ? 64 : 32; k<2><<<n, t>>>(y, n);"), "t=128,64") ==
        Values{128, 64});
}

TEST_CASE("a launch's threads follow the parameter that has their number, with what is computed from them") {
  const Scratch scratch;
  const auto launch = [&](const std::string& configuration, const std::string& tune, const std::string& block = "") {
    adopt::AdoptOptions options;
    options.tune = {tune};
    options.block = block;
    const adopt::AdoptedKernel kernel =
        chosen(scratch,
               "#define W 128\n__global__ void k(float* y, int n) { y[threadIdx.x] = W; }\n"
               "void run(float* y, int n) { k<<<" +
                   configuration + ">>>(y, n); }\n",
               options);
    std::string text;
    const auto name = [](const std::string& symbol) { return symbol; };
    for (const auto* list : {&kernel.launch.grid, &kernel.launch.block})
      for (const adopt::FormulaPtr& each : *list) text += adopt::as_lua(*each, name) + "; ";
    return text + adopt::as_lua(*kernel.launch.shared, name);
  };
  CHECK(launch("(n + 127) / 128, 128", "block=64") == "cdiv(n, p.block); p.block; 0");
  CHECK(launch("(n + 511) / 512, 128, 512", "block=64") == "cdiv(n, 4 * p.block); p.block; max(512, 4 * p.block)");
  CHECK(launch("(n + 127) / 128, 128", "W=64") == "cdiv(n, p.W); p.W; 0");
  CHECK(launch("n, 96", "W=64") == "n; 96; 0");
  CHECK(launch("(n + W - 1) / W, W", "W=64") == "cdiv(n, p.W); p.W; 0");
  CHECK(launch("(n + 127) / 128, 128", "W=64", "128") == "cdiv(n, 128); 128; 0");
  CHECK(launch("(n + 127) / 128, 128", "block=64", "128") == "cdiv(n, p.block); p.block; 0");
  CHECK_THROWS_WITH(launch("n, dim3(8, 4)", "block=64"), Catch::Contains("its block has several extents"));
}

TEST_CASE("an assertion about remainders is a condition of the domain") {
  const Scratch scratch;
  const adopt::AdoptedKernel kernel =
      chosen(scratch, kTiles +
                          "void run(const float* x, float* y, int n, int tile) {\n  assert(n % tile == 0);\n"
                          "  int count = n / tile;\n" +
                          kLaunchOfTiles);
  REQUIRE(kernel.conditions.size() == 1);
  CHECK(kernel.conditions[0].evidence == "mine.cu:6 asks for it");
  CHECK(adopt::conditions_hold(kernel, {{"n", 96}, {"tile", 32}}));
  CHECK_FALSE(adopt::conditions_hold(kernel, {{"n", 97}, {"tile", 32}}));
}

TEST_CASE("one of several kernels of a name is chosen by its types") {
  const Scratch scratch;
  const std::string source =
      "__global__ void twice(__half* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = x[threadIdx.x]; }\n"
      "__global__ void twice(float* __restrict__ x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
      "void run(float* x, int n) { twice<<<1, 64>>>(x, n); }\n";
  adopt::AdoptOptions options;
  options.entries = {"twice(float *, int)"};
  const adopt::AdoptedKernel kernel = chosen(scratch, source, options);
  CHECK(kernel.parameters.at(0).dtype == Dtype::f32);
  CHECK(kernel.qualified == "twice");
  options.entries = {"twice"};
  CHECK_THROWS_WITH(chosen(scratch, source, options), Catch::Contains("name one of them: '") &&
                                                          Catch::Contains("'twice(__half*,int)'") &&
                                                          Catch::Contains("'twice(float*,int)'"));
  options.entries = {"twice(double*,int)"};
  CHECK_THROWS_WITH(chosen(scratch, source, options), Catch::Contains("has no kernel 'twice(double*,int)'; it has: "));
}

TEST_CASE("headers are found in folders that are named") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path("include/mine"));
  scratch.write("include/mine/count.h", "typedef int Count;\n");
  const std::string source =
      "#include <mine/count.h>\n__global__ void k(float* x, Count n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
      "void run(float* x, Count n) { k<<<1, 64>>>(x, n); }\n";
  CHECK_THROWS_WITH(chosen(scratch, source), Catch::Contains("the signature of 'k' cannot be read"));
  adopt::AdoptOptions options;
  options.includes = {scratch.path("include")};
  CHECK(sizes_of(chosen(scratch, source, options)) == "n ");
  options.includes = {scratch.path("nowhere")};
  CHECK_THROWS_WITH(chosen(scratch, source, options), Catch::Contains("there is no such folder"));
}

TEST_CASE("a launch through a pointer is the kernel's where no other kernel can be meant") {
  const Scratch scratch;
  const adopt::AdoptedKernel kernel =
      chosen(scratch,
             "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
             "void run(float* x, int n) {\n  void (*chosen)(float*, int) = k;\n  chosen<<<1, 96>>>(x, n);\n}\n");
  REQUIRE(kernel.launch.block.size() == 1);
  CHECK(kernel.launch.block[0]->number == 96);
}

TEST_CASE("letters are counted where a range of them is said") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "__global__ void count(const char* text, int* bins, int n) {\n"
                "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                "  if (i < n) atomicAdd(&bins[(text[i] - 'a') / 4], 1);\n"
                "}\n"
                "void run(const char* text, int* bins, int n) { count<<<(n + 63) / 64, 64>>>(text, bins, n); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.arguments = {"text[n] s8 >= 97 < 123", "bins[7] s32 zeroed"};
  const adopt::Adopted found = adopted(options);
  CHECK(pointers_of(found) == "text: input s8 [n]\nbins: inout s32 [7]\n");
  CHECK_THAT(found.files.at(0).second,
             Catch::Contains("gen = integers { lo = 97, hi = function(w) return 123 - 1 end }"));
}

TEST_CASE("names of cooperative groups may stand without their namespace, and a function may take any group") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
                "__device__ int sum(thread_group g, int* temp, int value) {\n"
                "  for (int i = g.size() / 2; i > 0; i /= 2) {\n"
                "    temp[g.thread_rank()] = value;\n    g.sync();\n"
                "    if (g.thread_rank() < i) value += temp[g.thread_rank() + i];\n    g.sync();\n  }\n"
                "  return value;\n}\n"
                "__global__ void sums(const int* x, int* y, int n) {\n"
                "  __shared__ int temp[64];\n  thread_block block = this_thread_block();\n"
                "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                "  thread_group tile = tiled_partition(block, 16);\n"
                "  int own = sum(tile, temp + threadIdx.x / 16 * 16, i < n ? x[i] : 0);\n"
                "  block.sync();\n"
                "  if (tile.thread_rank() == 0) y[i / 16] = own;\n"
                "}\n"
                "void run(const int* x, int* y, int n) { sums<<<(n + 63) / 64, 64>>>(x, y, n); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  CHECK_THAT(pointers_of(adopted(options)), Catch::Contains("x: input s32 [n]\n"));
}
