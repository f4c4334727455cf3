#pragma once
#include <string>
#include <vector>

#include "harness/core/fleet.h"

namespace harness::script {

/// Runs a fleet file in the sandbox: return fleet { node { name = "gpu1", start = { "ssh", ... }, devices = { "cuda:*"
/// }, count = 1, usd_per_hour = 3.5, wait_s = 60 }, ... }. Without `start` a node is a child of this program. Throws
/// Error(bad_input) with file and line.
std::vector<NodeSpec> read_fleet_file(const std::string& file);

}  // namespace harness::script
