#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/source/source.h"

// Functions of the host in the files that were read.
namespace harness::adopt {

/// The function of the file itself or a header beside it; nothing: there is none.
std::optional<HostFunction> function_named(const Source& source, const std::string& name);

/// The launches that stand in a function, in their order.
std::vector<HostLaunch> launches_in(const Source& source, const HostFunction& function);

/// Functions that launch several kernels: their names.
std::vector<std::string> functions_of_several(const Source& source);

}  // namespace harness::adopt
