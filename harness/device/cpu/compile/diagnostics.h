#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::cpu {

/// The compiler's log for a reader of the kernel: no paths of the scratch folder, and first of all a plain sentence for
/// each entry that the source does not have.
std::string explain(const std::string& log, const BuildSpec& spec, const std::string& scratch);

std::string describe_ignored(const std::vector<std::string>& options);

}  // namespace harness::cpu
