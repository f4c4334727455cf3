#pragma once
#include <vector>

#include "harness/core/formula_catalog.h"

namespace harness::package {

/// The plan of a module that a builder made (docs/builders.md): its launches have the threads, the shared memory and
/// the cluster that the builder said, and its parameters in order. It is valid only at sizes of which holds what the
/// builder counted on when it compiled (`plan.build.uses`). Throws Error(bad_input), one sentence, for a parameter that
/// a launcher cannot give.
FormulaPlan with_built(FormulaPlan plan, const std::vector<EntryResources>& entries);

}  // namespace harness::package
