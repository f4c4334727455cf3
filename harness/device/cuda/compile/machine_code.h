#pragma once
#include <map>
#include <string>
#include <string_view>

#include "harness/core/machine_code.h"

namespace harness::cuda {

/// The functions of a cubin by mangled name, in basic blocks; empty for bytes that are none. Code that calls functions
/// which were not inlined lacks what they do.
std::map<std::string, MachineCode> read_machine_code(std::string_view image);

}  // namespace harness::cuda
