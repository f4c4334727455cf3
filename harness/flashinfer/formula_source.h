#pragma once
#include <string>

#include "harness/core/formula_catalog.h"

namespace harness::flashinfer {

/// A formula of sizes as plain C++ for the host, where sizes are int64_t variables of their names. It rounds down where
/// the manifest does. Throws Error(bad_input) for what asks the device.
std::string host_source(const Formula& formula);

}  // namespace harness::flashinfer
