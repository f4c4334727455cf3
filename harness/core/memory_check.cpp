#include "harness/core/memory_check.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_JSON(Finding, kind, message)
HARNESS_JSON_DEFAULTS(RawFinding, kind, text, sites, count, same_values)
HARNESS_JSON_DEFAULTS(MemoryCheck, tool, checked, why, findings, seconds)

}  // namespace harness
