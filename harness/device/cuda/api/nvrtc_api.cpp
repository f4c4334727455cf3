#include "harness/device/cuda/api/nvrtc_api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "harness/device/cuda/api/shared_library.h"
#include "harness/device/cuda/api/toolkit.h"

namespace harness::cuda {
namespace {

bool ask_version(NvrtcApi& api) {
  int count = 0;
  if (api.nvrtcVersion(&api.major, &api.minor) != kNvrtcSuccess) return false;
  if (api.nvrtcGetNumSupportedArchs(&count) != kNvrtcSuccess || count <= 0) return false;
  api.architectures.resize(static_cast<std::size_t>(count));
  return api.nvrtcGetSupportedArchs(api.architectures.data()) == kNvrtcSuccess;
}

/// NVRTC opens its built-in functions by name when it first compiles. A confined process may not find them by then
/// (links of the toolkit's folder lead out of its reach), but the loader knows what is already open.
void open_builtins(const NvrtcApi& api) {
  const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", api.major, api.minor);
  const SharedLibrary opened({library_folder(api) + "/" + name, name});
}

NvrtcLibrary open_nvrtc() {
  const SharedLibrary library(library_candidates({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}));
  if (!library) {
    if (!library.reason().empty()) return {nullptr, fmt::format("libnvrtc does not load: {}.", library.reason())};
    return {
        nullptr,
        "libnvrtc.so.13 or .12, NVIDIA's run-time compiler, was not found: it is needed to compile kernels for a GPU; "
        "install the CUDA toolkit or the pip package nvidia-cuda-nvrtc, or set CUDA_HOME."};
  }
  static NvrtcApi api;
  std::vector<std::string> absent;
#define X(symbol, ...) library.resolve(api.symbol, #symbol, absent);
  HARNESS_NVRTC_CALLS(X)
#undef X
  if (!absent.empty()) {
    return {nullptr, fmt::format("{} is too old: it lacks {}; install NVRTC of CUDA 12 or later.", library.path(),
                                 fmt::join(absent, ", "))};
  }
  api.path = library.path();
  if (!ask_version(api)) return {nullptr, fmt::format("{} does not tell its version; install it again.", api.path)};
  open_builtins(api);
  return {&api, ""};
}

}  // namespace

std::string library_folder(const NvrtcApi& api) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<const void*>(api.nvrtcVersion), &where) == 0 || where.dli_fname == nullptr) return "";
  std::error_code absent;
  return std::filesystem::canonical(where.dli_fname, absent).parent_path().string();
}

const NvrtcLibrary& nvrtc_library() {
  static const NvrtcLibrary library = open_nvrtc();
  return library;
}

}  // namespace harness::cuda
