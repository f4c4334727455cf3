#include "harness/campaign/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/campaign/store_failure.h"

namespace harness {
namespace {

std::string alone_key(const std::string& card, const std::string& workload, const Candidate& candidate) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", card, workload, candidate.kernel, candidate.variant,
                     to_text(candidate.config));
}

}  // namespace

void Cards::take_checks() {
  if (context_.ports.fleet == nullptr) return;
  for (const CardCheck& check : context_.ports.fleet->take_card_checks()) {
    context_.limits.work(check.seconds);
    stored([&] {
      context_.ports.ledger.record_card_check(context_.campaign, check);
      context_.ports.ledger.charge(context_.campaign, "calibration", check.seconds);
    });
  }
}

double Cards::left() const {
  if (context_.ports.fleet == nullptr) return 1;
  return static_cast<double>(
      std::max<std::ptrdiff_t>(1, std::ranges::count_if(context_.ports.fleet->devices(), &FleetDevice::alive)));
}

// With one card there is one record, and what is timed beside each other there is all that is compared.
void Cards::hold_to_record(Incumbent& incumbent, Flight& flight) const {
  if (!context_.in_fleet()) return;
  flight.alone_key = alone_key(flight.attempt.device_uuid, flight.attempt.workload, incumbent.realized.candidate);
  const auto alone = alone_ns_.find(flight.alone_key);
  flight.alone_ns = alone == alone_ns_.end() ? 0 : alone->second;
  incumbent.by_record = true;
  incumbent.alone_ns = flight.alone_ns;
}

void Cards::remember(const IterationSummary& iteration) {
  if (iteration.outcome != OutcomeKind::passed || iteration.device_uuid.empty() || !iteration.time_ns) return;
  alone_ns_[alone_key(iteration.device_uuid, iteration.workload, iteration.candidate)] = *iteration.time_ns;
}

void Cards::land(Flight& flight) {
  if (context_.ports.fleet != nullptr) {
    to_anchor(flight, *flight.evaluation);
    hold_to_present_best(flight, *flight.evaluation);
  }
  keep_alone(flight);
}

// Absolute times do not travel between cards. What was timed beside an incumbent whose time on the workload's anchor
// card is known (the card of its baseline) is told as that card would have shown it.
void Cards::to_anchor(const Flight& flight, Evaluation& evaluation) {
  const Assignment& work = flight.work;
  const WorkloadBook& book = context_.book_of(work);
  const Timing* timing = timing_of(evaluation.outcome);
  if (timing == nullptr || !timing->incumbent_ns || *timing->incumbent_ns <= 0 || work.incumbent_ns <= 0) return;
  doubt_outlier(flight.device, *timing->incumbent_ns / work.incumbent_ns);
  if (context_.ports.fleet->devices().at(flight.device).uuid == book.anchor_uuid) return;
  evaluation.anchor_ns = timing->time_ns * work.incumbent_ns / *timing->incumbent_ns;
}

// Where something else became the best while this was timed, the verdict is against that one.
void Cards::hold_to_present_best(const Flight& flight, Evaluation& evaluation) const {
  auto* passed = std::get_if<Passed>(&evaluation.outcome);
  const WorkloadBook& book = context_.book_of(flight.work);
  if (passed == nullptr || !passed->timing.verdict || flight.work.purpose != Purpose::search || book.standings.empty())
    return;
  const auto verdict = verdict_beside(summarize_iteration(0, flight.attempt, evaluation), book.standings.back());
  if (verdict) passed->timing.verdict = verdict;
}

// What was found of the incumbent is no part of the candidate's cost. A record that had to be renewed is odd.
void Cards::keep_alone(const Flight& flight) {
  const Evaluation& evaluation = *flight.evaluation;
  if (evaluation.calibration_s > 0) {
    context_.limits.work(evaluation.calibration_s);
    stored([&] { context_.ports.ledger.charge(context_.campaign, "calibration", evaluation.calibration_s); });
  }
  if (flight.alone_key.empty() || !evaluation.incumbent_alone_ns) return;
  alone_ns_[flight.alone_key] = *evaluation.incumbent_alone_ns;
  if (flight.alone_ns > 0 && flight.alone_ns != *evaluation.incumbent_alone_ns)
    context_.ports.fleet->doubt(flight.device);
}

// A card is slower than the anchor by what it is slower, whatever it times. A pair that says otherwise is odd.
void Cards::doubt_outlier(std::size_t device, double over_anchor) {
  // Beside the median of the newest pairs: one odd pair does not move it, and a card that warms up is followed.
  constexpr std::size_t kKept = 16, kEnough = 6;
  constexpr double kOdd = 0.05;
  if (!context_.in_fleet() || context_.device.emulation) return;
  std::vector<double>& newest = over_anchor_[device];
  if (newest.size() >= kEnough) {
    std::vector<double> sorted = newest;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    if (std::abs(over_anchor / sorted[sorted.size() / 2] - 1) > kOdd) context_.ports.fleet->doubt(device);
  }
  newest.push_back(over_anchor);
  if (newest.size() > kKept) newest.erase(newest.begin());
}

}  // namespace harness
