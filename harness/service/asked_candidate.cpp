#include "harness/service/asked_candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/adopt/plugin/revision.h"
#include "harness/campaign/arms.h"
#include "harness/campaign/proposed_variants.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/package/inlined.h"
#include "harness/service/arguments.h"
#include "harness/service/edited_source.h"

namespace harness {
namespace {

Config given_parameters(const CandidateWords& words) {
  Config config;
  for (const std::string& text : words.parameters)
    config.insert_or_assign(parse_parameter(text).first, parse_parameter(text).second);
  return config;
}

/// Of an adopted kernel the whole file may be edited: its host code stays behind, as when it was adopted.
std::string device_part_of(const CandidateWords& words, std::string text, Catalog& catalog, Shell& shell) {
  if (words.kernel.empty() || text.find("<<") == std::string::npos) return text;
  const auto from = shell.rooms.formula_catalog(shell.places())->plugin(words.kernel).adopted();
  if (!from) return text;
  std::set<std::string> tuned;
  for (const VariantInfo& variant : catalog.kernel(words.kernel).variants)
    if (variant.name == words.variant)
      for (const Parameter& parameter : variant.parameters) tuned.insert(parameter.name);
  return adopt::device_part(words.source, text, *from, tuned);
}

}  // namespace

AskedCandidate asked_candidate(const CandidateWords& words, Catalog& catalog, Shell& shell) {
  AskedCandidate asked{{words.kernel, words.variant, "", given_parameters(words)}, "", {}, words.source, {}};
  if (!words.source.empty()) asked.source = device_part_of(words, read_edited_source(words.source), catalog, shell);
  if (words.from == 0) return asked;
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
  const json row = archive->history().iteration(words.from, true);
  asked.workload = row.at("workload");
  asked.candidate = {row.at("kernel"), row.at("variant"), "", config_from_json(row.at("config"))};
  for (const auto& [name, value] : given_parameters(words)) asked.candidate.config.insert_or_assign(name, value);
  if (!asked.source && row.at("parent").is_string() && row.at("source").is_string()) {
    asked.source = row.at("source").get<std::string>();
    asked.source_name = fmt::format("iteration {}", words.from);
  }
  for (const std::string& lost :
       restore_proposed(catalog, archive->ledger().proposals(row.at("campaign")), asked.candidate.kernel))
    shell.note(lost);
  catalog.kernel(asked.candidate.kernel);
  return asked;
}

const VariantInfo& variant_of(const KernelInfo& kernel, const std::string& name) {
  if (const VariantInfo* const variant = find_variant(kernel, name)) return *variant;
  std::vector<std::string> names;
  for (const VariantInfo& variant : kernel.variants) names.push_back(variant.name);
  throw bad_input(fmt::format("kernel '{}' has no variant '{}'{}", kernel.name, name, did_you_mean(name, names)));
}

const Workload& workload_of(const KernelInfo& kernel, const std::string& name) {
  const auto workload = std::ranges::find(kernel.workloads, name, &Workload::name);
  return workload != kernel.workloads.end() ? *workload : throw unknown_workload(kernel, name);
}

Error unknown_workload(const KernelInfo& kernel, const std::string& name) {
  std::vector<std::string> names;
  for (const Workload& workload : kernel.workloads) names.push_back(workload.name);
  return bad_input(fmt::format("kernel '{}' has no workload '{}'{}", kernel.name, name, did_you_mean(name, names)));
}

Realized realize(Candidate candidate, const std::string& workload, Catalog& catalog, const DeviceInfo& device) {
  candidate.config =
      catalog.plugin(candidate.kernel).default_config(candidate.variant, workload, device, candidate.config);
  return catalog.plugin(candidate.kernel).realize(candidate, workload, device);
}

void take_source(const Candidate& candidate, const std::string& workload, const std::string& source, Catalog& catalog,
                 const DeviceInfo& device) {
  KernelPlugin& plugin = catalog.plugin(candidate.kernel);
  plugin.use_source(candidate.variant, source);
  const std::string folded = package::with_headers_folded(realize(candidate, workload, catalog, device).build);
  if (folded != source) plugin.use_source(candidate.variant, folded);
}

void use_edited(AskedCandidate& asked, const std::vector<std::string>& workloads, Catalog& catalog,
                const DeviceInfo& device) {
  if (!asked.source) return;
  const Candidate& candidate = asked.candidate;
  asked.parent = variant_of(catalog.kernel(candidate.kernel), candidate.variant).source_hash;
  take_source(candidate, workloads.front(), *asked.source, catalog, device);
  for (const std::string& workload : workloads)
    require_entries(realize(candidate, workload, catalog, device), asked.source_name);
}

std::vector<std::string> asked_workloads(const AskedCandidate& candidate, std::vector<std::string> asked,
                                         Catalog& catalog, const DeviceInfo& device) {
  if (asked.empty() && !candidate.workload.empty()) asked = {candidate.workload};
  const KernelInfo& kernel = catalog.kernel(candidate.candidate.kernel);
  asked = with_shapes(catalog, kernel.name, std::move(asked), device);
  std::vector<std::string> workloads = choose_workloads(kernel, asked, device);
  if (!workloads.empty()) return workloads;
  std::vector<std::string> known;
  for (const Workload& each : kernel.workloads) {
    known.push_back(each.name);
    known.insert(known.end(), each.sets.begin(), each.sets.end());
  }
  throw bad_input(fmt::format("kernel '{}' has no workload or set '{}'{}", kernel.name, asked.front(),
                              did_you_mean(asked.front(), known)));
}

}  // namespace harness
