#include "harness/campaign/flights.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/attempt.h"
#include "harness/campaign/lone_device.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"

namespace harness {
namespace {

// How long one look for ended evaluations may take: a proposal or a stop is noticed in between.
constexpr double kLookAgainS = 0.2;
// Nodes that a candidate may take down before it is closed as crashed.
constexpr int kNodesBeforeCrash = 2;

bool is_proposed(const AttemptRecord& attempt) {
  return attempt.label.has_value();
}

// Of a proposed variant the manifest is a stranger's as well: what fails in it while it is judged is its own outcome.
Evaluation refused_manifest(const Error& error) {
  Evaluation evaluation;
  evaluation.outcome = Rejected{name_of(gate::manifest), error.what()};
  evaluation.gates.push_back({name_of(gate::manifest), false, error.what()});
  return evaluation;
}

}  // namespace

/// co_await: a device for an evaluation, at once where one is free; nothing where none is left.
struct Flights::DeviceFree {
  Flights& flights;
  Queued place;

  DeviceFree(Flights& flights, Wish wish) : flights(flights) { place.wish = wish; }
  bool await_ready() {
    if (flights.queue_.empty()) place.device = flights.free_device(place.wish);
    return place.device || !flights.any_device_left();
  }
  void await_suspend(std::coroutine_handle<> waiting) {
    place.waiting = waiting;
    flights.queue_.push_back(&place);
  }
  std::optional<std::size_t> await_resume() const { return place.device; }
};

/// co_await: that an evaluation has ended.
struct Flights::Landed {
  Flights& flights;
  std::int64_t ticket;

  bool await_ready() const { return flights.flights_.at(ticket).evaluation.has_value(); }
  void await_suspend(std::coroutine_handle<> waiting) { flights.flights_.at(ticket).waiting = waiting; }
  Flight await_resume() {
    Flight flight = std::move(flights.flights_.at(ticket));
    flights.flights_.erase(ticket);
    return flight;
  }
};

Waits Flights::evaluate(Assignment work, DecisionRecord cause) {
  Wish wish{work.but_not, work.only};
  for (;;) {
    DeviceFree free(*this, wish);
    const std::optional<std::size_t> device = co_await free;
    if (!device) co_return Ending{EndReason::device_lost, "no device of the fleet is left; resume when there is one"};
    Flight flight;
    flight.device = *device;
    flight.work = work;
    flight.attempt = attempt_of(work, cause, *device);
    context_.say_at_work(work);
    const std::int64_t ticket = stored([&] { return context_.ports.ledger.begin_attempt(flight.attempt); });
    context_.ports.display.begun({ticket, &flight.attempt});
    take_off(ticket, std::move(flight));
    Landed landed{*this, ticket};
    Flight ended = co_await landed;
    last_device_ = ended.device;
    blame_candidate(ended);
    Ended ending = calls_.land(ticket, ended, cause);
    if (ending || !std::holds_alternative<Lost>(ended.evaluation->outcome)) co_return ending;
    wish = {device, {}};  // once more, elsewhere
  }
}

Fleet& Flights::fleet() {
  if (context_.ports.fleet != nullptr) return *context_.ports.fleet;
  if (!lone_) lone_ = std::make_unique<LoneDevice>(context_.ports.evaluator);
  return *lone_;
}

std::optional<std::size_t> Flights::free_device(const Wish& wish) {
  const std::vector<FleetDevice>& devices = fleet().devices();
  const bool is_fleet = context_.ports.fleet != nullptr;
  const bool only_that = wish.only && is_fleet && devices[*wish.only].alive;
  std::optional<std::size_t> last_resort;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool busy = std::ranges::any_of(flights_, [&](const auto& flight) { return flight.second.device == i; });
    if (is_fleet && !devices[i].alive) continue;
    if (only_that && *wish.only != i) continue;
    if (wish.but_not == i) last_resort = busy ? std::nullopt : std::optional(i);
    else if (!busy) return i;
  }
  if (!wish.but_not) return std::nullopt;
  const bool others = std::ranges::any_of(
      devices, [&](const FleetDevice& device) { return device.alive && &device != &devices[*wish.but_not]; });
  return others ? std::nullopt : last_resort;  // another one will be free
}

bool Flights::any_device_left() const {
  const auto may_work = [](const FleetDevice& device) { return device.alive || device.coming; };
  return context_.ports.fleet == nullptr || std::ranges::any_of(context_.ports.fleet->devices(), may_work);
}

bool Flights::has_room() {
  return queue_.empty() && free_device({});
}

bool Flights::under_way(const std::string& kernel, const std::string& workload, Purpose purpose) const {
  return std::ranges::any_of(flights_, [&](const auto& flight) {
    const AttemptRecord& attempt = flight.second.attempt;
    return attempt.candidate.kernel == kernel && attempt.workload == workload && attempt.purpose == purpose;
  });
}

AttemptRecord Flights::attempt_of(const Assignment& work, const DecisionRecord& cause, std::size_t device) {
  const Realized& realized = work.realized;
  AttemptRecord attempt{context_.campaign,
                        cause.id,
                        realized.candidate,
                        realized.problem.workload.name,
                        realized.problem.contract_hash,
                        realized.source_hash,
                        work.ask,
                        work.purpose,
                        context_.limits.left_s()};
  calls_.label(attempt);
  if (context_.ports.fleet == nullptr) return attempt;
  const FleetDevice& card = context_.ports.fleet->devices().at(device);
  attempt.node = card.node;
  attempt.device_uuid = card.uuid;
  attempt.after = last_iteration_;
  return attempt;
}

void Flights::take_off(std::int64_t ticket, Flight begun) {
  const std::string key = attempt_key(begun.attempt);
  Flight& flight = flights_.insert_or_assign(ticket, std::move(begun)).first->second;
  const auto tries = machine_falls_.find(key);
  if (tries != machine_falls_.end() && tries->second >= kMachineFallsBeforeCrash) {
    flight.evaluation.emplace();
    flight.evaluation->outcome =
        Crashed{CrashKind::unknown, "the machine itself went down twice while this was evaluated"};
    return;
  }
  try {
    EvaluationRequest request = calls_.request(flight.work);
    if (request.incumbent) {
      flight.work.incumbent_ns = request.incumbent->time_ns;
      cards_.hold_to_record(*request.incumbent, flight);
    }
    fleet().begin(flight.device, ticket, std::move(request));
  } catch (const StoreFailure&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input || !is_proposed(flight.attempt)) throw;
    flight.evaluation = refused_manifest(error);
  }
}

// A node that is lost says nothing of its candidate; a second one that is lost with the same does.
void Flights::blame_candidate(Flight& flight) {
  const auto* lost = std::get_if<Lost>(&flight.evaluation->outcome);
  if (lost == nullptr || lost->node.empty() || ++nodes_lost_[attempt_key(flight.attempt)] < kNodesBeforeCrash) return;
  flight.evaluation->outcome =
      Crashed{CrashKind::node_lost,
              fmt::format("two nodes were lost while they evaluated it, at last {}: {}", lost->node, lost->detail)};
}

void Flights::remember_orphan(const Orphan& orphan) {
  machine_falls_[attempt_key(orphan.record)] = orphan.machine_went_down;
}

void Flights::remember_lost(const IterationSummary& iteration) {
  ++nodes_lost_[attempt_key(iteration)];
}

Ended Flights::start(Waits task) {
  tasks_.push_back(std::move(task));
  tasks_.back().start();
  return reap();
}

Ended Flights::finish(Waits task) {
  Ended ended = start(std::move(task));
  while (!ended && !tasks_.empty()) ended = finish_next();
  return ended;
}

/// Takes out what has ended, up to the first that ends the campaign; throws what one threw.
Ended Flights::reap() {
  for (;;) {
    const auto done = std::ranges::find_if(tasks_, [](const Waits& task) { return task.done(); });
    if (done == tasks_.end()) return std::nullopt;
    Waits task = std::move(*done);
    tasks_.erase(done);
    if (Ended ended = task.result()) return ended;
  }
}

Ended Flights::finish_next() {
  std::optional<FleetAnswer> answer = next_answer();
  context_.limits.note_devices();
  cards_.take_checks();
  if (answer) {
    const auto at = flights_.find(answer->ticket);
    if (at != flights_.end() && !at->second.evaluation) {
      at->second.evaluation = std::move(answer->evaluation);
      if (at->second.waiting) at->second.waiting.resume();
    }
  }
  serve_queue();
  return reap();
}

std::optional<FleetAnswer> Flights::next_answer() {
  if (context_.in_fleet() && context_.stopped() && !cancelled_) {
    fleet().cancel();
    cancelled_ = true;
  }
  try {
    return fleet().next(kLookAgainS);
  } catch (const StoreFailure&) {
    throw;
  } catch (const Error& error) {
    const bool is_the_one =
        error.kind() == Error::Kind::bad_input && flights_.size() == 1 && is_proposed(flights_.begin()->second.attempt);
    if (!is_the_one) throw;
    return FleetAnswer{flights_.begin()->first, refused_manifest(error)};
  }
}

/// Devices for those that wait for one, in their order.
void Flights::serve_queue() {
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

Ended Flights::drain(Ending ending) {
  while (!tasks_.empty())
    if (Ended ended = finish_next(); ended && is_trouble(ended->reason) && !is_trouble(ending.reason)) ending = *ended;
  return ending;
}

void Flights::abandon() {
  if (flights_.empty() && tasks_.empty()) return;
  fleet().cancel();
  tasks_.clear();
  queue_.clear();
  flights_.clear();
}

void Flights::show(Snapshot& snapshot) {
  snapshot.devices = std::ranges::count(fleet().devices(), false, &FleetDevice::coming);
  for (const auto& [ticket, flight] : flights_) {
    const AttemptRecord& attempt = flight.attempt;
    const ArmId id{attempt.candidate.kernel, attempt.workload, attempt.candidate.technique};
    snapshot.pending.push_back(
        {id, attempt.candidate.variant, std::string(name(attempt.purpose)), attempt.node, attempt.candidate.config});
  }
  for (ArmState& arm : snapshot.arms) {
    const Arm& own = *find_arm(context_.state.arms(), arm.id);
    arm.running = static_cast<std::int64_t>(own.asked.size());
    arm.busy = !CampaignState::takes_another(own) || under_way(arm.id.kernel, arm.id.workload, Purpose::baseline);
  }
}

}  // namespace harness
