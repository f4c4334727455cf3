#include "harness/evaluate/predicted_timing.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/evaluate/counting.h"

namespace harness {
namespace {

constexpr double kClearly = 0.01;  // of two predictions: by one model, so that most of its errors are common to both

Timing timing_of(const EvaluationRun& run, const Profile& profile, double ns) {
  Timing timing;
  timing.emulation = true;
  timing.time_ns = timing.time_lo_ns = timing.time_hi_ns =
      ns;  // nothing varies: how far off it may be is in the method
  timing.samples.rotating_ns = {ns};
  timing.samples.calls_per_sample = timing.samples.input_sets = 1;
  timing.samples.method =
      fmt::format("predicted for {}, not measured: {:.0f} to {:.0f} ns", profile.device,
                  profile.number("predicted_lo_ns").value_or(0), profile.number("predicted_hi_ns").value_or(0));
  if (const auto& incumbent = run.request.incumbent) {
    timing.incumbent_ns = incumbent->time_ns;
    timing.verdict = ns < incumbent->time_ns * (1 - kClearly)   ? Comparison::faster
                     : ns > incumbent->time_ns * (1 + kClearly) ? Comparison::slower
                                                                : Comparison::same;
  }
  if (run.request.baseline_ns) {
    timing.baseline_ns = run.request.baseline_ns;
    timing.speedup = timing.speedup_lo = timing.speedup_hi = *run.request.baseline_ns / ns;
  }
  return timing;
}

// Its inputs are the same each time, and its blocks go one after another: only what it reads beyond them can differ.
GateResult predicted_twice(double ns, double before) {
  if (ns == before) return {"predicted-twice", true, fmt::format("counted twice, {:.0f} ns both times", ns)};
  return {
      "predicted-twice", false,
      fmt::format("on the same inputs it is predicted {} ns and {} ns: what it accesses changes from run to run, or "
                  "follows memory that nobody wrote",
                  ns, before)};
}

}  // namespace

bool predicts_times(const EvaluationRun& run) {
  return run.settings.counting != nullptr && !run.workers.device.predicts.empty();
}

Settled predict_timing(EvaluationRun& run, Timing& timing) {
  const Charge charge(run.evaluation.cost.timing_s);
  Counting& counting = *run.settings.counting;
  const Realized& realized = run.request.realized;
  const std::string& gpu = run.workers.device.predicts;
  try {
    std::optional<double> before = counting.predicted_before(realized, gpu);
    const Profile profile = counting.count(realized, {gpu});
    const auto ns = profile.number("predicted_ns");
    if (!ns)
      return Unsupported{fmt::format("a block of it needs more than a multiprocessor of {} has", profile.device)};
    timing = timing_of(run, profile, *ns);
    if (!run.request.confirm) return std::nullopt;
    counting.start_afresh();
    if (!before) before = counting.count(realized, {gpu}).number("predicted_ns");
    return run.add(predicted_twice(*ns, before.value_or(0)));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    return Unsupported{error.what()};
  }
}

}  // namespace harness
