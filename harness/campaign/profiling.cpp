#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/campaign/loop.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"

// Profiles of what matters: baselines, new bests and winners. A profile is made after its evaluation has ended, so
// nothing is timed meanwhile. It never ends a campaign.
namespace harness {
namespace {

// What all profiles together may take while candidates are still tried: a share of the budget at once, and a share of
// what is spent. In a minute's campaign that is one profile or none; what a second buys there is four candidates.
constexpr double kShareOfBudget = 0.01, kShareOfSpent = 0.03;
// A proposer reads profiles: the baseline's before its first request, also in half a minute.
constexpr double kShareForProposer = 0.1;

}  // namespace

void Campaign::profile(const Work& work, const IterationSummary& iteration, bool new_best) {
  if (ports_.profiler == nullptr || options_.profile == "off" || profiles_off_) return;
  if (options_.profile == "auto" && device_.emulation) return;  // counting takes as long as an evaluation there
  if (iteration.outcome != OutcomeKind::passed) return;
  if (work.purpose != Purpose::baseline && !new_best && !work.confirms()) return;
  const std::string& workload = work.realized.problem.workload.name;
  if (const Profile* known = state_.find_profile(workload, work.realized.candidate)) {
    Profile again = *known;  // the same code on the same workload
    again.wall_s = 0;
    if (work.confirms()) keep_profile(work, iteration.iteration, again);
    return;
  }
  if (may_profile(work)) find_profile(work, iteration);
  else if (work.confirms()) stop_profiling(work, iteration.iteration, "the budget has no time left for it", false);
}

// A winner's profile comes when the search is over: only what is left of the budget limits it.
bool Campaign::may_profile(const Work& work) {
  if (!options_.budget_s) return true;
  const double at_once = ports_.proposer != nullptr ? kShareForProposer : kShareOfBudget;
  const double share = at_once * *options_.budget_s + kShareOfSpent * spent_seconds();
  return affords(profile_s_) && (work.confirms() || profiles_s_ + profile_s_ <= share);
}

void Campaign::find_profile(const Work& work, const IterationSummary& iteration) {
  say(fmt::format("the profile of {} {} on {}", work.realized.candidate.kernel, work.realized.candidate.variant,
                  work.realized.problem.workload.name),
      "profile");
  const double begin = ports_.clock.seconds();
  std::optional<Profile> found;
  std::string trouble;
  bool for_good = false;
  try {
    ProfileRequest request;
    request.gpu = device_.predicts;  // "": the first one
    found = ports_.profiler->profile(work.realized, request);
    if (found && iteration.time_ns && !device_.emulation && !found->number("timed_ns"))
      found->numbers.push_back({"timed_ns", *iteration.time_ns});
    if (found && ports_.diagnoser != nullptr) found->diagnosis = ports_.diagnoser->diagnose(*found);
  } catch (const Error& error) {
    trouble = error.what();
    for_good = error.kind() == Error::Kind::environment;
  }
  const double seconds = ports_.clock.seconds() - begin;
  profiles_s_ += seconds;
  profile_s_ = seconds;
  busy_s_ += seconds;
  stored([&] { ports_.ledger.charge(campaign_, "profile", seconds); });
  if (!trouble.empty()) return stop_profiling(work, iteration.iteration, trouble, for_good);
  if (!found) return;  // interrupted
  keep_profile(work, iteration.iteration, *found);
  state_.add_profile(work.realized.problem.workload.name, work.realized.candidate, *found);
}

void Campaign::keep_profile(const Work& work, std::int64_t iteration, const Profile& profile) {
  stored([&] { ports_.ledger.record_profile(iteration, profile); });
  const Candidate& candidate = work.realized.candidate;
  ports_.display.profiled(
      {campaign_, iteration, candidate.kernel, work.realized.problem.workload.name, candidate.variant, &profile, ""});
}

/// Said once for a campaign: what comes later is left out for the same reason, mostly.
void Campaign::stop_profiling(const Work& work, std::int64_t iteration, const std::string& why, bool for_good) {
  profiles_off_ = profiles_off_ || for_good;
  if (std::exchange(told_no_profile_, true)) return;
  const Candidate& candidate = work.realized.candidate;
  ports_.display.profiled(
      {campaign_, iteration, candidate.kernel, work.realized.problem.workload.name, candidate.variant, nullptr, why});
}

void Campaign::restore_profiles(const std::vector<IterationSummary>& iterations) {
  std::map<std::int64_t, const IterationSummary*> by_number;
  for (const IterationSummary& iteration : iterations) by_number[iteration.iteration] = &iteration;
  for (const ProfileRecord& record : ports_.ledger.profiles(campaign_))
    if (const auto known = by_number.find(record.iteration); known != by_number.end())
      state_.add_profile(known->second->workload, known->second->candidate, record.profile);
}

}  // namespace harness
