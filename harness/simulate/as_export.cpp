#include "harness/simulate/as_export.h"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "harness/core/export_form.h"
#include "harness/core/hash.h"
#include "harness/core/iteration_fields.h"

namespace harness::simulate {
namespace {

constexpr int kSchema = 2;  // the oldest that knows all that is written here

/// The names under which it is recorded: those of the file's contents, so that one kernel's files of several devices
/// stand beside each other. What a file does not say is called after the file itself, without its folder.
struct RecordedNames {
  std::string kernel, workload;
};
RecordedNames names_of(const RecordedSpace& space) {
  const std::string& kernel = space.arm.id.kernel;
  return {kernel == space.name ? kernel.substr(kernel.rfind('/') + 1) : kernel,
          space.problem.empty() ? "recorded" : space.problem};
}

json error_of(const Record& record) {
  if (is_timed(record.outcome)) return nullptr;
  return {{"stage", record.outcome == OutcomeKind::compile_error ? "build" : "run"},
          {"class", record.outcome},
          {"message", "recorded as a failure; why is not in the file"},
          {"first_bad", nullptr}};
}

json iteration_of(const Record& record, std::size_t attempt, double unix_time) {
  IterationRow row;
  row.ended_unix = unix_time;
  row.outcome = std::string(name(record.outcome));
  if (record.time_ms) {
    row.time_ns = *record.time_ms * 1e6;
    row.method = "recorded by another tuner; how it was timed is not in the file";
  }
  row.error = error_of(record);
  row.cost.wall_s = record.cost_s;
  json j = exported(row);
  j.update({{"type", "iteration"}, {"attempt", attempt}, {"same_as", nullptr}, {"edited", nullptr}});
  return j;
}

json attempt_of(const RecordedSpace& space, const std::string& contract, const std::string& variant,
                const Config& config, double unix_time) {
  return {{"type", "attempt"},
          {"ask", 0},
          {"begun_unix", unix_time},
          {"config", config_to_json(config)},
          {"contract_hash", contract},
          {"decision", nullptr},
          {"kernel", names_of(space).kernel},
          {"purpose", "eval"},
          {"source_hash", contract},
          {"technique", space.arm.id.technique},
          {"variant", variant},
          {"workload", names_of(space).workload}};
}

json campaign_of(const RecordedSpace& space, const std::string& uuid, double spent_s, double unix_time) {
  return {{"type", "campaign"},
          {"uuid", uuid},
          {"name", "imported " + space.name},
          {"device", "recorded"},
          {"device_name", space.device.empty() ? space.name : space.device},
          {"strategy", ""},
          {"strategy_hash", ""},
          {"search", ""},
          {"seed", 0},
          {"budget_s", nullptr},
          {"max_cost_usd", nullptr},
          {"usd_per_hour", nullptr},
          {"kernels", json::array({names_of(space).kernel})},
          {"options", json::object()},
          {"environment", {{"recorded_in", space.name}}},
          {"started_unix", unix_time},
          {"ended_unix", unix_time},
          {"reason", "exhausted"},
          {"spent_s", spent_s},
          {"cost_usd", nullptr}};
}

}  // namespace

std::string as_export(const RecordedSpace& space, double unix_time) {
  // Contract and source are not in such files: what was measured there is only ever compared with itself.
  const std::string contract = sha256_hex("recorded space " + space.name);
  std::vector<json> attempts;
  double spent_s = 0;
  Sha256 content;
  content.field(space.name).field(space.device);
  std::size_t number = 0;
  for (const auto& [variant, points] : space.arm.variants) {
    for (std::size_t i = 0; i < points.points.size(); ++i) {
      const Record& record = space.records[number++];
      const Config config = configuration(points, i);
      content.field(variant + " " + to_text(config));
      content.field(fmt::format("{} {} {}", name(record.outcome), record.time_ms.value_or(0), record.cost_s));
      attempts.push_back(attempt_of(space, contract, variant, config, unix_time));
      attempts.push_back(iteration_of(record, number, unix_time));
      spent_s += record.cost_s;
    }
  }
  std::ostringstream text;
  const auto records = static_cast<std::int64_t>(number);
  ExportWriter out(text, kSchema, {{"campaign", 1}, {"attempt", records}, {"iteration", records}});
  out.line(campaign_of(space, content.hex().substr(0, 32), spent_s, unix_time));
  for (const json& attempt : attempts) out.line(attempt);
  out.finish();
  return text.str();
}

}  // namespace harness::simulate
