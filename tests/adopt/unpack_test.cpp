#include <catch2/catch.hpp>

#include "tests/adopt/fixture.h"

// Kernels that take structures by value get a kernel in front that takes their parts.
using namespace harness;
using namespace harness::tests;

namespace {

adopt::Adopted unpacked_text(const std::string& source, const std::string& entry,
                             const std::vector<std::string>& settings = {}) {
  adopt::AdoptOptions options;
  options.settings = settings;
  options.entries = {entry};
  return self_referenced(source, options);
}

}  // namespace

TEST_CASE("tensor accessors become pointers, their sizes those of the host's tensors") {
  const adopt::Adopted found = unpacked_text(
      "#include <torch/extension.h>\n"
      "template <typename scalar_t> __global__ void gate(\n"
      "    const torch::PackedTensorAccessor32<scalar_t,3,torch::RestrictPtrTraits> gates,\n"
      "    torch::PackedTensorAccessor32<scalar_t,2,torch::RestrictPtrTraits> h) {\n"
      "  const int n = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (c < gates.size(2)) h[n][c] = gates[n][0][c] * gates[n][1][c] + gates[n][2][c];\n}\n"
      "void forward(torch::Tensor x, torch::Tensor w) {\n"
      "  const auto batch = x.size(0); const auto width = x.size(1);\n"
      "  auto gates = torch::mm(x, w).reshape({batch, 3, width});\n"
      "  auto h = torch::zeros_like(x);\n"
      "  const int threads = 64; const dim3 blocks((width + threads - 1) / threads, batch);\n"
      "  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"gate\", ([&] {\n"
      "    gate<scalar_t><<<blocks, threads>>>(\n"
      "        gates.packed_accessor32<scalar_t,3,torch::RestrictPtrTraits>(),\n"
      "        h.packed_accessor32<scalar_t,2,torch::RestrictPtrTraits>());\n  }));\n}\n",
      "gate");
  CHECK(found.name == "gate");
  CHECK(found.kernel.entry_for("$dtype", {}) == "gate_unpacked<$dtype>");
  CHECK(pointers_of(found) == "gates: input f32 [x_size_0, 3, x_size_1]\nh: output f32 [x_size_0, x_size_1]\n");
  CHECK_THAT(found.device.text, Catch::Contains("__device__ void gate("));
}

TEST_CASE("a structure by value becomes its fields") {
  const adopt::Adopted found = unpacked_text(
      "struct Params { const float* x; float* y; int rows, cols; float alpha; };\n"
      "__global__ void scale(const Params p) {\n"
      "  for (int c = threadIdx.x; c < p.cols; c += blockDim.x) {\n"
      "    const int i = blockIdx.x * p.cols + c; p.y[i] = p.alpha * p.x[i]; } }\n"
      "void run(const float* a, float* b, int m, int n) { Params p{a, b, m, n, 2.0f}; scale<<<p.rows, 64>>>(p); }\n",
      "scale");
  CHECK(pointers_of(found) == "p_x: input f32 [p_rows, p_cols]\np_y: output f32 [p_rows, p_cols]\n");
  CHECK(found.kernel.launch.grid.front()->symbol == "p_rows");
}

TEST_CASE("an enumeration by value is a number that stays, and a count of turns is timed at few") {
  const adopt::Adopted found = unpacked_text(
      "enum class Mode : unsigned char { plain = 3, damped };\n"
      "__global__ void step(float* p, const float* g, int steps, int n, Mode mode) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  for (int t = 0; i < n && t < steps; ++t) p[i] -= g[i] * (mode == Mode::damped ? 0.01f : 0.1f); }\n"
      "void run(float* p, const float* g, int steps, int n, Mode mode) {\n"
      "  step<<<(n + 127) / 128, 128>>>(p, g, steps, n, mode); }\n",
      "step", {"mode=3"});
  CHECK(pointers_of(found) == "p: inout f32 [n]\ng: input f32 [n]\n");
  const adopt::AdoptedParameter& mode = found.kernel.parameters.back();
  CHECK(mode.kind == adopt::Param::fixed);
  CHECK(mode.value == 3);
  CHECK(mode.evidence == "--set");
  for (const adopt::AdoptedSize& each : found.kernel.sizes) CHECK((each.high == 64) == (each.name == "steps"));
  std::string reference;
  for (const auto& [name, text] : found.files)
    if (name == "reference.cu") reference = text;
  CHECK_THAT(reference, Catch::Contains("static_cast<Mode>(mode)"));
}

TEST_CASE("a half by value reaches the reference in double as a number") {
  const Scratch scratch;
  scratch.write("mine.cu",
                "#include <cuda_fp16.h>\n__global__ void k(half* x, const half* y, const half a, int n) {\n"
                "  int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = y[i] * a; }\n"
                "void run(half* x, half* y, half a, int n) { k<<<(n + 63) / 64, 64>>>(x, y, a, n); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.settings = {"a=0.5"};
  const adopt::Adopted found = adopted(options);
  CHECK_THAT(found.reference.text, Catch::Contains("static_cast<float>(a)"));
  CHECK_THAT(found.reference.words, Catch::Contains("in double"));
}
