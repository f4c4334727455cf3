#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/run/module_cache.h"

namespace harness::cuda {

/// The `__constant__` variables of a loaded module that a plan fills. A module has one of each, whatever the image:
/// launches that are timed together read the same values (ImageBuffer::constant).
class FilledConstants {
 public:
  /// Throws LaunchRefused for a symbol that the module lacks or that is smaller than what fills it. What is given must
  /// outlive this.
  FilledConstants(const DriverApi& api, const LoadedModule& module, const Executable& executable);

  /// Copies from the image at `base` or from the host, and waits. Not within a capture. What an argument leaves of a
  /// variable keeps its value.
  void fill(Stream stream, DevicePointer base);
  /// Waits. Throws DeviceFault if one no longer holds what it was filled with.
  void check(Stream stream) const;

 private:
  struct Filled {
    std::string symbol, from;
    LoadedConstant variable;
    std::vector<std::byte> values;  // the whole variable, as fill() left it
  };
  void enqueue(const Filled& filled, Stream stream, DevicePointer base) const;
  std::vector<std::byte> read(const LoadedConstant& variable, Stream stream) const;

  const DriverApi& api_;
  const Executable& executable_;
  std::vector<Filled> filled_;
};

}  // namespace harness::cuda
