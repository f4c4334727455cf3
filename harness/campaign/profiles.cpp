#include "harness/campaign/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"

namespace harness {
namespace {

// What all profiles together may take while candidates are still tried: a share of the budget at once, and a share of
// what is spent. In a minute's campaign that is one profile or none; what a second buys there is four candidates.
constexpr double kShareOfBudget = 0.01, kShareOfSpent = 0.03;
// A proposer reads profiles: the baseline's before its first request, also in half a minute.
constexpr double kShareForProposer = 0.1;

}  // namespace

void Profiles::consider(const Assignment& work, const IterationSummary& iteration, bool new_best) {
  if (context_.ports.profiler == nullptr || context_.options.profile == "off" || off_) return;
  // Counting takes as long as an evaluation there, and is worth that to a proposer alone.
  const bool read_by_proposer = !context_.ports.proposers.empty() && !context_.device.predicts.empty();
  if (context_.options.profile == "auto" && context_.device.emulation && !read_by_proposer) return;
  if (iteration.outcome != OutcomeKind::passed) return;
  if (work.purpose != Purpose::baseline && !new_best && !work.confirms()) return;
  const std::string& workload = work.realized.problem.workload.name;
  if (const Profile* same = context_.state.find_profile(workload, work.realized.candidate)) {
    Profile again = *same;  // the same code on the same workload
    again.wall_s = 0;
    if (work.confirms()) keep(work, iteration.iteration, again);
    return;
  }
  if (is_affordable(work)) make(work, iteration);
  else if (work.confirms()) give_up(work, iteration.iteration, "the budget has no time left for it", false);
}

// A winner's profile comes when the search is over: only what is left of the budget limits it, and other winners, which
// come first.
bool Profiles::is_affordable(const Assignment& work) const {
  const std::optional<double>& budget_s = context_.options.budget_s;
  if (!budget_s) return true;
  if (work.confirms()) return context_.limits.affords(next_s_ + reserve_s_());
  const double at_once = !context_.ports.proposers.empty() ? kShareForProposer : kShareOfBudget;
  const double share = at_once * *budget_s + kShareOfSpent * context_.limits.spent_s();
  return context_.limits.affords(next_s_) && spent_s_ + next_s_ <= share;
}

void Profiles::make(const Assignment& work, const IterationSummary& iteration) {
  context_.say(fmt::format("the profile of {} {} on {}", work.realized.candidate.kernel,
                           work.realized.candidate.variant, work.realized.problem.workload.name),
               "profile");
  const double begin = context_.ports.clock.seconds();
  std::optional<Profile> profile;
  std::string trouble;
  bool for_good = false;
  try {
    ProfileRequest request;
    request.gpu = context_.device.predicts;  // "": the first one
    profile = context_.ports.profiler->profile(work.realized, request);
    if (profile && iteration.time_ns && !context_.device.emulation && !profile->number("timed_ns"))
      profile->numbers.push_back({"timed_ns", *iteration.time_ns});
    if (profile && context_.ports.diagnoser != nullptr)
      profile->diagnosis = context_.ports.diagnoser->diagnose(*profile);
  } catch (const Error& error) {
    trouble = error.what();
    for_good = error.kind() == Error::Kind::environment;
  }
  const double seconds = context_.ports.clock.seconds() - begin;
  spent_s_ += seconds;
  next_s_ = seconds;
  context_.limits.work(seconds);
  stored([&] { context_.ports.ledger.charge(context_.campaign, "profile", seconds); });
  if (!trouble.empty()) return give_up(work, iteration.iteration, trouble, for_good);
  if (!profile) return;  // interrupted
  keep(work, iteration.iteration, *profile);
  context_.state.add_profile(work.realized.problem.workload.name, work.realized.candidate, *profile);
}

void Profiles::keep(const Assignment& work, std::int64_t iteration, const Profile& profile) {
  stored([&] { context_.ports.ledger.record_profile(iteration, profile); });
  const Candidate& candidate = work.realized.candidate;
  context_.ports.display.profiled({context_.campaign, iteration, candidate.kernel, work.realized.problem.workload.name,
                                   candidate.variant, &profile, ""});
}

/// Said once for a campaign: what comes later is left out for the same reason, mostly.
void Profiles::give_up(const Assignment& work, std::int64_t iteration, const std::string& why, bool for_good) {
  off_ = off_ || for_good;
  if (std::exchange(told_, true)) return;
  const Candidate& candidate = work.realized.candidate;
  context_.ports.display.profiled({context_.campaign, iteration, candidate.kernel, work.realized.problem.workload.name,
                                   candidate.variant, nullptr, why});
}

void Profiles::restore(const std::vector<IterationSummary>& iterations) {
  std::map<std::int64_t, const IterationSummary*> by_number;
  for (const IterationSummary& iteration : iterations) by_number[iteration.iteration] = &iteration;
  for (const ProfileRecord& record : context_.ports.ledger.profiles(context_.campaign))
    if (const auto of = by_number.find(record.iteration); of != by_number.end())
      context_.state.add_profile(of->second->workload, of->second->candidate, record.profile);
}

}  // namespace harness
