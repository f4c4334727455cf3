#include "harness/campaign/proposed_variants.h"

#include <fmt/format.h>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/entries.h"
#include "harness/core/error.h"

namespace harness {

NewVariant variant_of(const ProposalRecord& record) {
  return {record.arm.kernel, record.variant, record.parents.front(), record.source, record.manifest, record.number};
}

std::string misfit(const ProposalRecord& record, const std::string& technique, Catalog& catalog,
                   const DeviceInfo& device, const std::vector<std::string>& workloads) {
  const std::string& kernel = record.arm.kernel;
  const VariantInfo* const added = find_variant(catalog.kernel(kernel), record.variant);
  if (added == nullptr || added->technique != technique || added->rival)
    return "its manifest sets 'technique' or 'rival', which are not its own to say";
  if (std::string reason = catalog.plugin(kernel).unsupported_reason(record.variant, device); !reason.empty())
    return reason;
  bool valid_somewhere = false;
  for (const std::string& workload : workloads) {
    if (!catalog.plugin(kernel).has_configuration(record.variant, workload, device)) continue;
    const Config config = catalog.plugin(kernel).default_config(record.variant, workload, device, {});
    const Realized realized =
        catalog.plugin(kernel).realize({kernel, record.variant, technique, config}, workload, device);
    if (const auto entry = missing_entry(realized))
      return fmt::format("its source has no kernel '{}', which its manifest launches", *entry);
    valid_somewhere = true;
  }
  if (valid_somewhere) return "";
  return fmt::format("it has no valid configuration on {}",
                     workloads.size() == 1 ? workloads.front() : "any workload of this campaign");
}

std::vector<std::string> restore_proposed(Catalog& catalog, const std::vector<ProposalRecord>& records,
                                          const std::string& kernel) {
  std::vector<std::string> lost;
  for (const ProposalRecord& record : records) {
    if (record.outcome != ProposalOutcome::accepted || (!kernel.empty() && record.arm.kernel != kernel)) continue;
    try {
      catalog.plugin(record.arm.kernel).add_variant(variant_of(record));
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      lost.push_back(fmt::format("{} can no longer be made: {}", record.variant, error.what()));
    }
  }
  return lost;
}

ProposalRecord proposed_by_edit(const ManifestEdit& edit, const std::vector<ProposalRecord>& earlier,
                                const std::vector<Catalog*>& catalogs, const DeviceInfo& device) {
  Catalog& catalog = *catalogs.front();
  const VariantTexts parent = catalog.plugin(edit.kernel).variant_texts(edit.parent);
  ProposalRecord record;
  record.source = edit.source.empty() ? parent.source : edit.source;
  record.normal_hash = normal_hash(record.source, parent.manifest, edit.parts);
  for (const ProposalRecord& proposal : earlier) {
    record.number = std::max(record.number, proposal.number);
    if (proposal.outcome == ProposalOutcome::accepted && proposal.arm.kernel == edit.kernel &&
        proposal.normal_hash == record.normal_hash)
      return proposal;
  }
  ++record.number;
  const std::string of_parent = find_variant(catalog.kernel(edit.kernel), edit.parent)->technique;
  record.arm = {edit.kernel, edit.workload, of_parent};
  record.ask = "an evaluation with another manifest";
  record.parents = {edit.parent};
  record.proposer = "mcp";
  record.reply = json_text({{"manifest", edit.parts}});
  record.hypothesis = edit.label;
  if (!edit.label.empty()) record.label = edit.label;
  ManifestChange change;
  change.technique = edit.technique.empty() ? fmt::format("{}~{}", of_parent, record.number) : edit.technique;
  if (!edit.technique.empty()) record.arm.technique = edit.technique;
  change.parts = edit.parts;
  record.manifest = changed_manifest(parent.manifest, change);
  record.variant = fmt::format("proposed_{}", record.number);
  try {
    for (Catalog* const catalog : catalogs) catalog->plugin(record.arm.kernel).add_variant(variant_of(record));
    record.message = misfit(record, change.technique, catalog, device, {edit.workload});
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    record.message = error.what();
  }
  record.outcome = record.message.empty() ? ProposalOutcome::accepted : ProposalOutcome::unusable;
  if (!record.message.empty()) record.variant.clear();
  return record;
}

}  // namespace harness
