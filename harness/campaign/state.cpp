#include "harness/campaign/state.h"

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

constexpr std::size_t kRecentOutcomes = 32;

std::string answer_key(const std::string& workload, const Candidate& candidate) {
  return workload + "\n" + candidate.kernel + "\n" + candidate.variant + "\n" + to_text(candidate.config);
}

SearchResult result_of(const IterationSummary& iteration) {
  return {iteration.outcome, iteration.outcome == "passed" ? iteration.time_ns : std::nullopt, iteration.wall_s};
}

}  // namespace

IterationSummary summarize_iteration(std::int64_t iteration, const AttemptRecord& attempt,
                                     const Evaluation& evaluation) {
  IterationSummary summary;
  summary.iteration = iteration;
  summary.campaign = attempt.campaign;
  summary.ask = attempt.ask;
  summary.candidate = attempt.candidate;
  summary.workload = attempt.workload;
  summary.outcome = outcome_name(evaluation.outcome);
  summary.purpose = attempt.purpose;
  summary.wall_s = evaluation.cost.wall_s;
  if (const auto* passed = std::get_if<Passed>(&evaluation.outcome)) {
    summary.time_ns = passed->timing.time_ns;
    summary.baseline_ns = passed->timing.baseline_ns;
    summary.floor_ns = passed->timing.floor_ns;
    summary.speedup = passed->timing.speedup;
    if (passed->timing.verdict) summary.verdict = name(*passed->timing.verdict);
  }
  if (const auto* wrong = std::get_if<WrongAnswer>(&evaluation.outcome)) summary.fingerprint = wrong->fingerprint;
  return summary;
}

CampaignState::CampaignState(Arms arms, double assumed_evaluation_s)
    : arms_(std::move(arms)), assumed_evaluation_s_(assumed_evaluation_s) {
  for (const WorkloadPlan& plan : arms_.workloads) workloads_.push_back({plan, false, {}, {}, {}, {}});
}

bool WorkloadBook::to_confirm() const {
  if (standings.empty() || confirmed == standings.back().iteration) return false;
  const Candidate& best = standings.back().candidate;
  return best.variant != plan.baseline.variant || to_text(best.config) != to_text(plan.baseline.config);
}

const WorkloadBook* CampaignState::find_workload(const std::string& kernel, const std::string& name) const {
  const auto found = std::find_if(workloads_.begin(), workloads_.end(), [&](const WorkloadBook& book) {
    return book.plan.kernel == kernel && book.plan.workload == name;
  });
  return found == workloads_.end() ? nullptr : &*found;
}

WorkloadBook& CampaignState::workload(const std::string& kernel, const std::string& name) {
  return *std::find_if(workloads_.begin(), workloads_.end(), [&](const WorkloadBook& book) {
    return book.plan.kernel == kernel && book.plan.workload == name;
  });
}

double CampaignState::evaluation_seconds() const {
  return evaluated_ == 0 ? assumed_evaluation_s_ : evaluated_s_ / static_cast<double>(evaluated_);
}

bool CampaignState::promote(WorkloadBook& book, const IterationSummary& iteration) {
  if (iteration.outcome != "passed" || !iteration.time_ns) return false;
  const bool first = book.standings.empty();
  const bool faster =
      iteration.verdict ? *iteration.verdict == "faster" : first || *iteration.time_ns < book.standings.back().time_ns;
  if (!first && !faster) return false;
  const auto speedup = iteration.purpose == "baseline" ? std::optional(1.0) : iteration.speedup;
  book.standings.push_back({iteration.candidate, iteration.iteration, *iteration.time_ns, speedup});
  return true;
}

void CampaignState::apply(const IterationSummary& iteration) {
  ++iterations_;
  ++outcomes_[iteration.outcome];
  recent_.push_back(iteration.outcome);
  if (recent_.size() > kRecentOutcomes) recent_.erase(recent_.begin());
  if (iteration.outcome == "interrupted") return;  // nothing was learnt
  WorkloadBook& book = workload(iteration.candidate.kernel, iteration.workload);
  if (iteration.floor_ns) book.floor_ns = iteration.floor_ns;
  if (iteration.purpose == "confirm") {
    const auto same = std::find_if(book.standings.begin(), book.standings.end(), [&](const Standing& standing) {
      return answer_key("", standing.candidate) == answer_key("", iteration.candidate);
    });
    if (same == book.standings.end()) return;
    if (iteration.outcome == "passed" && iteration.verdict != "slower") {
      if (iteration.baseline_ns) book.baseline_ns = iteration.baseline_ns;  // measured beside the winner
      *same = {iteration.candidate, iteration.iteration, *iteration.time_ns, iteration.speedup};
      book.confirmed = iteration.iteration;
    } else {
      book.standings.erase(same);  // it did not hold
    }
    return;
  }
  evaluated_s_ += iteration.wall_s;
  ++evaluated_;
  answers_[answer_key(iteration.workload, iteration.candidate)] = result_of(iteration);
  if (iteration.purpose == "baseline") {
    book.baseline_tried = true;
    if (iteration.outcome == "passed") book.baseline_ns = iteration.time_ns;
  }
  const bool improved = promote(book, iteration);
  Arm* arm = find_arm(arms_, {iteration.candidate.kernel, iteration.workload, iteration.candidate.technique});
  if (arm != nullptr) apply_to_arm(*arm, iteration, improved);
}

void CampaignState::apply_to_arm(Arm& arm, const IterationSummary& iteration, bool improved) {
  ArmState& state = arm.state;
  if (iteration.ask > 0) {
    arm.search->tell(result_of(iteration));
    ++arm.asks;
    current = state.id;
  }
  ++state.evaluations;
  ++state.outcomes[iteration.outcome];
  ++state.since_improvement;
  state.spent_s += iteration.wall_s;
  if (iteration.outcome == "passed" && iteration.time_ns) {
    if (improved || !state.best_ns || *iteration.time_ns < *state.best_ns * 0.99) state.since_improvement = 0;
    if (!state.best_ns || *iteration.time_ns < *state.best_ns) state.best_ns = iteration.time_ns;
    if (iteration.speedup) state.gains.push_back(*iteration.speedup);
    if (iteration.speedup && (!state.best_speedup || *iteration.speedup > *state.best_speedup))
      state.best_speedup = iteration.speedup;
    state.same_fingerprint = 0;
  } else if (iteration.outcome == "wrong_answer") {
    state.same_fingerprint = iteration.fingerprint == state.last_fingerprint ? state.same_fingerprint + 1 : 1;
    state.last_fingerprint = iteration.fingerprint;
  }
}

void CampaignState::add_evidence(const std::vector<Evidence>& evidence) {
  for (const Evidence& each : evidence) {
    Arm* arm = find_arm(arms_, each.arm);
    if (arm == nullptr) continue;
    arm->state.earlier_evaluations = each.evaluations;
    arm->state.earlier_passed = each.passed;
    arm->state.earlier_spent_s = each.spent_s;
    arm->state.earlier_best_speedup = each.best_speedup;
  }
}

std::optional<SearchAsk> CampaignState::advance(Arm& arm) {
  while (std::optional<SearchAsk> ask = arm.search->ask()) {
    const Candidate candidate{arm.state.id.kernel, ask->variant, arm.state.id.technique, ask->config};
    const auto known = answers_.find(answer_key(arm.state.id.workload, candidate));
    if (known == answers_.end()) return ask;
    arm.search->tell(known->second);
    ++arm.asks;
  }
  arm.state.exhausted = true;
  return std::nullopt;
}

Snapshot CampaignState::snapshot() {
  Snapshot snapshot;
  snapshot.evaluation_s = evaluation_seconds();
  snapshot.iterations = iterations_;
  snapshot.recent_outcomes = recent_;
  snapshot.current = current;
  for (Arm& arm : arms_.arms) {
    arm.state.predicted_s = arm.state.prior.evaluations * snapshot.evaluation_s;
    snapshot.arms.push_back(arm.state);
  }
  for (const BestRow& row : best()) snapshot.workloads.push_back(row.state);
  return snapshot;
}

std::vector<BestRow> CampaignState::best() const {
  std::vector<BestRow> rows;
  for (const WorkloadBook& book : workloads_) {
    BestRow row;
    row.state.kernel = book.plan.kernel;
    row.state.workload = book.plan.workload;
    row.state.weight = book.plan.weight;
    row.state.baseline_ns = book.baseline_ns;
    row.state.floor_ns = book.floor_ns;
    if (!book.standings.empty()) {
      const Standing& standing = book.standings.back();
      row.config = standing.candidate.config;
      row.iteration = standing.iteration;
      row.state.best_variant = standing.candidate.variant;
      row.state.best_technique = standing.candidate.technique;
      row.state.best_ns = standing.time_ns;
      row.state.speedup = standing.speedup;
      if (book.floor_ns) row.state.of_floor = *book.floor_ns / standing.time_ns;
      row.state.confirmed = book.confirmed == standing.iteration;
    }
    rows.push_back(row);
  }
  return rows;
}

std::optional<double> CampaignState::score() const {
  double sum = 0, weights = 0;
  for (const BestRow& row : best()) {
    if (!row.state.speedup) continue;
    sum += row.state.weight * std::log(*row.state.speedup);
    weights += row.state.weight;
  }
  if (weights <= 0) return std::nullopt;
  return std::exp(sum / weights);
}

}  // namespace harness
