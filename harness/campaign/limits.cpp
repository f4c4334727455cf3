#include "harness/campaign/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace harness {

Limits::Limits(const CampaignOptions& options, Clock& clock, Fleet* fleet)
    : options_(options), clock_(clock), fleet_(fleet) {
  note_devices();
}

void Limits::begin(double before_s) {
  started_ = clock_.seconds() - before_s;
}

void Limits::note_devices() {
  if (fleet_ == nullptr) return;
  const std::vector<FleetDevice>& devices = fleet_->devices();
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].alive) held_from_s_.try_emplace(i, started_ > 0 ? leg_s() : 0);
}

double Limits::spent_s() const {
  return earlier_legs_s_ + assumed_s_ + (started_ > 0 ? clock_.seconds() - started_ : 0);
}

std::optional<double> Limits::left_s() const {
  if (!options_.budget_s) return std::nullopt;
  return std::max(0.0, *options_.budget_s - spent_s());
}

double Limits::payable_s() const {
  double payable = left_s().value_or(INFINITY);
  if (options_.max_cost_usd && usd_per_hour() > 0)
    payable = std::min(payable, 3600 * (*options_.max_cost_usd - spent_usd().value_or(0)) / usd_per_hour());
  return std::max(0.0, payable);
}

double Limits::payable_at_first_s() const {
  const double by_time = options_.budget_s.value_or(INFINITY);
  if (!options_.max_cost_usd || usd_per_hour() <= 0) return by_time;
  return std::min(by_time, 3600 * *options_.max_cost_usd / usd_per_hour());
}

double Limits::held_s() const {
  if (fleet_ == nullptr) return leg_s();
  double sum = 0;
  for (const auto& [device, from_s] : held_from_s_) sum += leg_s() - from_s;
  return sum;
}

double Limits::idle_s() const {
  return std::max(0.0, held_s() - busy_s_);
}

double Limits::usd_per_hour() const {
  const double own = options_.usd_per_hour.value_or(0);
  if (fleet_ == nullptr) return own;
  double sum = 0;
  for (const auto& [device, from_s] : held_from_s_) sum += fleet_->devices()[device].usd_per_hour.value_or(own);
  return sum;
}

// Of earlier legs nobody knows which devices were there: those of today are taken to have been.
std::optional<double> Limits::spent_usd() const {
  const double own = options_.usd_per_hour.value_or(0);
  double device_usd = fleet_ == nullptr ? own * spent_s() / 3600 : 0;
  for (const auto& [device, from_s] : held_from_s_)
    device_usd += fleet_->devices()[device].usd_per_hour.value_or(own) * (spent_s() - from_s) / 3600;
  if (usd_per_hour() <= 0) return proposals_usd_ > 0 ? std::optional(proposals_usd_) : std::nullopt;
  return device_usd + proposals_usd_;
}

bool Limits::affords(double seconds) const {
  if (options_.budget_s && spent_s() + seconds > *options_.budget_s) return false;
  return !options_.max_cost_usd || spent_usd().value_or(0) + usd_per_hour() * seconds / 3600 <= *options_.max_cost_usd;
}

Ended Limits::check(double evaluation_s, double kept_s) const {
  const double needed_s = evaluation_s + kept_s;
  if (options_.budget_s && spent_s() + needed_s > *options_.budget_s)
    return Ending{EndReason::budget,
                  fmt::format("{:.0f} of {:.0f} s are spent and another evaluation would not fit{}", spent_s(),
                              *options_.budget_s, kept_s > 0 ? " beside the confirmation" : "")};
  if (options_.max_cost_usd && spent_usd() && *spent_usd() + usd_per_hour() * needed_s / 3600 > *options_.max_cost_usd)
    return Ending{EndReason::cost, fmt::format("${:.2f} of ${:.2f} are spent", *spent_usd(), *options_.max_cost_usd)};
  return std::nullopt;
}

}  // namespace harness
