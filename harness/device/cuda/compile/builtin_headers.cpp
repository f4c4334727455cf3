#include "harness/device/cuda/compile/builtin_headers.h"

namespace harness::cuda {
namespace {

constexpr const char* kStdint =
#include "embedded/harness/device/cuda/compile/builtin/stdint.cuh"
    ;

constexpr const char* kStddef =
#include "embedded/harness/device/cuda/compile/builtin/stddef.cuh"
    ;

constexpr const char* kLimits =
#include "embedded/harness/device/cuda/compile/builtin/limits.cuh"
    ;

constexpr const char* kFloat =
#include "embedded/harness/device/cuda/compile/builtin/float.cuh"
    ;

constexpr const char* kMath =
#include "embedded/harness/device/cuda/compile/builtin/math.cuh"
    ;

constexpr const char* kCmath =
#include "embedded/harness/device/cuda/compile/builtin/cmath.cuh"
    ;

constexpr const char* kTypeTraits =
#include "embedded/harness/device/cuda/compile/builtin/type_traits.cuh"
    ;

constexpr const char* kAlgorithm =
#include "embedded/harness/device/cuda/compile/builtin/algorithm.cuh"
    ;

// assert, printf, std::move and std::forward are built into NVRTC.
constexpr const char* kEmpty = "#pragma once\n";

constexpr BuiltinHeader kHeaders[] = {
    {"stdint.h", kStdint},
    {"cstdint", "#pragma once\n#include <stdint.h>\n"},
    {"stddef.h", kStddef},
    {"cstddef", "#pragma once\n#include <stddef.h>\n"},
    {"limits.h", kLimits},
    {"climits", "#pragma once\n#include <limits.h>\n"},
    {"float.h", kFloat},
    {"cfloat", "#pragma once\n#include <float.h>\n"},
    {"math.h", kMath},
    {"cmath", kCmath},
    {"type_traits", kTypeTraits},
    {"algorithm", kAlgorithm},
    {"assert.h", kEmpty},
    {"cassert", kEmpty},
    {"stdio.h", kEmpty},
    {"cstdio", kEmpty},
    {"utility", "#pragma once\n#include <algorithm>\n"},
};

}  // namespace

std::span<const BuiltinHeader> builtin_headers() {
  return kHeaders;
}

}  // namespace harness::cuda
