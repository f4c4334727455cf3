#include "harness/device/cuda/api/objects.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace harness::cuda {

OwnedMemory allocate(const DriverApi& api, std::size_t bytes) {
  DevicePointer pointer = 0;
  check(api, api.cuMemAlloc_v2(&pointer, bytes), fmt::format("cuMemAlloc of {} bytes", bytes));
  return {api, pointer};
}

std::shared_ptr<void> hold_pages(const DriverApi& api, std::span<std::byte> memory) {
  constexpr std::size_t kWorthIt = 64 << 10;
  if (memory.size() < kWorthIt || api.cuMemHostRegister_v2(memory.data(), memory.size(), 0) != kSuccess) return nullptr;
  return {memory.data(), [&api](void* pages) { api.cuMemHostUnregister(pages); }};
}

OwnedStream create_stream(const DriverApi& api) {
  Stream stream = nullptr;
  check(api, api.cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
  return {api, stream};
}

OwnedEvent create_event(const DriverApi& api) {
  Event event = nullptr;
  check(api, api.cuEventCreate(&event, kEventDefault), "cuEventCreate");
  return {api, event};
}

double elapsed_ns(const DriverApi& api, Event start, Event end) {
  float milliseconds = 0;
  check(api, api.cuEventElapsedTime(&milliseconds, start, end), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e6;
}

PrimaryContext::PrimaryContext(const DriverApi& api, int ordinal) : api_(api) {
  int count = 0;
  check_environment(api, api.cuInit(0), "cuInit");
  check_environment(api, api.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count) {
    throw environment_error(fmt::format("there is no cuda:{}: the driver sees {} GPU{}; `harness devices` lists them.",
                                        ordinal, count, count == 1 ? "" : "s"));
  }
  check_environment(api, api.cuDeviceGet(&device_, ordinal), "cuDeviceGet");
  check_environment(api, api.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  const Status current = api.cuCtxSetCurrent(context_);
  if (current != kSuccess) api.cuDevicePrimaryCtxRelease_v2(device_);
  check_environment(api, current, "cuCtxSetCurrent");
}

PrimaryContext::~PrimaryContext() {
  api_.cuDevicePrimaryCtxRelease_v2(device_);
}

}  // namespace harness::cuda
