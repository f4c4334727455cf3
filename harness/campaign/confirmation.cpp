#include "harness/campaign/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/controls.h"

namespace harness {
namespace {

// At most this share of a budget is kept for winners that there may be, and for winners whose confirmation is guessed:
// a guess is often several times too long, and would take the search's time (37 instead of 3 evaluations in 40 s on an
// H200).
constexpr double kReserveShare = 0.3;

/// The time may end before the last of them: what gained most comes first.
std::vector<WorkloadBook*> by_gain(std::vector<WorkloadBook>& books) {
  std::vector<std::pair<double, WorkloadBook*>> gains;
  for (WorkloadBook& book : books) {
    const bool faster = book.baseline_ns && !book.standings.empty();
    gains.emplace_back(faster ? -book.plan.weight * std::log(*book.baseline_ns / book.standings.back().time_ns) : 0,
                       &book);
  }
  std::ranges::stable_sort(gains, {}, &std::pair<double, WorkloadBook*>::first);
  std::vector<WorkloadBook*> ordered;
  for (const auto& [gain, book] : gains) ordered.push_back(book);
  return ordered;
}

}  // namespace

double Confirmation::least_seconds() const {
  constexpr double kLeastEvaluations = 2;  // the winner, and the baseline beside it
  return kLeastEvaluations * context_.state.passed_seconds();
}

// A guess keeps its share of the budget at most: all of the rest would go to it otherwise.
double Confirmation::seconds_of(const std::string& kernel) const {
  const double seconds = costs_.expect(kernel, context_.state.evaluation_seconds(), context_.state.passed_seconds());
  if (!costs_.is_guess(kernel)) return seconds;
  return std::max(least_seconds(), std::min(seconds, kReserveShare * context_.limits.payable_at_first_s()));
}

// Nobody knows how long a guessed one takes: time that is left is better spent on it than not at all.
bool Confirmation::affords(const WorkloadBook& book, double more_s) const {
  const std::string& kernel = book.plan.kernel;
  return context_.limits.affords((costs_.is_guess(kernel) ? least_seconds() : seconds_of(kernel)) + more_s);
}

bool Confirmation::may_get_winner(const WorkloadBook& book) const {
  if (book.to_confirm() || book.is_confirmed()) return false;
  return std::ranges::any_of(context_.state.arms().arms, [&](const Arm& arm) {
    const ArmState& state = arm.state;
    return state.id.kernel == book.plan.kernel && state.id.workload == book.plan.workload && !state.closed &&
           !state.exhausted;
  });
}

// In a fleet a winner is timed three times, one after the other, and cards share the winners.
double Confirmation::reserve_s() const {
  if (!context_.options.confirms) return 0;
  constexpr double kTimes = 3;
  const double turns = context_.in_fleet() ? kTimes / cards_.left() : 1;
  std::vector<double> winners, possible;
  double longest = 0;
  bool guessed = false;
  for (const WorkloadBook* const book : by_gain(context_.state.workloads())) {
    if (!book->to_confirm() && !may_get_winner(*book)) continue;
    const double seconds = seconds_of(book->plan.kernel);
    (book->to_confirm() ? winners : possible).push_back(turns * seconds);
    longest = std::max(longest, seconds);
    guessed = guessed || costs_.is_guess(book->plan.kernel);
  }
  const double left_s = context_.limits.payable_s(), budget_s = context_.limits.payable_at_first_s();
  double reserve = kept_for_confirmations(winners, possible, left_s, guessed ? kReserveShare * budget_s : left_s,
                                          kReserveShare * budget_s);
  // The last evaluation took longer than was expected: a guess that no longer fits is tried in what is left.
  if (reserve == 0 && guessed && !winners.empty() && left_s >= least_seconds()) reserve = left_s;
  return context_.in_fleet() && reserve > 0 ? std::clamp(kTimes * longest, reserve, std::max(reserve, left_s))
                                            : reserve;
}

Ended Confirmation::confirm_winners() {
  for (WorkloadBook* const book : by_gain(context_.state.workloads())) {
    if (Ended ended = flights_.start(confirm(*book))) return flights_.drain(*ended);
    while (flights_.has_tasks() && !flights_.has_room())
      if (Ended ended = flights_.finish_next()) return flights_.drain(*ended);
  }
  while (flights_.has_tasks())
    if (Ended ended = flights_.finish_next()) return flights_.drain(*ended);
  return std::nullopt;
}

Waits Confirmation::confirm(WorkloadBook& book) {
  Waits completes = complete_baseline(book);
  if (Ended ended = co_await completes) co_return ended;
  Waits confirms = confirm_best(book);
  if (Ended ended = co_await confirms) co_return ended;
  Waits controls = try_controls(book);
  if (Ended ended = co_await controls) co_return ended;
  Waits again = complete_baseline(book);  // the winner may have fallen
  co_return co_await again;
}

// One after the other on the best that there is: what gains stays, and the next is tried beside it. Compilers' switches
// are known to make wrong code, so that what has gained is confirmed as any winner.
Waits Confirmation::try_controls(WorkloadBook& book) {
  if (!context_.options.controls || context_.device.emulation || !book.is_confirmed()) co_return std::nullopt;
  Decision decision;
  decision.action = Action::confirm;
  decision.arm = {book.plan.kernel, book.plan.workload, book.standings.back().candidate.technique};
  decision.why = fmt::format("compiler controls are tried on the confirmed best of {}", book.plan.workload);
  const DecisionRecord cause = record_(std::move(decision));
  for (const Control& control : known_controls()) {
    if (context_.stopped()) co_return stopped_by_user();
    if (!affords(book, context_.state.passed_seconds())) break;
    Candidate candidate = book.standings.back().candidate;
    const Config tried = with_control(candidate.config, control.option);
    if (to_text(tried) == to_text(std::exchange(candidate.config, tried))) continue;
    Assignment work{context_.realize(candidate, book.plan.workload), Purpose::search, 0};
    Waits measures = flights_.evaluate(work, cause);
    if (Ended ended = co_await measures) co_return ended;
  }
  Waits confirms = confirm_best(book);
  co_return co_await confirms;
}

// A slow baseline was told by a few launches. Where nothing faster is known it is the best there is, and meets the
// other gates.
Waits Confirmation::complete_baseline(WorkloadBook& book) {
  constexpr double kLaunches = 10, kOtherSizes = 2;  // of what judging it briefly took
  if (!book.brief_baseline_s) co_return std::nullopt;
  if (!context_.limits.affords(kLaunches * *book.baseline_ns * 1e-9 + kOtherSizes * *book.brief_baseline_s))
    co_return std::nullopt;
  if (!book.standings.empty() && book.standings.back().time_ns < *book.baseline_ns) co_return std::nullopt;
  if (context_.stopped()) co_return stopped_by_user();
  Decision decision;
  decision.action = Action::confirm;
  decision.arm = {book.plan.kernel, book.plan.workload, book.plan.baseline.technique};
  decision.why = fmt::format("nothing faster than {} is known on {}: it meets the gates that were left out",
                             book.plan.baseline.variant, book.plan.workload);
  const DecisionRecord cause = record_(std::move(decision));
  Assignment work{context_.realize(book.plan.baseline, book.plan.workload), Purpose::baseline, 0, true};
  Waits measures = flights_.evaluate(work, cause);
  co_return co_await measures;
}

Waits Confirmation::confirm_best(WorkloadBook& book) {
  while (book.to_confirm()) {
    if (context_.stopped()) co_return stopped_by_user();
    if (!affords(book)) co_return std::nullopt;
    Decision decision;
    decision.action = Action::confirm;
    const Candidate candidate = book.standings.back().candidate;
    decision.arm = {candidate.kernel, book.plan.workload, candidate.technique};
    decision.why =
        fmt::format("{} is the best on {}: timed again in a fresh process", candidate.variant, book.plan.workload);
    const DecisionRecord cause = record_(std::move(decision));
    const std::int64_t winner = book.standings.back().iteration;
    Assignment work{context_.realize(candidate, book.plan.workload), Purpose::confirm, 0};
    Waits measures = flights_.evaluate(work, cause);
    if (Ended ended = co_await measures) co_return ended;
    const bool undecided = !book.standings.empty() && book.standings.back().iteration == winner;
    if (undecided) co_return std::nullopt;
    if (book.is_confirmed() && context_.in_fleet()) {
      Waits again = confirm_again(book, work, cause);
      if (Ended ended = co_await again) co_return ended;
    }
    if (book.is_confirmed()) co_return std::nullopt;
    Waits reconsiders = reconsider_screened(book, cause);
    if (Ended ended = co_await reconsiders) co_return ended;
  }
  co_return std::nullopt;
}

// A winner must hold twice on its card, and where there is another one on that too: there it may be none.
Waits Confirmation::confirm_again(WorkloadBook& book, Assignment work, DecisionRecord cause) {
  const std::size_t card = flights_.last_device();
  for (const bool same : {true, false}) {
    if (!book.is_confirmed() || !affords(book) || (!same && cards_.left() < 2)) co_return std::nullopt;
    work.only = same ? std::optional(card) : std::nullopt;
    work.but_not = same ? std::nullopt : std::optional(card);
    Waits confirms = flights_.evaluate(work, cause);
    if (Ended ended = co_await confirms) co_return ended;
  }
  co_return std::nullopt;
}

// What was screened beside a winner that then fell may be the best of what is left: it meets all gates now.
Waits Confirmation::reconsider_screened(WorkloadBook& book, DecisionRecord cause) {
  while (const Standing* next = book.best_screened()) {
    if (context_.stopped()) co_return stopped_by_user();
    if (!affords(book, context_.state.passed_seconds())) co_return std::nullopt;
    const Candidate candidate = next->candidate;
    Assignment work{context_.realize(candidate, book.plan.workload), Purpose::search, 0, true};
    Waits measures = flights_.evaluate(work, cause);
    if (Ended ended = co_await measures) co_return ended;
  }
  co_return std::nullopt;
}

}  // namespace harness
