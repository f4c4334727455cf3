#include "harness/device/cuda/library/libraries.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "harness/device/cuda/api/toolkit.h"
#include "tests/device/cuda/fake_driver.h"
#include "tests/device/cuda/fake_libraries.h"
#include "tests/device/cuda/on_gpu.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

namespace {

/// Libraries on fakes; memory is host memory, so an offset of the image is an index of `memory`.
struct LibraryBench {
  FakeDriver driver;
  FakeCublas cublas;
  FakeCudnn cudnn;
  const DriverApi& api = FakeDriver::install(driver);
  const CublasLibrary& cublas_library = FakeCublas::install(cublas);
  const CudnnLibrary& cudnn_library = FakeCudnn::install(cudnn);
  alignas(16) float memory[4096] = {};
  Problem problem;
  ImageLayout layout;

  DevicePointer base() { return reinterpret_cast<DevicePointer>(memory); }
  /// Elements from `first` on, also as an fp32 argument.
  void add(const std::string& name, std::int64_t first, std::vector<std::int64_t> shape,
           ArgumentKind kind = ArgumentKind::input, Dtype dtype = Dtype::f32) {
    Argument argument;
    argument.name = name;
    argument.kind = kind;
    argument.dtype = dtype;
    argument.shape = shape;
    argument.strides.assign(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) argument.strides[i - 1] = argument.strides[i] * shape[i];
    const std::int64_t elements = argument.strides[0] * shape[0];
    problem.arguments.push_back(argument);
    layout.buffers.push_back({name, 4 * first, elements * storage_bytes(dtype)});
  }
};

float value_at(std::int64_t i) {
  return static_cast<float>((i * 37 + 11) % 17 - 8);
}

/// c[m, n] of the definition, row-major; the operands as the call describes them.
void check_product(LibraryBench& f, const json& options, bool transpose_a, bool transpose_b, std::int64_t a_pitch,
                   std::int64_t b_pitch, std::int64_t c_pitch, std::int64_t batches) {
  constexpr std::int64_t m = 3, n = 5, k = 4;
  const std::int64_t a_stride = (transpose_a ? k : m) * a_pitch, b_stride = (transpose_b ? n : k) * b_pitch;
  const float *a = f.memory, *b = f.memory + 1024, *c = f.memory + 2048;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float expected = 0;
        for (std::int64_t x = 0; x < k; ++x)
          expected += a[batch * a_stride + (transpose_a ? x * a_pitch + i : i * a_pitch + x)] *
                      b[batch * b_stride + (transpose_b ? j * b_pitch + x : x * b_pitch + j)];
        CAPTURE(json_text(options), batch, i, j);
        CHECK(c[batch * m * c_pitch + i * c_pitch + j] == 2 * expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("row-major products reach cuBLASLt in its own order: transposes, pitches and batches") {
  for (int form = 0; form < 4; ++form) {
    const bool transpose_a = form % 2 == 1, transpose_b = form >= 2;
    LibraryBench f;
    f.add("a", 0, {1024});
    f.add("b", 1024, {1024});
    f.add("c", 2048, {1024}, ArgumentKind::output);
    for (std::int64_t i = 0; i < 2048; ++i) f.memory[i] = value_at(i);
    const json options = {{"a", "a"},       {"b", "b"},     {"c", "c"},
                          {"m", 3},         {"n", 5},       {"k", 4},
                          {"batch", 2},     {"alpha", 2},   {"transpose_a", transpose_a},
                          {"a_pitch", 6},   {"b_pitch", 8}, {"transpose_b", transpose_b},
                          {"algorithm", 2}, {"c_pitch", 7}};
    {
      Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
      const LibraryStep step = libraries.prepare({"cublas", "gemm", options}, f.problem, f.layout);
      step(nullptr, f.base());
      check_product(f, options, transpose_a, transpose_b, 6, 8, 7, 2);
      CHECK(f.cublas.used == 2);
    }
    CHECK(f.cublas.live_objects == 0);
  }
}

TEST_CASE("a bias and a residual of its own pitch are fused into the product; absent arguments are none") {
  LibraryBench f;
  f.add("a", 0, {12});
  f.add("b", 1024, {20});
  f.add("c", 2048, {15}, ArgumentKind::output);
  f.add("r", 3072, {21});
  f.add("bias", 3600, {5});
  for (std::int64_t i = 0; i < 4096; ++i) f.memory[i] = value_at(i);
  const json options = {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"residual", "r"}, {"residual_pitch", 7},
                        {"m", 3},   {"n", 5},   {"k", 4},   {"bias", "bias"}};
  const auto expected = [&](int i, int j, bool more) {
    float sum = more ? f.memory[3072 + 7 * i + j] + f.memory[3600 + j] : 0.0f;
    for (int x = 0; x < 4; ++x) sum += f.memory[4 * i + x] * f.memory[1024 + 5 * x + j];
    return sum;
  };
  for (const bool more : {true, false}) {
    f.problem.arguments[3].absent = f.problem.arguments[4].absent = !more;
    Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
    libraries.prepare({"cublas", "gemm", options}, f.problem, f.layout)(nullptr, f.base());
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) CHECK(f.memory[2048 + 5 * i + j] == expected(i, j, more));
  }
  Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
  json wrong = options;
  wrong["activation"] = "relu";
  CHECK_THROWS_WITH(libraries.prepare({"cublas", "gemm", wrong}, f.problem, f.layout),
                    Catch::Contains("'activation' is \"relu\", which is none of none, gelu"));
}

TEST_CASE("cuBLASLt is told no better alignment than the operands have") {
  LibraryBench f;
  f.add("a", 0, {64});
  f.add("b", 101, {64});
  f.add("c", 202, {64}, ArgumentKind::output);
  Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
  libraries.prepare({"cublas", "gemm", {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"m", 8}, {"n", 8}, {"k", 8}}}, f.problem,
                    f.layout);
  CHECK(f.cublas.alignments == std::vector<unsigned int>{4, 16, 8});  // b comes first there
}

TEST_CASE("a product that reaches past its operands, or names none, is refused in a sentence") {
  LibraryBench f;
  f.add("a", 0, {64});
  f.add("c", 64, {64}, ArgumentKind::output);
  Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
  json options = {{"a", "a"}, {"b", "a"}, {"c", "c"}, {"m", 8}, {"n", 8}, {"k", 8}};
  const auto prepare = [&] { return libraries.prepare({"cublas", "gemm", options}, f.problem, f.layout); };
  CHECK_NOTHROW(prepare());
  options["batch"] = 2;
  CHECK_THROWS_WITH(prepare(), "library cublas gemm: 'a' reaches over 512 bytes, and 'a' has 256.");
  options["batch"] = 1;
  options["b"] = "x";
  CHECK_THROWS_WITH(prepare(), "library cublas gemm: 'b' is \"x\", which is no argument and no workspace.");
  options.erase("b");
  CHECK_THROWS_WITH(prepare(), "library cublas gemm: the option 'b' is missing.");
  options["b"] = "a";
  options["algorithm"] = 3;
  CHECK_THROWS_AS(prepare(), NotSupported);
}

TEST_CASE("a library that is not there is unsupported, and says what to install") {
  LibraryBench f;
  f.add("a", 0, {64});
  const CublasLibrary none{nullptr, "libcublasLt was not found: install it."};
  Libraries libraries(f.api, none, f.cudnn_library);
  const json options = {{"a", "a"}, {"b", "a"}, {"c", "a"}, {"m", 8}, {"n", 8}, {"k", 8}};
  CHECK_THROWS_WITH(libraries.prepare({"cublas", "gemm", options}, f.problem, f.layout), none.missing);
  CHECK_THROWS_AS(libraries.prepare({"cublas", "axpy", options}, f.problem, f.layout), NotSupported);
}

namespace {

struct AttentionBench : LibraryBench {
  json options = {{"q", "q"}, {"k", "k"}, {"v", "v"}, {"o", "o"}, {"scale", "scale"}};
  AttentionBench(std::int64_t queries = 4, std::int64_t keys = 4) {
    add("q", 0, {1, 4, queries, 8}, ArgumentKind::input, Dtype::f16);
    add("k", 1024, {1, 2, keys, 8}, ArgumentKind::input, Dtype::f16);
    add("v", 1536, {1, 2, keys, 8}, ArgumentKind::input, Dtype::f16);
    add("o", 2048, {1, 4, queries, 8}, ArgumentKind::output, Dtype::f16);
    add("lse", 3072, {1, 4, queries}, ArgumentKind::output);
    Argument scale;
    scale.name = "scale";
    scale.kind = ArgumentKind::scalar;
    scale.value = Value(0.25);
    problem.arguments.push_back(scale);
  }
  LibraryStep prepare(Libraries& libraries) {
    return libraries.prepare({"cudnn", "attention", options}, problem, layout);
  }
};

}  // namespace

TEST_CASE("cuDNN's attention is one operation, given the operands' addresses and the scale by value") {
  AttentionBench f;
  f.options["engine"] = 1;
  {
    Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
    const auto stream = reinterpret_cast<Stream>(&f);
    f.prepare(libraries)(stream, f.base());
    CHECK(f.cudnn.operations == std::vector<int>{-kKindAttentionOperation});
    REQUIRE(f.cudnn.executions.size() == 1);
    const auto& execution = f.cudnn.executions[0];
    CHECK(execution.config == 1);
    CHECK(execution.stream == stream);
    CHECK(execution.pointers.at(1) == f.memory);
    CHECK(execution.pointers.at(2) == f.memory + 1024);
    CHECK(execution.pointers.at(3) == f.memory + 1536);
    CHECK(execution.pointers.at(4) == f.memory + 2048);
    CHECK_FALSE(execution.pointers.contains(5));
    CHECK(execution.floats.at(6) == 0.25f);
    CHECK(f.cudnn.plans_built == 2);
    f.options["engine"] = 0;  // of the same shape: nothing is built again
    f.prepare(libraries);
    CHECK(f.cudnn.plans_built == 2);
  }
  CHECK(f.cudnn.live_objects == 0);
}

TEST_CASE("causal attention is a graph of parts whose mask ends in the last row and column") {
  AttentionBench f(2, 4);
  f.options["causal"] = true;
  f.options["lse"] = "lse";
  Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
  f.prepare(libraries)(nullptr, f.base());
  const int product = -kKindMatmulOperation, reduction = -kKindReductionOperation;
  CHECK(f.cudnn.operations == std::vector<int>{product, kMultiply, kIndexAlong, kIndexAlong, kAdd, kGreaterOrEqual,
                                               kSelect, reduction, kSubtract, kExponential, reduction, kLogarithm, kAdd,
                                               kDivide, product});
  const auto& execution = f.cudnn.executions.at(0);
  CHECK(execution.pointers.at(5) == f.memory + 3072);
  CHECK(execution.floats.at(7) == -INFINITY);
  CHECK(execution.pointers.contains(8));  // keys - queries
}

TEST_CASE("engine configurations that cannot be built have no number, and past the last is unsupported") {
  AttentionBench f;
  f.cudnn.unbuildable = 1;
  Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
  f.options["engine"] = 1;
  f.prepare(libraries)(nullptr, f.base());
  CHECK(f.cudnn.executions.at(0).config == 2);
  f.options["engine"] = 2;
  CHECK_THROWS_WITH(
      f.prepare(libraries),
      Catch::Contains("cuDNN 9.19.0 has 2 engine configurations for this attention; there is no number 2. "
                      "cuDNN 9.19.0: cudnnBackendFinalize: CUDNN_STATUS_NOT_SUPPORTED: no engine of mine"));
}

TEST_CASE("an absent log-sum-exp is not asked of cuDNN, and tensors it cannot take are refused") {
  AttentionBench f;
  f.options["lse"] = "lse";
  f.problem.arguments[4].absent = true;
  Libraries libraries(f.api, f.cublas_library, f.cudnn_library);
  f.prepare(libraries)(nullptr, f.base());
  CHECK_FALSE(f.cudnn.executions.at(0).pointers.contains(5));
  f.problem.arguments[1].shape[1] = 3;  // no whole groups of heads
  CHECK_THROWS_AS(f.prepare(libraries), LaunchRefused);
  AttentionBench padded;
  padded.problem.arguments[0].strides[2] = 16;
  CHECK_THROWS_AS(padded.prepare(libraries), NotSupported);
  AttentionBench more_queries(8, 4);
  more_queries.options["causal"] = true;
  CHECK_THROWS_AS(more_queries.prepare(libraries), NotSupported);
}

namespace {

// As cuDNN writes the properties of a device; the figures of an H200.
constexpr const char* kH200 =
    R"({"cudaDeviceId":0,"deviceName":"NVIDIA H200","deviceVer":900,"driverVer":13000,"isTccDriver":0,"l2CacheSize":62914560,)"
    R"("maxBlockSize":[1024,1024,64],"maxCtasPerSM":32,"maxGridSize":[2147483647,65535,65535],"maxRegistersPerSM":65536,)"
    R"("maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":232448,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,)"
    R"("memClockRateKHz":3201000,"multiProcessorCount":132,"pciDeviceId":0,"regsPerBlock":65536,)"
    R"("reservedSharedMemoryPerBlock":1024,"smClockRateKHz":1980000,"supportCoopLaunch":1,"totalGlobalMem":150000000000,)"
    R"("warpSize":32})";

/// What cuDNN's heuristics offer for each shape on an H200 that is not there. They want some libcuda to be open.
std::string offered_offline(const std::vector<AttentionShape>& shapes) {
  if (!dlopen("libcuda.so.1", RTLD_NOW)) {
    void* stub = nullptr;
    for (const std::string& root : toolkit_roots())
      if (!stub) stub = dlopen((root + "/lib64/stubs/libcuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!stub) return "skip: no libcuda, not even the toolkit's stub";
  }
  const CudnnLibrary& library = cudnn_library();
  if (!library.api) return "skip: " + library.missing;
  CudnnObject device(*library.api, kKindDeviceProperties);
  const std::string text = kH200;
  device.set(kAttrDeviceJson, kTypeChar, static_cast<std::int64_t>(text.size()) + 1, text.c_str());
  device.finalize();
  std::string counts;
  for (const AttentionShape& shape : shapes)
    counts += CudnnAttention(*library.api, {nullptr, device.get()}, shape).offered() > 0 ? "+" : "-";
  return counts;
}

}  // namespace

TEST_CASE("cuDNN itself has engines for every graph: unified, causal, shifted, grouped heads, log-sum-exp, odd sizes") {
  const std::vector<AttentionShape> shapes = {{Dtype::bf16, 1, 16, 16, 4096, 4096, 128, false, false},
                                              {Dtype::f16, 2, 8, 2, 37, 53, 64, false, true},
                                              {Dtype::bf16, 1, 16, 16, 4096, 4096, 128, true, false},
                                              {Dtype::f16, 2, 8, 2, 37, 53, 64, true, true}};
  const std::string offered = in_child([&] { return offered_offline(shapes); });
  if (offered.starts_with("skip: ")) return harness::tests::skip(offered.substr(6));
  CHECK(offered == "++++");
}
