#include "harness/evaluate/predicted_timing.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/predict/counting.h"
#include "harness/predict/prediction_as_timing.h"

namespace harness {

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
    timing = prediction_as_timing(run.request, profile, *ns);
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
