#include <catch2/catch.hpp>

#include "harness/adopt/kernel/options.h"
#include "harness/adopt/kernel/pragma.h"
#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What a file alone says of a kernel, before anything runs.
using namespace harness;
using namespace harness::tests;

namespace {

struct Read {
  adopt::AdoptedKernel kernel;
  adopt::DeviceSource device;
  adopt::AdoptOptions options;
};

Read read(const std::string& source) {
  const Scratch scratch;
  scratch.write("mine.cu", source);
  Read result;
  result.options.file = scratch.path("mine.cu");
  const adopt::Declared declared = adopt::declare(result.options);
  result.options = declared.options;
  result.kernel = adopt::choose_kernel(declared);
  result.device = adopt::device_source(declared.source, result.kernel.index, {});
  return result;
}

std::string types_of(const Read& read) {
  std::string text;
  for (const adopt::AdoptedParameter& each : read.kernel.parameters)
    if (each.kind == adopt::Param::pointer)
      text += each.name + " " + (each.type.empty() ? std::string(name(each.dtype)) : "$dtype") + "; ";
  return text;
}

const std::string kLoss =
    "typedef uint4 vector_t;\n"
    "template <int ILP, typename T, typename label_t, typename acc_t, typename out_t>\n"
    "__global__ void loss(out_t* out, const T* x, const label_t* y, acc_t* sums, long n) {\n"
    "  vector_t v; if (n > 0) out[0] = x[0]; }\n"
    "void run(at::Tensor x, at::Tensor y, at::Tensor out, at::Tensor sums) {\n"
    "  dim3 block(128);\n"
    "  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), \"loss\", [&] {\n"
    "    using accscalar_t = at::acc_type<scalar_t, true>;\n"
    "    using labels = int64_t;\n"
    "    const int ILP = sizeof(vector_t) / sizeof(scalar_t);\n"
    "    loss<ILP, scalar_t, labels, accscalar_t, float>\n"
    "        <<<8, block, block.x * sizeof(accscalar_t)>>>(out.data_ptr<float>(), x.data_ptr<scalar_t>(),\n"
    "            y.data_ptr<labels>(), sums.data_ptr<accscalar_t>(), x.numel());\n"
    "  });\n}\n";

}  // namespace

TEST_CASE(
    "types that the host's function names are written out: fixed ones, the dispatched one, what is made from it") {
  const Read loss = read(kLoss);
  CHECK(types_of(loss) == "out f32; x $dtype; y s64; sums f32; ");
  CHECK(loss.kernel.entry_for("$dtype", {}) ==
        "loss<sizeof(vector_t)/sizeof($dtype),$dtype,long long,at::acc_type<$dtype,true>,float>");
  CHECK(loss.kernel.entry_for("double", {}, true) ==
        "loss<sizeof(vector_t)/sizeof(double),double,long long,at::acc_type<double,true>,double>");
  CHECK(loss.kernel.dtypes == std::vector<Dtype>{Dtype::f32, Dtype::f16});  // sums are made in float
  CHECK(adopt::evaluate(*loss.kernel.launch.shared, loss.kernel.settings(Dtype::f32)) == 512);
}

TEST_CASE("headers are kept where the device part uses them") {
  const std::string rest =
      "__global__ void k(float* x, int n) { if (n > 0) x[0] = 1; }\nvoid r(float* x, int n) { k<<<1, 32>>>(x, n); }\n";
  CHECK(read("#include <cuda/barrier>\n#include <cuda_pipeline.h>\n#include <mma.h>\n" + rest).device.headers.empty());
  const std::string uses =
      "#include <cuda_pipeline.h>\n__device__ void wait() { __pipeline_wait_prior(0); }\n"
      "__global__ void k(float* x, int n) { wait(); if (n > 0) x[0] = 1; }\n"
      "void r(float* x, int n) { k<<<1, 32>>>(x, n); }\n";
  CHECK(read(uses).device.headers == std::vector<std::string>{"cuda_pipeline.h"});
}

TEST_CASE("functions of one name in several namespaces: only the named one is taken") {
  const Read taken = read(
      "namespace one { __device__ float load(const float* p) { return p[0]; } }\n"
      "namespace two { __device__ float load(const float* p) { return p[1] + 77; } }\n"
      "__global__ void k(float* x, int n) { if (n > 0) x[0] = one::load(x); }\n"
      "void r(float* x, int n) { k<<<1, 32>>>(x, n); }\n");
  CHECK_THAT(taken.device.text, Catch::Contains("return p[0]") && !Catch::Contains("77"));
}

TEST_CASE("a kernel that is declared before it is defined stays a kernel in both") {
  const Read both = read(
      "__global__ void k(float* x, int n);\n"
      "__global__ void k(float* x, int n) { if (n > 0) x[0] = 1; }\n"
      "void r(float* x, int n) { k<<<1, 32>>>(x, n); }\n");
  CHECK_THAT(both.device.text, !Catch::Contains("__device__"));
}

TEST_CASE("Kernel Launcher's pragmas answer what options ask") {
  const Read pragma = read(
      "#pragma kernel tune(block_size=32, 64, 128) set(FACTOR=3)\n"
      "#pragma kernel problem_size(n) block_size(block_size)\n"
      "#pragma kernel buffers(C[n], A[n]) tuning_key(\"scale_\" + T)\n"
      "template <int block_size, int FACTOR> __global__ void scale(float* C, const float* A, int n) {\n"
      "  int i = blockIdx.x * block_size + threadIdx.x; if (i < n) C[i] = FACTOR * A[i]; }\n");
  CHECK(pragma.options.tune == std::vector<std::string>{"block_size=32,64,128", "FACTOR=3"});
  CHECK(pragma.options.arguments == std::vector<std::string>{"C[n]", "A[n]"});
  CHECK(pragma.options.grid == "cdiv(n, block_size)");
  CHECK(pragma.kernel.bound.at("block_size") == "template");
  CHECK(pragma.kernel.entry_for("", {{"block_size", "$block_size"}, {"FACTOR", "$FACTOR"}}) ==
        "scale<$block_size,$FACTOR>");
  CHECK_THROWS_WITH(read("#pragma kernel tone(a=1)\n__global__ void k(float* x, int n) { x[0] = n; }\n"),
                    Catch::Contains("no clause 'tone'; did you mean 'tune'"));
}

TEST_CASE("structures that cannot be taken apart are refused by the field") {
  const auto launched = [](const std::string& structure) {
    return structure +
           "\n__global__ void k(float* x, P p) { x[0] = 1; }\nvoid r(float* x, P p) { k<<<1, 1>>>(x, p); }\n";
  };
  CHECK_THROWS_WITH(read(launched("struct P { int dims[4]; };")), Catch::Contains("field 'dims'"));
  CHECK_THROWS_WITH(read(launched("struct Q { int n; };\nstruct P { Q q; };")), Catch::Contains("field 'q'"));
}
