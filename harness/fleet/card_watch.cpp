#include "harness/fleet/card_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace harness::fleet {
namespace {

double median_of(const std::vector<CardCalibration>& all, double CardCalibration::*rate) {
  std::vector<double> rates;
  for (const CardCalibration& calibration : all) rates.push_back(calibration.*rate);
  std::ranges::sort(rates);
  return rates[rates.size() / 2];
}

}  // namespace

CardWatch::CardWatch(CardRules rules, bool emulated, Known earlier)
    : rules_(rules), emulated_(emulated), known_(std::move(earlier)) {}

/// Of the rate that changed most; nothing where there is no first one to compare with.
std::optional<double> CardWatch::drift_of(const CardCalibration& calibration) const {
  if (!first_ || first_->method != calibration.method) return std::nullopt;
  double most = 0;
  for (double CardCalibration::*rate : {&CardCalibration::bytes_per_s, &CardCalibration::operations_per_s}) {
    if ((*first_).*rate <= 0) continue;
    const double change = calibration.*rate / ((*first_).*rate) - 1;
    if (std::abs(change) > std::abs(most)) most = change;
  }
  return most;
}

bool CardWatch::drifts(const CardCalibration& calibration) const {
  return !emulated_ && std::abs(drift_of(calibration).value_or(0)) > rules_.drift;
}

/// "" where there are none. Memory errors that were corrected cost nothing.
std::string CardWatch::errors_of(const CardState& state) {
  std::string sentence;
  if (!state.xids.empty()) sentence = fmt::format("the driver told of error XID {}", fmt::join(state.xids, ", "));
  const std::int64_t before = uncorrected_.value_or(state.ecc_uncorrected.value_or(0));
  if (state.ecc_uncorrected.value_or(before) > before)
    sentence += fmt::format("{}{} memory errors could not be corrected", sentence.empty() ? "" : "; ",
                            *state.ecc_uncorrected - before);
  if (state.ecc_uncorrected) uncorrected_ = state.ecc_uncorrected;
  return sentence;
}

std::optional<CardCheck> CardWatch::take(const CardCalibration& calibration, double seconds, double now) {
  if (!calibration.made()) {  // this kind of device makes none
    due_ = now + rules_.every_s;
    return std::nullopt;
  }
  in_a_row_.push_back(calibration);
  in_a_row_s_ += seconds;
  if (!first_ && known_) first_ = known_(calibration.method);
  CardCheck check;
  check.occasion = occasion_;
  const std::string errors = errors_of(calibration.state);
  if (errors.empty() && in_a_row_.size() < rules_.before_blame && (in_a_row_.size() > 1 || drifts(calibration)))
    return std::nullopt;
  check.calibration = calibration;
  check.calibration.bytes_per_s = median_of(in_a_row_, &CardCalibration::bytes_per_s);
  check.calibration.operations_per_s = median_of(in_a_row_, &CardCalibration::operations_per_s);
  check.seconds = std::exchange(in_a_row_s_, 0);
  check.drift = drift_of(check.calibration);
  if (!check.drift) {
    first_ = check.calibration;
    check.verdict = CardVerdict::first;
  }
  if (!errors.empty()) check.why = errors;
  else if (drifts(check.calibration))
    check.why = fmt::format("it is {:.1f} % {} than at its first calibration, in the median of {}",
                            100 * std::abs(*check.drift), *check.drift < 0 ? "slower" : "faster", in_a_row_.size());
  in_a_row_.clear();
  return conclude(std::move(check), now);
}

std::optional<CardCheck> CardWatch::fail(const std::string& why, double seconds, double now) {
  CardCheck check;
  check.occasion = occasion_;
  check.calibration.method = "failed";
  check.seconds = seconds + std::exchange(in_a_row_s_, 0);
  check.why = "its calibration failed: " + why;
  in_a_row_.clear();
  return conclude(std::move(check), now);
}

/// A suspect is calibrated again before its next evaluation.
CardCheck CardWatch::conclude(CardCheck check, double now) {
  occasion_ = "due";
  due_ = now + rules_.every_s;
  if (check.why.empty()) {
    if (++good_ >= rules_.good_in_a_row) strikes_ = 0;
    if (strikes_ > 0) due_ = now;
    return check;
  }
  good_ = 0;
  quarantined_ = ++strikes_ >= rules_.strikes;
  check.verdict = quarantined_ ? CardVerdict::quarantined : CardVerdict::suspect;
  due_ = now;
  return check;
}

}  // namespace harness::fleet
