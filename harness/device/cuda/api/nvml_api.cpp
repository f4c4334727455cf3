#include "harness/device/cuda/api/nvml_api.h"

#include <vector>

#include "harness/device/cuda/api/shared_library.h"

namespace harness::cuda {
namespace {

const NvmlApi* open_nvml() {
  const SharedLibrary library({"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1"});
  if (!library) return nullptr;
  static NvmlApi api;
  std::vector<std::string> absent, optional;
#define X(symbol, ...) library.resolve(api.symbol, #symbol, absent);
  HARNESS_NVML_CALLS(X)
#undef X
#define X(symbol, ...) library.resolve(api.symbol, #symbol, optional);
  HARNESS_OPTIONAL_NVML_CALLS(X)
#undef X
  return absent.empty() && api.nvmlInit_v2() == kNvmlSuccess ? &api : nullptr;
}

}  // namespace

const NvmlApi* nvml() {
  static const NvmlApi* const api = open_nvml();
  return api;
}

}  // namespace harness::cuda
