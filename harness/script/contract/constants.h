#pragma once
#include <vector>

#include "harness/core/contract.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// constants = { { "table", from = "argument" }, ... }: `__constant__` variables and what fills them. Empty where the
/// field is missing. Throws Error(bad_input) for a symbol that is none or stands twice, and for an argument that cannot
/// fill one: it must be an input without gaps that this workload has, a scalar or a structure.
std::vector<ConstantTable> read_constants(const Reader& reader, const std::vector<Argument>& arguments);

}  // namespace harness::script
