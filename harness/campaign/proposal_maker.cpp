#include "harness/campaign/proposal_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/campaign/proposed_variants.h"
#include "harness/campaign/recall.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"

namespace harness {
namespace {

std::string fate_of_older(const RecordedTwin& twin) {
  if (!twin.speedup) return fmt::format("which ended as {} in iteration {}", twin.outcome, twin.iteration);
  return fmt::format("which {} at {:.2f}x in iteration {}; harness adopt --from {} makes files of it", twin.outcome,
                     *twin.speedup, twin.iteration, twin.iteration);
}

}  // namespace

std::optional<ReplyProblem> ProposalMaker::make(ProposalRecord& record, const ProposalReply& reply) {
  record.hypothesis = reply.hypothesis;
  record.label = reply.label;
  record.predict_lo = reply.predict_lo;
  record.predict_hi = reply.predict_hi;
  const VariantTexts texts = context_.ports.catalog.plugin(record.arm.kernel).variant_texts(record.parents.front());
  if (reply.source) record.source = *reply.source;
  else {
    auto edited = edited_source(texts.source, reply.edits);
    if (auto* problem = std::get_if<ReplyProblem>(&edited)) return *problem;
    record.source = std::move(std::get<std::string>(edited));
  }
  record.normal_hash = normal_hash(record.source, texts.manifest, reply.manifest);
  std::optional<RecordedTwin> evidence;
  if (auto problem = refuse_twin(record, reply.manifest.empty(), evidence)) return problem;
  const std::string technique = fmt::format("{}~{}", record.arm.technique, record.number);
  record.manifest = changed_by(record, reply, texts.manifest, technique);
  if (evidence) record.manifest = recalled_manifest(record.manifest, technique, *evidence->speedup);
  record.variant = fmt::format("proposed_{}", record.number);
  try {
    if (auto problem = take_in(record, technique)) {
      record.variant.clear();
      return problem;
    }
  } catch (const Error& error) {
    record.variant.clear();
    if (error.kind() != Error::Kind::bad_input) throw;
    return ReplyProblem{ProposalOutcome::unusable, error.what()};
  }
  record.outcome = ProposalOutcome::accepted;
  record.message = evidence ? fmt::format("it is the same as {} of campaign {}, {}", evidence->variant,
                                          evidence->campaign, fate_of_older(*evidence))
                            : "";
  return std::nullopt;
}

bool ProposalMaker::make_again(ProposalRecord& record) {
  const std::string technique = fmt::format("{}~{}", record.arm.technique, record.number);
  record.variant = fmt::format("proposed_{}", record.number);
  record.manifest = recalled_manifest(record.manifest, technique, record.predict_lo.value_or(1));
  try {
    if (take_in(record, technique)) return false;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    return false;
  }
  record.outcome = ProposalOutcome::accepted;
  return true;
}

/// The parent's manifest with the reply's changes and expectations. How likely it passes is what passed so far, with
/// one success and one failure before the first (Laplace's rule of succession).
std::string ProposalMaker::changed_by(const ProposalRecord& record, const ProposalReply& reply,
                                      const std::string& manifest, const std::string& technique) const {
  constexpr double kLeast = 0.05, kMost = 1000;
  constexpr double kUsualLo = 0.8, kUsualHi = 1.5;  // of one that predicts nothing
  ManifestChange change;
  change.technique = technique;
  change.parts = reply.manifest;
  change.speedup_lo = std::clamp(record.predict_lo.value_or(kUsualLo), kLeast, kMost);
  change.speedup_hi = std::clamp(record.predict_hi.value_or(kUsualHi), change.speedup_lo, kMost);
  std::int64_t evaluated = 0, passed = 0;
  for (const Proposed& other : so_far_.ended) evaluated += other.evaluated ? 1 : 0, passed += other.passed ? 1 : 0;
  change.probability = static_cast<double>(1 + passed) / static_cast<double>(2 + evaluated);
  return changed_manifest(manifest, change);
}

// What the record saw fail is not tried again; a winner of it is taken in.
std::optional<ReplyProblem> ProposalMaker::refuse_twin(ProposalRecord& record, bool same_manifest,
                                                       std::optional<RecordedTwin>& evidence) {
  if (find_twin(record, same_manifest))
    return ReplyProblem{ProposalOutcome::twin, fmt::format("it is the same as {}{}", record.twin, fate_of(record))};
  const auto older = find_older_twin(record, same_manifest);
  if (!older) return std::nullopt;
  record.twin = older->variant;
  if (older->speedup.value_or(0) > 1) {
    evidence = older;
    return std::nullopt;
  }
  return ReplyProblem{ProposalOutcome::twin, fmt::format("it is the same as {} of campaign {}, {}", older->variant,
                                                         older->campaign, fate_of_older(*older))};
}

/// Among the kernel's own variants and what was proposed for it in this campaign.
bool ProposalMaker::find_twin(ProposalRecord& record, bool same_manifest) const {
  for (const Proposed& other : so_far_.ended)
    if (!other.record.variant.empty() && other.record.normal_hash == record.normal_hash &&
        other.record.arm.kernel == record.arm.kernel) {
      record.twin = other.record.variant;
      return true;
    }
  if (!same_manifest) return false;
  Catalog& catalog = context_.ports.catalog;
  for (const VariantInfo& variant : catalog.kernel(record.arm.kernel).variants) {
    if (variant.proposal || variant.rival) continue;
    if (normal_hash(catalog.plugin(record.arm.kernel).variant_texts(variant.name).source, "", json::object()) !=
        record.normal_hash)
      continue;
    record.twin = variant.name;
    return true;
  }
  return false;
}

/// Among what earlier campaigns evaluated under the same contracts on this device. A source counts where the manifest
/// is its own; a proposal with the same changes of the same manifest counts as well.
std::optional<RecordedTwin> ProposalMaker::find_older_twin(const ProposalRecord& record, bool same_manifest) {
  RecordedTwins& twins = context_.ports.ledger;
  const TwinQuery query = earlier_records(context_, record.arm.kernel);
  const auto [sources, fresh] = older_sources_.try_emplace(record.arm.kernel);
  if (fresh)
    for (const RecordedSource& source : stored([&] { return twins.recorded_sources(query); }))
      sources->second.emplace(normal_hash(source.text, "", json::object()), source.source_hash);
  if (same_manifest)
    if (const auto at = sources->second.find(record.normal_hash); at != sources->second.end())
      if (auto twin = stored([&] { return twins.same_source(query, at->second); })) return twin;
  return stored([&] { return twins.same_proposal(query, record.normal_hash); });
}

/// What became of a twin, the end of a sentence.
std::string ProposalMaker::fate_of(ProposalRecord& record) const {
  const SeenVariant* const twin = so_far_.seen.find(record.arm.kernel, record.arm.workload, record.twin);
  if (twin == nullptr) return ", which has not been evaluated yet";
  record.twin_iteration = twin->iteration;
  if (twin->speedup)
    return fmt::format(", which {} at {:.2f}x in iteration {}", twin->outcome, *twin->speedup, twin->iteration);
  return fmt::format(", which ended as {} in iteration {}", twin->outcome, twin->iteration);
}

/// Makes it a variant of the kernel, if it can be one on any of the campaign's workloads.
std::optional<ReplyProblem> ProposalMaker::take_in(const ProposalRecord& record, const std::string& technique) {
  context_.ports.catalog.plugin(record.arm.kernel).add_variant(variant_of(record));
  std::vector<std::string> workloads;
  for (const WorkloadBook& book : context_.state.workloads())
    if (book.plan.kernel == record.arm.kernel) workloads.push_back(book.plan.workload);
  const std::string why = misfit(record, technique, context_.ports.catalog, context_.device, workloads);
  return why.empty() ? std::nullopt : std::optional(ReplyProblem{ProposalOutcome::unusable, why});
}

}  // namespace harness
