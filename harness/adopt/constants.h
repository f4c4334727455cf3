#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/kernel.h"
#include "harness/adopt/source.h"

namespace harness::adopt {

/// The `__constant__` variables that the host fills with cudaMemcpyToSymbol, by their names without namespaces.
std::set<std::string> filled_symbols(const Source& source);

/// Declares `index` a `__constant__` variable that holds a value before any launch: an initializer.
bool has_initializer(const Source& source, std::size_t index);

/// Adds each variable to the kernel behind its parameters: an input that no launch is passed, as large as it is
/// declared. `constants`: indices of declarations. Throws Error(bad_input) with one sentence for what the host does not
/// fill that way, structures, and whole numbers that are no array.
void add_constants(AdoptedKernel& kernel, const Source& source, const std::vector<std::size_t>& constants);

}  // namespace harness::adopt
