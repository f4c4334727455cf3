#pragma once
#include <span>

namespace harness::cuda {

/// A header that NVRTC is handed in memory.
struct BuiltinHeader {
  const char* name;
  const char* text;
};

/// Small stand-ins for the headers of the C++ library that portable device code includes, and that NVRTC, which sees no
/// host headers, does not have: fixed-width types, limits, math names in std, a few traits.
std::span<const BuiltinHeader> builtin_headers();

}  // namespace harness::cuda
