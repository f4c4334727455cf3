#pragma once
#include <memory>

#include "harness/core/device.h"
#include "harness/device/cuda/module_cache.h"

namespace harness::cuda {

/// A plan whose functions are loaded and allowed what the launches ask for: it can be enqueued, also into a capture.
/// Refers to the executable, which must outlive it.
class LoadedPlan {
 public:
  /// Its module is freshly loaded: no variable of it holds what an earlier run left there.
  /// Throws LaunchRefused, NotSupported or DeviceFault; so do the calls of enqueue().
  LoadedPlan(const DriverApi& api, ModuleCache& modules, const Executable& executable);

  /// Enqueues all steps in order over the image at `base`; does not wait.
  void enqueue(Stream stream, DevicePointer base) const;
  const Executable& executable() const { return *executable_; }

 private:
  void allow(const Launch& launch);
  void enqueue_launch(const Launch& launch, Stream stream, DevicePointer base) const;
  void enqueue_memset(const Memset& memset, Stream stream, DevicePointer base) const;

  const DriverApi& api_;
  const Executable* executable_;
  std::shared_ptr<LoadedModule> module_;
};

}  // namespace harness::cuda
