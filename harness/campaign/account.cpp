#include "harness/campaign/account.h"

#include <algorithm>

namespace harness {
namespace {

// Of each list the newest are kept: what a strategy sees must not grow with the history.
constexpr std::size_t kRecords = 32, kGains = 16, kFingerprintsShown = 8, kFingerprintsKept = 64;
// A time must fall by this share to count as an improvement where no verdict was made.
constexpr double kImprovement = 0.99;

template <typename T>
void keep_newest(std::vector<T>& list, std::size_t most) {
  if (list.size() > most) list.erase(list.begin());
}

bool lies_above(const IterationSummary& iteration, const GainRecord& before) {
  return iteration.speedup_lo.value_or(*iteration.speedup) > before.speedup_hi.value_or(before.speedup);
}

/// True if the new record is a credible one.
bool add_record(ArmState& state, const IterationSummary& iteration) {
  const bool credible = state.records.empty() || lies_above(iteration, state.records.back());
  state.records.push_back(
      {state.evaluations, *iteration.speedup, iteration.speedup_lo, iteration.speedup_hi, credible, state.spent_s});
  keep_newest(state.records, kRecords);
  return credible;
}

void add_gain(Arm& arm, double speedup) {
  ++arm.state.timed;
  arm.log_gains.add(std::log(speedup));
  arm.state.gains.push_back(speedup);
  keep_newest(arm.state.gains, kGains);
}

bool account_timed(Arm& arm, const IterationSummary& iteration, bool improved) {
  ArmState& state = arm.state;
  state.same_fingerprint = 0;
  if (improved || !state.best_ns || *iteration.time_ns < *state.best_ns * kImprovement) state.since_improvement = 0;
  if (!state.best_ns || *iteration.time_ns < *state.best_ns) {
    state.best_ns = iteration.time_ns;
    arm.best = iteration.candidate;
    arm.launch_known = false;
  }
  if (!iteration.speedup || *iteration.speedup <= 0) return false;
  add_gain(arm, *iteration.speedup);
  if (state.best_speedup && *iteration.speedup <= *state.best_speedup) return false;
  state.best_speedup = iteration.speedup;
  return add_record(state, iteration);
}

void account_wrong(Arm& arm, const IterationSummary& iteration) {
  ArmState& state = arm.state;
  state.same_fingerprint = iteration.fingerprint == state.last_fingerprint ? state.same_fingerprint + 1 : 1;
  state.last_fingerprint = iteration.fingerprint;
  const bool counted = arm.fingerprints.contains(iteration.fingerprint);
  if (counted || arm.fingerprints.size() < kFingerprintsKept) ++arm.fingerprints[iteration.fingerprint];
}

}  // namespace

bool account(Arm& arm, const IterationSummary& iteration, bool improved) {
  ArmState& state = arm.state;
  ++state.evaluations;
  ++state.outcomes[std::string(name(iteration.outcome))];
  ++state.since_improvement;
  state.same_code = iteration.outcome == OutcomeKind::no_effect ? state.same_code + 1 : 0;
  state.spent_s += iteration.wall_s;
  state.build_s += iteration.build_s;
  state.gates_s += iteration.gates_s;
  state.timing_s += iteration.timing_s;
  if (iteration.wall_s > 0) arm.log_seconds.add(std::log(iteration.wall_s));
  if (is_timed(iteration.outcome) && iteration.time_ns) return account_timed(arm, iteration, improved);
  if (iteration.outcome == OutcomeKind::wrong_answer) account_wrong(arm, iteration);
  if (iteration.outcome == OutcomeKind::abandoned && iteration.speedup && *iteration.speedup > 0)
    add_gain(arm, *iteration.speedup);
  return false;
}

void complete_view(ArmState& view, const Arm& arm, const std::optional<double>& usd_per_hour) {
  view.log_gain_mean = arm.log_gains.mean();
  view.log_gain_sd = arm.log_gains.deviation();
  view.log_evaluation_mean = arm.log_seconds.mean();
  view.log_evaluation_sd = arm.log_seconds.deviation();
  if (usd_per_hour) {
    view.spent_usd = *usd_per_hour * view.spent_s / 3600;
    if (view.predicted_s) view.predicted_usd = *usd_per_hour * *view.predicted_s / 3600;
  }
  view.fingerprints.clear();
  for (const auto& [fingerprint, count] : arm.fingerprints) view.fingerprints.push_back({fingerprint, count});
  std::stable_sort(view.fingerprints.begin(), view.fingerprints.end(),
                   [](const WrongAnswerCount& a, const WrongAnswerCount& b) { return a.count > b.count; });
  if (view.fingerprints.size() > kFingerprintsShown) view.fingerprints.resize(kFingerprintsShown);
}

}  // namespace harness
