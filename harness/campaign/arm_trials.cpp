#include "harness/campaign/arm_trials.h"

#include "harness/core/error.h"

namespace harness {

std::optional<Realized> ArmTrials::realize_asked(Arm& arm, const Candidate& candidate) {
  return of_arm(context_, arm, [&] { return std::optional(context_.realize(candidate, arm.state.id.workload)); });
}

// Arms may be added while an evaluation is waited for: they are looked up by what they are.
Waits ArmTrials::try_arm(DecisionRecord cause, ArmId id) {
  Arm* arm = find_arm(context_.state.arms(), id);
  const std::optional<SearchAsk> ask = of_arm(context_, *arm, [&] { return context_.state.advance(*arm); });
  if (!ask) co_return std::nullopt;  // now exhausted: the strategy decides again
  const Candidate candidate{id.kernel, ask->variant, id.technique, ask->config};
  const std::optional<Realized> realized = realize_asked(*arm, candidate);
  if (!realized) co_return std::nullopt;
  preparations_.follow(*arm, *ask);
  const std::int64_t number = arm->asks + static_cast<std::int64_t>(arm->asked.size()) + 1;
  arm->asked.push_back({*ask, number, cause.id});
  Assignment work{*realized, Purpose::search, number};
  Waits measures = flights_.evaluate(work, cause);
  if (Ended ended = co_await measures) co_return ended;
  Waits looks = see_elsewhere(candidate, cause);
  if (Ended ended = co_await looks) co_return ended;
  Waits follows = baselines_.follow_with_rival(context_.state.workload(id.kernel, id.workload), cause);
  co_return co_await follows;
}

std::optional<Earlier> ArmTrials::fastest_before(const WorkloadBook& book) {
  std::optional<Earlier> fastest;
  for (const Arm& arm : context_.state.arms().arms) {
    const ArmId& id = arm.state.id;
    if (id.kernel != book.plan.kernel || id.workload != book.plan.workload || arm.state.closed) continue;
    const auto is_here = [&](const EarlierResult& result) {
      return result.workload == id.workload && result.device_name == context_.device.name;
    };
    for (const EarlierResult& result : arm.earlier) {
      if (!is_here(result) || result.outcome != OutcomeKind::passed || !result.time_ns) continue;
      if (fastest && *result.time_ns >= fastest->time_ns) continue;
      const bool has_failed = std::ranges::any_of(arm.earlier, [&](const EarlierResult& other) {
        return is_here(other) && other.variant == result.variant && other.config == result.config &&
               !is_sound(other.outcome);
      });
      Candidate candidate{id.kernel, result.variant, id.technique, result.config};
      if (!has_failed && is_valid_on(candidate, id.workload))
        fastest = Earlier{std::move(candidate), id.workload, *result.time_ns};
    }
  }
  const Candidate& baseline = book.plan.baseline;
  if (fastest && fastest->candidate.variant == baseline.variant && fastest->candidate.config == baseline.config)
    return std::nullopt;
  return fastest;
}

Waits ArmTrials::try_again_first(Earlier earlier, DecisionRecord cause) {
  Arm* const arm =
      find_arm(context_.state.arms(), {earlier.candidate.kernel, earlier.workload, earlier.candidate.technique});
  const std::optional<Realized> realized = realize_asked(*arm, earlier.candidate);
  if (!realized) co_return std::nullopt;
  Assignment work{*realized, Purpose::search, 0};
  Waits measures = flights_.evaluate(work, cause);
  if (Ended ended = co_await measures) co_return ended;
  Waits looks = see_elsewhere(earlier.candidate, cause);
  if (Ended ended = co_await looks) co_return ended;
  co_return limits_();
}

Waits ArmTrials::try_unanswered() {
  const auto [id, asked] = again_.front();
  again_.erase(again_.begin());
  return try_again(asked, id);
}

Waits ArmTrials::try_again(Asked open_ask, ArmId id) {
  Arm* arm = find_arm(context_.state.arms(), id);
  const Candidate candidate{id.kernel, open_ask.ask.variant, id.technique, open_ask.ask.config};
  const std::optional<Realized> realized = realize_asked(*arm, candidate);
  if (!realized) co_return std::nullopt;
  DecisionRecord cause;
  for (DecisionRecord& record : context_.ports.ledger.decisions(context_.campaign))
    if (record.id == open_ask.decision) cause = std::move(record);
  Assignment work{*realized, Purpose::search, open_ask.number};
  Waits measures = flights_.evaluate(work, cause);
  co_return co_await measures;
}

// With --objective single a configuration counts when it has passed on every workload: it is taken to the others while
// it may still be the best of all. Their own searches are later answered from the record.
Waits ArmTrials::see_elsewhere(Candidate candidate, DecisionRecord cause) {
  for (;;) {
    const std::vector<std::string> needs = context_.state.single_needs(candidate);
    if (needs.empty() || !is_valid_on(candidate, needs.front())) co_return std::nullopt;
    WorkloadBook& book = context_.state.workload(candidate.kernel, needs.front());
    if (Ended ended = limits_()) co_return ended;
    if (!book.baseline_tried) {
      if (flights_.under_way(candidate.kernel, needs.front(), Purpose::baseline)) co_return std::nullopt;
      Waits begins = baselines_.begin_workload(book, cause);
      if (Ended ended = co_await begins) co_return ended;
      continue;
    }
    Assignment work{context_.realize(candidate, needs.front()), Purpose::search, 0};
    Waits measures = flights_.evaluate(work, cause);
    if (Ended ended = co_await measures) co_return ended;
  }
}

bool ArmTrials::is_valid_on(const Candidate& candidate, const std::string& workload) const {
  try {
    const Config there = context_.ports.catalog.plugin(candidate.kernel)
                             .default_config(candidate.variant, workload, context_.device, candidate.config);
    return to_text(there) == to_text(candidate.config);
  } catch (const Error&) {  // no valid configuration has these values
    return false;
  }
}

}  // namespace harness
