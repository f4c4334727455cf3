#include "harness/campaign/resumption.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"

namespace harness {

// What is begun and what has ended, in the order of the record: with several devices a search is asked for the next
// before it is told of the last.
void Resumption::replay(const std::vector<DecisionRecord>& decisions, const std::vector<IterationSummary>& iterations) {
  std::map<std::int64_t, const Prediction*> predictions;
  for (const DecisionRecord& record : decisions) predictions[record.id] = &record.decision.predict;
  for (const Orphan& orphan : context_.ports.ledger.orphans(context_.campaign)) calls_.orphan(orphan);
  const std::vector<Begun> begun = context_.ports.ledger.begun(context_.campaign);
  auto next = begun.begin();
  const auto begin_until = [&](std::int64_t iteration) {
    for (; next != begun.end() && *next->record.after < iteration; ++next) begin_recorded(next->record);
  };
  for (const IterationSummary& iteration : iterations) {
    begin_until(iteration.iteration);
    predictions_.tell_recorded();
    const auto predicted = predictions.find(iteration.decision);
    tell(iteration, predicted == predictions.end() ? nullptr : predicted->second);
  }
  predictions_.tell_recorded();
  begin_until(INT64_MAX);
  for (Arm& arm : context_.state.arms().arms)
    for (const Asked& open_ask : arm.asked) trials_.ask_again(arm.state.id, open_ask);
  for (const DecisionRecord& record : decisions)
    if (record.decision.action == Action::close)
      if (Arm* arm = find_arm(context_.state.arms(), record.decision.arm)) arm->state.closed = true;
}

/// A search was asked. One that is evaluated for the second time, because a node was lost, has been asked for already.
void Resumption::begin_recorded(const AttemptRecord& attempt) {
  const Candidate& candidate = attempt.candidate;
  Arm* arm = find_arm(context_.state.arms(), {candidate.kernel, attempt.workload, candidate.technique});
  if (attempt.ask == 0 || arm == nullptr) return;
  if (std::ranges::find(arm->asked, attempt.ask, &Asked::number) != arm->asked.end()) return;
  const std::optional<SearchAsk> ask = context_.state.advance(*arm);
  refuse_other_ask(candidate, *attempt.after, ask);
  arm->asked.push_back({*ask, attempt.ask, attempt.decision});
}

void Resumption::tell(const IterationSummary& iteration, const Prediction* predicted) {
  check_unchanged(iteration);
  const ArmId id{iteration.candidate.kernel, iteration.workload, iteration.candidate.technique};
  Arm* arm = find_arm(context_.state.arms(), id);
  if (iteration.ask > 0 && !iteration.after && !says_nothing(iteration.outcome) && arm != nullptr)
    refuse_other_ask(iteration.candidate, iteration.iteration, context_.state.advance(*arm));
  calls_.tell(iteration, predicted);
}

void Resumption::refuse_other_ask(const Candidate& recorded, std::int64_t iteration,
                                  const std::optional<SearchAsk>& ask) const {
  if (ask && ask->variant == recorded.variant && to_text(ask->config) == to_text(recorded.config)) return;
  throw bad_input(
      fmt::format("campaign {} cannot be resumed: iteration {} evaluated {} {}, but search '{}' now asks for {}; the "
                  "kernel's space or the search has changed since; start a new campaign",
                  context_.campaign, iteration, recorded.variant, to_text(recorded.config), context_.options.search,
                  ask ? ask->variant + " " + to_text(ask->config) : "nothing"));
}

// The record must still mean the same: the workload is there, its contract and the variant's source are what they were.
void Resumption::check_unchanged(const IterationSummary& iteration) const {
  const auto refuse = [&](const std::string& what) {
    throw bad_input(fmt::format("campaign {} cannot be resumed: {} since iteration {}; start a new campaign",
                                context_.campaign, what, iteration.iteration));
  };
  const std::string& kernel = iteration.candidate.kernel;
  const WorkloadBook* book = context_.state.find_workload(kernel, iteration.workload);
  if (book == nullptr) refuse(fmt::format("workload '{}' of kernel '{}' has gone", iteration.workload, kernel));
  if (!iteration.contract_hash.empty() && iteration.contract_hash != book->plan.contract_hash)
    refuse(fmt::format("the contract of kernel '{}' on '{}' has changed", kernel, iteration.workload));
  const VariantInfo* const variant = find_variant(context_.ports.catalog.kernel(kernel), iteration.candidate.variant);
  if (variant == nullptr) refuse(fmt::format("variant '{}' has gone", iteration.candidate.variant));
  if (!iteration.source_hash.empty() && !variant->source_hash.empty() && iteration.source_hash != variant->source_hash)
    refuse(fmt::format("the source of variant '{}' has changed", iteration.candidate.variant));
}

}  // namespace harness
