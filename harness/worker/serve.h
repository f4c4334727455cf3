#pragma once
#include <string>
#include <vector>

namespace harness {

/// `harness worker KIND`: becomes a builder, runner or judge that serves on descriptor 3, or `harness worker sanitized
/// FOLDER TOOL`: does the one job in the folder (memory_check_cuda.h). Returns the exit status.
int serve_worker(const std::string& kind, const std::vector<std::string>& arguments = {});

}  // namespace harness
