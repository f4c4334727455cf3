#pragma once
#include <string_view>
#include <vector>

#include "harness/device/port/memory_watcher.h"

namespace harness::cuda {

/// The findings in a log of compute-sanitizer (any of its four tools). Errors of many threads at one place are one
/// finding, which says how many more there are. What follows from an error, such as the failed call, is none.
std::vector<Finding> read_sanitizer_log(std::string_view log, const std::vector<PlacedBuffer>& buffers);

/// Whether the tool got to its closing line; if not, it did not work on this machine or was stopped.
bool has_sanitizer_summary(std::string_view log);

}  // namespace harness::cuda
