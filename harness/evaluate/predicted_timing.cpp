#include "harness/evaluate/predicted_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/text_changed.h"
#include "harness/core/torch_call.h"
#include "harness/evaluate/limits.h"
#include "harness/predict/counting.h"
#include "harness/predict/prediction_as_timing.h"

namespace harness {

namespace {

// Of a counted launch whose blocks all run, s.
constexpr double kCountedSeconds = 6;
// Two samples of blocks differ by a few hundredths where blocks do; the slower one stands from here on.
constexpr double kApart = 0.02;

/// Hostile forms with measured tolerances, in any order.
std::vector<std::string> hostile_forms(const EvaluationRun& run) {
  if (run.request.admission == nullptr) return {};
  std::vector<std::string> forms =
      admitted_forms(*run.request.admission, workload_group(run.request.realized.problem.workload));
  std::erase(forms, "nominal");
  std::ranges::shuffle(forms, std::mt19937_64(fresh_seed()));
  return forms;
}

std::vector<std::string> at_the_timed_size(const EvaluationRun& run, std::vector<std::string> forms) {
  constexpr std::size_t kMostForms = 3;
  if (is_large(run.subject.executable.layout))
    std::erase_if(forms, [](const std::string& form) { return !is_tried_at_large_sizes(form); });
  if (forms.size() > kMostForms) forms.resize(kMostForms);
  return forms;
}

/// What a candidate does where it is counted may be other work than where it is not: less, and enough for tame inputs.
std::string wrong_at_a_tiny_size(EvaluationRun& run, const std::vector<std::string>& forms) {
  if (!run.tiny_at() || forms.empty()) return "";
  const std::optional<Realized> tiny = run.tiny_at()(run.request.realized.candidate, {});
  if (!tiny) return "";
  const std::string wrong =
      run.settings.counting->wrong_where_counted(*tiny, {run.workers.device.predicts}, run.request.admission, forms);
  return wrong.empty() ? "" : fmt::format("at {}, {}", tiny->problem.workload.name, wrong);
}

// A counted launch is another build, and of most launches a few blocks: what is judged elsewhere must hold for it.
Settled gate_counted_launch(EvaluationRun& run, const Profile& profile, Timing& timing) {
  const Realized& realized = run.request.realized;
  const std::vector<std::string> forms = hostile_forms(run);
  SecondCount second =
      run.settings.counting->count_elsewhere(realized, {run.workers.device.predicts}, run.request.admission,
                                             at_the_timed_size(run, forms), kCountedSeconds, run.launch_s);
  if (second.wrong.value_or("").empty())
    if (const std::string wrong = wrong_at_a_tiny_size(run, forms); !wrong.empty()) second.wrong = wrong;
  if (second.wrong && !second.wrong->empty())
    return run.add({name_of(gate::counted_launch), false,
                    "what the launch left that was counted, on inputs of its own, is wrong: " + *second.wrong});
  const double first_ns = timing.time_ns;
  std::string words = fmt::format("on other inputs and of other blocks {:.0f} ns", second.predicted_ns);
  if (second.predicted_ns > first_ns * (1 + kApart)) {
    timing = prediction_as_timing(run.request, profile, second.predicted_ns);
    const double ratio = second.predicted_ns / first_ns;
    timing.time_lo_ns *= ratio;
    timing.time_hi_ns *= ratio;
    words += fmt::format(", which stands in place of {:.0f} ns", first_ns);
  }
  words += second.wrong ? "; what it left is right" : "; what it left is not judged: it has too many blocks to run all";
  if (!second.forms.empty()) words += fmt::format(", also on {}", fmt::join(second.forms, ", "));
  return run.add({name_of(gate::counted_launch), true, words, second.wrong.has_value()});
}

}  // namespace

Unsupported not_timed_here(const EvaluationRun& run) {
  std::string errors;
  for (const ArgumentError& error : run.evaluation.errors)
    errors += fmt::format(", relative error of '{}' {:.2g}", error.argument, error.relative_l2);
  const double ns = run.launches_ns.empty() ? 0 : *std::ranges::min_element(run.launches_ns);
  return Unsupported{fmt::format(
      "PyTorch is right here{}, and has no time: a call takes {:.3g} ms of this CPU, which cannot be compared with {}",
      errors, ns * 1e-6,
      run.workers.device.predicts.empty() ? "kernels that are emulated" : "times that are predicted for a GPU")};
}

bool predicts_times(const EvaluationRun& run) {
  return run.settings.counting != nullptr && !run.workers.device.predicts.empty();
}

Settled predict_timing(EvaluationRun& run, Timing& timing) {
  if (calls_torch(run.request.realized.plan)) return not_timed_here(run);
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
    if (Settled settled = run.add(predicted_twice(*ns, before.value_or(0)))) return settled;
    return gate_counted_launch(run, profile, timing);
  } catch (const TextChanged&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    return Unsupported{error.what()};
  }
}

}  // namespace harness
