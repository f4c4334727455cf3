#include <fmt/format.h>

#include <cmath>

#include "harness/core/error.h"
#include "harness/simulate/read_space.h"

// T4, the results format that auto-tuners share: results[] of { configuration, times { compilation, framework,
// validation, runtimes[] }, invalidity, measurements [{ name, value }], objectives }. Times are in metadata.timeunit.
namespace harness::simulate {
namespace {

double milliseconds_per(const std::string& unit, const std::string& file) {
  if (unit == "seconds" || unit == "s") return 1000;
  if (unit == "microseconds" || unit == "us") return 1e-3;
  if (unit == "nanoseconds" || unit == "ns") return 1e-6;
  if (unit.empty() || unit == "milliseconds" || unit == "miliseconds" || unit == "ms") return 1;
  throw bad_input(fmt::format("'{}' has the timeunit '{}'; known are seconds, milliseconds, microseconds, nanoseconds",
                              file, unit));
}

OutcomeKind outcome_of_invalidity(const std::string& invalidity) {
  if (invalidity == "compile") return OutcomeKind::compile_error;
  if (invalidity == "runtime") return OutcomeKind::crashed;
  if (invalidity == "timeout") return OutcomeKind::timed_out;
  if (invalidity == "correctness") return OutcomeKind::wrong_answer;
  return OutcomeKind::launch_error;
}

double sum_of(const json& times, const char* key) {
  const auto found = times.find(key);
  if (found == times.end()) return 0;
  if (found->is_number()) return found->get<double>();
  double sum = 0;
  for (const json& value : *found)
    if (value.is_number()) sum += value.get<double>();
  return sum;
}

/// The first objective's measurement; nullopt for a failure.
std::optional<double> objective_of(const json& result) {
  const json objectives = result.value("objectives", json::array());
  const std::string wanted =
      objectives.empty() || !objectives[0].is_string() ? "time" : objectives[0].get<std::string>();
  for (const json& measurement : result.value("measurements", json::array())) {
    if (measurement.value("name", "") != wanted || !measurement.contains("value")) continue;
    const json& value = measurement["value"];
    if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  }
  return std::nullopt;
}

void add_result(RecordedSpaceBuilder& builder, const json& result, double unit) {
  NamedValues config;
  for (const auto& [name, value] : result.at("configuration").items())
    config.emplace_back(name, value_from_json(value));
  Record record;
  const json times = result.value("times", json::object());
  for (const char* key : {"compilation", "validation", "framework", "runtimes"}) record.cost_s += sum_of(times, key);
  record.cost_s *= unit / 1000;
  const std::string invalidity = result.value("invalidity", "correct");
  const auto time = invalidity == "correct" ? objective_of(result) : std::nullopt;
  if (time) record.time_ms = *time * unit;
  record.outcome = record.time_ms ? OutcomeKind::passed : outcome_of_invalidity(invalidity);
  if (invalidity != "constraints") builder.add(kRecordedVariant, config, std::move(record));  // outside the space
}

}  // namespace

RecordedSpace read_t4(const std::string& text, const std::string& file) {
  RecordedSpaceBuilder builder;
  std::size_t number = 0;
  json all;
  try {
    all = parse_json(text);
    const json metadata = all.value("metadata", json::object());
    const double unit = milliseconds_per(metadata.value("timeunit", ""), file);
    for (const json& result : all.at("results")) {
      ++number;
      add_result(builder, result, unit);
    }
  } catch (const json::exception& error) {
    throw bad_input(fmt::format("'{}' is no T4 file: {}{}", file, error.what(),
                                number == 0 ? "" : fmt::format(" (in result {})", number)));
  }
  RecordedSpace space = builder.finish(file);
  space.arm.id = {space.name, space.name, kRecordedVariant};
  return space;
}

}  // namespace harness::simulate
