#pragma once
#include "harness/core/catalog.h"

namespace harness {

/// How the reference of a problem is built: with what its kernel's variants may include. Throws Error(bad_input): its
/// file cannot be read.
BuildSpec reference_build(const Realized& realized);

}  // namespace harness
