#pragma once
#include <optional>
#include <string>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// The text of the file with each macro that holds a launch written out where a function uses it, so that the launch
/// stands in that function. Nothing: no function uses such a macro.
std::optional<std::string> with_launch_macros_written_out(const Source& source);

}  // namespace harness::adopt
