// The cpu device in a program for another processor: compiles kernels with that processor's g++, reads the objects as a
// builder does, and launches them. The walls are not here: an emulator has none.
#include <cmath>
#include <cstdio>

#include "tests/device/cpu/fixture.h"

using namespace harness;
using namespace harness::test;

namespace {

constexpr int kThreads = 128, kBlocks = 3, kElements = kThreads * kBlocks;

// Shared memory, barriers, shuffles, atomics, a constant table, char's sign.
constexpr const char* kKernel = R"(
__constant__ float weights[4] = {1.f, 2.f, 3.f, 4.f};
extern "C" __global__ void sums(const float* x, float* y, int* negative) {
  __shared__ float of_warp[4];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float sum = x[i] * weights[i % 4];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  if (lane == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  y[i] = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
  const char c = static_cast<char>(i + 100);
  if (c < 0) atomicAdd(negative, 1);
}
)";

int wrong(bool checked) {
  BuildSpec spec = spec_of(kKernel, {"sums"});
  spec.checked = checked;
  const BuildResult built = build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&built)) {
    std::printf("does not compile: %s\n", failure->log.c_str());
    return 1;
  }
  std::vector<float> x(kElements);
  for (int i = 0; i < kElements; ++i) x[i] = static_cast<float>(i % 7);
  Bench bench(std::get<Artifact>(built));
  bench.buffer("x", x).buffer("y", std::vector<float>(kElements)).buffer("negative", std::vector<int>{0});
  bench.run("sums", {kBlocks, 1, 1}, {kThreads, 1, 1}, {named("x"), named("y"), named("negative")});
  const std::vector<float> y = bench.read<float>("y");
  int faults = 0, negative = 0;
  for (int block = 0; block < kBlocks; ++block) {
    float sum = 0;
    for (int i = block * kThreads; i < (block + 1) * kThreads; ++i) sum += x[i] * static_cast<float>(i % 4 + 1);
    for (int i = block * kThreads; i < (block + 1) * kThreads; ++i) faults += std::fabs(y[i] - sum) > 1e-3f * sum;
  }
  for (int i = 0; i < kElements; ++i) negative += static_cast<signed char>(i + 100) < 0;
  faults += bench.read<int>("negative")[0] != negative;
  std::printf("%s: %s, %d faults\n", checked ? "checked" : "as judged", std::get<Artifact>(built).architecture.c_str(),
              faults);
  return faults;
}

}  // namespace

int main() {
  const BuildResult clock = build(
      spec_of("extern \"C\" __global__ void k(long* p) { asm volatile(\"mrs %0, cntvct_el0\" : \"=r\"(*p)); }", {"k"}));
  const auto* const refused = std::get_if<CompileFailure>(&clock);
  std::printf("a kernel that reads the counter: %s\n", refused ? refused->log.c_str() : "is not refused");
  return wrong(false) + wrong(true) + (refused == nullptr);
}
