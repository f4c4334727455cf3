#include "harness/campaign/proposal_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/campaign/digest.h"
#include "harness/campaign/recall.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/floor.h"
#include "harness/core/gpu.h"

namespace harness {
namespace {

constexpr int kMostNotes = 8;

/// What a profile says in short: raw counters make a model no wiser.
std::string digest_of(const CampaignContext& context, const Profile& profile, const std::optional<FloorSum>& floor,
                      std::optional<double> time_ns) {
  DigestParts parts;
  parts.profile = &profile;
  parts.floor = floor;
  parts.time_ns = time_ns;
  parts.predicted = context.device.emulation;
  if (context.ports.diagnoser != nullptr) {
    parts.rules = context.ports.diagnoser->diagnose_all(profile);
    parts.known = context.ports.diagnoser->rules();
  }
  if (context.ports.playbook != nullptr) parts.pages = context.ports.playbook->patterns();
  return digest_text(parts);
}

/// What was counted and measured of a parent, a sentence each.
void say_seen(const CampaignContext& context, const ArmId& arm, const SeenVariant& seen,
              std::vector<std::string>& said) {
  if (const auto launch = launch_of(context, seen.candidate, arm.workload))
    said.push_back(fmt::format("counted: {} launches, {} CTAs of {} threads, {} bytes of dynamic shared memory",
                               launch->kernels, launch->ctas, launch->threads_per_cta, launch->shared_bytes));
  if (seen.registers.value_or(0) > 0)  // code for the host has no registers of a GPU
    said.push_back(fmt::format("counted: {} registers a thread, {} bytes spilled, {} bytes of static shared memory",
                               *seen.registers, seen.spill_bytes.value_or(0), seen.shared_bytes.value_or(0)));
  const auto floor =
      floor_ns(context.ports.catalog.plugin(arm.kernel).problem(arm.workload).work, written_for(context.device));
  const Profile* const profile = context.state.find_profile(arm.workload, seen.candidate);
  if (profile != nullptr) said.push_back(digest_of(context, *profile, floor, seen.time_ns));
  else if (floor && seen.time_ns)
    said.push_back(fmt::format("{}: {:.0f} % of the floor, which is made by {}",
                               context.device.emulation ? "predicted" : "measured", 100 * floor->ns / *seen.time_ns,
                               floor->binds));
  if (!seen.message.empty()) said.push_back(seen.message);
  if (!seen.fingerprint.empty()) said.push_back("wrong elements: " + seen.fingerprint);
}

RequestParent request_parent(const CampaignContext& context, const SeenVariants& variants, const ArmId& arm,
                             const std::string& variant) {
  RequestParent parent;
  parent.variant = variant;
  parent.texts = context.ports.catalog.plugin(arm.kernel).variant_texts(variant);
  parent.outcome = "not tried";
  const SeenVariant* const seen = variants.find(arm.kernel, arm.workload, variant);
  if (seen == nullptr) return parent;
  parent.config = json::object();
  for (const auto& [name, value] : seen->candidate.config) parent.config[name] = value_to_json(value);
  parent.outcome = seen->outcome;
  parent.time_ns = seen->time_ns;
  parent.speedup = seen->speedup;
  say_seen(context, arm, *seen, parent.diagnosis);
  return parent;
}

/// The best of the record, and what failed there, each mistake once.
void add_earlier(const ProposalsSoFar& so_far, const ArmId& arm, RequestParts& parts) {
  const auto earlier = so_far.earlier.find(arm.kernel);
  if (earlier == so_far.earlier.end()) return;
  const auto named = [](const std::string& variant, std::int64_t campaign) {
    return fmt::format("{} of campaign {}", variant, campaign);
  };
  for (const RecordedWinner& winner : earlier->second.winners)
    if (winner.workload == arm.workload)
      parts.tried.push_back({named(winner.proposal.variant, winner.proposal.campaign), winner.proposal.hypothesis,
                             "passed", "", "", winner.speedup});
  for (const RecordedFailure& failure : earlier->second.failures)
    parts.tried.push_back({named(failure.variant, failure.campaign), failure.hypothesis, failure.outcome,
                           failure.message, failure.fingerprint, std::nullopt});
  parts.first_tried = parts.tried.size();
}

/// What was tried for the arm's kernel and workload, and which requests became nothing.
void add_tried(const ProposalsSoFar& so_far, const ArmId& arm, RequestParts& parts) {
  add_earlier(so_far, arm, parts);
  for (const SeenVariant* const seen : so_far.seen.in_order()) {
    if (seen->kernel != arm.kernel || seen->workload != arm.workload) continue;
    const std::string& variant = seen->candidate.variant;
    RequestTry tried{variant, "", seen->outcome, seen->message, seen->fingerprint, seen->speedup, configs_text(*seen)};
    for (const Proposed& other : so_far.ended)
      if (other.record.variant == variant) tried.hypothesis = other.record.hypothesis;
    parts.tried.push_back(std::move(tried));
  }
  for (const Proposed& other : so_far.ended)
    if (other.record.outcome != ProposalOutcome::accepted && other.record.arm.kernel == arm.kernel)
      parts.tried.push_back({fmt::format("proposal {}", other.record.number), other.record.hypothesis,
                             std::string(name(other.record.outcome)), other.record.message, "", std::nullopt});
}

}  // namespace

void read_earlier(const CampaignContext& context, const std::string& kernel, ProposalsSoFar& so_far) {
  constexpr int kMostWinners = 4, kMostFailures = 6;
  const auto [earlier, fresh] = so_far.earlier.try_emplace(kernel);
  if (!fresh) return;
  const TwinQuery query = earlier_records(context, kernel);
  earlier->second.winners = stored([&] { return context.ports.ledger.recorded_winners(query, kMostWinners); });
  earlier->second.failures = stored([&] { return context.ports.ledger.recorded_failures(query, kMostFailures); });
}

RequestParts request_parts(const CampaignContext& context, const ProposalsSoFar& so_far, const ProposalRecord& record,
                           const SecondQuestion& second, const std::vector<std::int64_t>& pages) {
  RequestParts parts;
  const ArmId& arm = record.arm;
  const WorkloadBook& book = context.state.workload(arm.kernel, arm.workload);
  parts.id = fmt::format("{}-{}", context.campaign, record.number);
  parts.ask = record.ask;
  parts.arm = arm;
  parts.problem = context.ports.catalog.plugin(arm.kernel).problem(arm.workload);
  parts.kernel = context.ports.catalog.plugin(arm.kernel).texts();
  parts.device = context.device;
  for (const std::string& variant : record.parents)
    parts.parents.push_back(request_parent(context, so_far.seen, arm, variant));
  add_tried(so_far, arm, parts);
  parts.notes = stored([&] { return context.ports.ledger.recorded_notes(arm.kernel, kMostNotes); });
  for (const ProposalRecord& other : so_far.asking)
    if (other.arm.kernel == arm.kernel && other.number != record.number) parts.asked_beside.push_back(other.ask);
  if (context.ports.playbook != nullptr && !pages.empty())
    for (const Pattern& page : context.ports.playbook->patterns())
      if (std::ranges::find(pages, page.id) != pages.end()) parts.pages.emplace_back(page.title, advice_of(page));
  if (const auto floor = floor_ns(parts.problem.work, written_for(context.device)))
    parts.floor_ns = floor->ns, parts.floor_terms = floor->terms;
  if (!book.standings.empty()) parts.best_ns = book.standings.back().time_ns;
  parts.baseline_ns = book.baseline_ns;
  parts.left_s = context.limits.left_s();
  if (context.options.max_cost_usd)
    parts.left_usd = *context.options.max_cost_usd - context.limits.spent_usd().value_or(0);
  parts.problem_of_reply = second.wrong;
  parts.last_reply = second.last_reply;
  parts.outcome_of_reply = second.outcome;
  parts.tokens_of_reply = second.tokens_out;
  return parts;
}

}  // namespace harness
