#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/device/cuda/compile/compile_log.h"
#include "harness/device/cuda/compile/cubin.h"

namespace harness::cuda {

/// Only if the PTX and the cubin agree about how many there are.
std::vector<ParameterKind> known_kinds(const std::map<std::string, std::vector<ParameterKind>>& kinds,
                                       const std::string& mangled, std::size_t parameters);

/// What the cubin and the compiler's log say of an entry.
EntryResources entry_facts(const std::string& entry, const CubinKernel& kernel, const LoggedResources& said,
                           std::vector<ParameterKind> kinds);

}  // namespace harness::cuda
