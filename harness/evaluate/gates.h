#pragma once
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/outcome.h"

namespace harness {

/// Gate "entries": every launch's entry is in the module.
GateResult check_entries(const Plan& plan, const Artifact& artifact);
/// Gate "state": writable variables of the module, which would outlive a launch. Refused unless the contract's policy
/// grants "globals"; then, and where `refuse` is false, they are marked and reset by loading the module again.
GateResult check_state(const Artifact& artifact, const Problem& problem, bool refuse);
/// Gate "arguments": the bytes of every launch argument against the compiled parameters, where the compiler told them.
GateResult check_arguments(const Realized& realized, const Artifact& artifact);
/// Gate "resources": threads, registers and shared memory of every launch against the device.
GateResult check_resources(const Realized& realized, const Artifact& artifact, const DeviceInfo& device);
/// The entry with the most registers; nullopt if the module has none.
std::optional<EntryResources> heaviest_entry(const Artifact& artifact);
/// Identity of what runs: machine code and launches. Two configurations that agree in it are the same candidate.
std::string binary_identity(const Artifact& artifact, const Plan& plan);
/// What is launched, a line a step: "softmax<float,256> grid 1024 block 256 shared 4096 B". At most 20 lines.
std::string launches_text(const Artifact& artifact, const Plan& plan);

}  // namespace harness
