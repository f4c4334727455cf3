#pragma once
#include <cstdlib>

#include "harness/system/python.h"

namespace harness {

/// Whether some interpreter here has PyTorch: where none has, what needs it is not tried.
inline bool has_pytorch() {
  static const bool has = [] {
    for (const std::string& python : python_interpreters())
      if (std::system((python + " -c 'import numpy, torch' 2>/dev/null").c_str()) == 0) return true;
    return false;
  }();
  return has;
}

}  // namespace harness
