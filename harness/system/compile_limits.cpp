#include "harness/system/compile_limits.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_JSON(CompileLimits, deadline_s, memory_bytes)

}  // namespace harness
