#pragma once
#include <string>

#include "harness/core/json.h"

namespace harness::report {

/// A replayed chronicle as text, from the object that `harness replay --json` prints for one.
std::string chronicle_text(const json& replay);

}  // namespace harness::report
