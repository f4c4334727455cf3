#include "harness/device/cuda/api/shared_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace harness::cuda {

SharedLibrary::SharedLibrary(const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      path_ = candidate;
      return;
    }
    const char* said = dlerror();
    std::error_code ignored;
    if (reason_.empty() && said && candidate.front() == '/' && std::filesystem::exists(candidate, ignored)) {
      reason_ = said;
    }
  }
}

void* SharedLibrary::symbol(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

}  // namespace harness::cuda
