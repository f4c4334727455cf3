#pragma once
#include <string>

#include "harness/adopt/kernel/kernel.h"

namespace harness::adopt {

/// The manifest of the first variant: how the file launches its kernel.
std::string variant_manifest(const AdoptedKernel& kernel);

}  // namespace harness::adopt
