#pragma once
#include <string>
#include <vector>

#include "harness/device/port/device_kind.h"

namespace harness {

/// `harness worker KIND`: becomes a builder, runner or judge that serves on descriptor 3, or `harness worker watched
/// FOLDER TOOL`: does the one job in the folder (watched_check.h). The devices it may be sent to are those of `kinds`.
/// Returns the exit status.
int serve_worker(const DeviceKinds& kinds, const std::string& kind, const std::vector<std::string>& arguments = {});

}  // namespace harness
