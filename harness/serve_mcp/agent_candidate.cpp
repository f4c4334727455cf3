#include "harness/serve_mcp/agent_candidate.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/proposed_variants.h"
#include "harness/core/error.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/edited_source.h"
#include "harness/service/new_problem.h"

namespace harness {
namespace {

/// The session's variant that the job's changed manifest makes, recorded where it is new.
std::string variant_of_edit(const AgentJob& job, const std::vector<ProposalRecord>& known,
                            const std::vector<Catalog*>& catalogs, const DeviceInfo& device, CampaignWriter& writer) {
  const json& asked = job.request;
  ProposalRecord record =
      proposed_by_edit({asked.at("kernel"), asked.at("workload"), asked.at("variant"), asked.at("manifest"),
                        asked.value("source", ""), asked.value("label", ""), asked.value("technique", "")},
                       known, catalogs, device);
  if (record.id == 0) {
    record.campaign = job.campaign;
    record.asked_unix = job.asked_unix;
    writer.record_proposal(record);
  }
  if (record.outcome != ProposalOutcome::accepted)
    throw bad_input("no variant can be made of this manifest: " + record.message);
  return record.variant;
}

}  // namespace

AgentCandidate agent_candidate(const AgentJob& job, const AgentSession& session, const DeviceInfo& device,
                               Ledger& ledger, const Places& places, Shell& shell) {
  AgentCandidate asked;
  const std::string kernel = job.request.at("kernel"), variant = job.request.at("variant");
  asked.own = shell.rooms.catalog(places);
  asked.edited = shell.rooms.catalog(places);
  asked.workload = job.request.at("workload");
  const auto& known = asked.own->kernel(kernel).workloads;
  if (std::ranges::none_of(known, [&](const Workload& each) { return each.name == asked.workload; }))
    for (Catalog* each : {asked.own.get(), asked.edited.get()}) each->plugin(kernel).add_shape(asked.workload, device);
  std::vector<ProposalRecord> proposals = ledger.proposals(session.campaign);
  for (Catalog* each : {asked.own.get(), asked.edited.get()}) restore_proposed(*each, proposals, kernel);
  asked.candidate = {kernel, variant, "", config_from_json(job.request.at("parameters"))};
  if (job.request.contains("manifest")) {
    asked.candidate.variant = variant_of_edit(job, proposals, {asked.edited.get(), asked.own.get()}, device, ledger);
  } else if (job.request.contains("source")) {
    asked.parent = realize(asked.candidate, asked.workload, *asked.own, device).source_hash;
    const std::string source = job.request["source"];
    take_source(asked.candidate, asked.workload, source, *asked.edited, device);
    // A problem's first kernel is its own baseline.
    asked.first = !has_kernel(*asked.own, kernel);
    if (asked.first) take_source(asked.candidate, asked.workload, source, *asked.own, device);
    require_entries(realize(asked.candidate, asked.workload, *asked.edited, device), "the source");
  }
  return asked;
}

Realized realized_candidate(const AgentJob& job, const AgentCandidate& asked, Candidate candidate,
                            const DeviceInfo& device) {
  const std::string own = variant_of(asked.edited->kernel(candidate.kernel), candidate.variant).technique;
  const std::string named = job.request.value("technique", "");
  Realized realized = realize(std::move(candidate), asked.workload, *asked.edited, device);
  if (asked.parent) realized.candidate.technique = named.empty() ? fmt::format("{}~{}", own, job.id) : named;
  return realized;
}

std::vector<Config> asked_sets(const AgentJob& job) {
  std::vector<Config> sets;
  for (const json& set : job.request.value("parameter_sets", json::array())) sets.push_back(config_from_json(set));
  if (sets.empty()) sets.push_back(config_from_json(job.request.at("parameters")));
  return sets;
}

Candidate first_candidate(const AgentJob& job, const AgentCandidate& asked) {
  Candidate candidate = asked.candidate;
  candidate.config = asked_sets(job).front();
  return candidate;
}

}  // namespace harness
