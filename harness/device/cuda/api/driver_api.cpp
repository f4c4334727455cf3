#include "harness/device/cuda/api/driver_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/device/cuda/api/shared_library.h"

namespace harness::cuda {
namespace {

DriverLibrary open_driver() {
  const SharedLibrary library(
      {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"});
  if (!library) {
    if (!library.reason().empty())
      return {nullptr, fmt::format("the NVIDIA driver does not load: {}.", library.reason())};
    return {nullptr, "libcuda.so.1, the NVIDIA driver, was not found: it is needed to run on a GPU."};
  }
  static DriverApi api;
  std::vector<std::string> absent, optional;
#define X(symbol, ...) library.resolve(api.symbol, #symbol, absent);
  HARNESS_DRIVER_CALLS(X)
#undef X
#define X(symbol, ...) library.resolve(api.symbol, #symbol, optional);
  HARNESS_OPTIONAL_DRIVER_CALLS(X)
#undef X
  if (absent.empty()) return {&api, ""};
  return {nullptr, fmt::format("the NVIDIA driver in {} is too old: it lacks {}; install a driver of CUDA 12 or later.",
                               library.path(), fmt::join(absent, ", "))};
}

}  // namespace

const DriverLibrary& driver_library() {
  static const DriverLibrary library = open_driver();
  return library;
}

}  // namespace harness::cuda
