#include "harness/campaign/recall.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/torch_call.h"

namespace harness {
namespace {

// A beam of parents: more of them were no better where others measured it, and each costs an evaluation or two.
constexpr int kMostOfWorkload = 2, kMostLookedAt = 64;
constexpr double kWorthIt = 1.02;  // over the baseline: what is no faster is no winner

/// Variants that an adoption made files of are there already. One whose manifest alone was changed has its parent's
/// source.
bool stands_in_folder(Catalog& catalog, const ProposalRecord& proposal) {
  const std::string hash = normal_hash(proposal.source, "", json::object());
  for (const VariantInfo& variant : catalog.kernel(proposal.arm.kernel).variants) {
    if (variant.proposal || std::ranges::find(proposal.parents, variant.name) != proposal.parents.end()) continue;
    const VariantTexts texts = catalog.plugin(proposal.arm.kernel).variant_texts(variant.name);
    if (normal_hash(texts.source, "", json::object()) == hash) return true;
  }
  return false;
}

/// As a proposal of this campaign. Its own parent may have been proposed too and is not here: headers are those of the
/// first variant then.
ProposalRecord as_proposal(const CampaignContext& context, const RecordedWinner& winner) {
  ProposalRecord record = winner.proposal;
  const std::string& kernel = record.arm.kernel;
  Catalog& catalog = context.ports.catalog;
  const std::string origin = fmt::format("{} of campaign {}, {:.2f}x in iteration {}", record.variant, record.campaign,
                                         winner.speedup, winner.iteration);
  std::erase_if(record.parents, [&](const std::string& parent) {
    const VariantInfo* const variant = find_variant(catalog.kernel(kernel), parent);
    return variant == nullptr || variant->proposal;
  });
  if (record.parents.empty()) record.parents.push_back(first_kernel_of(catalog.kernel(kernel)).name);
  if (record.manifest.empty()) record.manifest = catalog.plugin(kernel).variant_texts(record.parents.front()).manifest;
  if (record.normal_hash.empty()) record.normal_hash = normal_hash(record.source, "", json::object());
  record.arm.technique = record.arm.technique.substr(0, record.arm.technique.rfind('~'));
  record.campaign = context.campaign;
  record.ask = "a winner of the record";
  record.proposer = kFromRecord;
  record.usage = {};
  record.twin = record.variant;
  record.message = origin;
  record.predict_lo = record.predict_hi = winner.speedup;
  if (!record.label) record.label = origin;
  return record;
}

}  // namespace

TwinQuery earlier_records(const CampaignContext& context, const std::string& kernel) {
  TwinQuery query{kernel, {}, context.device.name, context.campaign};
  for (const WorkloadBook& book : context.state.workloads())
    if (book.plan.kernel == kernel) query.contract_hashes.push_back(book.plan.contract_hash);
  return query;
}

std::vector<ProposalRecord> recalled_winners(const CampaignContext& context) {
  std::vector<ProposalRecord> records;
  if (!context.options.variants.empty()) return records;
  for (const std::string& kernel : context.options.kernels) {
    std::map<std::string, int> of_workload;
    const std::size_t first = records.size();
    for (const RecordedWinner& winner : stored(
             [&] { return context.ports.ledger.recorded_winners(earlier_records(context, kernel), kMostLookedAt); })) {
      if (winner.speedup < kWorthIt || winner.proposal.source.empty()) continue;
      if (of_workload[winner.workload] >= kMostOfWorkload) continue;
      if (stands_in_folder(context.ports.catalog, winner.proposal)) continue;
      ProposalRecord record = as_proposal(context, winner);
      const bool recorded = std::any_of(records.begin() + static_cast<std::ptrdiff_t>(first), records.end(),
                                        [&](const auto& other) { return other.normal_hash == record.normal_hash; });
      if (recorded) continue;
      ++of_workload[winner.workload];
      record.manifest = manifest_started_at(record.manifest, winner.config);
      records.push_back(std::move(record));
    }
  }
  return records;
}

bool rests_on_record(const ProposalRecord& record) {
  return record.outcome == ProposalOutcome::accepted && !record.twin.empty();
}

}  // namespace harness
