#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/campaign/loop.h"
#include "harness/campaign/store_failure.h"

// What a campaign knows of the cards of its fleet: what they were found to be, and what incumbents take on each.
namespace harness {
namespace {

std::string alone_key(const std::string& card, const std::string& workload, const Candidate& candidate) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", card, workload, candidate.kernel, candidate.variant,
                     to_text(candidate.config));
}

}  // namespace

void Campaign::take_card_checks() {
  if (ports_.fleet == nullptr) return;
  for (const CardCheck& check : ports_.fleet->take_card_checks()) {
    busy_s_ += check.seconds;
    stored([&] {
      ports_.ledger.record_card_check(campaign_, check);
      ports_.ledger.charge(campaign_, "calibration", check.seconds);
    });
  }
}

double Campaign::cards_left() {
  if (ports_.fleet == nullptr) return 1;
  return static_cast<double>(
      std::max<std::ptrdiff_t>(1, std::ranges::count_if(ports_.fleet->devices(), &FleetDevice::alive)));
}

// With one card there is one record, and what is timed beside each other there is all that is compared.
void Campaign::hold_to_record(Incumbent& incumbent, Flight& flight) {
  if (!in_fleet()) return;
  flight.alone_key = alone_key(flight.attempt.device_uuid, flight.attempt.workload, incumbent.realized.candidate);
  const auto known = alone_ns_.find(flight.alone_key);
  flight.alone_ns = known == alone_ns_.end() ? 0 : known->second;
  incumbent.by_record = true;
  incumbent.alone_ns = flight.alone_ns;
}

/// The own time of what was timed there itself.
void Campaign::remember_alone(const IterationSummary& iteration) {
  if (iteration.outcome != OutcomeKind::passed || iteration.device_uuid.empty() || !iteration.time_ns) return;
  alone_ns_[alone_key(iteration.device_uuid, iteration.workload, iteration.candidate)] = *iteration.time_ns;
}

/// What was found of the incumbent, which is no part of the candidate's cost. A record that had to be renewed is odd.
void Campaign::take_alone(const Flight& flight) {
  const Evaluation& evaluation = *flight.evaluation;
  if (evaluation.calibration_s > 0) {
    busy_s_ += evaluation.calibration_s;
    stored([&] { ports_.ledger.charge(campaign_, "calibration", evaluation.calibration_s); });
  }
  if (flight.alone_key.empty() || !evaluation.incumbent_alone_ns) return;
  alone_ns_[flight.alone_key] = *evaluation.incumbent_alone_ns;
  if (flight.alone_ns > 0 && flight.alone_ns != *evaluation.incumbent_alone_ns) fleet().doubt(flight.device);
}

/// A card is slower than the anchor by what it is slower, whatever it times. A pair that says otherwise is odd.
void Campaign::doubt_outlier(std::size_t device, double over_anchor) {
  constexpr std::size_t kKept = 16, kEnough = 6;
  constexpr double kOdd = 0.05;
  if (!in_fleet() || device_.emulation) return;
  std::vector<double>& newest = over_anchor_[device];
  if (newest.size() >= kEnough) {
    std::vector<double> sorted = newest;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    if (std::abs(over_anchor / sorted[sorted.size() / 2] - 1) > kOdd) fleet().doubt(device);
  }
  newest.push_back(over_anchor);
  if (newest.size() > kKept) newest.erase(newest.begin());
}

}  // namespace harness
