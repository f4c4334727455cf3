#include "harness/campaign/proposal_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/floor.h"

namespace harness {
namespace {

/// What a profile says, a sentence each: the diagnosis, and its numbers.
void say_profile(const Profile& profile, std::vector<std::string>& said) {
  if (profile.diagnosis) said.push_back(fmt::format("diagnosis: {}", profile.diagnosis->text));
  said.push_back(fmt::format("profile ({}): {}", name(profile.source), in_words(profile.numbers)));
}

/// What was counted and measured of a parent, a sentence each.
void say_seen(const CampaignContext& context, const ArmId& arm, const SeenVariant& seen,
              std::vector<std::string>& said) {
  if (const auto launch = launch_of(context, seen.candidate, arm.workload))
    said.push_back(fmt::format("counted: {} launches, {} CTAs of {} threads, {} bytes of dynamic shared memory",
                               launch->kernels, launch->ctas, launch->threads_per_cta, launch->shared_bytes));
  if (seen.registers)
    said.push_back(fmt::format("counted: {} registers a thread, {} bytes spilled, {} bytes of static shared memory",
                               *seen.registers, seen.spill_bytes.value_or(0), seen.shared_bytes.value_or(0)));
  const auto floor = floor_ns(context.ports.catalog.plugin(arm.kernel).problem(arm.workload).work, context.device);
  if (floor && seen.time_ns)
    said.push_back(fmt::format("measured: {:.0f} % of the floor, which is made by {}", 100 * floor->ns / *seen.time_ns,
                               floor->binds));
  if (const Profile* profile = context.state.find_profile(arm.workload, seen.candidate)) say_profile(*profile, said);
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

/// What was tried for the arm's kernel and workload, and which requests became nothing.
void add_tried(const ProposalsSoFar& so_far, const ArmId& arm, RequestParts& parts) {
  for (const SeenVariant* const seen : so_far.seen.in_order()) {
    if (seen->kernel != arm.kernel || seen->workload != arm.workload) continue;
    const std::string& variant = seen->candidate.variant;
    RequestTry tried{variant, "", seen->outcome, seen->message, seen->fingerprint, seen->speedup};
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
  for (const ProposalRecord& other : so_far.asking)
    if (other.arm.kernel == arm.kernel && other.number != record.number) parts.asked_beside.push_back(other.ask);
  if (context.ports.playbook != nullptr && !pages.empty())
    for (const Pattern& page : context.ports.playbook->patterns())
      if (std::ranges::find(pages, page.id) != pages.end()) parts.pages.emplace_back(page.title, page.text);
  if (const auto floor = floor_ns(parts.problem.work, context.device)) parts.floor_ns = floor->ns;
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
