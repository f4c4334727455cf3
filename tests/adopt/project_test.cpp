#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/kernel/launched.h"
#include "harness/adopt/kernel/preview.h"
#include "harness/adopt/observe/index_text.h"
#include "harness/adopt/source/python_text.h"
#include "harness/adopt/source/source.h"
#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What a kernel's file does not say itself and the files around it do; what host code does to an array before a launch.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kTwiceAlone =
    "__global__ void twice(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n";

/// The kernel in src/kernels/twice.cu of a repository.
adopt::AdoptOptions repository(const Scratch& scratch, const std::string& kernel = kTwiceAlone) {
  std::filesystem::create_directories(scratch.path(".git"));
  std::filesystem::create_directories(scratch.path("src/kernels"));
  std::filesystem::create_directories(scratch.path("include/util"));
  scratch.write("src/kernels/twice.cu", kernel);
  adopt::AdoptOptions options;
  options.file = scratch.path("src/kernels/twice.cu");
  return options;
}

std::string why_refused(const adopt::AdoptOptions& options) {
  try {
    (void)adopt::launch(adopt::declare(options));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// Names of the arrays that hold zeros before `add` is launched behind these statements.
std::set<std::string> zeroed_behind(const std::string& statements) {
  const Scratch scratch;
  scratch.write("mine.cu",
                "#include <torch/extension.h>\n"
                "__global__ void add(float* sum, const float* x, int n) { atomicAdd(sum, x[threadIdx.x]); }\n"
                "__global__ void other(float* sum) { *sum = 1; }\n"
                "void run(torch::Tensor x, int n) {\n" +
                    statements + "  add<<<n / 64, 64>>>(sum, x.data_ptr<float>(), n);\n}\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.entries = {"add"};
  return adopt::choose_kernel(adopt::declare(options)).launch.zeroed;
}

}  // namespace

TEST_CASE("a launch in another file of the repository is read, with the headers of its project") {
  const Scratch scratch;
  const adopt::AdoptOptions options = repository(scratch);
  scratch.write("include/util/launch.h", "inline int blocks_of(int n, int per) { return (n + per - 1) / per; }\n");
  scratch.write("src/run.cu",
                "#include \"util/launch.h\"\n#include \"kernels/twice.cu\"\n"
                "void run(const float* x, float* y, int n) { twice<<<blocks_of(n, 96), 96>>>(x, y, n); }\n");
  const adopt::AdoptedKernel kernel = adopt::launch(adopt::declare(options)).kernel;
  REQUIRE(kernel.launch.grid.size() == 1);
  CHECK(adopt::as_lua(*kernel.launch.grid[0], [](const std::string& symbol) { return symbol; }) == "cdiv(n, 96)");
  CHECK(kernel.launch.from == "run.cu:3: twice<<<blocks_of(n, 96), 96>>>");
  CHECK(kernel.options == std::vector<std::string>{"--host ../run.cu"});
}

TEST_CASE("of several files that launch a kernel a person names one") {
  const Scratch scratch;
  adopt::AdoptOptions options = repository(scratch);
  for (const auto& [name, threads] : {std::pair{"a", "32"}, std::pair{"b", "64"}})
    scratch.write(std::string("src/") + name + ".cu",
                  std::string("__global__ void twice(const float*, float*, int);\n"
                              "void run(const float* x, float* y, int n) { twice<<<n / ") +
                      threads + ", " + threads + ">>>(x, y, n); }\n");
  CHECK_THAT(why_refused(options), Catch::Contains("2 other files do; name one of them: --host ") &&
                                       Catch::Contains("src/a.cu or --host ") && Catch::Contains("src/b.cu"));
  options.hosts = {scratch.path("src/b.cu")};
  CHECK(adopt::launch(adopt::declare(options)).kernel.launch.from == "b.cu:2: twice<<<n / 64, 64>>>");
}

TEST_CASE("a kernel of the same name in another file is another kernel") {
  const Scratch scratch;
  const adopt::AdoptOptions options = repository(scratch);
  scratch.write("src/other.cu",
                "__global__ void twice(const float* x, float* y, int n) { y[0] = n; }\n"
                "void run(const float* x, float* y, int n) { twice<<<1, 1>>>(x, y, n); }\n");
  CHECK_THAT(why_refused(options), Catch::Contains("has no launch twice<<<...>>>"));
}

TEST_CASE("a header that two places of a project have is not chosen") {
  const Scratch scratch;
  const adopt::AdoptOptions options = repository(
      scratch, "#include \"util/size.h\"\n" + kTwiceAlone +
                   "void run(const float* x, float* y, int n) { twice<<<n / THREADS, THREADS>>>(x, y, n); }\n");
  scratch.write("include/util/size.h", "#define THREADS 32\n");
  CHECK(why_refused(options).empty());
  std::filesystem::create_directories(scratch.path("old/util"));
  scratch.write("old/util/size.h", "#define THREADS 64\n");
  CHECK_THAT(why_refused(options), Catch::Contains("THREADS"));
}

TEST_CASE("an array holds zeros where the last that the host did to it says so") {
  const std::set<std::string> sum{"sum"}, none;
  CHECK(zeroed_behind("  float* sum;\n  cudaMalloc(&sum, 4);\n  CHECK(cudaMemset(sum, 0, 4));\n") == sum);
  CHECK(zeroed_behind("  auto sums = torch::zeros({1}, x.options());\n  float* sum = sums.data_ptr<float>();\n") ==
        sum);
  CHECK(zeroed_behind("  torch::Tensor s = make(n);\n  auto* sum = s.data_ptr<float>();\n  s.zero_();\n") == sum);
  CHECK(zeroed_behind("  float* sum;\n  cudaMalloc(&sum, 4);\n  cudaMemset(sum, 1, 4);\n") == none);
  CHECK(zeroed_behind("  float* sum;\n  cudaMalloc(&sum, 4);\n") == none);
  CHECK(zeroed_behind("  float* sum;\n  cudaMalloc(&sum, 4);\n  cudaMemset(sum, 0, 4);\n  other<<<1, 1>>>(sum);\n") ==
        none);
  CHECK(zeroed_behind("  float* sum;\n  cudaMalloc(&sum, 4);\n  cudaMemset(sum, 0, 4);\n"
                      "  cudaMemcpy(sum, &n, 4, cudaMemcpyHostToDevice);\n") == none);
}

TEST_CASE("what an index is multiplied by in the text are the innermost sizes") {
  using Strides = std::set<std::set<std::string>>;
  const auto strides_in = [](const std::string& text, const std::string& array, const std::set<std::string>& sizes) {
    const auto strides = adopt::strides_in_text(text, array, sizes);
    return Strides(strides.begin(), strides.end());
  };
  const std::set<std::string> sizes{"r", "n_rx", "n_tx", "d"};
  const std::string text =
      "void f(float* x, float* y, float* z, int r, int n_rx, int n_tx) {\n"
      "  int tx = antenna / n_rx, rx = antenna - tx * n_rx;\n"
      "  int at = i + r * (rx + n_rx * (tx + n_tx * doppler));\n"
      "  x[at] = y[(size_t)rx * n_tx + tx];\n  float* row = z + blockIdx.x * r;\n}\n";
  CHECK(strides_in(text, "x", sizes) == Strides{{"r"}, {"n_rx", "r"}, {"n_rx", "n_tx", "r"}});
  CHECK(strides_in(text, "y", sizes) == Strides{{"n_tx"}, {"n_rx", "n_tx"}});
  CHECK(strides_in(text, "z", sizes) == Strides{{"r"}});
  const std::string parts =
      "void f(float* x, float* y, int W, int H, int C) {\n"
      "  int w = i % W, h = (i / W) % H, c = i / (W * H);\n  y[(c * W + w) * H + h] = x[i];\n}\n";
  const std::string halves =
      "void f(float* x, int half, int heads) {\n  const int dim = 2 * half, row = index / half;\n"
      "  const int low = row * dim + index % half, token = row / heads;\n  x[low] = token % tokens;\n}\n";
  CHECK(strides_in(halves, "x", {"half", "heads", "tokens"}) ==
        Strides{{"half"}, {"half", "heads"}, {"half", "heads", "tokens"}});
  CHECK(strides_in(parts, "x", {"W", "H", "C"}) == Strides{{"W"}, {"H", "W"}});
  CHECK(strides_in(parts, "y", {"W", "H", "C"}) == Strides{{"H", "W"}, {"H"}});
  CHECK(strides_in("void f(float* x, int r) { int i = 0; i += 4; x[i] = r; }", "x", sizes).empty());
}

TEST_CASE("two sizes of one counter lie in memory as the text multiplies them") {
  const adopt::Adopted found = self_referenced(
      "__global__ void scale(float* x, const float* by, int n_tx, int n_rx, int r) {\n"
      "  int i = blockIdx.x * 32 + threadIdx.x, antenna = blockIdx.y;\n"
      "  if (i >= r) return;\n"
      "  int tx = antenna / n_rx, rx = antenna % n_rx;\n"
      "  x[i + r * (rx + n_rx * tx)] *= by[rx + n_rx * tx];\n}\n"
      "void run(float* x, const float* by, int n_tx, int n_rx, int r) {\n"
      "  scale<<<dim3((r + 31) / 32, n_tx * n_rx), 32>>>(x, by, n_tx, n_rx, r);\n}\n");
  CHECK(pointers_of(found) == "x: inout f32 [n_tx, n_rx, r]\nby: input f32 [n_tx, n_rx]\n");
}

TEST_CASE("numbers that no file says are asked for, or told before anything is tried") {
  const std::string source =
      "__global__ void step(float* w, const float* g, float lr, bool nesterov, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n) w[i] -= nesterov ? lr * g[i] : g[i];\n}\n"
      "void run(float* w, const float* g, float lr, bool nesterov, int n) {\n"
      "  step<<<(n + 63) / 64, 64>>>(w, g, lr, nesterov, n);\n}\n";
  CHECK_THAT(adopt::launch_preview(chosen_kernel(source)),
             Catch::Contains("  lr = 0.001 (usual for its name, no file says it; --set lr=VALUE)"));
  const adopt::Adopted asked = self_referenced(source);
  REQUIRE(asked.seen.questions.size() == 1);
  CHECK(asked.seen.questions[0].why == "'nesterov' is true or false, and nobody says which");
  adopt::AdoptOptions options;
  options.settings = {"nesterov=true"};
  const adopt::Adopted found = self_referenced(source, options);
  REQUIRE(found.files.size() > 1);
  CHECK_THAT(found.files.at(0).second, Catch::Contains("\"lr\", dtype = \"f32\", value = 0.001 }") &&
                                           Catch::Contains("-- usual for its name, no file says it; --set lr=VALUE"));
}

TEST_CASE("complex numbers are pairs, the index of a dispatch is a whole number, states of cuRAND are refused") {
  CHECK(pointers_of(self_referenced(
            "#include <cuComplex.h>\n"
            "__global__ void turn(cuFloatComplex* z, cuFloatComplex by, int n) {}\n"
            "__global__ void square(cuDoubleComplex* z, int n) {\n"
            "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) z[i] = cuCmul(z[i], z[i]);\n}\n"
            "void run(cuDoubleComplex* z, int n) { square<<<(n + 63) / 64, 64>>>(z, n); }\n",
            {.entries = {"square"}})) == "z: inout f64 [n, 2]\n");
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "#include <torch/extension.h>\n"
      "template <typename T, typename I> __global__ void pick(const T* x, const I* at, T* y, int n) {}\n"
      "void run(torch::Tensor x, torch::Tensor at, torch::Tensor y, int n) {\n"
      "  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), \"x\", [&] {\n"
      "    AT_DISPATCH_INDEX_TYPES(at.scalar_type(), \"at\", [&] {\n"
      "      pick<scalar_t, index_t><<<n / 64, 64>>>(x.data_ptr<scalar_t>(), at.data_ptr<index_t>(),\n"
      "                                              y.data_ptr<scalar_t>(), n);\n    });\n  });\n}\n");
  CHECK(kernel.types.at("I") == "long long");
  CHECK(kernel.dtypes == std::vector{Dtype::f32, Dtype::f64, Dtype::f16});
  try {
    (void)chosen_kernel("#include <curand_kernel.h>\n__global__ void draw(curandState* s, float* x) {}\n");
    CHECK(false);
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::Contains("'draw' takes states of cuRAND"));
  }
}

TEST_CASE("the strings of a Python file are read, and their lines stay") {
  const std::string text =
      "import torch  # it's not a string\nfrom torch.utils.cpp_extension import load_inline\n"
      "words = 'a \"\"\" b'\n\"\"\"A text with no kernel.\"\"\"\n"
      "source = r\"\"\"\n__global__ void twice(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "void run(const float* x, float* y, int n) { twice<<<(n + 63) / 64, 64>>>(x, y, n); }\n\"\"\"\n"
      "module = load_inline('m', '', source)\n";
  const std::string cuda = adopt::cuda_in_python(text);
  CHECK(cuda.size() == text.size());
  CHECK(std::ranges::count(cuda, '\n') == std::ranges::count(text, '\n'));
  CHECK(cuda.find("load_inline") == std::string::npos);
  CHECK(adopt::cuda_in_python("x = 1\n").empty());
  const Scratch scratch;
  scratch.write("mine.py", text);
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.py");
  CHECK(adopt::launch(adopt::declare(options)).kernel.launch.from == "mine.py:10: twice<<<(n + 63) / 64, 64>>>");
}

TEST_CASE("a number of the host's block that arrays are as large as is a size") {
  const std::string rows =
      "__global__ void sums(float* y, const float* x) {\n"
      "  extern __shared__ float s[];\n  s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
      "  __syncthreads();\n  if (threadIdx.x > 0) return;\n  float sum = 0;\n"
      "  for (int i = 0; i < blockDim.x; ++i) sum += s[i];\n  y[blockIdx.x] = sum;\n}\n";
  const adopt::Adopted row = self_referenced(
      rows + "void run(float* y, const float* x, int m, int k) { sums<<<m, k, k * sizeof(float)>>>(y, x); }\n");
  CHECK(pointers_of(row) == "y: output f32 [m]\nx: input f32 [m, k]\n");
  CHECK(row.kernel.tuned.empty());
  CHECK(row.kernel.options == std::vector<std::string>{"--size k"});
  const adopt::Adopted pair =
      self_referenced(rows + "void run(float* y, const float* x, int m, int k) { sums<<<m, 2 * k, 8 * k>>>(y, x); }\n");
  CHECK(pointers_of(pair) == "y: output f32 [m]\nx: input f32 [m, 2, k]\n");
}

TEST_CASE("a block that is only read behind its declaration is what that says") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "__global__ void copy(const float* x, float* y, int rows, int cols) {}\n"
      "void run(const float* x, float* y, int rows, int cols) {\n  dim3 block(8, 4);\n"
      "  dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);\n"
      "  copy<<<grid, block>>>(x, y, rows, cols);\n}\n");
  REQUIRE(kernel.launch.block.size() == 2);
  CHECK(adopt::as_lua(*kernel.launch.grid[1], [](const std::string& symbol) { return symbol; }) == "cdiv(rows, 4)");
}

TEST_CASE("structures of numbers of one type are numbers side by side, enumerations are numbers below their last") {
  const adopt::Adopted found = self_referenced(
      "class vec { public: vec() {} float x, y; };\nstruct Ball { vec at; float size[2]; };\n"
      "enum class Kind : unsigned char { none, big, huge };\n"
      "__global__ void grow(Ball* balls, const Kind* kinds, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n"
      "  balls[i].at.x += 1;\n  balls[i].at.y *= 2;\n"
      "  balls[i].size[0] += int(kinds[i]);\n  balls[i].size[1] += balls[i].at.x;\n}\n"
      "void run(Ball* balls, const Kind* kinds, int n) { grow<<<(n + 63) / 64, 64>>>(balls, kinds, n); }\n");
  CHECK(pointers_of(found) == "balls: inout f32 [n, 4]\nkinds: input u8 [n]\n");
  REQUIRE(found.files.size() > 1);
  CHECK_THAT(found.files.at(0).second, Catch::Contains("gen = integers { lo = 0, hi = function(w) return 3 - 1 end }"));
}

TEST_CASE("types of explicit instantiations are those of the kernel") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "template <typename T> __global__ void twice(const T* x, T* y, int n) {}\n"
      "template <typename U> void run(const U* x, U* y, int n) { twice<<<(n + 63) / 64, 64>>>(x, y, n); }\n"
      "template void run<float>(const float*, float*, int);\n"
      "template void run<double>(const double*, double*, int);\n");
  CHECK(kernel.dtypes == std::vector{Dtype::f32, Dtype::f64});
}

TEST_CASE("a block whose depth is a size is no larger than a GPU has") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "__global__ void all(float* x, int batch, int n) {}\n"
      "void run(float* x, int batch, int n) {\n  dim3 block(8, 8, batch);\n"
      "  dim3 grid((n + 7) / 8, 1, (batch + block.z - 1) / block.z);\n  all<<<grid, block>>>(x, batch, n);\n}\n");
  REQUIRE(kernel.size("batch") != nullptr);
  CHECK(kernel.size("batch")->high == 16);
}

TEST_CASE("macros of host compilers and assertions of PyTorch come with the device part") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "namespace a::b {\n__global__ void least(const float* x, float* y, int n) {\n"
                "  CUDA_KERNEL_ASSERT(n > 0);\n  float m = -__FLT_MAX__;\n"
                "  for (int i = 0; i < n; ++i) m = fmaxf(m, x[i]);\n  y[0] = m;\n}\n}\n"
                "void run(const float* x, float* y, int n) { a::b::least<<<1, 1>>>(x, y, n); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  const adopt::Launched launched = adopt::launch(adopt::declare(options));
  CHECK(launched.kernel.qualified == "a::b::least");
  CHECK_THAT(launched.device.text, Catch::Contains("#define CUDA_KERNEL_ASSERT(...)") &&
                                       Catch::Contains("#define __FLT_MAX__ 3.402823466e+38F"));
}

TEST_CASE("kernels behind a condition that does not hold are said to be there") {
  const Scratch scratch;
  scratch.write("mine.cu", "#ifdef USE_CUDA\n" + kTwiceAlone + "#endif\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  CHECK_THAT(why_refused(options), Catch::Contains("stand behind '#ifdef USE_CUDA', which does not hold"));
  options.defines = {"USE_CUDA=1"};
  CHECK_THAT(why_refused(options), Catch::Contains("has no launch twice<<<...>>>"));
}

TEST_CASE("a variable template is taken with the kernel that uses it") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "template <typename T> constexpr bool is_small = sizeof(T) < 8;\n"
                "__global__ void twice(const float* x, float* y, int n) {\n"
                "  static_assert(is_small<float>, \"\");\n  y[threadIdx.x] = 2 * x[threadIdx.x];\n}\n"
                "void run(const float* x, float* y, int n) { twice<<<1, n>>>(x, y, n); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  CHECK_THAT(adopt::launch(adopt::declare(options)).device.text, Catch::Contains("constexpr bool is_small"));
}

TEST_CASE("a source that was read has its kernels and launches, with what names stand for there") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "__constant__ float table[4];\n"
                "namespace net {\n"
                "template <int B> __global__ void scale(const float* x, float* y, int n) { y[0] = x[0] * table[0]; }\n"
                "}  // namespace net\n"
                "template <int B> void run(const float* x, float* y, int n) {\n"
                "  const int blocks = (n + B - 1) / B;\n"
                "  net::scale<B><<<blocks, B>>>(x, y, n);\n}\n"
                "void both(const float* x, float* y, int n) {\n"
                "  cudaMemcpyToSymbol(table, x, 16);\n"
                "  if (n < 1024) run<64>(x, y, n); else run<256>(x, y, n);\n}\n");
  const adopt::Source source = adopt::read_cuda_source(scratch.path("mine.cu"));
  CHECK(source.kernels == std::vector<std::string>{"scale"});
  CHECK(source.filled == std::set<std::string>{"table"});
  REQUIRE(source.launches.size() == 1);
  const adopt::HostLaunch& launch = source.launches.front();
  CHECK(launch.where == "mine.cu:7");
  CHECK(launch.function->name() == "run");
  CHECK(launch.passed == std::vector<std::string>{"x", "y", "n"});
  REQUIRE(launch.local("blocks") != nullptr);
  CHECK(adopt::spelled(*launch.local("blocks")) == "(n+B-1)/B");
  CHECK(launch.local("n") == nullptr);
  REQUIRE(launch.values_of("B").size() == 2);
  CHECK(adopt::spelled(launch.values_of("B").back()) == "256");
  for (std::size_t i = 0; i < source.places.size(); ++i)
    if (source.parsed.declarations[i].kernel) CHECK(source.parsed.declarations[i].qualified == "net::scale");
}
