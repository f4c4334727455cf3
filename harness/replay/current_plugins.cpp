#include "harness/replay/current_plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "harness/campaign/proposed_variants.h"
#include "harness/core/error.h"

namespace harness {
namespace {

class Refit {
 public:
  Refit(const Recording& recorded, Catalog& plugins) : plugins_(plugins), device_(recorded_device(recorded.record)) {}

  /// The recorded configuration as it is written today, if it still is one.
  const std::optional<Config>& config(const IterationSummary& row) {
    const std::string key = record_key(row.workload, row.candidate);
    const auto entry = configs_.find(key);
    return entry != configs_.end() ? entry->second : configs_.emplace(key, find(row)).first->second;
  }

  /// Makes an accepted proposal a variant again; false where its parent is no longer what it was made of.
  bool takes(const ProposalRecord& proposal) {
    if (proposal.outcome != ProposalOutcome::accepted) return true;
    try {
      plugins_.plugin(proposal.arm.kernel).add_variant(harness::variant_of(proposal));
      return true;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      notes_.insert(fmt::format("{} can no longer be made: {}", proposal.variant, error.what()));
      return false;
    }
  }

  std::vector<std::string> notes() const {
    std::set<std::string> all = notes_;
    for (const auto& [variant, lost] : lost_)
      all.insert(fmt::format("{} recorded configuration{} of {} {} gone since, so {} nothing: {}", lost.count,
                             lost.count == 1 ? "" : "s", variant, lost.count == 1 ? "has" : "have",
                             lost.count == 1 ? "it answers" : "they answer", lost.first_reason));
    for (const auto& [kernel, workloads] : rejudged_)
      all.insert(fmt::format(
          "the contract of {} has changed since on {}: the recorded outcomes were judged by the older "
          "one",
          kernel, workloads.size() == 1 ? *workloads.begin() : fmt::format("{} workloads", workloads.size())));
    return {all.begin(), all.end()};
  }

 private:
  struct Lost {
    int count = 0;
    std::string first_reason;
  };

  const VariantInfo* variant_of(const Candidate& candidate) {
    return find_variant(plugins_.kernel(candidate.kernel), candidate.variant);
  }

  std::optional<Config> find(const IterationSummary& row) {
    const Candidate& candidate = row.candidate;
    const auto& workloads = plugins_.kernel(candidate.kernel).workloads;
    const VariantInfo* const variant = variant_of(candidate);
    if (variant == nullptr) {
      notes_.insert(fmt::format("variant {} of {} has gone since: its recorded evaluations answer nothing",
                                candidate.variant, candidate.kernel));
      return std::nullopt;
    }
    if (std::ranges::find(workloads, row.workload, &Workload::name) == workloads.end()) {
      notes_.insert(fmt::format("workload {} of {} has gone since: its recorded evaluations answer nothing",
                                row.workload, candidate.kernel));
      return std::nullopt;
    }
    note_edits(row, *variant);
    std::vector<const Parameter*> since;  // that the record does not know
    for (const Parameter& parameter : variant->parameters)
      if (!candidate.config.contains(parameter.name) && !parameter.values.empty()) since.push_back(&parameter);
    Candidate today = candidate;
    std::string refusal;
    if (!complete(today, row.workload, since, refusal)) {
      Lost& lost = lost_[candidate.kernel + " " + variant->name];
      if (lost.count++ == 0) lost.first_reason = refusal;
      return std::nullopt;
    }
    for (const Parameter* const parameter : since)
      notes_.insert(fmt::format("{} {} has a parameter {} since: recorded configurations stand for {}",
                                candidate.kernel, variant->name, parameter->name,
                                to_text(Config{{parameter->name, today.config.at(parameter->name)}})));
    return today.config;
  }

  /// Gives `today` the first values of the parameters `since` that are valid together; false where none are, with the
  /// first refusal. (Not the catalog's default_config(), which prefers the author's starts: what was before a parameter
  /// came is its first value.)
  bool complete(Candidate& today, const std::string& workload, std::span<const Parameter* const> since,
                std::string& refusal) {
    if (since.empty()) return realizes(today, workload, refusal);
    for (const Value& value : since.front()->values) {
      today.config[since.front()->name] = value;
      if (complete(today, workload, since.subspan(1), refusal)) return true;
    }
    return false;
  }

  bool realizes(const Candidate& today, const std::string& workload, std::string& refusal) {
    try {
      plugins_.plugin(today.kernel).realize(today, workload, device_);
      return true;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      if (refusal.empty()) refusal = error.what();
      return false;
    }
  }

  void note_edits(const IterationSummary& row, const VariantInfo& variant) {
    const std::string& kernel = row.candidate.kernel;
    if (!row.source_hash.empty() && !variant.source_hash.empty() && row.source_hash != variant.source_hash)
      notes_.insert(fmt::format("the source of {} {} has changed since: the recorded times are of the older one",
                                kernel, variant.name));
    if (!row.contract_hash.empty() && row.contract_hash != plugins_.plugin(kernel).problem(row.workload).contract_hash)
      rejudged_[kernel].insert(row.workload);
  }

  Catalog& plugins_;
  DeviceInfo device_;
  std::map<std::string, std::optional<Config>> configs_;
  std::map<std::string, Lost> lost_;
  std::set<std::string> notes_;
  std::map<std::string, std::set<std::string>> rejudged_;  // by kernel: workloads whose contract has changed
};

}  // namespace

CurrentRecord with_current_plugins(const Recording& recorded, Catalog& plugins) {
  Refit refit(recorded, plugins);
  CurrentRecord today{{recorded.campaign, recorded.record, recorded.spent_s, {}, recorded.decisions, {}}, {}};
  for (const ProposalRecord& proposal : recorded.proposals)
    if (refit.takes(proposal)) today.recording.proposals.push_back(proposal);
  for (const IterationSummary& row : recorded.iterations) {
    const auto& config = refit.config(row);
    if (!config) continue;
    today.recording.iterations.push_back(row);
    today.recording.iterations.back().candidate.config = *config;
  }
  today.notes = refit.notes();
  return today;
}

}  // namespace harness
