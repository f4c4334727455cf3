#pragma once
#include <optional>
#include <string>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// The text of the file with `cudaLaunchKernelEx(&config, kernel, ...)` and `cudaLaunchKernel(kernel, ...)` written as
/// the `<<<>>>` that they are, lines where they were. Nothing: there is none whose configuration and arguments stand in
/// its function, or one has attributes (a cluster), which `<<<>>>` has not.
std::optional<std::string> with_launch_calls_written_out(const Source& source);

}  // namespace harness::adopt
