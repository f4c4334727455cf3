#pragma once
#include <optional>

#include "harness/core/catalog.h"
#include "harness/core/history.h"

// An evaluation as a number: what searches of others' making ask of `harness eval --json`.
namespace harness {

/// The newest recorded time of the kernel's baseline on that workload, contract and device.
std::optional<double> recorded_baseline_ns(RecordTables& record, const Realized& realized, const KernelInfo& kernel,
                                           const DeviceInfo& device);

/// The iteration that evaluated the same source with the same configuration there, in full; null: none did, or it was
/// cut short.
json recorded_evaluation(History& record, const Realized& realized, const DeviceInfo& device);

/// Adds to an evaluation's object `score` (the speedup over the baseline, 0 for what was not right, null where no time
/// of the baseline is recorded) and `feedback`, a sentence without seeds and tolerances.
void add_fitness(json& evaluation);

}  // namespace harness
