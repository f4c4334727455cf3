#pragma once
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/kernel/options.h"

namespace harness::adopt {

/// --set, --arg and --size, once the signature is known.
void apply_answers(AdoptedKernel& kernel, const AdoptOptions& options);

}  // namespace harness::adopt
