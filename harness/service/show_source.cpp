#include "harness/service/show_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/package/launch_list.h"
#include "harness/package/resolved.h"
#include "harness/package/standalone.h"

namespace harness {
namespace {

std::string word(const json& row, const char* key) {
  const json value = row.value(key, json());
  return value.is_string() ? value.get<std::string>() : "";
}

package::Origin origin_of(const Shell& shell, const json& row, const DeviceInfo& device) {
  const ProgramVersion& program = shell.rooms.program;
  std::string evaluation =
      fmt::format("iteration {} of campaign {}: {}{}", row.at("iteration").dump(), row.at("campaign").dump(),
                  word(row, "outcome"), row.value("confirmed", false) ? ", confirmed" : "");
  if (const std::string label = word(row, "label"); !label.empty()) evaluation += fmt::format(" ({})", label);
  return {evaluation, fmt::format("harness {} ({})", program.number, program.revision),
          device.emulation ? "" : device.architecture, word(row.value("hashes", json::object()), "contract")};
}

}  // namespace

/// The device that the campaign ran on, as it was: plans depend on its sizes, and it need not be here.
DeviceInfo recorded_device(Archive& archive, const json& row) {
  const CampaignRecord record = archive.ledger().campaign(row.at("campaign").get<std::int64_t>());
  const json device = record.environment.is_object() ? record.environment.value("device", json()) : json();
  try {
    if (device.is_object()) return device.get<DeviceInfo>();
  } catch (const json::exception&) {
  }
  throw bad_input(fmt::format("campaign {} does not say on which device it ran, so its launches cannot be computed",
                              row.at("campaign").dump()));
}

/// A shape of a person's own is a workload again.
void add_recorded_workload(Catalog& catalog, const std::string& kernel, const std::string& workload,
                           const DeviceInfo& device) {
  const auto& known = catalog.kernel(kernel).workloads;
  const auto is_it = [&](const Workload& each) { return each.name == workload; };
  if (std::ranges::any_of(known, is_it)) return;
  if (workload.find('=') != std::string::npos && catalog.plugin(kernel).add_shape(workload, device) == workload) return;
  throw bad_input(fmt::format("kernel '{}' has no workload '{}' any more", kernel, workload));
}

RecordedCandidate recorded_candidate(const Shell& shell, Catalog& catalog, const json& row, const DeviceInfo& device,
                                     Headers headers) {
  Candidate candidate{word(row, "kernel"), word(row, "variant"), word(row, "technique"),
                      config_from_json(row.at("config"))};
  add_recorded_workload(catalog, candidate.kernel, word(row, "workload"), device);
  if (row.at("source").is_string()) catalog.plugin(candidate.kernel).use_source(candidate.variant, word(row, "source"));
  Realized realized = catalog.plugin(candidate.kernel).realize(candidate, word(row, "workload"), device);
  const json hashes = row.value("hashes", json::object());
  const bool same_headers = word(hashes, "source") == realized.source_hash;
  if (!same_headers && headers == Headers::recorded)
    throw bad_input(fmt::format(
        "the headers of {} {} are not those that iteration {} was built with, and the store does not hold them; check "
        "out the revision of then, or evaluate it anew: harness eval --from {}",
        candidate.kernel, candidate.variant, row.at("iteration").dump(), row.at("iteration").dump()));
  if (word(hashes, "contract") != realized.problem.contract_hash)
    shell.note(
        fmt::format("the contract of {} has changed since; sizes and launches are those of today's", candidate.kernel));
  return {std::move(realized), same_headers};
}

Realized baseline_beside(Catalog& catalog, const Realized& winner, const DeviceInfo& device) {
  const std::string& workload = winner.problem.workload.name;
  const KernelInfo& kernel = catalog.kernel(winner.candidate.kernel);
  const VariantInfo& baseline = first_kernel_of(kernel);
  const Config config = catalog.plugin(kernel.name).default_config(baseline.name, workload, device, {});
  return catalog.plugin(kernel.name)
      .realize({kernel.name, baseline.name, baseline.technique, config}, workload, device);
}

WrittenSource write_source(Shell& shell, Archive& archive, const json& row, SourceForm form) {
  const Places places = shell.places();
  const DeviceInfo device = recorded_device(archive, row);
  const auto catalog = shell.rooms.catalog(places);
  // A text is read by people: with the headers of today, where those of then are nowhere, and it says so.
  const auto [winner, same_headers] =
      recorded_candidate(shell, *catalog, row, device, form == SourceForm::resolved ? Headers::any : Headers::recorded);
  package::Origin origin = origin_of(shell, row, device);
  if (!same_headers) {
    origin.evaluation += "; NOT THE TEXT THAT WAS MEASURED: its headers have changed since, and these are today's";
    shell.note(fmt::format("the headers of {} have changed since iteration {}: this text has those of today",
                           winner.candidate.variant, row.at("iteration").dump()));
  }
  WrittenSource written{"", package::launches_json(winner), package::other_steps_json(winner)};
  if (form == SourceForm::resolved) {
    written.text = package::resolved_source(winner, origin);
  } else {
    const auto own = shell.rooms.catalog(places);  // the baseline's source may be the one that was edited
    add_recorded_workload(*own, winner.candidate.kernel, winner.problem.workload.name, device);
    written.text = package::standalone_program(baseline_beside(*own, winner, device), winner, origin);
  }
  return written;
}

}  // namespace harness
