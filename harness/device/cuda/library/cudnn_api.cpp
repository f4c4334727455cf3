#include "harness/device/cuda/library/cudnn_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/device/cuda/api/shared_library.h"
#include "harness/device/cuda/api/toolkit.h"

namespace harness::cuda {
namespace {

CudnnLibrary open_cudnn() {
  const SharedLibrary library(library_candidates({"libcudnn.so.9"}));
  if (!library) {
    if (!library.reason().empty()) return {nullptr, fmt::format("libcudnn does not load: {}.", library.reason())};
    return {nullptr,
            "libcudnn.so.9, NVIDIA's library of deep learning primitives, was not found: it is needed for the library "
            "step cudnn; install cuDNN 9 or the pip package nvidia-cudnn-cu13, or set CUDA_HOME."};
  }
  static CudnnApi api;
  std::vector<std::string> absent;
#define X(symbol, ...) library.resolve(api.symbol, #symbol, absent);
  HARNESS_CUDNN_CALLS(X)
#undef X
  if (!absent.empty())
    return {nullptr,
            fmt::format("{} is too old: it lacks {}; install cuDNN 9.", library.path(), fmt::join(absent, ", "))};
  return {&api, ""};
}

}  // namespace

std::string CudnnApi::version() const {
  const std::size_t number = cudnnGetVersion();  // 91900 is 9.19.0
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

const CudnnLibrary& cudnn_library() {
  static const CudnnLibrary library = open_cudnn();
  return library;
}

}  // namespace harness::cuda
