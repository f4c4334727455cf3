#include "harness/campaign/in_flight.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/attempt.h"
#include "harness/campaign/lone_device.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"

// What is under way: which device has which evaluation, who waits for a device, and what happens when one has ended.
// Decisions are serial: everything here runs in the campaign's one thread, in the order in which evaluations end.
namespace harness {
namespace {

// How long one look for ended evaluations may take: a proposal or a stop is noticed in between.
constexpr double kLookAgainS = 0.2;
// Nodes that a candidate may take down before it is closed as crashed.
constexpr int kNodesBeforeCrash = 2;

bool is_worse(EndReason reason) {
  return reason == EndReason::interrupted || reason == EndReason::device_lost || reason == EndReason::script_error ||
         reason == EndReason::store_error;
}

// Of a proposed variant the manifest is a stranger's as well: what fails in it while it is judged is its own outcome.
Evaluation refused_manifest(const Error& error) {
  Evaluation evaluation;
  evaluation.outcome = Rejected{name_of(gate::manifest), error.what()};
  evaluation.gates.push_back({name_of(gate::manifest), false, error.what()});
  return evaluation;
}

}  // namespace

Fleet& Campaign::fleet() {
  if (ports_.fleet != nullptr) return *ports_.fleet;
  if (!lone_) lone_ = std::make_unique<LoneDevice>(ports_.evaluator);
  return *lone_;
}

std::optional<std::size_t> Campaign::free_device(Wish wish) {
  const std::vector<FleetDevice>& devices = fleet().devices();
  if (wish.only && (ports_.fleet == nullptr || !devices[*wish.only].alive)) wish.only.reset();
  const std::optional<std::size_t> but_not = wish.but_not;
  std::optional<std::size_t> last_resort;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool taken = std::ranges::any_of(flights_, [&](const auto& each) { return each.second.device == i; });
    if (ports_.fleet != nullptr && !devices[i].alive) continue;
    if (wish.only && *wish.only != i) continue;
    if (but_not == i) last_resort = taken ? std::nullopt : std::optional(i);
    else if (!taken) return i;
  }
  if (!but_not) return std::nullopt;
  const bool others = std::ranges::any_of(
      devices, [&](const FleetDevice& device) { return device.alive && &device != &devices[*but_not]; });
  return others ? std::nullopt : last_resort;  // another one will be free
}

bool Campaign::any_device_left() {
  return ports_.fleet == nullptr || std::ranges::any_of(ports_.fleet->devices(), &FleetDevice::alive);
}

// With nothing under way the strategy is always asked: it may stop, propose, or say why not.
bool Campaign::may_decide() {
  if (!queue_.empty() || !free_device()) return false;
  if (tasks_.empty()) return true;
  return std::ranges::any_of(state_.arms().arms, [&](const Arm& arm) {
    const ArmId& id = arm.state.id;
    return !arm.state.closed && !arm.state.exhausted && CampaignState::takes_another(arm) &&
           !under_way(id.kernel, id.workload, Purpose::baseline);
  });
}

bool Campaign::under_way(const std::string& kernel, const std::string& workload, Purpose purpose) const {
  return std::ranges::any_of(flights_, [&](const auto& each) {
    const AttemptRecord& attempt = each.second.attempt;
    return attempt.candidate.kernel == kernel && attempt.workload == workload && attempt.purpose == purpose;
  });
}

Campaign::Waits Campaign::evaluate(Work work, DecisionRecord taken) {
  Wish wish{work.but_not, work.only};
  for (;;) {
    DeviceFree free(*this, wish);
    const std::optional<std::size_t> device = co_await free;
    if (!device) co_return Ending{EndReason::device_lost, "no device of the fleet is left; resume when there is one"};
    Flight flight;
    flight.device = *device;
    flight.work = work;
    flight.attempt = attempt_of(work, taken, *device);
    tell_progress(work);
    const std::int64_t ticket = stored([&] { return ports_.ledger.begin_attempt(flight.attempt); });
    take_off(ticket, std::move(flight));
    Landed landed{*this, ticket};
    Flight ended = co_await landed;
    Ended ending = land(ticket, ended, taken);
    if (ending || !std::holds_alternative<Lost>(ended.evaluation->outcome)) co_return ending;
    wish = {device, {}};  // once more, elsewhere
  }
}

Campaign::Ended Campaign::start(Waits task) {
  tasks_.push_back(std::move(task));
  tasks_.back().start();
  return reap();
}

/// Nothing else is decided until it has ended.
Campaign::Ended Campaign::finish(Waits task) {
  Ended ended = start(std::move(task));
  while (!ended && !tasks_.empty()) ended = finish_next();
  return ended;
}

/// Takes out what has ended, up to the first that ends the campaign; throws what one threw.
Campaign::Ended Campaign::reap() {
  for (;;) {
    const auto done = std::ranges::find_if(tasks_, [](const Waits& task) { return task.done(); });
    if (done == tasks_.end()) return std::nullopt;
    Waits task = std::move(*done);
    tasks_.erase(done);
    if (Ended ended = task.result()) return ended;
  }
}

/// Waits until an evaluation ends, or for a moment where something else may come; goes on with what waited for it.
Campaign::Ended Campaign::finish_next() {
  std::optional<FleetAnswer> answer = next_answer();
  take_card_checks();
  if (answer) {
    const auto at = flights_.find(answer->ticket);
    if (at != flights_.end() && !at->second.evaluation) {
      at->second.evaluation = std::move(answer->evaluation);
      if (at->second.waiting) at->second.waiting.resume();
    }
  }
  serve_queue();
  if (ports_.between) ports_.between();
  return reap();
}

std::optional<FleetAnswer> Campaign::next_answer() {
  if (in_fleet() && ports_.stop && ports_.stop() && !cancelled_) {
    fleet().cancel();
    cancelled_ = true;
  }
  try {
    return fleet().next(kLookAgainS);
  } catch (const StoreFailure&) {
    throw;
  } catch (const Error& error) {
    const bool mine = error.kind() == Error::Kind::bad_input && flights_.size() == 1 &&
                      proposal_of(flights_.begin()->second.attempt.candidate) != nullptr;
    if (!mine) throw;
    return FleetAnswer{flights_.begin()->first, refused_manifest(error)};
  }
}

/// Devices for those that wait for one, in their order.
void Campaign::serve_queue() {
  for (std::size_t i = 0; i < queue_.size();) {
    Queued& first = *queue_[i];
    first.device = free_device(first.wish);
    if (!first.device && any_device_left()) {
      ++i;
      continue;
    }
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
    first.waiting.resume();
    i = 0;
  }
}

/// What is under way when a campaign has nothing more to begin ends first. The worst end of them is the campaign's.
Campaign::Ended Campaign::drain(Ending ending) {
  while (!tasks_.empty())
    if (Ended ended = finish_next(); ended && is_worse(ended->reason) && !is_worse(ending.reason)) ending = *ended;
  return ending;
}

/// After an error nobody waits any more: what is under way is tried again on resume.
void Campaign::abandon_flights() {
  if (flights_.empty() && tasks_.empty()) return;
  fleet().cancel();
  tasks_.clear();
  queue_.clear();
  flights_.clear();
}

void Campaign::show_pending(Snapshot& snapshot) {
  snapshot.devices = static_cast<std::int64_t>(fleet().devices().size());
  for (const auto& [ticket, flight] : flights_) {
    const AttemptRecord& attempt = flight.attempt;
    const ArmId id{attempt.candidate.kernel, attempt.workload, attempt.candidate.technique};
    snapshot.pending.push_back(
        {id, attempt.candidate.variant, std::string(name(attempt.purpose)), attempt.node, attempt.candidate.config});
  }
  for (ArmState& arm : snapshot.arms) {
    const Arm& own = *find_arm(state_.arms(), arm.id);
    arm.running = static_cast<std::int64_t>(own.asked.size());
    arm.busy = !CampaignState::takes_another(own) || under_way(arm.id.kernel, arm.id.workload, Purpose::baseline);
  }
}

AttemptRecord Campaign::attempt_of(const Work& work, const DecisionRecord& taken, std::size_t device) {
  const Realized& realized = work.realized;
  AttemptRecord attempt{campaign_,
                        taken.id,
                        realized.candidate,
                        realized.problem.workload.name,
                        realized.problem.contract_hash,
                        realized.source_hash,
                        work.ask,
                        work.purpose,
                        budget_left()};
  if (const ProposalRecord* proposal = proposal_of(realized.candidate)) {
    attempt.label = proposal->label.value_or(fmt::format("proposal {}", proposal->number));
    attempt.parent = parent_hash(*proposal);
  }
  if (ports_.fleet == nullptr) return attempt;
  const FleetDevice& card = ports_.fleet->devices().at(device);
  attempt.node = card.node;
  attempt.device_uuid = card.uuid;
  attempt.after = last_iteration_;
  return attempt;
}

void Campaign::take_off(std::int64_t ticket, Flight flight) {
  const Work work = flight.work;
  const std::size_t device = flight.device;
  const std::string key = attempt_key(flight.attempt);
  Flight& kept = flights_.insert_or_assign(ticket, std::move(flight)).first->second;
  const auto tries = machine_falls_.find(key);
  if (tries != machine_falls_.end() && tries->second >= kMachineFallsBeforeCrash) {
    kept.evaluation.emplace();
    kept.evaluation->outcome =
        Crashed{CrashKind::unknown, "the machine itself went down twice while this was evaluated"};
    return;
  }
  WorkloadBook& book = state_.workload(work.realized.candidate.kernel, work.realized.problem.workload.name);
  try {
    EvaluationRequest request = request_for(work, book);
    if (request.incumbent) {
      kept.work.incumbent_ns = request.incumbent->time_ns;
      hold_to_record(*request.incumbent, kept);
    }
    fleet().begin(device, ticket, std::move(request));
  } catch (const StoreFailure&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input || proposal_of(work.realized.candidate) == nullptr) throw;
    kept.evaluation = refused_manifest(error);
  }
}

double Campaign::usd_per_held_hour() const {
  const double own = options_.usd_per_hour.value_or(0);
  if (ports_.fleet == nullptr) return own;
  double sum = 0;
  for (const FleetDevice& device : ports_.fleet->devices()) sum += device.usd_per_hour.value_or(own);
  return sum;
}

// Absolute times do not travel between cards. What was timed beside an incumbent whose time on the workload's anchor
// card is known (the card of its baseline) is told as that card would have shown it.
void Campaign::to_anchor(const Work& work, std::size_t device, Evaluation& evaluation) {
  const WorkloadBook& book = state_.workload(work.realized.candidate.kernel, work.realized.problem.workload.name);
  const Timing* timing = timing_of(evaluation.outcome);
  if (timing == nullptr || !timing->incumbent_ns || *timing->incumbent_ns <= 0 || work.incumbent_ns <= 0) return;
  doubt_outlier(device, *timing->incumbent_ns / work.incumbent_ns);
  if (ports_.fleet->devices().at(device).uuid == book.anchor_uuid) return;
  evaluation.anchor_ns = timing->time_ns * work.incumbent_ns / *timing->incumbent_ns;
}

/// What it came to is then the flight's outcome: a second node lost is a crash.
Campaign::Ended Campaign::land(std::int64_t ticket, Flight& flight, const DecisionRecord& taken) {
  const Work& work = flight.work;
  const AttemptRecord& attempt = flight.attempt;
  Evaluation& evaluation = *flight.evaluation;
  landed_on_ = flight.device;
  link_fingerprint(attempt.candidate, evaluation);
  evaluation.cost.prepare_s = ports_.evaluator.take_prepare_seconds();
  busy_s_ += evaluation.cost.wall_s;
  if (work.confirms()) confirm_s_ = std::max(confirm_s_, evaluation.cost.wall_s);
  if (work.purpose == Purpose::baseline) be_its_own_baseline(evaluation.outcome);
  if (ports_.fleet != nullptr) to_anchor(work, flight.device, evaluation);
  take_alone(flight);
  const auto* lost = std::get_if<Lost>(&evaluation.outcome);
  if (lost != nullptr && !lost->node.empty() && ++nodes_lost_[attempt_key(attempt)] >= kNodesBeforeCrash)
    evaluation.outcome =
        Crashed{CrashKind::node_lost,
                fmt::format("two nodes were lost while they evaluated it, at last {}: {}", lost->node, lost->detail)};
  if (const auto* crashed = std::get_if<Crashed>(&evaluation.outcome);
      crashed != nullptr && crashed->kind == CrashKind::device_lost)
    return Ending{EndReason::device_lost,
                  crashed->detail};  // not the candidate's doing: its attempt is tried again on resume
  return keep(ticket, work, attempt, evaluation, taken);
}

}  // namespace harness
