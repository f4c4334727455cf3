#include "harness/device/cuda/run/measuring_kernels.h"

#include <algorithm>

#include "harness/device/cuda/run/refresh_source.h"

namespace harness::cuda {
namespace {

constexpr const char* kMeasuringSource =
#include "embedded/harness/device/cuda/run/measuring_kernels.cu"
    ;

std::int64_t bytes_to_flush(const DeviceInfo& device) {
  constexpr std::int64_t kLeast = 128 << 20;
  return std::max(kLeast, 2 * device.l2_bytes) / 4096 * 4096;
}

}  // namespace

BuildSpec measuring_build() {
  return {"measuring_kernels.cu", kMeasuringSource, {"harness_empty", "harness_read"}};
}

MeasuringKernels::MeasuringKernels(const DriverApi& api, ModuleCache& modules, Stream stream,
                                   const std::string& cache_folder, const DeviceInfo& device)
    : api_(api),
      kernels_(api, modules, cache_folder, device.architecture, measuring_build()),
      refreshing_(api, modules, cache_folder, device.architecture, refresh_build()),
      memory_(api),
      flush_bytes_(bytes_to_flush(device)),
      flush_blocks_(static_cast<std::uint32_t>(std::max(device.multiprocessors, 1)) * 8) {
  base_ = memory_.reserve(flush_bytes_ + 4096);
  check(api, api.cuMemsetD8Async(base_, 0, static_cast<std::size_t>(flush_bytes_) + 4096, stream), "cuMemsetD8Async");
}

void MeasuringKernels::release_persisting() const {
  if (!api_.cuCtxResetPersistingL2Cache) return;
  check_fault(api_, api_.cuCtxResetPersistingL2Cache(), "cuCtxResetPersistingL2Cache");
}

void MeasuringKernels::enqueue_flush(Stream stream) const {
  kernels_.launch("harness_read", {.blocks = flush_blocks_}, stream, base_,
                  static_cast<unsigned long long>(flush_bytes_ / 16), base_ + static_cast<DevicePointer>(flush_bytes_));
}

void MeasuringKernels::enqueue_empty(Stream stream) const {
  kernels_.launch("harness_empty", {.threads = 32}, stream);
}

}  // namespace harness::cuda
