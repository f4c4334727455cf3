#include "harness/device/cuda/measuring_kernels.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/device/cuda/compiler.h"

namespace harness::cuda {
namespace {

// The memory is zero, so the sum is never the value that would be written; the compiler cannot know.
constexpr const char* kSource = R"(
extern "C" __global__ void harness_empty() {}
extern "C" __global__ void harness_read(const uint4* data, unsigned long long count, unsigned int* sink) {
  unsigned int sum = 0;
  const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 v = data[i];
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
}
)";

std::int64_t flush_bytes(const DeviceInfo& device) {
  constexpr std::int64_t kLeast = 128 << 20;
  return std::max(kLeast, 2 * device.l2_bytes) / 4096 * 4096;
}

Artifact compile(const std::string& cache_folder, const DeviceInfo& device) {
  NvrtcCompiler compiler(cache_folder, device.architecture, "");
  BuildResult result = compiler.build({"measuring_kernels.cu", kSource, {"harness_empty", "harness_read"}});
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    throw environment_error("the measuring kernels do not compile: " + failure->log);
  }
  return std::get<Artifact>(std::move(result));
}

Launch read_launch(const DeviceInfo& device) {
  Launch launch;
  launch.entry = "harness_read";
  launch.grid.x = static_cast<std::uint32_t>(std::max(device.multiprocessors, 1)) * 8;
  launch.block.x = 256;
  launch.args = {NamedArgument{"data"}, ScalarArgument{Dtype::u64, flush_bytes(device) / 16}, NamedArgument{"sink"}};
  return launch;
}

Launch empty_launch() {
  Launch launch;
  launch.entry = "harness_empty";
  launch.block.x = 32;
  return launch;
}

}  // namespace

Executable MeasuringKernels::executable(const Artifact& artifact, const Launch& launch, std::int64_t flush_bytes) {
  Executable executable;
  executable.artifact = artifact;
  executable.plan.steps = {launch};
  executable.layout.bytes = flush_bytes + 4096;
  executable.layout.buffers = {{"data", 0, flush_bytes}, {"sink", flush_bytes, 4}};
  return executable;
}

MeasuringKernels::MeasuringKernels(const DriverApi& api, ModuleCache& modules, Stream stream,
                                   const std::string& cache_folder, const DeviceInfo& device)
    : api_(api),
      memory_(api),
      flush_(executable(compile(cache_folder, device), read_launch(device), flush_bytes(device))),
      empty_(executable(flush_.artifact, empty_launch(), flush_bytes(device))),
      flush_plan_(api, modules, flush_),
      empty_plan_(api, modules, empty_) {
  base_ = memory_.reserve(flush_.layout.bytes);
  check(api, api.cuMemsetD8Async(base_, 0, static_cast<std::size_t>(flush_.layout.bytes), stream), "cuMemsetD8Async");
}

void MeasuringKernels::enqueue_flush(Stream stream) const {
  if (api_.cuCtxResetPersistingL2Cache) {
    check_fault(api_, api_.cuCtxResetPersistingL2Cache(), "cuCtxResetPersistingL2Cache");
  }
  flush_plan_.enqueue(stream, base_);
}

void MeasuringKernels::enqueue_empty(Stream stream) const {
  empty_plan_.enqueue(stream, base_);
}

}  // namespace harness::cuda
