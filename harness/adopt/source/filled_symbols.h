#pragma once
#include <cstddef>
#include <set>
#include <string>

#include "harness/adopt/source/source.h"

// `__constant__` variables that the host fills before a launch.
namespace harness::adopt {

/// With cudaMemcpyToSymbol: their names without namespaces.
std::set<std::string> filled_symbols(const Source& source);

/// Of which it takes the address (cudaGetSymbolAddress).
std::set<std::string> addressed_symbols(const Source& source);

/// Declares `index` a `__constant__` variable that holds a value before any launch: an initializer.
bool has_initializer(const Source& source, std::size_t index);

}  // namespace harness::adopt
