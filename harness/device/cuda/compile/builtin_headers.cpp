#include "harness/device/cuda/compile/builtin_headers.h"

#include "harness/core/embedded.h"

namespace harness::cuda {
namespace {

constexpr EmbeddedText kBuiltins[] = {
#include "embedded/harness/device/cuda/compile/builtin.table"
};

// assert, printf, std::move and std::forward are built into NVRTC.
constexpr const char* kEmpty = "#pragma once\n";

constexpr BuiltinHeader kHeaders[] = {
    {"stdint.h", text_of(kBuiltins, "stdint.cuh")},
    {"cstdint", "#pragma once\n#include <stdint.h>\n"},
    {"stddef.h", text_of(kBuiltins, "stddef.cuh")},
    {"cstddef", "#pragma once\n#include <stddef.h>\n"},
    {"limits.h", text_of(kBuiltins, "limits.cuh")},
    {"climits", "#pragma once\n#include <limits.h>\n"},
    {"float.h", text_of(kBuiltins, "float.cuh")},
    {"cfloat", "#pragma once\n#include <float.h>\n"},
    {"math.h", text_of(kBuiltins, "math.cuh")},
    {"cmath", text_of(kBuiltins, "cmath.cuh")},
    {"type_traits", text_of(kBuiltins, "type_traits.cuh")},
    {"algorithm", text_of(kBuiltins, "algorithm.cuh")},
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
