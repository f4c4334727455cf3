#include <fmt/ranges.h>

#include <algorithm>

#include "harness/campaign/experience.h"
#include "harness/campaign/foresight.h"
#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/loop.h"
#include "harness/campaign/resemblance.h"
#include "harness/campaign/resumption.h"
#include "harness/core/torch_call.h"

// How a campaign is put together, begins, goes on after it was cut short, and is summed up.
namespace harness {
namespace {

// Before anything was measured: g++ takes a second or two for an emulated kernel, NVRTC and a warm runner under one.
constexpr double kAssumedEmulated = 3, kAssumedGpu = 0.8;

std::vector<PlannedWorkload> planned_workloads(const std::vector<WorkloadBook>& books) {
  std::vector<PlannedWorkload> planned;
  for (const WorkloadBook& book : books) planned.push_back({book.plan.kernel, book.plan.workload, book.plan.weight});
  return planned;
}

}  // namespace

Campaign::Campaign(CampaignPorts ports, CampaignOptions options, std::optional<std::int64_t> resume)
    : ports_(std::move(ports)),
      options_(std::move(options)),
      device_(ports_.evaluator.device()),
      state_(make_arms(ports_.catalog, ports_.scripts, options_, device_),
             device_.emulation ? kAssumedEmulated : kAssumedGpu),
      strategy_(ports_.scripts.strategy(options_.strategy)),
      resume_(resume),
      limits_(options_, ports_.clock, ports_.fleet),
      context_{ports_, options_, device_, state_, limits_},
      cards_(context_),
      predictions_(context_),
      preparations_(context_, predictions_),
      admissions_(context_),
      flights_(context_, cards_,
               {[this](const Assignment& work) { return requests_.of(work); },
                [this](AttemptRecord& attempt) { proposals_.label(attempt); },
                [this](std::int64_t ticket, Flight& flight, const DecisionRecord& cause) {
                  return land(ticket, flight, cause);
                }}),
      confirmation_(context_, cards_, flights_, [this](Decision decision) { return record(std::move(decision), 0); }),
      proposals_(context_, [this] { return confirmation_.reserve_s(); }),
      profiles_(context_, [this] { return confirmation_.reserve_s(); }),
      requests_(context_, admissions_, proposals_),
      baselines_(
          context_, flights_, preparations_, [this] { return check_limits(); },
          [this] { return confirmation_.reserve_s(); }),
      trials_(context_, flights_, baselines_, preparations_, [this] { return check_limits(); }),
      outlook_(context_, flights_, proposals_, confirmation_) {
  if (options_.objective == "single") state_.seek_single();
  state_.device_name = device_.name;
  state_.distance = [this](const std::string& kernel, const std::string& from, const std::string& to) {
    const auto [distance, unknown] = distances_.try_emplace({kernel, from, to});
    if (unknown) distance->second = Resemblance(ports_.catalog.kernel(kernel), from).distance(to);
    return distance->second;
  };
  state_.launch_of = [this](const Candidate& candidate, const std::string& workload) {
    return harness::launch_of(context_, candidate, workload);
  };
}

void Campaign::begin() {
  limits_.begin(ports_.before_s);
  // Whole trials of gates may take all the time that there is for trials: those that take little come before them.
  std::ranges::stable_sort(options_.kernels, {}, [this](const std::string& kernel) {
    return gate_trial(ports_.catalog, ports_.evaluator, ports_.ledger, kernel);
  });
  options_.planned = planned_workloads(state_.workloads());
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
  context_.campaign = resume_ ? *resume_ : ports_.ledger.begin_campaign(record);
  cards_.take_checks();
  learn();
  confirmation_.know(ports_.ledger.usual_seconds(device_.name, device_.admission_key));
  if (!resume_) proposals_.recall();
  tell_searches(context_);
  predictions_.begin(resume_.has_value());
  if (resume_) resume();
  std::vector<Foreseen> ahead;
  if (!resume_)
    ahead = foresee(ports_.catalog, ports_.evaluator, ports_.ledger, state_.arms(), options_.kernels, options_.rivals);
  ports_.display.started({context_.campaign, record, resume_.has_value(), state_.workloads().size(),
                          state_.arms().arms.size(), state_.arms().notes, std::move(ahead)});
  if (!resume_) proposals_.show_recalled();
}

void Campaign::learn() {
  add_experience(context_, strategy_->identity().name);
  proposals_.know(proposer_histories(context_));
  outlook_.know(pattern_evidence(context_));
}

void Campaign::resume() {
  CampaignReader& record = ports_.ledger;
  limits_.go_on_from(record.spent_seconds(context_.campaign));
  const std::vector<DecisionRecord> decisions = record.decisions(context_.campaign);
  const std::vector<IterationSummary> iterations = record.iterations(context_.campaign);
  proposals_.restore();
  profiles_.restore(iterations);
  Resumption(context_, predictions_, trials_,
             {[this](const IterationSummary& iteration, const Prediction* predicted) {
                if (iteration.outcome == OutcomeKind::lost) flights_.remember_lost(iteration);
                apply(iteration, predicted, "");
                flights_.recorded(iteration.iteration);
              },
              [this](const Orphan& orphan) { flights_.remember_orphan(orphan); }})
      .replay(decisions, iterations);
  if (!decisions.empty()) last_cause_ = decisions.back();
  for (const FailedGate& failed : record.failed_gates(context_.campaign)) requests_.note_failed(failed);
}

/// Of workloads where earlier campaigns got further, and what they found was not tried again before the end.
std::string Campaign::untried_winners() {
  std::vector<std::string> told;
  for (const WorkloadBook& book : state_.workloads()) {
    const std::optional<Earlier> earlier = trials_.fastest_before(book);
    if (!earlier || state_.has_answer(book.plan.workload, earlier->candidate)) continue;
    if (!book.standings.empty() && book.standings.back().time_ns <= earlier->time_ns) continue;
    told.push_back(fmt::format("{} on {} {}", earlier->candidate.variant, book.plan.kernel, book.plan.workload));
  }
  if (told.empty()) return "";
  return fmt::format("faster in an earlier campaign, and there was no time to try it again: {}", fmt::join(told, ", "));
}

CampaignSummary Campaign::summarize(const Ending& ending) {
  CampaignSummary summary;
  summary.campaign = context_.campaign;
  summary.reason = ending.reason;
  summary.message = ending.message;
  if (summary.reason == EndReason::goal && (options_.goal_speedup || options_.goal_of_floor) && !goal_reached()) {
    summary.reason = EndReason::strategy;
    summary.message += ", but it did not hold when the winners were confirmed";
  }
  if (const std::string untried = untried_winners(); !untried.empty()) summary.message += "; " + untried;
  summary.iterations = state_.iterations();
  summary.outcomes = state_.outcomes();
  summary.best = state_.best();
  summary.score = state_.score();
  for (const std::string& kernel : options_.kernels) {
    const auto [iterations, seconds] = state_.spent_on(kernel);
    summary.kernels.push_back({kernel, iterations, seconds + admissions_.seconds(kernel), state_.score(kernel),
                               admissions_.left_out(kernel)});
  }
  for (const WorkloadPlan& plan : state_.arms().workloads)
    if (plan.baseline.technique == kTorch &&
        std::ranges::find(summary.over_eager, plan.kernel) == summary.over_eager.end())
      summary.over_eager.push_back(plan.kernel);
  for (const Arm& arm : state_.arms().arms) {
    const ArmState& state = arm.state;
    const bool has_evidence = state.evaluations > 0 || state.earlier_evaluations > 0 || state.baseline;
    if (!has_evidence && state_.workload(state.id.kernel, state.id.workload).baseline_tried)
      summary.never_tried.push_back(state.id);
  }
  summary.spent_s = limits_.spent_s();
  summary.cost_usd = limits_.spent_usd();
  summary.emulation = device_.emulation;
  summary.predicts = device_.predicts;
  summary.calibration = state_.own_calibration();
  summary.proposers = proposals_.panel().rows();
  return summary;
}

}  // namespace harness
