#pragma once
#include <cstdlib>
#include <string>

namespace harness::cuda {

/// 90 for "sm_90a"; 0 when the text is no real architecture.
inline int compute_capability(const std::string& architecture) {
  return architecture.starts_with("sm_") ? std::atoi(architecture.c_str() + 3) : 0;
}

}  // namespace harness::cuda
