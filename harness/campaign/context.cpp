#include "harness/campaign/context.h"

#include <fmt/format.h>

#include "harness/campaign/launch_shape.h"

namespace harness {
namespace {

std::optional<double> ahead_of_rival(const WorkloadBook& book) {
  const RivalRun* rival = book.best_rival();
  if (rival == nullptr || book.standings.empty()) return std::nullopt;
  return *rival->time_ns / book.standings.back().time_ns;
}

}  // namespace

WorkloadBook& CampaignContext::book_of(const Assignment& work) const {
  return state.workload(work.realized.candidate.kernel, work.realized.problem.workload.name);
}

void CampaignContext::say(const std::string& doing, const std::string& phase) const {
  ports.display.progress({limits.spent_s(), options.budget_s.value_or(0), state.iterations(), state.outcomes(), doing,
                          std::nullopt, std::nullopt, phase, "", "", limits.spent_usd()});
}

void CampaignContext::say_at_work(const Assignment& work) const {
  const Candidate& candidate = work.realized.candidate;
  const std::string& workload = work.realized.problem.workload.name;
  const WorkloadBook& book = book_of(work);
  ports.display.progress(
      {limits.spent_s(), options.budget_s.value_or(0), state.iterations(), state.outcomes(),
       fmt::format("{} {} {} on {}", candidate.kernel, candidate.variant, to_text(candidate.config), workload),
       book.standings.empty() ? std::nullopt : book.standings.back().speedup, ahead_of_rival(book),
       work.confirms() ? "confirmation" : "build", candidate.kernel, workload, limits.spent_usd()});
}

Ending stopped_by_user() {
  return {EndReason::interrupted, "stopped by the user"};
}

std::optional<LaunchShape> launch_of(const CampaignContext& context, const Candidate& candidate,
                                     const std::string& workload) {
  try {
    return launch_shape(context.realize(candidate, workload).plan);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace harness
