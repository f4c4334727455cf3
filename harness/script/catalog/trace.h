#pragma once
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/script/contract/kernel.h"
#include "harness/script/plan/variant.h"

namespace harness::script {

/// Numbers become symbols named PREFIX.NAME, everything else stays.
Facts symbolic_facts(const std::map<std::string, Value>& values, const std::string& prefix);

/// A function of a variant (`steps`, `valid` or `workspaces`) run with symbols in place of the workload's numbers and
/// the device's quantities; flags, types and parameters stay plain. The result is the same tree as the plain run's with
/// expressions in its leaves: what a packaged launcher is made from. Throws Error with file and line where the function
/// does to a size what cannot be traced.
Node trace_function(VariantManifest& variant, const std::string& function, const Config& config,
                    const Workload& workload, const DeviceInfo& device);

/// Traces every function of the variant and compares the expressions with plain runs on all workloads and on random
/// points of the kernel's domain, on this device and on a made-up one. One sentence a problem.
std::vector<std::string> trace_problems(KernelManifest& kernel, VariantManifest& variant, const DeviceInfo& device);

}  // namespace harness::script
