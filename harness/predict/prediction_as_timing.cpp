#include "harness/predict/prediction_as_timing.h"

#include <fmt/format.h>

#include <cassert>

#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/core/prediction_range.h"

namespace harness {
namespace {

constexpr double kClearly = 0.01;  // of two predictions: by one model, so that most of its errors are common to both

}  // namespace

Timing prediction_as_timing(const EvaluationRequest& request, const Profile& profile, double ns) {
  assert(ns > 0);
  Timing timing;
  timing.emulation = true;
  timing.time_ns = ns;
  // Nothing varies from run to run; the range is how far off the model may be.
  timing.time_lo_ns = profile.number("predicted_lo_ns").value_or(ns / kPredictedRange);
  timing.time_hi_ns = profile.number("predicted_hi_ns").value_or(ns * kPredictedRange);
  timing.samples.rotating_ns = {ns};
  timing.samples.calls_per_sample = timing.samples.input_sets = 1;
  timing.samples.method = fmt::format("predicted for {}, not measured: {:.0f} to {:.0f} ns", profile.device,
                                      timing.time_lo_ns, timing.time_hi_ns);
  if (const auto& incumbent = request.incumbent) {
    timing.incumbent_ns = incumbent->time_ns;
    timing.verdict = ns < incumbent->time_ns * (1 - kClearly)   ? Comparison::faster
                     : ns > incumbent->time_ns * (1 + kClearly) ? Comparison::slower
                                                                : Comparison::same;
  }
  if (request.baseline_ns) {
    timing.baseline_ns = request.baseline_ns;
    timing.speedup = *request.baseline_ns / ns;  // of how far off a ratio is, nothing is stated
  }
  return timing;
}

// Its inputs are the same each time, and its blocks go one after another: only what it reads beyond them can differ.
GateResult predicted_twice(double ns, double before) {
  if (ns == before)
    return {name_of(gate::predicted_twice), true, fmt::format("counted twice, {:.0f} ns both times", ns)};
  return {
      name_of(gate::predicted_twice), false,
      fmt::format("on the same inputs it is predicted {} ns and {} ns: what it accesses changes from run to run, or "
                  "follows memory that nobody wrote",
                  ns, before)};
}

}  // namespace harness
