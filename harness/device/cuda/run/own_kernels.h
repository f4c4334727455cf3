#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/device/cuda/run/module_cache.h"

namespace harness::cuda {

/// Kernels that are part of the harness: compiled by NVRTC for the device, loaded, and launched with plain values.
class OwnKernels {
 public:
  struct Shape {
    std::uint32_t blocks = 1, rows_of_blocks = 1, threads = 256;
    std::uint32_t shared_bytes = 0;
  };

  /// Compiles `build`, whose kernels are extern "C", into the cache or finds them there. Throws Error without NVRTC.
  OwnKernels(const DriverApi& api, ModuleCache& modules, const std::string& cache_folder,
             const std::string& architecture, const BuildSpec& build);

  /// Arguments are passed as they are: their types must be those of the kernel's parameters, which their sizes are
  /// compared with. Does not wait.
  template <typename... Arguments>
  void launch(const std::string& entry, const Shape& shape, Stream stream, Arguments... arguments) const {
    void* pointers[] = {&arguments..., nullptr};
    launch_packed(entry, shape, stream, pointers, {static_cast<std::int64_t>(sizeof arguments)...});
  }

  const Artifact& artifact() const { return artifact_; }

 private:
  void launch_packed(const std::string& entry, const Shape& shape, Stream stream, void** arguments,
                     const std::vector<std::int64_t>& bytes) const;

  const DriverApi& api_;
  Artifact artifact_;
  std::shared_ptr<LoadedModule> module_;
};

}  // namespace harness::cuda
