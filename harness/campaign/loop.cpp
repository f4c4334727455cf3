#include "harness/campaign/loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/attempt.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"

// Decide, start, land. What is decided and what lands is serial; what is started waits as a coroutine (flights.h).
namespace harness {
namespace {

/// Why it did not pass, a compiler's first lines included; "" where it did.
std::string error_message(const Outcome& outcome) {
  if (const auto* failed = std::get_if<CompileError>(&outcome)) return failed->log;
  const json error = error_json(outcome);
  return error.is_object() ? error.value("message", "") : "";
}

/// The same mistake seen before, in another variant, may be mended the same way.
void link_fingerprint(const Candidate& candidate, RecordedTwins& twins, Evaluation& evaluation) {
  auto* wrong = std::get_if<WrongAnswer>(&evaluation.outcome);
  if (wrong == nullptr) return;
  const auto same =
      stored([&] { return twins.same_fingerprint(candidate.kernel, candidate.variant, wrong->fingerprint, 3); });
  for (const IterationSummary& other : same)
    wrong->message += fmt::format("; the same as {} in iteration {}", other.candidate.variant, other.iteration);
}

}  // namespace

CampaignSummary Campaign::run() {
  begin();
  Ended ended = guarded([this]() -> Ended {
    preparations_.begin_campaign();
    admissions_.measure_device();
    if (Ended ended = admissions_.admit_kernels()) return ended;
    return explore();
  });
  flights_.abandon();
  if (options_.confirms && leaves_winners_to_confirm(ended->reason))
    if (Ended trouble = guarded([this] { return confirmation_.confirm_winners(); })) ended = trouble;
  flights_.abandon();
  CampaignSummary summary = summarize(*ended);
  try {
    ports_.ledger.charge(context_.campaign, "idle", limits_.idle_s());
    ports_.ledger.end_campaign(context_.campaign, summary.reason, summary.spent_s, summary.cost_usd);
  } catch (const Error& error) {  // what is saved is saved; the campaign stays resumable
    summary.reason = EndReason::store_error;
    summary.message = error.what();
  }
  ports_.display.finished(summary);
  return summary;
}

// Runs a part of the campaign; whatever goes wrong in it becomes the campaign's end, with everything saved.
Ended Campaign::guarded(const std::function<Ended()>& part) {
  try {
    return part();
  } catch (const StoreFailure& error) {
    return Ending{EndReason::store_error, error.what()};
  } catch (const Error& error) {
    return Ending{error.kind() == Error::Kind::environment ? EndReason::device_lost : EndReason::script_error,
                  error.what()};
  } catch (const std::bad_alloc&) {
    return Ending{EndReason::device_lost, "this machine has no memory left for the harness; free some and resume"};
  } catch (const std::exception& error) {  // a value nobody foresaw: saved and told, never an abort
    return Ending{EndReason::script_error, error.what()};
  }
}

// A device that is free is given the next evaluation at once; with none free, the next that ends is waited for.
Ended Campaign::explore() {
  for (;;) {
    Ended ended;
    if (!may_decide()) {
      ended = flights_.finish_next();
    } else {
      ended = check_limits();
      if (!ended) proposals_.take_ready();
      if (!ended) ended = step();
    }
    if (!ended) continue;
    const bool was_alone = !flights_.has_tasks();
    ended = flights_.drain(*ended);
    if (!was_alone && (ended->reason == EndReason::exhausted || ended->reason == EndReason::strategy))
      continue;  // it is asked again when nothing is under way
    if (proposals_.wait_instead(*ended)) continue;
    proposals_.drop();
    if (!last_cause_) return ended;
    return flights_.finish(baselines_.measure_missing_rivals(*ended, *last_cause_));
  }
}

// With nothing under way the strategy is always asked: it may stop, propose, or say why not.
bool Campaign::may_decide() {
  if (!flights_.has_room()) return false;
  if (!flights_.has_tasks()) return true;
  return std::ranges::any_of(state_.arms().arms, [&](const Arm& arm) {
    const ArmId& id = arm.state.id;
    return !arm.state.closed && !arm.state.exhausted && CampaignState::takes_another(arm) &&
           !flights_.under_way(id.kernel, id.workload, Purpose::baseline);
  });
}

Ended Campaign::check_limits() {
  if (context_.stopped()) return stopped_by_user();
  if (goal_reached()) return Ending{EndReason::goal, "the goal is reached on every workload"};
  // Before anything was measured there is no cost to predict: the first evaluation is begun in any budget.
  const bool first = state_.iterations() == 0;
  const double kept_s = first ? 0 : confirmation_.reserve_s();
  if (Ended ended = limits_.check(first ? 0 : state_.evaluation_seconds(), kept_s)) return ended;
  const auto& arms = state_.arms().arms;
  const bool nothing_open =
      std::all_of(arms.begin(), arms.end(), [](const Arm& arm) { return arm.state.exhausted || arm.state.closed; });
  if (nothing_open && !proposals_.may_come()) return Ending{EndReason::exhausted, "nothing is left to try"};
  return std::nullopt;
}

bool Campaign::goal_reached() const {
  if (!options_.goal_speedup && !options_.goal_of_floor) return false;
  const auto rows = state_.best();
  return std::all_of(rows.begin(), rows.end(), [&](const BestRow& row) {
    if (options_.goal_speedup) return row.state.speedup && *row.state.speedup >= *options_.goal_speedup;
    return row.state.of_floor && *row.state.of_floor >= *options_.goal_of_floor;
  });
}

Ended Campaign::step() {
  if (trials_.has_unanswered()) return flights_.start(trials_.try_unanswered());
  predictions_.take();
  const double begin = ports_.clock.seconds();
  Decision decision = decide();
  const double decide_s = ports_.clock.seconds() - begin;
  limits_.work(decide_s);
  if (is_busy(decision)) return flights_.finish_next();
  return flights_.start(obey(record(std::move(decision), decide_s)));
}

Decision Campaign::decide() {
  Decision decision = strategy_->decide(outlook_.snapshot());
  remember(decision.memory);
  if (decision.action == Action::stop || decision.action == Action::confirm) return decision;
  const Arm* arm = find_arm(state_.arms(), decision.arm);
  const auto refuse = [&](const char* what) {
    throw bad_input(fmt::format("strategy '{}' chose an arm that {}: {} {} {}", options_.strategy, what,
                                decision.arm.kernel, decision.arm.workload, decision.arm.technique));
  };
  if (arm == nullptr) refuse("does not exist");
  if (decision.action == Action::propose) return decision;
  if (arm->state.closed) refuse("it has closed");
  if (decision.action == Action::try_arm && arm->state.exhausted) refuse("is exhausted");
  return decision;
}

// What it remembers is kept with the campaign, so that a resumed one decides as it would have.
void Campaign::remember(const json& memory) {
  constexpr std::size_t kMostBytes = 4096;
  if (memory.is_null() || memory == options_.memory) return;
  if (const std::size_t bytes = memory.dump().size(); bytes > kMostBytes)
    throw bad_input(fmt::format("the memory of strategy '{}' has {} bytes as JSON, and {} are allowed",
                                options_.strategy, bytes, kMostBytes));
  options_.memory = memory;
  if (context_.campaign > 0) stored([&] { ports_.ledger.keep_options(context_.campaign, options_); });
}

DecisionRecord Campaign::record(Decision decision, double decide_s) {
  DecisionRecord cause{0, std::move(decision), state_.current, ports_.clock.unix_seconds()};
  cause.id = stored([&] {
    return ports_.ledger.record_decision(context_.campaign, cause.decision, cause.from, strategy_->identity(),
                                         cause.now_unix, decide_s);
  });
  last_cause_ = cause;
  return cause;
}

// Only an arm that was tried elsewhere meanwhile can be: the strategy is asked again when something has ended.
bool Campaign::is_busy(const Decision& decision) {
  if (decision.action != Action::try_arm) return false;
  const ArmId& id = decision.arm;
  return !CampaignState::takes_another(*find_arm(state_.arms(), id)) ||
         flights_.under_way(id.kernel, id.workload, Purpose::baseline);
}

Waits Campaign::obey(DecisionRecord cause) {
  const Decision& decision = cause.decision;
  if (decision.action == Action::stop) co_return Ending{decision.reason.value_or(EndReason::strategy), decision.why};
  if (decision.action == Action::confirm) co_return Ending{EndReason::strategy, decision.why};
  if (decision.action == Action::propose) {
    Waits asks = ask_for_proposal(cause);
    co_return co_await asks;
  }
  announce_pivot(decision);
  if (decision.action == Action::close) {
    find_arm(state_.arms(), decision.arm)->state.closed = true;
    co_return std::nullopt;
  }
  Waits begins = begin_workload(decision.arm, cause);
  if (Ended ended = co_await begins) co_return ended;
  Waits tries = trials_.try_arm(cause, decision.arm);
  co_return co_await tries;
}

// The baseline, and then what was fastest before: a campaign begins where the earlier ones ended, however short its
// budget is and whatever its strategy prefers.
Waits Campaign::begin_workload(ArmId id, DecisionRecord cause) {
  WorkloadBook& book = state_.workload(id.kernel, id.workload);
  const bool was_begun = book.baseline_tried;
  Waits begins = baselines_.begin_workload(book, cause);
  if (Ended ended = co_await begins) co_return ended;
  if (was_begun || !book.baseline_ns) co_return std::nullopt;
  std::optional<Earlier> earlier = trials_.fastest_before(book);
  if (!earlier) co_return std::nullopt;
  Decision decision;
  decision.arm = {id.kernel, id.workload, earlier->candidate.technique};
  decision.why = fmt::format("the fastest of earlier campaigns on {}: {}", id.workload, earlier->candidate.variant);
  DecisionRecord own = record(std::move(decision), 0);
  last_cause_ = cause;
  Waits tries = trials_.try_again_first(std::move(*earlier), own);
  co_return co_await tries;
}

// A proposer is told how the baseline does.
Waits Campaign::ask_for_proposal(DecisionRecord cause) {
  proposals_.refuse_if_unready(cause.decision);
  Waits begins = begin_workload(cause.decision.arm, cause);
  if (Ended ended = co_await begins) co_return ended;
  if (!proposals_.is_full()) proposals_.ask(cause);  // others may have asked meanwhile
  co_return std::nullopt;
}

void Campaign::announce_pivot(const Decision& decision) {
  const bool turns = decision.action == Action::try_arm && state_.current && *state_.current != decision.arm;
  const bool pivot = turns && find_arm(state_.arms(), decision.arm)->asked.empty();  // it is not at work already
  if (pivot || decision.action == Action::close)
    ports_.display.pivoted({context_.campaign, !pivot, state_.current, decision.arm, decision.rule, decision.why});
}

// An evaluation has ended. A device that was lost is not the candidate's doing: its attempt is tried again on resume.
Ended Campaign::land(std::int64_t ticket, Flight& flight, const DecisionRecord& cause) {
  Evaluation& evaluation = *flight.evaluation;
  link_fingerprint(flight.attempt.candidate, ports_.ledger, evaluation);
  evaluation.cost.prepare_s = ports_.evaluator.take_prepare_seconds();
  limits_.work(evaluation.cost.wall_s);
  if (flight.work.confirms()) confirmation_.ended(flight.attempt.candidate.kernel, evaluation.cost.wall_s);
  if (flight.work.purpose == Purpose::baseline) be_its_own_baseline(evaluation.outcome);
  cards_.land(flight);
  const auto* crashed = std::get_if<Crashed>(&evaluation.outcome);
  if (crashed != nullptr && crashed->kind == CrashKind::device_lost)
    return Ending{EndReason::device_lost, crashed->detail};
  return keep(ticket, flight, cause);
}

// What was found is recorded, remembered and shown.
Ended Campaign::keep(std::int64_t ticket, const Flight& flight, const DecisionRecord& cause) {
  const Assignment& work = flight.work;
  const Evaluation& evaluation = *flight.evaluation;
  const bool confirmed = work.confirms() && std::holds_alternative<Passed>(evaluation.outcome);
  const std::int64_t iteration = stored([&] { return ports_.ledger.end_attempt(ticket, evaluation, confirmed); });
  flights_.recorded(iteration);
  for (const FailedGate& failed : failed_gates(iteration, work.realized.source_hash, evaluation))
    requests_.note_failed(failed);
  outlook_.evaluation_ended();
  const IterationSummary summary = summarize_iteration(iteration, flight.attempt, evaluation);
  const bool new_best = apply(summary, &cause.decision.predict, error_message(evaluation.outcome));
  ports_.display.iteration(
      {iteration, flight.attempt, &evaluation, cause.decision, device_.device, confirmed, new_best, ticket});
  profiles_.consider(work, summary, new_best);
  if (std::holds_alternative<Interrupted>(evaluation.outcome)) return stopped_by_user();
  return std::nullopt;
}

/// The campaign's memory grows by an iteration, live or of the record. Whether it became a workload's best.
bool Campaign::apply(const IterationSummary& iteration, const Prediction* predicted, const std::string& message) {
  const WorkloadBook& book = state_.workload(iteration.candidate.kernel, iteration.workload);
  const std::size_t standings_before = book.standings.size();
  const std::optional<double> best_before =
      book.standings.empty() ? std::nullopt : std::optional(book.standings.back().time_ns);
  cards_.remember(iteration);
  state_.apply(iteration, predicted);
  const bool new_best = iteration.purpose != Purpose::confirm && book.standings.size() > standings_before;
  proposals_.note(iteration, message, best_before, new_best);
  return new_best;
}

}  // namespace harness
