#include <fmt/format.h>

#include "harness/device/cuda/peaks/peaks.h"

namespace harness::cuda {
namespace {

constexpr const char* kMemoryAndArithmetic =
#include "embedded/harness/device/cuda/peaks/memory_and_arithmetic.cu"
    ;
const std::string kOperand =
#include "embedded/harness/device/cuda/peaks/operand.cu"
    ;

struct TensorType {
  std::string dtype;
  std::string ones, random;  // bits of 1.0, and those that may be any, in each 32-bit word
  int k;                     // of an mma.sync or wgmma
};

std::vector<TensorType> tensor_types(int capability) {
  std::vector<TensorType> types;
  if (capability >= 80) {
    types.push_back({"bf16", "0x3f803f80u", "0x807f807fu", 16});
    types.push_back({"f16", "0x3c003c00u", "0x83ff83ffu", 16});
  }
  if (capability >= 89) types.push_back({"e4m3", "0x38383838u", "0x87878787u", 32});
  return types;
}

constexpr int kWgmmasPerIteration = 8;

/// Two warpgroups of a block multiply the same tiles of 64 and 256 rows of 128 bytes, swizzled by 128 bytes, in turns.
std::string wgmma_kernel(const TensorType& type) {
  std::string registers, operands;
  for (int i = 0; i < 128; ++i) {
    registers += fmt::format("{}%{}", i ? ", " : "", i);
    operands += fmt::format("{}\"+f\"(d[{}])", i ? ", " : "", i);
  }
  return fmt::format(
      R"(
extern "C" __global__ void __launch_bounds__(256) harness_peak_{dtype}(float* sink, int iterations) {{
  __shared__ __align__(1024) unsigned tiles[(64 + 256) * 32];
  for (unsigned i = threadIdx.x; i < (64 + 256) * 32; i += 256) tiles[i] = harness_operand(i, {ones}, {random});
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const unsigned long long address = (unsigned)__cvta_generic_to_shared(tiles);
  const unsigned long long a = (address >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62), b = a + 64 * 128 / 16;
  float d[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) d[i] = 0;
  for (int n = 0; n < iterations; ++n) {{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < {steps}; ++step) {{
      asm volatile("wgmma.mma_async.sync.aligned.m64n256k{k}.f32.{dtype}.{dtype} {{{registers}}}, %128, %129, 1, 1, 1{transposes};"
                   : {operands} : "l"(a + step % 4 * 2), "l"(b + step % 4 * 2));
    }}
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }}
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 128; ++i) sum += d[i];
  if (sum == 1.2345e30f) *sink = sum;
}}
)",
      fmt::arg("dtype", type.dtype), fmt::arg("ones", type.ones), fmt::arg("random", type.random),
      fmt::arg("steps", kWgmmasPerIteration), fmt::arg("k", type.k), fmt::arg("registers", registers),
      fmt::arg("transposes", type.k == 16 ? ", 0, 0" : ""), fmt::arg("operands", operands));
}

constexpr int kMmasPerIteration = 32;

/// Eight warps of a block, each with eight accumulators in turn.
std::string mma_kernel(const TensorType& type) {
  return fmt::format(
      R"(
extern "C" __global__ void __launch_bounds__(256) harness_peak_{dtype}(float* sink, int iterations) {{
  unsigned a[4], b[2];
  float d[8][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = harness_operand(threadIdx.x * 8 + i, {ones}, {random});
#pragma unroll
  for (int i = 0; i < 2; ++i) b[i] = harness_operand(threadIdx.x * 8 + 4 + i, {ones}, {random});
#pragma unroll
  for (int i = 0; i < 32; ++i) d[i / 4][i % 4] = 0;
  for (int n = 0; n < iterations; ++n) {{
#pragma unroll
    for (int step = 0; step < {steps}; ++step) {{
      float* const c = d[step % 8];
      asm volatile("mma.sync.aligned.m16n8k{k}.row.col.f32.{dtype}.{dtype}.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }}
  }}
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) sum += d[i / 4][i % 4];
  if (sum == 1.2345e30f) *sink = sum;
}}
)",
      fmt::arg("dtype", type.dtype), fmt::arg("ones", type.ones), fmt::arg("random", type.random),
      fmt::arg("steps", kMmasPerIteration), fmt::arg("k", type.k));
}

}  // namespace

PeakSource peak_source(int compute_capability, const std::string& architecture) {
  const bool has_wgmma = architecture == "sm_90a";
  PeakSource source;
  source.memory_and_arithmetic = {"peak_kernels.cu",
                                  kMemoryAndArithmetic,
                                  {"harness_peak_read", "harness_peak_copy", "harness_peak_l2", "harness_peak_trips",
                                   "harness_peak_f32", "harness_peak_exp"}};
  const double flops_of_16 =
      has_wgmma ? 2.0 * kWgmmasPerIteration * 2 * 64 * 256 * 16 : 8.0 * kMmasPerIteration * 2 * 16 * 8 * 16;
  for (const TensorType& type : tensor_types(compute_capability)) {
    const std::string entry = "harness_peak_" + type.dtype;
    const std::string text = kOperand + (has_wgmma ? wgmma_kernel(type) : mma_kernel(type));
    source.tensor.push_back(
        {type.dtype, entry, flops_of_16 * type.k / 16, {"peak_kernel_" + type.dtype + ".cu", text, {entry}}});
  }
  return source;
}

}  // namespace harness::cuda
