#pragma once
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/outcome.h"

namespace harness {

/// Gate "arguments": the bytes of every launch argument against the compiled parameters, where the compiler told them.
GateResult check_arguments(const Realized& realized, const Artifact& artifact);
/// Gate "resources": threads, registers and shared memory of every launch against the device.
GateResult check_resources(const Realized& realized, const Artifact& artifact, const DeviceInfo& device);
/// The entry with the most registers; nullopt if the module has none.
std::optional<EntryResources> heaviest_entry(const Artifact& artifact);
/// Identity of what runs: machine code and launches. Two configurations that agree in it are the same candidate.
std::string binary_identity(const Artifact& artifact, const Plan& plan);

}  // namespace harness
