#pragma once
#include "harness/evaluate/evaluation_run.h"

// What can be said of a candidate before it costs time on the device.
namespace harness {

/// Gates "confinement" and "source-policy": the candidate's texts. A source of which another configuration failed a
/// gate that speaks for all of them is refused here.
Settled gate_source(EvaluationRun& run);
/// Gate "compile". Builds the candidate, and meanwhile the reference.
Settled gate_build(EvaluationRun& run);
/// Begins what the gates beyond the timed size will wait for: the reference there, and the pre-flight.
void announce_other_points(EvaluationRun& run);
/// Gates "source-policy:ptx" and ":sass", "entries", "arguments", "resources", "state": the module against its plan.
/// Then whether the same code was recorded before, and whether its buffers fit the device.
Settled gate_artifact(EvaluationRun& run);
/// Of a finalist: waits for the disassembler, which began in gate_artifact().
Settled gate_machine_code(EvaluationRun& run);
/// Gate "preflight": a small run on the cpu device.
Settled gate_preflight(EvaluationRun& run);

}  // namespace harness
