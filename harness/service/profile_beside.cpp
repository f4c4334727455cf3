#include "harness/service/profile_beside.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"

namespace harness {
namespace {

bool same_candidate(const Candidate& a, const Candidate& b) {
  return a.variant == b.variant && to_text(a.config) == to_text(b.config);
}

/// The fastest that is recorded on this workload and device; what is imported counts as `harness best` counts it.
std::optional<Candidate> recorded_best(const Realized& candidate, const DeviceInfo& device, const Shell& shell) {
  std::error_code none;
  if (!std::filesystem::exists(shell.store_path(), none)) return std::nullopt;
  HistoryFilter filter;
  filter.kernel = candidate.candidate.kernel;
  filter.workload = candidate.problem.workload.name;
  filter.device = device.name;
  try {
    const json rows = shell.rooms.archive(shell.store_path(), ArchiveAccess::read)->history().best(filter);
    if (rows.empty()) return std::nullopt;
    const json& row = rows.front();
    return Candidate{*filter.kernel, row.at("variant"), row.at("technique"), config_from_json(row.at("config"))};
  } catch (const Error&) {  // the record has no such name, or is of another version
    return std::nullopt;
  }
}

Candidate first_of(const KernelInfo& kernel, const VariantInfo& variant) {
  return {kernel.name, variant.name, variant.technique, {}};
}

std::optional<Realized> realized_if_possible(Candidate candidate, const std::string& workload, Catalog& catalog,
                                             const DeviceInfo& device) {
  try {
    if (!catalog.plugin(candidate.kernel).unsupported_reason(candidate.variant, device).empty()) return std::nullopt;
    candidate.config =
        catalog.plugin(candidate.kernel).default_config(candidate.variant, workload, device, candidate.config);
    return catalog.plugin(candidate.kernel).realize(candidate, workload, device);
  } catch (const Error&) {  // no configuration here, or its file has gone
    return std::nullopt;
  }
}

}  // namespace

std::vector<Beside> others_beside(const Realized& candidate, Catalog& catalog, const DeviceInfo& device, Shell& shell) {
  const KernelInfo& kernel = catalog.kernel(candidate.candidate.kernel);
  std::vector<std::pair<std::string, Candidate>> wanted;
  if (auto best = recorded_best(candidate, device, shell)) wanted.emplace_back("incumbent", *best);
  wanted.emplace_back("baseline", first_of(kernel, first_kernel_of(kernel)));
  const auto rival = std::ranges::find_if(kernel.variants, &VariantInfo::rival);
  if (rival != kernel.variants.end()) wanted.emplace_back("rival", first_of(kernel, *rival));
  std::vector<Beside> others;
  for (auto& [title, other] : wanted) {
    auto realized = realized_if_possible(other, candidate.problem.workload.name, catalog, device);
    if (realized && !same_candidate(realized->candidate, candidate.candidate))
      others.push_back({title, std::move(*realized)});
  }
  return others;
}

}  // namespace harness
