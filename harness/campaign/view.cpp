#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/account.h"
#include "harness/campaign/state.h"

// What a strategy is shown of a campaign's memory.
namespace harness {

void CampaignState::learn_launches(Arm& arm) {
  if (arm.launch_known || !arm.best) return;
  arm.launch_known = true;
  arm.state.launch = launch_of ? launch_of(*arm.best, arm.state.id.workload) : std::nullopt;
}

void CampaignState::learn_launches(WorkloadBook& book) {
  if (book.standings.empty() || book.launch_of == book.standings.back().iteration) return;
  const Standing& best = book.standings.back();
  book.launch_of = best.iteration;
  book.launch = launch_of ? launch_of(best.candidate, book.plan.workload) : std::nullopt;
}

std::vector<TechniqueState> CampaignState::techniques(const std::optional<double>& usd_per_hour) const {
  std::vector<TechniqueState> list;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const Arm& arm : arms_.arms) {
    const ArmState& state = arm.state;
    const auto [at, added] = place.try_emplace({state.id.kernel, state.id.technique}, list.size());
    if (added) list.push_back({.kernel = state.id.kernel, .technique = state.id.technique});
    TechniqueState& technique = list[at->second];
    ++technique.workloads;
    technique.evaluations += state.evaluations;
    for (const auto& [outcome, count] : state.outcomes)
      if (is_sound(named<OutcomeKind>(outcome))) technique.passed += count;
    technique.spent_s += state.spent_s;
    if (state.predicted_s) technique.predicted_s = technique.predicted_s.value_or(0) + *state.predicted_s;
    if (state.best_speedup) technique.best_speedup = std::max(technique.best_speedup.value_or(0), *state.best_speedup);
  }
  for (TechniqueState& technique : list) {
    technique.campaigns = technique.evaluations > 0 ? 1 : 0;
    if (usd_per_hour) technique.spent_usd = *usd_per_hour * technique.spent_s / 3600;
    const auto earlier = earlier_techniques_.find({technique.kernel, technique.technique});
    if (earlier == earlier_techniques_.end()) continue;
    const TechniqueEvidence& before = earlier->second;
    technique.campaigns += before.campaigns;
    technique.evaluations += before.evaluations;
    technique.passed += before.passed;
    technique.spent_s += before.spent_s;
    technique.earlier_evaluations = before.evaluations;
    technique.earlier_passed = before.passed;
    technique.earlier_spent_s = before.spent_s;
    technique.spent_usd = technique.spent_usd && (before.usd || before.spent_s <= 0)
                              ? std::optional(*technique.spent_usd + before.usd.value_or(0))
                              : std::nullopt;  // a part whose price is unknown makes the sum unknown
    if (before.best_speedup)
      technique.best_speedup = std::max(technique.best_speedup.value_or(0), *before.best_speedup);
  }
  return list;
}

namespace {

std::string profile_key(const std::string& workload, const Candidate& candidate) {
  return fmt::format("{}\n{}\n{}\n{}", candidate.kernel, workload, candidate.variant, to_text(candidate.config));
}

/// Of an arm or a workload.
template <typename State>
void show_profile(const Profile* profile, State& state) {
  state.counters.clear();
  state.diagnosis.reset();
  if (profile == nullptr) return;
  for (const ProfileNumber& number : profile->numbers) state.counters[number.name] = number.value;
  state.diagnosis = profile->diagnosis;
}

}  // namespace

void CampaignState::add_profile(const std::string& workload, const Candidate& candidate, const Profile& profile) {
  profiles_[profile_key(workload, candidate)] = profile;
}

const Profile* CampaignState::find_profile(const std::string& workload, const Candidate& candidate) const {
  const auto entry = profiles_.find(profile_key(workload, candidate));
  return entry == profiles_.end() ? nullptr : &entry->second;
}

Snapshot CampaignState::snapshot(const std::optional<double>& usd_per_hour) {
  Snapshot snapshot;
  snapshot.evaluation_s = evaluation_seconds();
  snapshot.usd_per_hour = usd_per_hour;
  if (evaluated_ + baselines_ > 0) {
    const auto n = static_cast<double>(evaluated_ + baselines_);
    snapshot.build_s = build_s_ / n;
    snapshot.gates_s = gates_s_ / n;
    snapshot.timing_s = timing_s_ / n;
  }
  snapshot.since_passed_s = since_passed_s_;
  snapshot.iterations = iterations_;
  snapshot.recent_outcomes = recent_;
  snapshot.current = current;
  snapshot.sitting = sitting_;
  snapshot.calibration = calibration_.now();
  for (Arm& arm : arms_.arms) {
    arm.state.predicted_s = arm.state.prior.evaluations * snapshot.evaluation_s;
    learn_launches(arm);
    show_profile(arm.best ? find_profile(arm.state.id.workload, *arm.best) : nullptr, arm.state);
    const RivalRun* rival = workload(arm.state.id.kernel, arm.state.id.workload).best_rival();
    arm.state.rival_ns = rival != nullptr ? rival->time_ns : std::nullopt;
    complete_view(snapshot.arms.emplace_back(arm.state), arm, usd_per_hour);
  }
  snapshot.techniques = techniques(usd_per_hour);
  for (WorkloadBook& book : workloads_) learn_launches(book);
  for (const BestRow& row : best()) {
    WorkloadState& state = snapshot.workloads.emplace_back(row.state);
    const auto& standings = workload(state.kernel, state.workload).standings;
    show_profile(standings.empty() ? nullptr : find_profile(state.workload, standings.back().candidate), state);
  }
  snapshot.score = score();
  return snapshot;
}

}  // namespace harness
