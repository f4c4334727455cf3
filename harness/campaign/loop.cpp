#include "harness/campaign/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/campaign/attempt.h"
#include "harness/campaign/foresight.h"
#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/launch_shape.h"
#include "harness/campaign/moment.h"
#include "harness/campaign/resemblance.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/floor.h"

namespace harness {
namespace {

// Before anything was measured: g++ takes a second or two for an emulated kernel, NVRTC and a warm runner under one.
constexpr double kAssumedEmulated = 3, kAssumedGpu = 0.8;
// A confirmation starts a fresh process and times longer: about 1 s where an evaluation took 0.25 s on an H200.
constexpr double kConfirmationCost = 4;
// And what memory checkers and further shapes take there, in seconds, before one was measured.
constexpr double kFinalGatesGpu = 3;
// At most this share of a budget is kept for confirming winners.
constexpr double kReserveShare = 0.3;
// Where compilers share their cores with an emulated device, so many of a search's hints are made at a time.
constexpr std::size_t kMostHintsEmulated = 4;
// Timing is cut short for what is clearly this many times slower than the best: far from a verdict that could matter.
constexpr double kAbandonFactor = 2;

/// After a stop or a spent budget, and not where the user, a script, the store or the device ended the campaign.
/// The time may end before the last of them: what gained most comes first.
std::vector<WorkloadBook*> by_gain(std::vector<WorkloadBook>& books) {
  std::vector<std::pair<double, WorkloadBook*>> gains;
  for (WorkloadBook& book : books) {
    const bool faster = book.baseline_ns && !book.standings.empty();
    gains.emplace_back(faster ? -book.plan.weight * std::log(*book.baseline_ns / book.standings.back().time_ns) : 0,
                       &book);
  }
  std::ranges::stable_sort(gains, {}, &std::pair<double, WorkloadBook*>::first);
  std::vector<WorkloadBook*> ordered;
  for (const auto& [gain, book] : gains) ordered.push_back(book);
  return ordered;
}

bool leaves_winners_to_confirm(EndReason reason) {
  return reason == EndReason::budget || reason == EndReason::cost || reason == EndReason::goal ||
         reason == EndReason::exhausted || reason == EndReason::strategy;
}

std::optional<double> best_time(const WorkloadBook& book) {
  return book.standings.empty() ? std::nullopt : std::optional(book.standings.back().time_ns);
}

/// Why it did not pass, a compiler's first lines included; "" where it did.
std::string error_message(const Outcome& outcome) {
  if (const auto* failed = std::get_if<CompileError>(&outcome)) return failed->log;
  const json error = error_json(outcome);
  return error.is_object() ? error.value("message", "") : "";
}

std::optional<double> ahead_of_rival(const WorkloadBook& book) {
  const RivalRun* rival = book.best_rival();
  if (rival == nullptr || book.standings.empty()) return std::nullopt;
  return *rival->time_ns / book.standings.back().time_ns;
}

}  // namespace

Campaign::Campaign(CampaignPorts ports, CampaignOptions options, std::optional<std::int64_t> resume)
    : ports_(std::move(ports)),
      options_(std::move(options)),
      device_(ports_.evaluator.device()),
      state_(make_arms(ports_.catalog, ports_.scripts, options_, device_),
             device_.emulation ? kAssumedEmulated : kAssumedGpu),
      strategy_(ports_.scripts.strategy(options_.strategy)),
      resume_(resume) {
  if (options_.objective == "single") state_.seek_single();
  state_.device_name = device_.name;
  state_.distance = [this](const std::string& kernel, const std::string& from, const std::string& to) {
    const auto [at, unknown] = distances_.try_emplace({kernel, from, to});
    if (unknown) at->second = Resemblance(ports_.catalog.kernel(kernel), from).distance(to);
    return at->second;
  };
  state_.launch_of = [this](const Candidate& candidate, const std::string& workload) {
    return launch_of(candidate, workload);
  };
}

CampaignSummary Campaign::run() {
  begin();
  Ended ended = guarded([this]() -> Ended {
    prepare_first();
    measure_device();
    if (Ended ended = admit_kernels()) return ended;
    return explore();
  });
  abandon_flights();
  if (leaves_winners_to_confirm(ended->reason))
    if (Ended trouble = guarded([this] { return confirm_winners(); })) ended = trouble;
  abandon_flights();
  CampaignSummary summary = summarize(*ended);
  try {
    ports_.ledger.charge(campaign_, "idle", std::max(0.0, held_seconds() - busy_s_));
    ports_.ledger.end_campaign(campaign_, summary.reason, summary.spent_s, summary.cost_usd);
  } catch (const Error& error) {  // what is saved is saved; the campaign stays resumable
    summary.reason = EndReason::store_error;
    summary.message = error.what();
  }
  ports_.display.finished(summary);
  return summary;
}

// What earlier campaigns learnt, frozen at this one's start: a resume and a replay see the same.
void Campaign::add_experience() {
  ExperienceQuery query;
  query.before_campaign = campaign_ > 0 ? campaign_ : INT64_MAX;
  query.kernels = options_.kernels;
  for (const WorkloadBook& book : state_.workloads()) query.contract_hashes.push_back(book.plan.contract_hash);
  query.device_name = device_.name;
  query.architecture = device_.architecture;
  query.script = strategy_->identity().name;
  state_.add_experience(ports_.ledger.experience(query));
  if (ports_.proposer != nullptr)
    proposer_history_ = ports_.ledger.proposer_history(ports_.proposer->spec(), device_.name, query.before_campaign);
  add_pattern_evidence();
}

// A workload's floor is made by the same resource all along: asked of the catalog once.
std::optional<std::string> Campaign::floor_binds(const std::string& kernel, const std::string& workload) {
  const auto [known, fresh] = floor_binds_.try_emplace({kernel, workload});
  if (fresh)
    if (const auto floor = floor_ns(ports_.catalog.problem(kernel, workload).work, device_))
      known->second = floor->binds;
  return known->second;
}

// A page that cannot be read has no evidence; a strategy that uses the playbook is refused because of it.
void Campaign::add_pattern_evidence() {
  if (ports_.playbook == nullptr) return;
  const std::vector<PatternApplication> applications =
      ports_.ledger.pattern_applications(campaign_ > 0 ? campaign_ : INT64_MAX, device_.name);
  if (applications.empty()) return;
  for (const Pattern& pattern : ports_.playbook->patterns()) {
    PatternEvidence evidence = sum_up(pattern.id, pattern.expect, applications);
    if (pattern.error.empty() && evidence.applied > 0) pattern_evidence_.push_back(std::move(evidence));
  }
}

// How much of the device a candidate's plan fills; unknown where it can no longer be realized (its file was edited).
std::optional<LaunchShape> Campaign::launch_of(const Candidate& candidate, const std::string& workload) {
  try {
    return launch_shape(ports_.catalog.realize(candidate, workload, device_).plan);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Results of the same kernel on other workloads and devices are where a search may begin; frozen like the evidence.
void Campaign::tell_earlier() {
  std::map<std::string, std::vector<EarlierResult>> of_kernel;
  for (const std::string& kernel : options_.kernels)
    of_kernel[kernel] = ports_.ledger.earlier_results(campaign_, kernel, device_.device);
  for (Arm& arm : state_.arms().arms) {
    std::vector<EarlierResult> known = of_kernel[arm.state.id.kernel];
    std::erase_if(known, [&](const EarlierResult& result) {
      return std::ranges::find(arm.state.variants, result.variant) == arm.state.variants.end();
    });
    for (EarlierResult& result : known)
      result.distance = state_.distance(arm.state.id.kernel, arm.state.id.workload, result.workload);
    arm.earlier = known;
    arm.search->know(std::move(known));
  }
}

void Campaign::begin() {
  started_ = ports_.clock.seconds() - ports_.before_s;
  CampaignRecord record;
  record.name = options_.name;
  record.device = device_.device;
  record.device_name = device_.name;
  record.strategy = strategy_->identity().name;
  record.strategy_hash = strategy_->identity().hash;
  record.search = options_.search;
  record.seed = options_.seed;
  record.budget_s = options_.budget_s;
  record.max_cost_usd = options_.max_cost_usd;
  record.kernels = options_.kernels;
  record.options = options_;
  record.environment = ports_.environment;
  record.usd_per_hour = options_.usd_per_hour;
  if (resume_) ports_.ledger.resume_campaign(*resume_, record);
  campaign_ = resume_ ? *resume_ : ports_.ledger.begin_campaign(record);
  take_card_checks();
  add_experience();
  tell_earlier();
  begin_predicting();
  if (resume_) replay_record();
  ports_.display.started({campaign_, record, resume_.has_value(), state_.workloads().size(), state_.arms().arms.size(),
                          state_.arms().notes, resume_ ? std::vector<Foreseen>{} : foreseen()});
}

std::vector<Foreseen> Campaign::foreseen() {
  return foresee(ports_.catalog, ports_.evaluator, ports_.ledger, state_.arms(), options_.kernels, options_.rivals);
}

// On first sight of a device: what it reaches. Times are held against that.
void Campaign::measure_device() {
  say("looking up what the device reaches");
  const double begin = ports_.clock.seconds();
  ports_.evaluator.use_peaks(known_peaks(ports_.evaluator, ports_.ledger));
  charge_gates(ports_.clock.seconds() - begin);
}

// The gates of every kernel have been tried with its mutants before anything is judged by them. Of several kernels one
// may fail, or find no time left: the others go on without it.
Campaign::Ended Campaign::admit_kernels() {
  constexpr double kShareForGates = 0.4;  // of the budget; the first kernel's gates are tried in any
  std::optional<Error> refused;
  for (const std::string& kernel : options_.kernels) {
    if (options_.budget_s && !admissions_.empty() && spent_seconds() > kShareForGates * *options_.budget_s) {
      leave_out(kernel, "no time is left to try its gates");
      continue;
    }
    if (const std::string doing = gates_to_try(ports_.catalog, ports_.evaluator, ports_.ledger, kernel); !doing.empty())
      say(doing, "trial of the gates");
    const double begin = ports_.clock.seconds();
    std::optional<Admission> admission = known_admission(ports_.catalog, ports_.evaluator, ports_.ledger, kernel);
    if (!admission) return Ending{EndReason::interrupted, "stopped by the user"};
    charge_gates(ports_.clock.seconds() - begin);
    gates_s_[kernel] += ports_.clock.seconds() - begin;
    if (!admission->passed) {
      refused = bad_input(refusal(*admission));
      leave_out(kernel, refused->what());
      continue;
    }
    admissions_[kernel] = std::move(*admission);
  }
  if (admissions_.empty() && refused) throw *refused;
  return std::nullopt;
}

void Campaign::leave_out(const std::string& kernel, const std::string& why) {
  left_out_[kernel] = why;
  bool told = false;
  for (Arm& arm : state_.arms().arms) {
    if (arm.state.id.kernel != kernel) continue;
    arm.state.closed = true;
    if (!told)
      ports_.display.pivoted(
          {campaign_, true, std::nullopt, arm.state.id, std::nullopt, kernel + " is left out: " + why});
    told = true;
  }
}

void Campaign::charge_gates(double seconds) {
  busy_s_ += seconds;
  stored([&] { ports_.ledger.charge(campaign_, "gates", seconds); });
}

void Campaign::say(const std::string& doing, const std::string& phase) {
  ports_.display.progress({spent_seconds(), options_.budget_s.value_or(0), state_.iterations(), state_.outcomes(),
                           doing, std::nullopt, std::nullopt, phase, "", ""});
}

// A search is fed what is recorded and must ask for it in the same order; then it continues where it was.
void Campaign::replay_record() {
  spent_before_ = ports_.ledger.spent_seconds(campaign_);
  const std::vector<DecisionRecord> decisions = ports_.ledger.decisions(campaign_);
  std::map<std::int64_t, const Prediction*> predictions;
  for (const DecisionRecord& record : decisions) predictions[record.id] = &record.decision.predict;
  restore_proposals();
  replay_iterations(predictions);
  for (const DecisionRecord& record : decisions)
    if (record.decision.action == Action::close)
      if (Arm* arm = find_arm(state_.arms(), record.decision.arm)) arm->state.closed = true;
  if (!decisions.empty()) last_taken_ = decisions.back();
  for (const FailedGate& failed : ports_.ledger.failed_gates(campaign_)) failed_sources_.add(failed);
}

// What is begun and what has ended, in the order of the record: with several devices a search is asked for the next
// before it is told of the last.
void Campaign::replay_iterations(const std::map<std::int64_t, const Prediction*>& predictions) {
  const std::vector<IterationSummary> iterations = ports_.ledger.iterations(campaign_);
  restore_profiles(iterations);
  for (const Orphan& orphan : ports_.ledger.orphans(campaign_))
    machine_falls_[attempt_key(orphan.record)] = orphan.machine_went_down;
  const std::vector<Begun> begun = ports_.ledger.begun(campaign_);
  auto next = begun.begin();
  const auto begin_until = [&](std::int64_t iteration) {
    for (; next != begun.end() && *next->record.after < iteration; ++next) begin_recorded(next->record);
  };
  for (const IterationSummary& iteration : iterations) {
    begin_until(iteration.iteration);
    tell_recorded_predictions();
    const auto predicted = predictions.find(iteration.decision);
    tell_recorded(iteration, predicted == predictions.end() ? nullptr : predicted->second);
    last_iteration_ = iteration.iteration;
  }
  tell_recorded_predictions();
  begin_until(INT64_MAX);
  for (Arm& arm : state_.arms().arms)
    for (const Asked& asked : arm.asked) again_.emplace_back(arm.state.id, asked);
}

AttemptRecord Campaign::attempt_of(const IterationSummary& iteration) {
  AttemptRecord attempt;
  attempt.candidate = iteration.candidate;
  attempt.workload = iteration.workload;
  attempt.ask = iteration.ask;
  attempt.purpose = iteration.purpose;
  attempt.decision = iteration.decision;
  attempt.after = iteration.after;
  return attempt;
}

/// A search was asked. One that is evaluated for the second time, because a node was lost, has been asked for already.
void Campaign::begin_recorded(const AttemptRecord& attempt) {
  const Candidate& candidate = attempt.candidate;
  Arm* arm = find_arm(state_.arms(), {candidate.kernel, attempt.workload, candidate.technique});
  if (attempt.ask == 0 || arm == nullptr) return;
  if (std::ranges::find(arm->asked, attempt.ask, &Asked::number) != arm->asked.end()) return;
  const std::optional<SearchAsk> ask = state_.advance(*arm);
  refuse_other_ask(candidate, *attempt.after, ask);
  arm->asked.push_back({*ask, attempt.ask, attempt.decision});
}

void Campaign::refuse_other_ask(const Candidate& recorded, std::int64_t iteration,
                                const std::optional<SearchAsk>& ask) {
  if (ask && ask->variant == recorded.variant && to_text(ask->config) == to_text(recorded.config)) return;
  throw bad_input(
      fmt::format("campaign {} cannot be resumed: iteration {} evaluated {} {}, but search '{}' now asks for {}; the "
                  "kernel's space or the search has changed since; start a new campaign",
                  campaign_, iteration, recorded.variant, to_text(recorded.config), options_.search,
                  ask ? ask->variant + " " + to_text(ask->config) : "nothing"));
}

// The record must still mean the same: the workload is there, its contract and the variant's source are what they were.
void Campaign::check_unchanged(const IterationSummary& iteration) {
  const auto refuse = [&](const std::string& what) {
    throw bad_input(fmt::format("campaign {} cannot be resumed: {} since iteration {}; start a new campaign", campaign_,
                                what, iteration.iteration));
  };
  const std::string& kernel = iteration.candidate.kernel;
  const WorkloadBook* book = state_.find_workload(kernel, iteration.workload);
  if (book == nullptr) refuse(fmt::format("workload '{}' of kernel '{}' has gone", iteration.workload, kernel));
  if (!iteration.contract_hash.empty() && iteration.contract_hash != book->plan.contract_hash)
    refuse(fmt::format("the contract of kernel '{}' on '{}' has changed", kernel, iteration.workload));
  const auto& variants = ports_.catalog.kernel(kernel).variants;
  const auto variant = std::find_if(variants.begin(), variants.end(),
                                    [&](const VariantInfo& v) { return v.name == iteration.candidate.variant; });
  if (variant == variants.end()) refuse(fmt::format("variant '{}' has gone", iteration.candidate.variant));
  if (!iteration.source_hash.empty() && !variant->source_hash.empty() && iteration.source_hash != variant->source_hash)
    refuse(fmt::format("the source of variant '{}' has changed", iteration.candidate.variant));
}

void Campaign::tell_recorded(const IterationSummary& iteration, const Prediction* predicted) {
  check_unchanged(iteration);
  const ArmId id{iteration.candidate.kernel, iteration.workload, iteration.candidate.technique};
  Arm* arm = find_arm(state_.arms(), id);
  if (iteration.ask > 0 && !iteration.after && !says_nothing(iteration.outcome) && arm != nullptr)
    refuse_other_ask(iteration.candidate, iteration.iteration, state_.advance(*arm));
  if (iteration.outcome == OutcomeKind::lost) ++nodes_lost_[attempt_key(attempt_of(iteration))];
  remember_alone(iteration);
  WorkloadBook& book = state_.workload(iteration.candidate.kernel, iteration.workload);
  const std::size_t standings_before = book.standings.size();
  const std::optional<double> best_before = best_time(book);
  state_.apply(iteration, predicted);
  note_seen(iteration, "");
  note_proposed(iteration, best_before,
                iteration.purpose != Purpose::confirm && book.standings.size() > standings_before);
}

// Runs a part of the campaign; whatever goes wrong in it becomes the campaign's end, with everything saved.
Campaign::Ended Campaign::guarded(const std::function<Ended()>& part) {
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
Campaign::Ended Campaign::explore() {
  for (;;) {
    Ended ended;
    if (!may_decide()) {
      ended = finish_next();
    } else {
      ended = check_limits();
      for (std::size_t i = asking_.size(); !ended && i > 0; --i) take_proposal(0);
      if (!ended) ended = step();
    }
    if (!ended) continue;
    const bool was_alone = tasks_.empty();
    ended = drain(*ended);
    if (!was_alone && (ended->reason == EndReason::exhausted || ended->reason == EndReason::strategy))
      continue;  // it is asked again when nothing is under way
    if (waits_for_proposal(*ended)) continue;
    drop_requests();
    return finish(measure_missing_rivals(*ended));
  }
}

Campaign::Ended Campaign::check_limits() {
  if (ports_.stop && ports_.stop()) return Ending{EndReason::interrupted, "stopped by the user"};
  if (goal_reached()) return Ending{EndReason::goal, "the goal is reached on every workload"};
  // Before anything was measured there is no cost to predict: the first evaluation is begun in any budget.
  const double needed = state_.iterations() == 0 ? 0 : state_.evaluation_seconds() + reserve_seconds();
  if (options_.budget_s && spent_seconds() + needed > *options_.budget_s)
    return Ending{
        EndReason::budget,
        fmt::format("{:.0f} of {:.0f} s are spent and another evaluation would not fit beside the confirmation",
                    spent_seconds(), *options_.budget_s)};
  if (options_.max_cost_usd && spent_usd() &&
      *spent_usd() + usd_per_held_hour() * needed / 3600 > *options_.max_cost_usd)
    return Ending{EndReason::cost, fmt::format("${:.2f} of ${:.2f} are spent", *spent_usd(), *options_.max_cost_usd)};
  const auto& arms = state_.arms().arms;
  const bool nothing_open =
      std::all_of(arms.begin(), arms.end(), [](const Arm& arm) { return arm.state.exhausted || arm.state.closed; });
  if (nothing_open && !may_still_be_proposed()) return Ending{EndReason::exhausted, "nothing is left to try"};
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

Campaign::Ended Campaign::step() {
  if (!again_.empty()) {  // begun before the campaign was cut short
    const auto [id, asked] = again_.front();
    again_.erase(again_.begin());
    return start(try_again(asked, id));
  }
  take_predictions();
  const double begin = ports_.clock.seconds();
  Decision decision = decide();
  const double decide_s = ports_.clock.seconds() - begin;
  busy_s_ += decide_s;
  if (is_busy(decision)) return finish_next();
  return start(obey(record(std::move(decision), decide_s)));
}

DecisionRecord Campaign::record(Decision decision, double decide_s) {
  DecisionRecord taken{0, std::move(decision), state_.current, ports_.clock.unix_seconds()};
  taken.id = stored([&] {
    return ports_.ledger.record_decision(campaign_, taken.decision, taken.from, strategy_->identity(), taken.now_unix,
                                         decide_s);
  });
  last_taken_ = taken;
  return taken;
}

Decision Campaign::decide() {
  Decision decision = strategy_->decide(snapshot());
  if (decision.action == Action::stop || decision.action == Action::confirm) return decision;
  const Arm* arm = find_arm(state_.arms(), decision.arm);
  const std::string label = decision.arm.kernel + " " + decision.arm.workload + " " + decision.arm.technique;
  if (arm == nullptr)
    throw bad_input(fmt::format("strategy '{}' chose an arm that does not exist: {}", options_.strategy, label));
  if (decision.action == Action::propose) return decision;
  if (arm->state.closed)
    throw bad_input(fmt::format("strategy '{}' chose an arm that it has closed: {}", options_.strategy, label));
  if (decision.action == Action::try_arm && arm->state.exhausted)
    throw bad_input(fmt::format("strategy '{}' chose an arm that is exhausted: {}", options_.strategy, label));
  return decision;
}

// Only an arm that was tried elsewhere meanwhile can be: the strategy is asked again when something has ended.
bool Campaign::is_busy(const Decision& decision) {
  if (decision.action != Action::try_arm) return false;
  const ArmId& id = decision.arm;
  return !CampaignState::takes_another(*find_arm(state_.arms(), id)) ||
         under_way(id.kernel, id.workload, Purpose::baseline);
}

Campaign::Waits Campaign::obey(DecisionRecord taken) {
  const Decision& decision = taken.decision;
  if (decision.action == Action::stop) co_return Ending{decision.reason.value_or(EndReason::strategy), decision.why};
  if (decision.action == Action::confirm) co_return Ending{EndReason::strategy, decision.why};
  if (decision.action == Action::propose) {
    Waits asks = ask_for_proposal(taken);
    co_return co_await asks;
  }
  announce_pivot(decision);
  if (decision.action == Action::close) {
    find_arm(state_.arms(), decision.arm)->state.closed = true;
    co_return std::nullopt;
  }
  Waits begins = begin_workload(state_.workload(decision.arm.kernel, decision.arm.workload), taken);
  if (Ended ended = co_await begins) co_return ended;
  Waits tries = try_arm(taken, decision.arm);
  co_return co_await tries;
}

void Campaign::announce_pivot(const Decision& decision) {
  const bool turns = decision.action == Action::try_arm && state_.current && *state_.current != decision.arm;
  const bool pivot = turns && find_arm(state_.arms(), decision.arm)->asked.empty();  // it is not at work already
  if (pivot || decision.action == Action::close)
    ports_.display.pivoted({campaign_, !pivot, state_.current, decision.arm, decision.rule, decision.why});
}

// Before anything is tried on a workload.
Campaign::Waits Campaign::begin_workload(WorkloadBook& book, DecisionRecord taken) {
  if (book.baseline_tried || under_way(book.plan.kernel, book.plan.workload, Purpose::baseline)) co_return std::nullopt;
  prepare_begin(book);
  Waits measures = evaluate_baseline(book, taken);
  if (Ended ended = co_await measures) co_return ended;
  co_return check_limits();
}

// A rival meets the same gates; a library's only at the timed size, because it plans each size anew, for seconds, and
// is nobody's winner. One that fails is only not there to be compared with.
Campaign::Waits Campaign::measure_rival(WorkloadBook& book, DecisionRecord taken) {
  const Candidate* const rival = book.next_rival();
  if (rival == nullptr || under_way(book.plan.kernel, book.plan.workload, Purpose::rival)) co_return std::nullopt;
  Work work{ports_.catalog.realize(*rival, book.plan.workload, device_), Purpose::rival, 0};
  Waits measures = evaluate(work, taken);
  co_return co_await measures;
}

// What is ours comes first, and then each of ours is followed by a rival, until they have no more. One tells where we
// stand; a library plans each of its engines for a second, so the others wait until their share of the time has come.
Campaign::Waits Campaign::follow_with_rival(WorkloadBook& book, DecisionRecord taken) {
  constexpr std::int64_t kOursFirst = 3;  // the baseline among them
  constexpr double kShareOfRivals = 0.1;
  if (!book.rivals.empty() && state_.rivals_seconds() > kShareOfRivals * held_seconds()) co_return std::nullopt;
  std::int64_t ours = 0;
  for (const Arm& arm : state_.arms().arms)
    if (arm.state.id.kernel == book.plan.kernel && arm.state.id.workload == book.plan.workload)
      ours += arm.state.evaluations;
  if (ours < kOursFirst || book.next_rival() == nullptr) co_return std::nullopt;
  if (Ended ended = check_limits()) co_return ended;
  Waits measures = measure_rival(book, taken);
  co_return co_await measures;
}

// Where nothing of ours is left to try, the rivals still are, as far as there is time.
Campaign::Waits Campaign::measure_missing_rivals(Ending ending) {
  const bool has_time = ending.reason == EndReason::exhausted || ending.reason == EndReason::strategy;
  if (!has_time || !last_taken_) co_return ending;
  for (WorkloadBook& book : state_.workloads())
    while (book.baseline_tried && book.next_rival() != nullptr && affords(state_.evaluation_seconds())) {
      Waits measures = measure_rival(book, *last_taken_);
      if (Ended ended = co_await measures) co_return ended;
    }
  co_return ending;
}

Campaign::Waits Campaign::evaluate_baseline(WorkloadBook& book, DecisionRecord taken) {
  Work work{ports_.catalog.realize(book.plan.baseline, book.plan.workload, device_), Purpose::baseline, 0};
  Waits measures = evaluate(work, taken);
  if (Ended ended = co_await measures) co_return ended;
  book.baseline_tried = true;
  co_return std::nullopt;
}

// The arm of a proposed variant whose manifest fails is closed; any other's failure ends the campaign, as it did.
template <typename Call>
auto Campaign::of_arm(Arm& arm, Call call) -> std::optional<typename decltype(call())::value_type> {
  try {
    return call();
  } catch (const Error& error) {
    if (!arm.state.proposal || error.kind() != Error::Kind::bad_input) throw;
    arm.state.closed = true;
    ports_.display.pivoted({campaign_, true, state_.current, arm.state.id, std::nullopt, error.what()});
    return std::nullopt;
  }
}

std::optional<SearchAsk> Campaign::next_ask(Arm& arm) {
  return of_arm(arm, [&] { return state_.advance(arm); });
}

std::optional<Realized> Campaign::realize_asked(Arm& arm, const Candidate& candidate) {
  return of_arm(arm, [&] { return std::optional(ports_.catalog.realize(candidate, arm.state.id.workload, device_)); });
}

// Arms may be added while an evaluation is waited for: they are looked up by what they are.
Campaign::Waits Campaign::try_arm(DecisionRecord taken, ArmId id) {
  Arm* arm = find_arm(state_.arms(), id);
  const std::optional<SearchAsk> ask = next_ask(*arm);
  if (!ask) co_return std::nullopt;  // now exhausted: the strategy decides again
  const Candidate candidate{id.kernel, ask->variant, id.technique, ask->config};
  const std::optional<Realized> realized = realize_asked(*arm, candidate);
  if (!realized) co_return std::nullopt;
  prepare_ahead(*arm, *ask);
  const std::int64_t number = arm->asks + static_cast<std::int64_t>(arm->asked.size()) + 1;
  arm->asked.push_back({*ask, number, taken.id});
  Work work{*realized, Purpose::search, number};
  Waits measures = evaluate(work, taken);
  if (Ended ended = co_await measures) co_return ended;
  Waits looks = see_elsewhere(candidate, taken);
  if (Ended ended = co_await looks) co_return ended;
  Waits follows = follow_with_rival(state_.workload(id.kernel, id.workload), taken);
  co_return co_await follows;
}

Campaign::Waits Campaign::try_again(Asked asked, ArmId id) {
  Arm* arm = find_arm(state_.arms(), id);
  const Candidate candidate{id.kernel, asked.ask.variant, id.technique, asked.ask.config};
  const std::optional<Realized> realized = realize_asked(*arm, candidate);
  if (!realized) co_return std::nullopt;
  DecisionRecord taken;
  for (DecisionRecord& record : ports_.ledger.decisions(campaign_))
    if (record.id == asked.decision) taken = std::move(record);
  Work work{*realized, Purpose::search, asked.number};
  Waits measures = evaluate(work, taken);
  co_return co_await measures;
}

// With --objective single a configuration counts when it has passed on every workload: it is taken to the others while
// it may still be the best of all. Their own searches are later answered from the record.
Campaign::Waits Campaign::see_elsewhere(Candidate candidate, DecisionRecord taken) {
  for (;;) {
    const std::vector<std::string> needs = state_.single_needs(candidate);
    if (needs.empty() || !is_valid_on(candidate, needs.front())) co_return std::nullopt;
    WorkloadBook& book = state_.workload(candidate.kernel, needs.front());
    if (Ended ended = check_limits()) co_return ended;
    if (!book.baseline_tried) {
      if (under_way(candidate.kernel, needs.front(), Purpose::baseline)) co_return std::nullopt;
      Waits begins = begin_workload(book, taken);
      if (Ended ended = co_await begins) co_return ended;
      continue;
    }
    Work work{ports_.catalog.realize(candidate, needs.front(), device_), Purpose::search, 0};
    Waits measures = evaluate(work, taken);
    if (Ended ended = co_await measures) co_return ended;
  }
}

bool Campaign::is_valid_on(const Candidate& candidate, const std::string& workload) {
  try {
    const Config there =
        ports_.catalog.default_config(candidate.kernel, candidate.variant, workload, device_, candidate.config);
    return to_text(there) == to_text(candidate.config);
  } catch (const Error&) {  // no valid configuration has these values
    return false;
  }
}

// What the arm's search announces, and the next ask of every other arm: a pivot should not wait for a compiler.
void Campaign::prepare_ahead(const Arm& arm, const SearchAsk& ask) {
  std::vector<Realized> next;
  for (const auto& [variant, config] : ask.hints) {  // most of them were hints of the ask before
    if (device_.emulation && next.size() == kMostHintsEmulated) break;
    const ArmId& id = arm.state.id;
    const std::string key = fmt::format("{}\n{}\n{}\n{}", id.kernel, id.workload, variant, to_text(config));
    if (hinted_.insert(key).second) next.push_back(realize_of(id, variant, config));
  }
  add_next_asks(next);
  ports_.evaluator.prepare(next);
}

// While the gates are tried, compilers have nothing to do. Where they share their cores with an emulated device, what
// they would take from it counts for more.
void Campaign::prepare_first() {
  if (device_.emulation) return;
  const std::string& first = options_.kernels.front();
  if (!gates_to_try(ports_.catalog, ports_.evaluator, ports_.ledger, first).empty())
    for (const Realized& baseline : trial_baselines(ports_.catalog, ports_.evaluator, first))
      ports_.evaluator.prepare({&baseline, 1});
  std::vector<Realized> next;
  for (const WorkloadBook& book : state_.workloads())
    next.push_back(ports_.catalog.realize(book.plan.baseline, book.plan.workload, device_));
  for (const Arm& arm : state_.arms().arms)
    if (learns_from_others(arm) || awaits_prediction(arm))
      if (const std::optional<Realized> likely = likely_first(arm)) next.push_back(*likely);
  add_next_asks(next);
  ports_.evaluator.prepare(next);
}

// What the search of an arm asks for first depends on what the others know when its workload begins.
bool Campaign::learns_from_others(const Arm& arm) {
  const auto& books = state_.workloads();
  const bool alone = std::ranges::count(books, arm.state.id.kernel, [](const auto& b) { return b.plan.kernel; }) < 2;
  return !alone && !state_.workload(arm.state.id.kernel, arm.state.id.workload).baseline_tried;
}

// What such a search will probably ask for first: what is best on the workload most like its own, else where the space
// begins.
std::optional<Realized> Campaign::likely_first(const Arm& arm) {
  const std::vector<EarlierResult> known = state_.fastest_elsewhere(arm);
  const auto begins = std::ranges::find_if(arm.space.variants, [](const auto& v) { return !v.second.points.empty(); });
  try {
    if (!known.empty()) return realize_of(arm.state.id, known.front().variant, known.front().config);
    if (begins == arm.space.variants.end()) return std::nullopt;
    return realize_of(arm.state.id, begins->first, configuration(begins->second, begins->second.start));
  } catch (const Error&) {  // no more than a guess: that configuration may not be valid here
    return std::nullopt;
  }
}

// While a baseline is measured, compilers make what the searches of its workload will probably ask for first.
void Campaign::prepare_begin(const WorkloadBook& book) {
  std::vector<Realized> likely;
  for (const Arm& arm : state_.arms().arms)
    if (arm.state.id.kernel == book.plan.kernel && arm.state.id.workload == book.plan.workload && !arm.state.closed &&
        learns_from_others(arm))
      if (const std::optional<Realized> first = likely_first(arm)) likely.push_back(*first);
  ports_.evaluator.prepare(likely);
}

void Campaign::add_next_asks(std::vector<Realized>& next) {
  for (Arm& arm : state_.arms().arms) {
    if (arm.state.closed || arm.state.exhausted || arm.announced == arm.asks || !arm.asked.empty()) continue;
    if (learns_from_others(arm) || awaits_prediction(arm)) continue;
    arm.announced = arm.asks;
    try {
      if (const auto upcoming = arm.search->ask())
        next.push_back(realize_of(arm.state.id, upcoming->variant, upcoming->config));
    } catch (const Error&) {  // a hint is never the campaign's end: what is wrong is said when the arm is tried
    }
  }
}

Realized Campaign::realize_of(const ArmId& id, const std::string& variant, const Config& config) {
  return ports_.catalog.realize({id.kernel, variant, id.technique, config}, id.workload, device_);
}

std::optional<Incumbent> Campaign::incumbent_for(const Work& work, WorkloadBook& book) {
  const std::string& workload = book.plan.workload;
  if (work.confirms() && book.baseline_ns)
    return Incumbent{ports_.catalog.realize(book.plan.baseline, workload, device_), *book.baseline_ns, 1.0};
  if (book.standings.empty() || work.confirms() || work.purpose == Purpose::rival) return std::nullopt;
  const Standing& best = book.standings.back();
  return Incumbent{ports_.catalog.realize(best.candidate, workload, device_), best.time_ns, best.speedup};
}

bool Campaign::wants_exact_times(const ArmId& id) {
  const Arm* arm = find_arm(state_.arms(), id);
  return arm != nullptr && arm->search->exact_times();
}

// A baseline of the naive kind may take seconds a launch: no more than a twentieth of the budget for all of them. With
// --objective single every workload needs a winner that met all gates.
double Campaign::brief_baseline_s() const {
  constexpr double kLeast = 2.5, kShare = 0.05;
  if (!options_.budget_s || options_.objective == "single") return 0;
  return std::max(kLeast, kShare * *options_.budget_s);
}

EvaluationRequest Campaign::request_for(const Work& work, WorkloadBook& book) {
  const Candidate& candidate = work.realized.candidate;
  const bool strict = work.confirms() || failed_sources_.was_wrong_elsewhere(work.realized.source_hash);
  const bool is_library = work.purpose == Purpose::rival && has_library_step(work.realized.plan);
  const Points points = is_library ? Points::none : strict ? Points::finalist : Points::search;
  EvaluationRequest request = gated_request(ports_.catalog, ports_.evaluator, work.realized, points);
  request.incumbent = incumbent_for(work, book);
  if (work.purpose != Purpose::baseline) request.baseline_ns = book.baseline_ns;
  else if (!work.all_gates) request.brief_s = brief_baseline_s();
  request.confirm = work.confirms();
  const auto send_along = [&](const Candidate& each) {
    if (const ProposalRecord* proposal = proposal_of(each))
      request.made.push_back({each.kernel, each.variant, proposal->parents.front(), proposal->source,
                              proposal->manifest, proposal->number});
  };
  send_along(candidate);
  if (request.incumbent && request.incumbent->realized.candidate.variant != candidate.variant)
    send_along(request.incumbent->realized.candidate);
  const auto admission = admissions_.find(candidate.kernel);
  if (admission != admissions_.end()) request.admission = &admission->second;
  if (work.purpose != Purpose::search || work.all_gates) return request;
  request.failed_before = failed_sources_.refusal(work.realized.source_hash);
  if (!wants_exact_times({candidate.kernel, book.plan.workload, candidate.technique})) {
    request.abandon_factor = kAbandonFactor;
    // One configuration for all workloads may be slower than the best on some of them: there nothing can be screened.
    request.screen = options_.objective != "single";
  }
  const bool proposed = proposal_of(candidate) != nullptr;  // then earlier campaigns count as well
  const TwinQuery older{candidate.kernel, {book.plan.contract_hash}, device_.name, campaign_};
  request.recorded_with = [this, workload = book.plan.workload, proposed, older](const std::string& hash) {
    const std::int64_t here = stored([&] { return ports_.ledger.same_binary(campaign_, workload, hash); });
    if (here > 0 || !proposed) return here;
    return stored([&] { return ports_.ledger.same_binary_before(older, hash); });
  };
  return request;
}

// What was found, recorded and remembered.
Campaign::Ended Campaign::keep(std::int64_t ticket, const Work& work, const AttemptRecord& attempt,
                               const Evaluation& evaluation, const DecisionRecord& taken) {
  WorkloadBook& book = state_.workload(attempt.candidate.kernel, attempt.workload);
  const bool confirmed = work.confirms() && std::holds_alternative<Passed>(evaluation.outcome);
  const std::int64_t iteration = stored([&] { return ports_.ledger.end_attempt(ticket, evaluation, confirmed); });
  last_iteration_ = iteration;
  for (const FailedGate& failed : failed_gates(iteration, work.realized.source_hash, evaluation))
    failed_sources_.add(failed);
  const std::size_t standings_before = book.standings.size();
  const std::optional<double> best_before = best_time(book);
  evaluation_ended_ = ports_.clock.seconds();
  const IterationSummary summary = summarize_iteration(iteration, attempt, evaluation);
  remember_alone(summary);
  state_.apply(summary, &taken.decision.predict);
  const bool new_best = !work.confirms() && book.standings.size() > standings_before;
  note_seen(summary, error_message(evaluation.outcome));
  note_proposed(summary, best_before, new_best);
  ports_.display.iteration({iteration, attempt, &evaluation, taken.decision, device_.device, confirmed, new_best});
  profile(work, summary, new_best);
  if (std::holds_alternative<Interrupted>(evaluation.outcome))
    return Ending{EndReason::interrupted, "stopped by the user"};
  return std::nullopt;
}

void Campaign::tell_progress(const Work& work) {
  const Candidate& candidate = work.realized.candidate;
  const std::string& workload = work.realized.problem.workload.name;
  const WorkloadBook& book = state_.workload(candidate.kernel, workload);
  ports_.display.progress(
      {spent_seconds(), options_.budget_s.value_or(0), state_.iterations(), state_.outcomes(),
       fmt::format("{} {} {} on {}", candidate.kernel, candidate.variant, to_text(candidate.config), workload),
       book.standings.empty() ? std::nullopt : book.standings.back().speedup, ahead_of_rival(book),
       work.confirms() ? "confirmation" : "build", candidate.kernel, workload});
}

// The variant's own source hash, where a proposal stands in its place.
std::string Campaign::parent_hash(const ProposalRecord& proposal) {
  const VariantInfo* const parent = find_variant(ports_.catalog.kernel(proposal.arm.kernel), proposal.parents.front());
  return parent == nullptr ? "" : parent->source_hash;
}

// The same mistake seen before, in another variant, may be mended the same way.
void Campaign::link_fingerprint(const Candidate& candidate, Evaluation& evaluation) {
  auto* wrong = std::get_if<WrongAnswer>(&evaluation.outcome);
  if (wrong == nullptr) return;
  const auto seen = stored(
      [&] { return ports_.ledger.same_fingerprint(candidate.kernel, candidate.variant, wrong->fingerprint, 3); });
  for (const IterationSummary& other : seen)
    wrong->message += fmt::format("; the same as {} in iteration {}", other.candidate.variant, other.iteration);
}

// Winners are timed again in fresh processes with fresh inputs, beside the baseline; one that fails gives way to the
// next.
Campaign::Ended Campaign::confirm_winners() {
  for (WorkloadBook* const book : by_gain(state_.workloads())) {
    if (Ended ended = start(confirm(*book))) return drain(*ended);
    while (!tasks_.empty() && (!queue_.empty() || !free_device()))
      if (Ended ended = finish_next()) return drain(*ended);
  }
  while (!tasks_.empty())
    if (Ended ended = finish_next()) return drain(*ended);
  return std::nullopt;
}

bool Campaign::affords(double seconds) {
  if (options_.budget_s && spent_seconds() + seconds > *options_.budget_s) return false;
  return !options_.max_cost_usd ||
         spent_usd().value_or(0) + usd_per_held_hour() * seconds / 3600 <= *options_.max_cost_usd;
}

Campaign::Waits Campaign::confirm(WorkloadBook& book) {
  Waits completes = complete_baseline(book);
  if (Ended ended = co_await completes) co_return ended;
  Waits confirms = confirm_best(book);
  if (Ended ended = co_await confirms) co_return ended;
  Waits again = complete_baseline(book);  // the winner may have fallen
  co_return co_await again;
}

// A slow baseline was told by a few launches. Where nothing faster is known it is the best there is, and meets the
// other gates.
Campaign::Waits Campaign::complete_baseline(WorkloadBook& book) {
  constexpr double kLaunches = 10, kOtherSizes = 2;  // of what judging it briefly took
  if (!book.brief_baseline_s) co_return std::nullopt;
  if (!affords(kLaunches * *book.baseline_ns * 1e-9 + kOtherSizes * *book.brief_baseline_s)) co_return std::nullopt;
  if (!book.standings.empty() && book.standings.back().time_ns < *book.baseline_ns) co_return std::nullopt;
  if (ports_.stop && ports_.stop()) co_return Ending{EndReason::interrupted, "stopped by the user"};
  Decision decision;
  decision.action = Action::confirm;
  decision.arm = {book.plan.kernel, book.plan.workload, book.plan.baseline.technique};
  decision.why = fmt::format("nothing faster than {} is known on {}: it meets the gates that were left out",
                             book.plan.baseline.variant, book.plan.workload);
  const DecisionRecord taken = record(std::move(decision), 0);
  Work work{ports_.catalog.realize(book.plan.baseline, book.plan.workload, device_), Purpose::baseline, 0, true};
  Waits measures = evaluate(work, taken);
  co_return co_await measures;
}

// A winner must hold twice on its card, and where there is another one on that too: there it may be none.
Campaign::Waits Campaign::confirm_again(WorkloadBook& book, Work work, DecisionRecord taken) {
  const std::size_t card = landed_on_;
  for (const bool same : {true, false}) {
    if (!book.is_confirmed() || !affords(confirm_s_) || (!same && cards_left() < 2)) co_return std::nullopt;
    work.only = same ? std::optional(card) : std::nullopt;
    work.but_not = same ? std::nullopt : std::optional(card);
    Waits confirms = evaluate(work, taken);
    if (Ended ended = co_await confirms) co_return ended;
  }
  co_return std::nullopt;
}

Campaign::Waits Campaign::confirm_best(WorkloadBook& book) {
  while (book.to_confirm()) {
    if (ports_.stop && ports_.stop()) co_return Ending{EndReason::interrupted, "stopped by the user"};
    if (!affords(confirm_s_ > 0 ? confirm_s_ : 2 * state_.passed_seconds())) co_return std::nullopt;
    Decision decision;
    decision.action = Action::confirm;
    const Candidate candidate = book.standings.back().candidate;
    decision.arm = {candidate.kernel, book.plan.workload, candidate.technique};
    decision.why =
        fmt::format("{} is the best on {}: timed again in a fresh process", candidate.variant, book.plan.workload);
    const DecisionRecord taken = record(std::move(decision), 0);
    const std::int64_t winner = book.standings.back().iteration;
    Work work{ports_.catalog.realize(candidate, book.plan.workload, device_), Purpose::confirm, 0};
    Waits measures = evaluate(work, taken);
    if (Ended ended = co_await measures) co_return ended;
    const bool undecided = !book.standings.empty() && book.standings.back().iteration == winner;
    if (undecided) co_return std::nullopt;
    if (book.is_confirmed() && in_fleet()) {
      Waits again = confirm_again(book, work, taken);
      if (Ended ended = co_await again) co_return ended;
    }
    if (book.is_confirmed()) co_return std::nullopt;
    Waits reconsiders = reconsider_screened(book, taken);
    if (Ended ended = co_await reconsiders) co_return ended;
  }
  co_return std::nullopt;
}

// What was screened beside a winner that then fell may be the best of what is left: it meets all gates now.
Campaign::Waits Campaign::reconsider_screened(WorkloadBook& book, DecisionRecord taken) {
  while (const Standing* next = book.best_screened()) {
    if (ports_.stop && ports_.stop()) co_return Ending{EndReason::interrupted, "stopped by the user"};
    if (!affords(confirm_s_ + state_.passed_seconds())) co_return std::nullopt;
    const Candidate candidate = next->candidate;
    Work work{ports_.catalog.realize(candidate, book.plan.workload, device_), Purpose::search, 0, true};
    Waits measures = evaluate(work, taken);
    if (Ended ended = co_await measures) co_return ended;
  }
  co_return std::nullopt;
}

Snapshot Campaign::snapshot() {
  Snapshot snapshot = state_.snapshot(options_.usd_per_hour);
  snapshot.campaign = campaign_;
  snapshot.device = device_.device;
  snapshot.device_name = device_.name;
  snapshot.emulation = device_.emulation;
  snapshot.seed = options_.seed;
  snapshot.architecture = device_.architecture;
  if (!device_.emulation && device_.multiprocessors > 0) snapshot.multiprocessors = device_.multiprocessors;
  snapshot.objective = options_.objective;
  snapshot.now_unix = ports_.clock.unix_seconds();
  snapshot.now = moment_at(snapshot.now_unix, options_.zone, options_.utc_offset_s);
  snapshot.budget_s = options_.budget_s;
  snapshot.spent_s = spent_seconds();
  snapshot.max_cost_usd = options_.max_cost_usd;
  snapshot.spent_usd = spent_usd();
  snapshot.reserve_s = reserve_seconds();
  snapshot.idle_s = std::max(0.0, held_seconds() - busy_s_);
  if (evaluation_ended_) snapshot.since_evaluation_s = ports_.clock.seconds() - *evaluation_ended_;
  for (WorkloadState& workload : snapshot.workloads)
    workload.floor_binds = floor_binds(workload.kernel, workload.workload);
  snapshot.playbook = pattern_evidence_;
  show_pending(snapshot);
  if (ports_.proposer != nullptr) snapshot.proposer = proposer_state();
  snapshot.goal_speedup = options_.goal_speedup;
  snapshot.goal_of_floor = options_.goal_of_floor;
  return snapshot;
}

double Campaign::spent_seconds() const {
  return spent_before_ + assumed_s_ + (started_ > 0 ? ports_.clock.seconds() - started_ : 0);
}

// Of all devices together, idle ones too.
double Campaign::held_seconds() const {
  const std::size_t devices = ports_.fleet == nullptr ? 1 : ports_.fleet->devices().size();
  return static_cast<double>(devices) * (spent_seconds() - spent_before_);
}

std::optional<double> Campaign::budget_left() const {
  if (!options_.budget_s) return std::nullopt;
  return std::max(0.0, *options_.budget_s - spent_seconds());
}

std::optional<double> Campaign::spent_usd() const {
  const double per_hour = usd_per_held_hour();
  if (per_hour <= 0) return agent_usd_ > 0 ? std::optional(agent_usd_) : std::nullopt;
  return per_hour * spent_seconds() / 3600 + agent_usd_;
}

double Campaign::reserve_seconds() {
  const auto& books = state_.workloads();
  const auto open = std::count_if(books.begin(), books.end(),
                                  [](const WorkloadBook& book) { return book.standings.empty() || book.to_confirm(); });
  const double each =
      std::max(confirm_s_, kConfirmationCost * state_.passed_seconds() + (device_.emulation ? 0 : kFinalGatesGpu));
  // In a fleet a winner is timed three times, one after the other, and cards share the winners.
  constexpr double kTimes = 3;
  const double rounds = std::ceil(static_cast<double>(open) * kTimes / cards_left());
  const double in_turns = open > 0 ? std::max(kTimes, rounds) : 0;
  const double wanted = (in_fleet() ? in_turns : static_cast<double>(open)) * each;
  return options_.budget_s ? std::min(wanted, kReserveShare * *options_.budget_s) : wanted;
}

CampaignSummary Campaign::summarize(const Ending& ending) {
  CampaignSummary summary;
  summary.campaign = campaign_;
  summary.reason = ending.reason;
  summary.message = ending.message;
  if (summary.reason == EndReason::goal && (options_.goal_speedup || options_.goal_of_floor) && !goal_reached()) {
    summary.reason = EndReason::strategy;
    summary.message += ", but it did not hold when the winners were confirmed";
  }
  summary.iterations = state_.iterations();
  summary.outcomes = state_.outcomes();
  summary.best = state_.best();
  summary.score = state_.score();
  for (const std::string& kernel : options_.kernels) {
    const auto [iterations, seconds] = state_.spent_on(kernel);
    summary.kernels.push_back(
        {kernel, iterations, seconds + gates_s_[kernel], state_.score(kernel), left_out_[kernel]});
  }
  summary.spent_s = spent_seconds();
  summary.cost_usd = spent_usd();
  summary.emulation = device_.emulation;
  summary.predicts = device_.predicts;
  summary.calibration = state_.own_calibration();
  return summary;
}

}  // namespace harness
