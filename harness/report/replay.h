#pragma once
#include <string>

#include "harness/core/json.h"

namespace harness::report {

/// A replay as text, from the object that `harness replay --json` prints. `all`: every decision, not only those around
/// where the two part.
std::string replay_text(const json& comparison, bool all);

}  // namespace harness::report
