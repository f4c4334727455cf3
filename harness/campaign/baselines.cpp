#include "harness/campaign/baselines.h"

#include <algorithm>
#include <set>

namespace harness {

Waits Baselines::begin_workload(WorkloadBook& book, DecisionRecord cause) {
  if (book.baseline_tried || flights_.under_way(book.plan.kernel, book.plan.workload, Purpose::baseline))
    co_return std::nullopt;
  preparations_.begin_workload(book);
  Assignment work{context_.realize(book.plan.baseline, book.plan.workload), Purpose::baseline, 0};
  Waits measures = flights_.evaluate(work, cause);
  if (Ended ended = co_await measures) co_return ended;
  book.baseline_tried = true;
  co_return limits_();
}

// A rival that fails is only not there to be compared with.
Waits Baselines::measure_rival(WorkloadBook& book, DecisionRecord cause) {
  const Candidate* const rival = book.next_rival();
  if (rival == nullptr || flights_.under_way(book.plan.kernel, book.plan.workload, Purpose::rival))
    co_return std::nullopt;
  Assignment work{context_.realize(*rival, book.plan.workload), Purpose::rival, 0};
  Waits measures = flights_.evaluate(work, cause);
  co_return co_await measures;
}

// A library's evaluation may take many times what one of ours takes: the winners' time is not spent on it.
bool Baselines::affords_rival() const {
  double seconds = 0;
  std::size_t count = 0;
  for (const WorkloadBook& book : context_.state.workloads())
    for (const RivalRun& run : book.rivals) seconds += run.wall_s, ++count;
  const double expected = count > 0 ? seconds / static_cast<double>(count) : context_.state.passed_seconds();
  return context_.limits.affords(expected + reserve_s_());
}

/// Workloads that something may still be evaluated on, and that were not begun.
std::size_t Baselines::workloads_to_begin() const {
  std::set<std::pair<std::string, std::string>> waiting;
  for (const Arm& arm : context_.state.arms().arms) {
    const ArmId& id = arm.state.id;
    if (!arm.state.closed && !arm.state.exhausted && !context_.state.workload(id.kernel, id.workload).baseline_tried)
      waiting.emplace(id.kernel, id.workload);
  }
  return waiting.size();
}

// One rival tells where we stand; a library plans each of its engines for a second, so the others wait until their
// share of the time has come. Where time is too short for every workload to have its first ones of ours, it is not
// spent on libraries before they have.
Waits Baselines::follow_with_rival(WorkloadBook& book, DecisionRecord cause) {
  constexpr std::int64_t kOursFirst = 3;  // the baseline among them
  constexpr double kShareOfRivals = 0.1;
  if (!book.rivals.empty() && context_.state.rivals_seconds() > kShareOfRivals * context_.limits.held_s())
    co_return std::nullopt;
  const double to_begin_s = static_cast<double>(workloads_to_begin() * kOursFirst) * context_.state.passed_seconds();
  if (!context_.limits.affords(to_begin_s + reserve_s_())) co_return std::nullopt;
  std::int64_t ours = 0;
  for (const Arm& arm : context_.state.arms().arms)
    if (arm.state.id.kernel == book.plan.kernel && arm.state.id.workload == book.plan.workload)
      ours += arm.state.evaluations;
  if (ours < kOursFirst || book.next_rival() == nullptr) co_return std::nullopt;
  if (Ended ended = limits_()) co_return ended;
  if (!affords_rival()) co_return std::nullopt;
  Waits measures = measure_rival(book, cause);
  co_return co_await measures;
}

Waits Baselines::measure_missing_rivals(Ending ending, DecisionRecord cause) {
  const bool has_time = ending.reason == EndReason::exhausted || ending.reason == EndReason::strategy;
  if (!has_time) co_return ending;
  for (WorkloadBook& book : context_.state.workloads())
    while (book.baseline_tried && book.next_rival() != nullptr && affords_rival()) {
      Waits measures = measure_rival(book, cause);
      if (Ended ended = co_await measures) co_return ended;
    }
  co_return ending;
}

}  // namespace harness
