#include "harness/device/cuda/library/cublas_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/device/cuda/api/shared_library.h"
#include "harness/device/cuda/api/toolkit.h"

namespace harness::cuda {
namespace {

CublasLibrary open_cublas() {
  const SharedLibrary library(library_candidates({"libcublasLt.so.13", "libcublasLt.so.12"}));
  if (!library) {
    if (!library.reason().empty()) return {nullptr, fmt::format("libcublasLt does not load: {}.", library.reason())};
    return {nullptr,
            "libcublasLt.so.13 or .12, NVIDIA's library of matrix products, was not found: it is needed for the "
            "library step cublas; install the CUDA toolkit or the pip package nvidia-cublas, or set CUDA_HOME."};
  }
  static CublasApi api;
  std::vector<std::string> absent;
#define X(symbol, ...) library.resolve(api.symbol, #symbol, absent);
  HARNESS_CUBLAS_CALLS(X)
#undef X
  if (!absent.empty())
    return {nullptr, fmt::format("{} is too old: it lacks {}; install cuBLAS of CUDA 12 or later.", library.path(),
                                 fmt::join(absent, ", "))};
  return {&api, ""};
}

}  // namespace

const CublasLibrary& cublas_library() {
  static const CublasLibrary library = open_cublas();
  return library;
}

}  // namespace harness::cuda
