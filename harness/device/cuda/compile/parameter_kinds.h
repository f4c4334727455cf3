#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/plan.h"

namespace harness::cuda {

/// What each parameter of each `.entry` takes, by mangled name, as PTX declares it (PTX ISA 5.1.6): `.f32` and `.f64`
/// are floating, `.ptr` a pointer, other plain types integers; arrays of bytes (structures) and 16-bit types unknown.
std::map<std::string, std::vector<ParameterKind>> parameter_kinds(std::string_view ptx);

}  // namespace harness::cuda
