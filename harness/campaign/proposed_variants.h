#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/proposal.h"

namespace harness {

/// A proposal as the variant that it is to become.
NewVariant variant_of(const ProposalRecord& record);

/// Why what `record` became, with this technique, cannot be a variant on any of the workloads; "" where it can.
std::string misfit(const ProposalRecord& record, const std::string& technique, Catalog& catalog,
                   const DeviceInfo& device, const std::vector<std::string>& workloads);

/// Makes what was accepted for a kernel ("": for all) variants of `catalog` again, in the order of `records`, so that
/// their iterations can be run. What can no longer be made, because its parent has gone, is left out: one sentence
/// each.
std::vector<std::string> restore_proposed(Catalog& catalog, const std::vector<ProposalRecord>& records,
                                          const std::string& kernel);

/// A proposal by one who drives the harness, with the parts of a manifest that it changes and perhaps another source.
struct ManifestEdit {
  std::string kernel, workload, parent;  // the variant that it changes
  json parts;                            // held against manifest_problem
  std::string source;                    // "": the parent's
  std::string label;
  std::string technique = {};  // what it does, in the author's word; "": TECHNIQUE~N of the parent's
};

/// The record of such a proposal of a session whose earlier ones are `known`: one of them, if it is the same; else a
/// new one, which became a variant of `catalogs` ("proposed_N") or says in `message` why it cannot be one there.
ProposalRecord proposed_by_edit(const ManifestEdit& edit, const std::vector<ProposalRecord>& earlier,
                                const std::vector<Catalog*>& catalogs, const DeviceInfo& device);

}  // namespace harness
