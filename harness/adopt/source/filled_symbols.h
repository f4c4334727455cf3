#pragma once
#include <cstddef>
#include <set>
#include <string>

#include "harness/adopt/source/source_text.h"

// `__constant__` variables that the host fills before a launch.
namespace harness::adopt {

/// With cudaMemcpyToSymbol: their names without namespaces.
std::set<std::string> filled_symbols(const SourceText& file);

/// Of which it takes the address (cudaGetSymbolAddress).
std::set<std::string> addressed_symbols(const SourceText& file);

/// Has the `__constant__` variable whose name stands at `place` a value before any launch: an initializer?
bool has_initializer(const SourceText& file, std::size_t place);

}  // namespace harness::adopt
