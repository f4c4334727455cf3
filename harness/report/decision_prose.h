#pragma once
#include <string>

#include "harness/core/json.h"

namespace harness::report {

/// A decision as sentences, from the object of `harness show --decision N --json`: what was chosen, by whom and why,
/// what it turned from, what it predicted, what came of it, and the table that it chose from.
std::string decision_prose(const json& decision);

}  // namespace harness::report
