#pragma once
#include <string>

namespace harness {

/// The name in `#include "name"` or `#include <name>`; "" of any other line.
std::string included_name(const std::string& line);

}  // namespace harness
