#pragma once
#include <optional>

#include "harness/campaign/cards.h"
#include "harness/campaign/context.h"
#include "harness/campaign/flights.h"
#include "tests/campaign/world.h"

// What one desk of a campaign stands on, among fakes.
namespace harness::fakes {

class DeskWorld : public World {
 public:
  /// With what the world was set up to be until now. Once.
  CampaignContext& context() {
    if (desk_) return desk_->context;
    CampaignPorts ports{catalog, scripts, evaluator, ledger, display, clock, [this] { return stop; }, json::object()};
    if (proposes) ports.proposers = {&proposer};
    if (profiles) ports.profiler = &profiler;
    ports.diagnoser = &diagnoser;
    ports.fleet = fleet;
    desk_.emplace(std::move(ports), options);
    desk_->limits.begin(0);
    desk_->context.campaign = ledger.begin_campaign({});
    return desk_->context;
  }
  Assignment assignment(std::int64_t n, const std::string& workload = "w1", Purpose purpose = Purpose::search) {
    const Candidate candidate =
        n > 0 ? Candidate{"k", "10_tile", "tile", {{"N", n}}} : Candidate{"k", "00_base", "base"};
    return {context().realize(candidate, workload), purpose};
  }
  /// An iteration of the tile variant, or of the baseline where `n` is 0, as the record tells it.
  static IterationSummary passed(std::int64_t iteration, std::int64_t n, double time_ns,
                                 const std::string& workload = "w1") {
    IterationSummary row;
    row.iteration = iteration;
    row.candidate = n > 0 ? Candidate{"k", "10_tile", "tile", {{"N", n}}} : Candidate{"k", "00_base", "base"};
    row.workload = workload;
    row.purpose = n > 0 ? Purpose::search : Purpose::baseline;
    row.outcome = OutcomeKind::passed;
    row.time_ns = time_ns;
    row.baseline_ns = 1000;
    row.speedup = 1000 / time_ns;
    row.floor_ns = 10;
    row.wall_s = 1;
    return row;
  }
  Fleet* fleet = nullptr;

 private:
  struct Desk {
    Desk(CampaignPorts given, CampaignOptions& options)
        : ports(std::move(given)),
          device(ports.evaluator.device()),
          state(make_arms(ports.catalog, ports.scripts, options, device), 1),
          limits(options, ports.clock, ports.fleet),
          context{ports, options, device, state, limits} {}
    CampaignPorts ports;
    DeviceInfo device;
    CampaignState state;
    Limits limits;
    CampaignContext context;
  };
  std::optional<Desk> desk_;
};

/// With devices: the evaluator's, whose evaluations land in the campaign's memory.
class FlyingWorld : public DeskWorld {
 public:
  Cards& cards() {
    if (!cards_) cards_.emplace(context());
    return *cards_;
  }
  Flights& flights() {
    if (!flights_) flights_.emplace(context(), cards(), calls());
    return *flights_;
  }
  DecisionRecord record(Decision decision) {
    decisions.push_back(decision);
    return {static_cast<std::int64_t>(decisions.size()), std::move(decision), std::nullopt, 0};
  }
  WorkloadBook& book(const std::string& workload) { return context().state.workload("k", workload); }
  std::vector<std::string> landed;  // "confirm w1 N=8"
  std::vector<Decision> decisions;

 private:
  Flights::Calls calls() {
    return {[this](const Assignment& work) {
              EvaluationRequest request;
              request.realized = work.realized;
              request.baseline_ns = context().book_of(work).baseline_ns;
              request.confirm = work.confirms();
              return request;
            },
            [](AttemptRecord&) {},
            [this](std::int64_t ticket, Flight& flight, const DecisionRecord&) -> Ended {
              const AttemptRecord& attempt = flight.attempt;
              landed.push_back(std::string(name(attempt.purpose)) + " " + attempt.workload + " " +
                               to_text(attempt.candidate.config));
              const std::int64_t iteration = ledger.end_attempt(ticket, *flight.evaluation, false);
              context().state.apply(summarize_iteration(iteration, attempt, *flight.evaluation));
              return std::nullopt;
            }};
  }
  std::optional<Cards> cards_;
  std::optional<Flights> flights_;
};

}  // namespace harness::fakes
