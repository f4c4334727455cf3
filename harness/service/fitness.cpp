#include "harness/service/fitness.h"

#include <fmt/format.h>

#include <string>

#include "harness/core/error.h"
#include "harness/core/secrets.h"
#include "harness/core/torch_call.h"
#include "harness/core/value.h"

namespace harness {
namespace {

constexpr std::int64_t kMostRows = 200;

HistoryFilter rows_of(const Realized& realized, const std::string& variant, const DeviceInfo& device) {
  HistoryFilter filter;
  filter.kernel = realized.candidate.kernel;
  filter.variant = variant;
  filter.workload = realized.problem.workload.name;
  filter.device = device.name;
  filter.limit = kMostRows;
  return filter;
}

/// A name that the store has never seen is refused there, with the nearest one; here it means that there are no rows.
json rows_or_none(RecordTables& record, const HistoryFilter& filter) {
  try {
    return record.iterations(filter);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    return json::array();
  }
}

/// An outcome that another evaluation would find again.
bool is_lasting(const std::string& outcome) {
  for (const char* cut : {"interrupted", "lost", "abandoned", "screened", "no_effect", "timed_out"})
    if (outcome == cut) return false;
  return true;
}

std::string feedback_on(const json& evaluation, const json& score) {
  if (evaluation.value("outcome", "") == "screened" && score.is_number())
    return fmt::format(
        "It is right as far as it was tried, and {:.3g}x as fast as the baseline. It is slower than the "
        "best so far: other sizes and inputs were not tried.",
        score.get<double>());
  if (evaluation.value("outcome", "") == "passed")
    return score.is_number() ? fmt::format("It is right, and {:.3g}x as fast as the baseline.", score.get<double>())
                             : "It is right. No time of the baseline is recorded: evaluate that once.";
  const json error = evaluation.value("error", json());
  const std::string message = error.is_object() ? error.value("message", "") : "";
  return fmt::format("{}: {}", evaluation.value("outcome", ""), without_secrets(message));
}

}  // namespace

std::optional<double> recorded_baseline_ns(RecordTables& record, const Realized& realized, const KernelInfo& kernel,
                                           const DeviceInfo& device) {
  HistoryFilter filter = rows_of(realized, baseline_of(kernel, device).name, device);
  filter.outcome = "passed";
  for (const json& row : rows_or_none(record, filter))
    if (row.value("contract_hash", "") == realized.problem.contract_hash && row.value("parent", json()).is_null() &&
        row.value("time_ns", json()).is_number())
      return row["time_ns"].get<double>();
  return std::nullopt;
}

json recorded_evaluation(History& record, const Realized& realized, const DeviceInfo& device) {
  const json config = config_to_json(realized.candidate.config);
  for (const json& row : rows_or_none(record, rows_of(realized, realized.candidate.variant, device)))
    if (row.value("contract_hash", "") == realized.problem.contract_hash &&
        row.value("source_hash", "") == realized.source_hash && row.value("config", json()) == config &&
        row.value("purpose", "") != "confirm" && is_lasting(row.value("outcome", "")))
      return record.iteration(row.at("iteration"), false);
  return nullptr;
}

void add_fitness(json& evaluation) {
  const std::string outcome = evaluation.value("outcome", "");
  const bool passed = outcome == "passed" || outcome == "screened";
  const json time = evaluation.value("time_ns", json()), baseline = evaluation.value("baseline_ns", json());
  if (passed && time.is_number() && baseline.is_number() && !evaluation.value("speedup", json()).is_number())
    evaluation["speedup"] = baseline.get<double>() / time.get<double>();
  evaluation["score"] = passed ? evaluation.value("speedup", json()) : json(0);
  evaluation["feedback"] = feedback_on(evaluation, evaluation["score"]);
}

}  // namespace harness
