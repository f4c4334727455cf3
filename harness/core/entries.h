#pragma once
#include <optional>
#include <string>

#include "harness/core/catalog.h"

namespace harness {

/// The name of a kernel that the plan launches and that is nowhere in the source or in what it includes from its
/// plugin; nothing where all may be there.
std::optional<std::string> missing_entry(const Realized& realized);

}  // namespace harness
