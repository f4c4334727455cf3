#pragma once
#include <functional>
#include <span>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/api/driver_api.h"

namespace harness::cuda {

/// A buffer in an allocation of its own.
struct SeparateBuffer {
  std::string name;
  DevicePointer address = 0;  // of the payload
  std::int64_t bytes = 0;
};

/// Runs a plan once on the GPU with every buffer of the painted image in an allocation that ends where it ends, so that
/// a memory checker sees what leaves it; addresses are aligned as in the image and no better. With `uninitialized`,
/// outputs and dirty workspaces are left as the driver gives them, so that a checker sees who reads them first.
/// `placed` is told where the buffers are, before anything runs. Throws as Session::run does.
void run_separately(int ordinal, const Executable& executable, std::span<const std::byte> image, bool uninitialized,
                    const std::function<void(const std::vector<SeparateBuffer>&)>& placed);
/// With a driver of the caller's.
void run_separately(const DriverApi& api, int ordinal, const Executable& executable, std::span<const std::byte> image,
                    bool uninitialized, const std::function<void(const std::vector<SeparateBuffer>&)>& placed);

}  // namespace harness::cuda
