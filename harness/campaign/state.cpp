#include "harness/campaign/state.h"

#include <algorithm>
#include <cmath>

#include "harness/campaign/account.h"
#include "harness/core/gates.h"

namespace harness {
namespace {

constexpr std::size_t kRecentOutcomes = 32;  // that a strategy sees: more would grow with the history

std::string answer_key(const std::string& workload, const Candidate& candidate) {
  return workload + "\n" + candidate.kernel + "\n" + candidate.variant + "\n" + to_text(candidate.config);
}

SearchResult result_of(const IterationSummary& iteration) {
  SearchResult result{iteration.outcome, {}, iteration.wall_s, {}};
  if (is_timed(iteration.outcome)) result.time_ns = iteration.time_ns;
  if (iteration.outcome == OutcomeKind::abandoned) result.time_ns = iteration.stopped_ns;
  // From the record, so that a search that is resumed or replayed is told the same.
  if (iteration.budget_left_s) result.left_s = std::max(0.0, *iteration.budget_left_s - iteration.wall_s);
  return result;
}

/// One configuration for all workloads that fails on one of them is none.
void drop_everywhere(std::vector<WorkloadBook>& books, const Candidate& candidate) {
  const std::string key = answer_key("", candidate);
  for (WorkloadBook& book : books)
    if (book.plan.kernel == candidate.kernel)
      std::erase_if(book.standings, [&](const Standing& s) { return answer_key("", s.candidate) == key; });
}

void keep_among(std::vector<Standing>& fastest, Standing standing) {
  constexpr std::size_t kMost = 8;  // winners that may fail in a row
  const auto place = std::ranges::upper_bound(fastest, standing, leads);
  fastest.insert(place, std::move(standing));
  if (fastest.size() > kMost) fastest.pop_back();
}

// The last word on a candidate counts: one that was screened may meet all gates later.
void keep_screened(WorkloadBook& book, const IterationSummary& iteration) {
  const std::string key = answer_key("", iteration.candidate);
  std::erase_if(book.screened, [&](const Standing& standing) { return answer_key("", standing.candidate) == key; });
  if (iteration.outcome == OutcomeKind::screened && iteration.time_ns)
    keep_among(book.screened, standing_of(iteration));
}

}  // namespace

bool leads(const Standing& one, const Standing& other) {
  if (one.speedup && other.speedup) return *one.speedup > *other.speedup;
  return one.time_ns < other.time_ns;
}

bool takes_lead(const IterationSummary& iteration, const Standing& best) {
  const bool overtaken = iteration.after && best.iteration > *iteration.after;
  if (overtaken && iteration.speedup_lo && best.speedup_hi) return *iteration.speedup_lo > *best.speedup_hi;
  if (overtaken) return leads(standing_of(iteration), best);
  return iteration.verdict ? *iteration.verdict == Comparison::faster : *iteration.time_ns < best.time_ns;
}

std::optional<Comparison> verdict_beside(const IterationSummary& ended, const Standing& best) {
  if (!ended.after || best.iteration <= *ended.after || !ended.time_ns) return std::nullopt;
  IterationSummary iteration = ended;
  tell_as_anchor(iteration);
  if (takes_lead(iteration, best)) return Comparison::faster;
  const bool overlap = iteration.speedup_hi && best.speedup_lo && *iteration.speedup_hi >= *best.speedup_lo;
  return overlap ? Comparison::same : Comparison::slower;
}

Standing standing_of(const IterationSummary& iteration) {
  return {iteration.candidate,  iteration.iteration, *iteration.time_ns,    iteration.speedup,     iteration.speedup_lo,
          iteration.speedup_hi, iteration.registers, iteration.spill_bytes, iteration.shared_bytes};
}

IterationSummary summarize_iteration(std::int64_t iteration, const AttemptRecord& attempt,
                                     const Evaluation& evaluation) {
  IterationSummary summary;
  static_cast<IterationFacts&>(summary) = facts_of(evaluation);
  summary.iteration = iteration;
  summary.campaign = attempt.campaign;
  summary.ask = attempt.ask;
  summary.candidate = attempt.candidate;
  summary.workload = attempt.workload;
  summary.outcome = kind_of(evaluation.outcome);
  summary.purpose = attempt.purpose;
  summary.decision = attempt.decision;
  summary.budget_left_s = attempt.budget_left_s;
  summary.node = attempt.node;
  summary.device_uuid = attempt.device_uuid;
  summary.after = attempt.after;
  summary.wall_s = evaluation.cost.wall_s;
  summary.build_s = evaluation.cost.build_s;
  summary.gates_s = evaluation.cost.gates_s;
  summary.timing_s = evaluation.cost.timing_s;
  summary.deterministic = std::ranges::none_of(
      evaluation.gates, [](const GateResult& gate) { return gate.detail.starts_with(kNotDeterministic); });
  if (const Timing* timing = timing_of(evaluation.outcome)) summary.verdict = timing->verdict;
  return summary;
}

CampaignState::CampaignState(Arms arms, double assumed_evaluation_s)
    : arms_(std::move(arms)), assumed_evaluation_s_(assumed_evaluation_s) {
  for (const WorkloadPlan& plan : arms_.workloads) workloads_.push_back({.plan = plan});
}

bool WorkloadBook::to_confirm() const {
  if (standings.empty() || confirmed == standings.back().iteration) return false;
  const Candidate& best = standings.back().candidate;
  return best.variant != plan.baseline.variant || to_text(best.config) != to_text(plan.baseline.config);
}

const Standing* WorkloadBook::best_screened() const {
  const bool ahead = !screened.empty() && (standings.empty() || leads(screened.front(), standings.back()));
  return ahead ? &screened.front() : nullptr;
}

const RivalRun* WorkloadBook::best_rival() const {
  const RivalRun* best = nullptr;
  for (const RivalRun& run : rivals)
    if (run.time_ns && (best == nullptr || *run.time_ns < *best->time_ns)) best = &run;
  return best;
}

const Candidate* WorkloadBook::next_rival() const {
  const auto next = std::ranges::find_if(plan.rivals, [&](const Candidate& candidate) {
    return std::ranges::none_of(rivals, [&](const RivalRun& run) {
      return run.candidate.variant == candidate.variant &&
             (run.outcome == OutcomeKind::unsupported || to_text(run.candidate.config) == to_text(candidate.config));
    });
  });
  return next == plan.rivals.end() ? nullptr : &*next;
}

const WorkloadBook* CampaignState::find_workload(const std::string& kernel, const std::string& name) const {
  const auto position = std::find_if(workloads_.begin(), workloads_.end(), [&](const WorkloadBook& book) {
    return book.plan.kernel == kernel && book.plan.workload == name;
  });
  return position == workloads_.end() ? nullptr : &*position;
}

WorkloadBook& CampaignState::workload(const std::string& kernel, const std::string& name) {
  return *std::find_if(workloads_.begin(), workloads_.end(), [&](const WorkloadBook& book) {
    return book.plan.kernel == kernel && book.plan.workload == name;
  });
}

// A baseline is not what a search evaluates: on a long sequence a naive kernel takes half a minute where a candidate
// takes one second. Alone it is a hint at most.
double CampaignState::evaluation_seconds() const {
  constexpr double kMostTimesAssumed = 5;
  if (evaluated_ > 0) return evaluated_s_ / static_cast<double>(evaluated_);
  if (baselines_ == 0) return assumed_evaluation_s_;
  return std::min(baselines_s_ / static_cast<double>(baselines_), kMostTimesAssumed * assumed_evaluation_s_);
}

double CampaignState::rivals_seconds() const {
  double seconds = 0;
  for (const WorkloadBook& book : workloads_)
    for (const RivalRun& run : book.rivals) seconds += run.wall_s;
  return seconds;
}

double CampaignState::passed_seconds() const {
  return passed_ == 0 ? evaluation_seconds() : passed_s_ / static_cast<double>(passed_);
}

void tell_as_anchor(IterationSummary& iteration) {
  if (!iteration.anchor_ns || !iteration.time_ns || *iteration.time_ns <= 0) return;
  const double scale = *iteration.anchor_ns / *iteration.time_ns;
  for (auto* time : {&iteration.time_ns, &iteration.time_lo_ns, &iteration.time_hi_ns, &iteration.baseline_ns})
    if (*time) **time *= scale;
}

bool CampaignState::promote(WorkloadBook& book, const IterationSummary& iteration) {
  if (iteration.outcome != OutcomeKind::passed || !iteration.time_ns) return false;
  const bool first = book.standings.empty();
  const bool faster = first || takes_lead(iteration, book.standings.back());
  if (!faster) {
    keep_among(book.others, standing_of(iteration));
    return false;
  }
  book.standings.push_back(standing_of(iteration));
  if (iteration.purpose == Purpose::baseline) book.standings.back().speedup = 1.0;
  return true;
}

void CampaignState::apply_confirmation(WorkloadBook& book, const IterationSummary& iteration) {
  const auto same = std::find_if(book.standings.begin(), book.standings.end(), [&](const Standing& standing) {
    return answer_key("", standing.candidate) == answer_key("", iteration.candidate);
  });
  if (same == book.standings.end()) return;
  if (iteration.outcome == OutcomeKind::passed && iteration.verdict != Comparison::slower) {
    if (iteration.baseline_ns) book.baseline_ns = iteration.baseline_ns;  // measured beside the winner
    *same = standing_of(iteration);
    book.confirmed = iteration.iteration;
  } else if (single_) {
    drop_everywhere(workloads_, iteration.candidate);
  } else {
    const std::string refuted = answer_key("", iteration.candidate);  // the fastest that is left takes its place
    const auto is_refuted = [&](const Standing& standing) { return answer_key("", standing.candidate) == refuted; };
    std::erase_if(book.standings, is_refuted);
    std::erase_if(book.others, is_refuted);
    const bool others_lead =
        !book.others.empty() && (book.standings.empty() || leads(book.others.front(), book.standings.back()));
    if (!others_lead) return;
    book.standings.push_back(book.others.front());
    book.others.erase(book.others.begin());
  }
}

void CampaignState::apply_rival(WorkloadBook& book, const IterationSummary& iteration) {
  const bool passed = iteration.outcome == OutcomeKind::passed;
  book.rivals.push_back({iteration.candidate, iteration.outcome, iteration.iteration,
                         passed ? iteration.time_ns : std::nullopt, iteration.wall_s, iteration.deterministic});
}

void CampaignState::apply(const IterationSummary& ended, const Prediction* predicted) {
  IterationSummary iteration = ended;
  tell_as_anchor(iteration);
  ++iterations_;
  ++outcomes_[std::string(name(iteration.outcome))];
  auto& [its_iterations, its_seconds] = spent_on_[iteration.candidate.kernel];
  ++its_iterations;
  its_seconds += iteration.wall_s;
  if (iteration.purpose == Purpose::rival && !says_nothing(iteration.outcome))
    return apply_rival(workload(iteration.candidate.kernel, iteration.workload), iteration);
  recent_.emplace_back(name(iteration.outcome));
  if (recent_.size() > kRecentOutcomes) recent_.erase(recent_.begin());
  if (says_nothing(iteration.outcome)) return;  // nothing was learnt
  WorkloadBook& book = workload(iteration.candidate.kernel, iteration.workload);
  if (iteration.floor_ns) book.floor_ns = iteration.floor_ns;
  if (iteration.reachable_ns) book.limit_ns = iteration.reachable_ns;
  // What was abandoned is slow, and how slow is known: a strategy that did not learn it would try its like for ever.
  if (iteration.outcome == OutcomeKind::abandoned && iteration.stopped_ns.value_or(0) > 0 && book.baseline_ns)
    iteration.speedup = *book.baseline_ns / *iteration.stopped_ns;
  if (iteration.purpose == Purpose::confirm) return apply_confirmation(book, iteration);
  const bool is_baseline = iteration.purpose == Purpose::baseline;
  (is_baseline ? baselines_s_ : evaluated_s_) += iteration.wall_s;
  build_s_ += iteration.build_s;
  gates_s_ += iteration.gates_s;
  timing_s_ += iteration.timing_s;
  ++(is_baseline ? baselines_ : evaluated_);
  if (iteration.outcome == OutcomeKind::passed && !is_baseline) {
    passed_s_ += iteration.wall_s;
    ++passed_;
  }
  if (!is_baseline) keep_screened(book, iteration);
  since_passed_s_ = is_timed(iteration.outcome) ? 0 : since_passed_s_ + iteration.wall_s;
  answers_[answer_key(iteration.workload, iteration.candidate)] = result_of(iteration);
  if (is_baseline) {
    book.baseline_tried = true;
    book.anchor_uuid = iteration.device_uuid;
    book.brief_baseline_s.reset();
    if (iteration.outcome == OutcomeKind::screened) book.brief_baseline_s = iteration.wall_s;
    book.baseline_ns = is_timed(iteration.outcome) ? iteration.time_ns : std::nullopt;
    tell_what_others_know(book);
  }
  if (predicted != nullptr && iteration.purpose == Purpose::search) {
    const ScoredPrediction scored{*predicted, iteration.outcome, iteration.speedup, iteration.wall_s};
    calibration_.score(scored);
    own_calibration_.score(scored);
  }
  const bool improved = single_ ? promote_single(iteration) : promote(book, iteration);
  Arm* arm = find_arm(arms_, {iteration.candidate.kernel, iteration.workload, iteration.candidate.technique});
  if (arm != nullptr) apply_to_arm(*arm, iteration, improved, predicted);
}

// A search that went on without the result is told late.
void CampaignState::tell(Arm& arm, const IterationSummary& iteration) {
  SearchResult result = result_of(iteration);
  result.elsewhere = news_from_others(arm);
  result.elsewhere.insert(result.elsewhere.end(), arm.predicted.begin(), arm.predicted.end());
  arm.predicted.clear();
  const auto open_ask = std::ranges::find(arm.asked, iteration.ask, &Asked::number);
  if (open_ask == arm.asked.end() || !open_ask->put_off) arm.search->tell(result);
  else arm.search->tell_late(open_ask->ask, result);
  if (open_ask != arm.asked.end()) arm.asked.erase(open_ask);
}

void CampaignState::apply_to_arm(Arm& arm, const IterationSummary& iteration, bool improved,
                                 const Prediction* predicted) {
  if (iteration.ask > 0) {
    tell(arm, iteration);
    ++arm.asks;
    sit(arm, iteration, predicted);
    current = arm.state.id;
  }
  const std::size_t credible = account(arm, iteration, improved) ? 1 : 0;
  if (iteration.ask > 0) sitting_->improvements += static_cast<std::int64_t>(credible);
}

// Evaluations of one arm, one after the other, are a sitting: it is held against the prediction that it began with.
void CampaignState::sit(Arm& arm, const IterationSummary& iteration, const Prediction* predicted) {
  if (!sitting_ || sitting_->arm != arm.state.id) {
    sitting_ = Sitting{};
    sitting_->arm = arm.state.id;
    sitting_->best_speedup_before = arm.state.best_speedup;
    if (predicted != nullptr) {
      const double minutes = expected_minutes(*predicted).value_or(evaluation_seconds() / 60);
      sitting_->predicted_s = 60 * minutes * std::max(predicted->evaluations, 1);
    }
    ++arm.state.sittings;
  }
  ++sitting_->evaluations;
  sitting_->passed += is_timed(iteration.outcome) ? 1 : 0;
  sitting_->spent_s += iteration.wall_s;
}

void CampaignState::add_experience(const Experience& experience) {
  for (const Evidence& evidence : experience.arms) {
    Arm* arm = find_arm(arms_, evidence.arm);
    if (arm == nullptr) continue;
    arm->state.earlier_campaigns = evidence.campaigns;
    arm->state.earlier_evaluations = evidence.evaluations;
    arm->state.earlier_passed = evidence.passed;
    arm->state.earlier_spent_s = evidence.spent_s;
    arm->state.earlier_best_speedup = evidence.best_speedup;
  }
  for (const TechniqueEvidence& technique : experience.techniques)
    earlier_techniques_[{technique.kernel, technique.technique}] = technique;
  for (const EarlierBest& best : experience.bests)
    if (find_workload(best.kernel, best.workload) != nullptr) workload(best.kernel, best.workload).earlier = best;
  for (const ScoredPrediction& prediction : experience.predictions) calibration_.score(prediction);
  for (Arm& arm : arms_.arms) add_elsewhere(arm.state, experience.elsewhere);
}

// What is known of the arm itself is not told twice.
void CampaignState::add_elsewhere(ArmState& arm, const std::vector<Evidence>& evidence) const {
  constexpr std::size_t kMost = 4;
  for (const Evidence& entry : evidence) {
    const bool own = entry.arm.workload == arm.id.workload && arm.earlier_evaluations > 0;
    if (entry.arm.kernel != arm.id.kernel || entry.arm.technique != arm.id.technique || own || !entry.best_speedup)
      continue;
    if (const auto apart = distance(arm.id.kernel, arm.id.workload, entry.arm.workload))
      arm.elsewhere.push_back({entry.arm.workload, *apart, *entry.best_speedup, entry.passed});
  }
  std::ranges::stable_sort(arm.elsewhere, {}, &GainElsewhere::distance);
  if (arm.elsewhere.size() > kMost) arm.elsewhere.resize(kMost);
}

bool CampaignState::takes_another(const Arm& arm) {
  return arm.asked.empty() || arm.asked.back().put_off || arm.search->takes_several();
}

bool CampaignState::has_answer(const std::string& workload, const Candidate& candidate) const {
  return answers_.contains(answer_key(workload, candidate));
}

std::optional<SearchAsk> CampaignState::advance(Arm& arm) {
  if (!arm.asked.empty() && !arm.asked.back().put_off) {
    arm.search->put_off();
    arm.asked.back().put_off = true;
  }
  while (std::optional<SearchAsk> ask = arm.search->ask()) {
    const Candidate candidate{arm.state.id.kernel, ask->variant, arm.state.id.technique, ask->config};
    const auto answer = answers_.find(answer_key(arm.state.id.workload, candidate));
    if (answer == answers_.end()) return ask;
    arm.search->tell(answer->second);
    ++arm.asks;
  }
  arm.state.exhausted = true;
  return std::nullopt;
}

std::vector<BestRow> CampaignState::best() const {
  std::vector<BestRow> rows;
  for (const WorkloadBook& book : workloads_) {
    BestRow row;
    row.state.kernel = book.plan.kernel;
    row.state.workload = book.plan.workload;
    row.state.weight = book.plan.weight;
    row.tried = book.baseline_tried;
    row.state.sizes = book.plan.sizes;
    row.state.bytes = book.plan.bytes;
    row.state.baseline_ns = book.baseline_ns;
    row.state.floor_ns = book.floor_ns;
    row.state.limit_ns = book.limit_ns;
    if (book.earlier) {
      row.state.earlier_best_ns = book.earlier->time_ns;
      row.state.earlier_best_technique = book.earlier->technique;
      row.state.earlier_baseline_ns = book.earlier->baseline_ns;
    }
    if (const RivalRun* rival = book.best_rival()) {
      row.state.rival_ns = rival->time_ns;
      row.state.rival_s = rival->wall_s;
      row.state.rival_variant = rival->candidate.variant;
      row.rival_config = rival->candidate.config;
      row.rival_deterministic = rival->deterministic;
    }
    if (!book.standings.empty()) {
      const Standing& standing = book.standings.back();
      row.config = standing.candidate.config;
      row.iteration = standing.iteration;
      row.state.best_variant = standing.candidate.variant;
      row.state.best_technique = standing.candidate.technique;
      row.state.best_ns = standing.time_ns;
      row.state.speedup = standing.speedup;
      row.state.speedup_lo = standing.speedup_lo;
      row.state.speedup_hi = standing.speedup_hi;
      row.state.registers = standing.registers;
      row.state.spill_bytes = standing.spill_bytes;
      row.state.shared_bytes = standing.shared_bytes;
      if (book.launch_of == standing.iteration) row.state.launch = book.launch;
      if (book.floor_ns) row.state.of_floor = *book.floor_ns / standing.time_ns;
      if (book.limit_ns) row.state.of_limit = *book.limit_ns / standing.time_ns;
      row.state.confirmed = book.confirmed == standing.iteration;
    }
    rows.push_back(row);
  }
  return rows;
}

std::pair<std::int64_t, double> CampaignState::spent_on(const std::string& kernel) const {
  const auto entry = spent_on_.find(kernel);
  return entry == spent_on_.end() ? std::pair<std::int64_t, double>{} : entry->second;
}

std::optional<double> CampaignState::score(const std::string& kernel) const {
  double sum = 0, weights = 0;
  bool passed = false;
  for (const BestRow& row : best()) {
    if (!kernel.empty() && row.state.kernel != kernel) continue;
    weights += row.state.weight;
    if (!row.state.speedup) continue;
    sum += row.state.weight * std::log(*row.state.speedup);
    passed = true;
  }
  if (!passed || weights <= 0) return std::nullopt;
  return std::exp(sum / weights);
}

}  // namespace harness
