#pragma once
#include "harness/core/ledger.h"
#include "harness/core/strategy.h"

namespace harness {

/// Keeps the score of predictions, one after the other, and finds by what the next ones should be corrected.
///
/// A 90 % range that is missed more than once in ten is too narrow. After each prediction the width is multiplied by
/// exp(gain x (missed - 0.1)): a miss widens, nine hits narrow by as much, and the share of misses is driven to 0.1
/// whatever the distribution is (quantile tracking: Gibbs and Candes, "Adaptive conformal inference under distribution
/// shift", 2021; Angelopoulos, Candes and Tibshirani, "Conformal PID control for time series prediction", 2023).
/// Minutes are also scaled: the scale follows ln(seen / middle of the range) with the weight kScaleGain.
class CalibrationBook {
 public:
  /// One evaluation that was predicted. A speedup is scored when it passed and the range has a width; minutes and the
  /// probability when they were predicted; nothing when it was interrupted.
  void score(const ScoredPrediction& prediction);
  const Calibration& now() const { return calibration_; }

 private:
  void score_speedup(const ScoredPrediction& prediction);
  void score_minutes(const ScoredPrediction& prediction);
  void score_passing(const ScoredPrediction& prediction);
  Calibration calibration_;
};

/// What is expected in the middle of a range of minutes: its geometric mean. Empty: none was predicted.
std::optional<double> expected_minutes(const Prediction& predict);

}  // namespace harness
