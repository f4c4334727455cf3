#pragma once
#include "harness/fleet/fleet.h"
#include "harness/service/shell.h"

// What there is, as the arrays of objects that --json prints.
namespace harness {

/// Each device with how its counters can be read, and whose times it predicts.
json devices_here(Shell& shell);
/// The devices of started nodes, each with its newest calibration.
json devices_of(fleet::NodeFleet& fleet);
/// Kernels with the names of their workloads and variants. A plugin that cannot be read is a sentence of `broken`.
json kernels_here(Shell& shell, std::vector<std::string>& broken);
/// Throws Error(bad_input) for an unknown kernel.
json variants_of(Shell& shell, const std::string& kernel);

}  // namespace harness
