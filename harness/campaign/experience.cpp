#include "harness/campaign/experience.h"

#include <algorithm>
#include <map>

namespace harness {
namespace {

std::int64_t before_campaign(const CampaignContext& context) {
  return context.campaign > 0 ? context.campaign : INT64_MAX;
}

}  // namespace

void add_experience(CampaignContext& context, const std::string& script) {
  ExperienceQuery query;
  query.before_campaign = before_campaign(context);
  query.kernels = context.options.kernels;
  for (const WorkloadBook& book : context.state.workloads()) query.contract_hashes.push_back(book.plan.contract_hash);
  query.device_name = context.device.name;
  query.architecture = context.device.architecture;
  query.script = script;
  context.state.add_experience(context.ports.ledger.experience(query));
}

std::vector<PatternEvidence> pattern_evidence(const CampaignContext& context) {
  std::vector<PatternEvidence> all;
  if (context.ports.playbook == nullptr) return all;
  const std::vector<PatternApplication> applications =
      context.ports.ledger.pattern_applications(before_campaign(context), context.device.name);
  if (applications.empty()) return all;
  for (const Pattern& pattern : context.ports.playbook->patterns()) {
    PatternEvidence evidence = sum_up(pattern.id, pattern.expect, applications);
    if (pattern.error.empty() && evidence.applied > 0) all.push_back(std::move(evidence));
  }
  return all;
}

std::vector<ProposerHistory> proposer_histories(const CampaignContext& context) {
  std::vector<ProposerHistory> histories;
  for (Proposer* const proposer : context.ports.proposers)
    histories.push_back(
        context.ports.ledger.proposer_history(proposer->spec(), context.device.name, before_campaign(context)));
  return histories;
}

void tell_searches(CampaignContext& context) {
  std::map<std::string, std::vector<EarlierResult>> of_kernel;
  for (const std::string& kernel : context.options.kernels)
    of_kernel[kernel] = context.ports.ledger.earlier_results(context.campaign, kernel, context.device.device);
  for (Arm& arm : context.state.arms().arms) {
    std::vector<EarlierResult> results = of_kernel[arm.state.id.kernel];
    std::erase_if(results, [&](const EarlierResult& result) {
      return std::ranges::find(arm.state.variants, result.variant) == arm.state.variants.end();
    });
    for (EarlierResult& result : results)
      result.distance = context.state.distance(arm.state.id.kernel, arm.state.id.workload, result.workload);
    arm.earlier = results;
    arm.search->know(std::move(results));
  }
}

}  // namespace harness
