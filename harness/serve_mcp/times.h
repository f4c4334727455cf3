#pragma once
#include <string>

#include "harness/serve_mcp/answer.h"

namespace harness::mcp {

/// Times under the name of their kind, so that a measured time, an emulated and a predicted one are never taken for
/// each other: `time_ns` is a GPU's own; on the cpu device it becomes `emulated_ns` or `predicted_ns`, `baseline_ns`
/// `predicted_baseline_ns`, and so on. `times` then says what they are.
Answer with_kind_of_times(const Answer& row, const std::string& device, bool emulation);

/// The name under which both rows have a time of the same kind; "": under none.
std::string common_time(const Answer& one, const Answer& other);

}  // namespace harness::mcp
