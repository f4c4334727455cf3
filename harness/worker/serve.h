#pragma once
#include <string>

namespace harness {

/// `harness worker KIND`: becomes a builder, runner or judge that serves on descriptor 3. Returns the exit status.
int serve_worker(const std::string& kind);

}  // namespace harness
