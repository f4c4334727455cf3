#include "harness/core/iteration_json.h"

#include <cmath>
#include <type_traits>

#include "harness/core/gpu.h"
#include "harness/core/iteration_fields.h"
#include "harness/core/prediction_range.h"

namespace harness {
namespace {

json finite_json(double number) {
  return std::isfinite(number) ? json(number) : json(nullptr);
}

json errors_json(const std::vector<ArgumentError>& errors) {
  json list = json::array();
  for (const ArgumentError& error : errors) {
    json item = error;
    item["relative_l2"] = finite_json(error.relative_l2);
    item["tolerance"] = finite_json(error.tolerance);
    list.push_back(std::move(item));
  }
  return list;
}

json interval(const std::optional<double>& lo, const std::optional<double>& hi) {
  return lo && hi ? json{*lo, *hi} : json(nullptr);
}

/// A range of one point says that a prediction is certain, as older programs recorded it: it has the model's range.
json shown_interval(const IterationRow& row, const std::string& device) {
  if (row.emulation && row.time_ns && row.time_lo_ns == row.time_hi_ns && !predicted_gpu(device).empty())
    return {*row.time_ns / kPredictedRange, *row.time_ns * kPredictedRange};
  return interval(row.time_lo_ns, row.time_hi_ns);
}

/// Of how far off the ratio of two predictions is, nothing is stated; a baseline is as fast as itself.
json shown_speedup_interval(const IterationRow& row, const std::string& device) {
  if (row.emulation && row.speedup_lo == row.speedup_hi && row.speedup != 1.0 && !predicted_gpu(device).empty())
    return nullptr;
  return interval(row.speedup_lo, row.speedup_hi);
}

json samples_json(const IterationRow& row) {
  const auto kind = named_if<OutcomeKind>(row.outcome);
  if (!kind || !is_timed(*kind)) return nullptr;
  json samples = {{"calls_per_sample", row.calls_per_sample}, {"input_sets", row.input_sets}, {"method", row.method}};
  for (const char* kind : {"rotating_ns", "cold_ns", "warm_ns", "clock_mhz"}) samples[kind] = json::array();
  for (const auto& [kind, series] : row.samples) samples[kind] = series;
  return samples;
}

json resources_json(const IterationRow& row) {
  if (!row.registers) return nullptr;
  return {{"registers", row.registers},
          {"shared_bytes", row.shared_bytes},
          {"spill_bytes", row.spill_bytes},
          {"local_bytes", row.local_bytes}};
}

json or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

/// Its plain fields.
void add_fields(json& j, const IterationRow& row, Detail detail) {
  const auto shown = [](const auto& value) -> json {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) return or_null(value);
    else return value;
  };
  for (const IterationField& field : iteration_fields()) {
    if (!field.is(kLine) && !(field.is(kDetail) && detail == Detail::full)) continue;
    with_field(field, row, [&](const auto& value) { j[field.shown_name()] = shown(value); });
  }
}

void add_detail(json& j, const IterationIdentity& identity, const IterationRow& row) {
  j["gates"] = row.gates;
  j["hashes"] = {{"contract", or_null(identity.contract_hash)},
                 {"source", or_null(identity.source_hash)},
                 {"binary", or_null(row.binary_hash)}};
  j["resources"] = resources_json(row);
  j["errors"] = errors_json(row.errors);
  j["samples"] = samples_json(row);
  j["log"] = row.log;
}

}  // namespace

json shown_error(const IterationRow& row) {
  if (row.outcome != "no_effect") return row.error;
  if (row.same_as) return error_json(NoEffect{*row.same_as});
  return {{"stage", "build"},
          {"class", "same_machine_code"},
          {"message", "its machine code is that of an iteration that this store does not hold"},
          {"first_bad", nullptr}};
}

json iteration_json(const IterationIdentity& identity, const IterationRow& row, Detail detail) {
  json j = {{"campaign", identity.campaign},
            {"iteration", identity.iteration > 0 ? json(identity.iteration) : json(nullptr)},
            {"kernel", identity.candidate.kernel},
            {"workload", identity.workload},
            {"variant", identity.candidate.variant},
            {"technique", identity.candidate.technique},
            {"config", config_to_json(identity.candidate.config)},
            {"device", identity.device},
            {"purpose", identity.purpose},
            {"label", identity.label},
            {"node", identity.node},
            {"device_uuid", identity.device_uuid},
            {"parent", identity.parent},
            {"time_ci95_ns", shown_interval(row, identity.device)},
            {"speedup_ci95", shown_speedup_interval(row, identity.device)},
            {"cost", row.cost},
            {"decision", identity.decision},
            {"error", shown_error(row)}};
  add_fields(j, row, detail);
  if (detail == Detail::full) add_detail(j, identity, row);
  return j;
}

json iteration_json(const AttemptRecord& attempt, const Evaluation& evaluation, std::int64_t iteration, bool confirmed,
                    const json& decision, const std::string& device, Detail detail) {
  const IterationIdentity identity{
      .iteration = iteration,
      .campaign = attempt.campaign,
      .candidate = attempt.candidate,
      .workload = attempt.workload,
      .purpose = attempt.purpose,
      .device = device,
      .contract_hash = contract_hash_of(attempt, evaluation),
      .source_hash = source_hash_of(attempt, evaluation),
      .decision = decision,
      .label = attempt.label,
      .parent = attempt.parent,
      .node = attempt.node.empty() ? std::nullopt : std::optional(attempt.node),
      .device_uuid = attempt.device_uuid.empty() ? std::nullopt : std::optional(attempt.device_uuid)};
  return iteration_json(identity, row_of(evaluation, confirmed, 0), detail);
}

json decision_json(const Decision& decision) {
  const Prediction& predict = decision.predict;
  const bool minutes = predict.minutes_lo && predict.minutes_hi;
  return {{"action", decision.action},
          {"why", decision.why},
          {"rule", decision.rule},
          {"rule_numbers", decision.rule_numbers},
          {"patterns", decision.patterns},
          {"predict",
           {{"speedup", {predict.speedup_lo, predict.speedup_hi}},
            {"evaluations", predict.evaluations},
            {"probability", predict.probability},
            {"minutes", minutes ? json({*predict.minutes_lo, *predict.minutes_hi}) : json()}}}};
}

std::string contract_hash_of(const AttemptRecord& attempt, const Evaluation& evaluation) {
  return evaluation.contract_hash.empty() ? attempt.contract_hash : evaluation.contract_hash;
}

std::string source_hash_of(const AttemptRecord& attempt, const Evaluation& evaluation) {
  return evaluation.source_hash.empty() ? attempt.source_hash : evaluation.source_hash;
}

}  // namespace harness
