#include "harness/core/memory_check.h"

#include "harness/core/json_fields.h"

namespace harness {

bool is_fault(const Finding& finding) {
  return finding.kind != "inactive_lane" && finding.kind != "same_value";
}

std::vector<Finding> faults(const MemoryCheck& check) {
  std::vector<Finding> found = check.findings;
  std::erase_if(found, [](const Finding& finding) { return !is_fault(finding); });
  return found;
}

HARNESS_JSON(Finding, kind, message)
HARNESS_JSON(ComparedSite, site, less, equal, greater, floating, finite, left, right, operands)
HARNESS_JSON_DEFAULTS(RawFinding, kind, text, sites, count, same_values, compared)
HARNESS_JSON_DEFAULTS(MemoryCheck, tool, checked, why, findings, seconds)

}  // namespace harness
