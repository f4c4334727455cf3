#include "harness/campaign/calibration.h"

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

constexpr double kMissed = 0.1;        // of ranges that hold in 90 %
constexpr double kWidthGain = 0.15;    // a miss widens by 14 %, a hit narrows by 1.5 %
constexpr double kScaleGain = 0.1;     // the scale remembers about ten evaluations
constexpr double kMostCorrection = 8;  // a factor beyond this is no correction of a prediction, but another one
constexpr double kLeastCorrection = 0.25;

double corrected(double factor, double by) {
  return std::clamp(factor * std::exp(by), kLeastCorrection, kMostCorrection);
}

double after_hit_or_miss(double widen, bool held) {
  return corrected(widen, kWidthGain * ((held ? 0 : 1) - kMissed));
}

}  // namespace

std::optional<double> expected_minutes(const Prediction& predict) {
  if (!predict.minutes_lo || !predict.minutes_hi || *predict.minutes_lo <= 0) return std::nullopt;
  return std::sqrt(*predict.minutes_lo * *predict.minutes_hi);
}

void CalibrationBook::score(const ScoredPrediction& prediction) {
  if (says_nothing(prediction.outcome)) return;
  score_speedup(prediction);
  score_minutes(prediction);
  score_passing(prediction);
}

void CalibrationBook::score_speedup(const ScoredPrediction& prediction) {
  const Prediction& predict = prediction.predict;
  if (!prediction.speedup || predict.speedup_lo >= predict.speedup_hi) return;
  const bool below = *prediction.speedup<predict.speedup_lo, above = *prediction.speedup> predict.speedup_hi;
  ++calibration_.speedup_n;
  calibration_.speedup_held += below || above ? 0 : 1;
  calibration_.speedup_below += below ? 1 : 0;
  calibration_.speedup_above += above ? 1 : 0;
  calibration_.speedup_widen = after_hit_or_miss(calibration_.speedup_widen, !below && !above);
}

void CalibrationBook::score_minutes(const ScoredPrediction& prediction) {
  const std::optional<double> middle = expected_minutes(prediction.predict);
  if (!middle || prediction.wall_s <= 0) return;
  const double minutes = prediction.wall_s / 60;
  const bool held = minutes >= *prediction.predict.minutes_lo && minutes <= *prediction.predict.minutes_hi;
  ++calibration_.minutes_n;
  calibration_.minutes_held += held ? 1 : 0;
  calibration_.minutes_widen = after_hit_or_miss(calibration_.minutes_widen, held);
  calibration_.minutes_scale = corrected(calibration_.minutes_scale, kScaleGain * std::log(minutes / *middle));
}

void CalibrationBook::score_passing(const ScoredPrediction& prediction) {
  if (!prediction.predict.probability || prediction.outcome == OutcomeKind::no_effect) return;
  const auto n = static_cast<double>(calibration_.passed_n++);
  const double passed = is_sound(prediction.outcome) ? 1 : 0;
  const auto mean = [n](const std::optional<double>& so_far, double value) {
    return (so_far.value_or(0) * n + value) / (n + 1);
  };
  calibration_.passed_predicted = mean(calibration_.passed_predicted, *prediction.predict.probability);
  calibration_.passed_seen = mean(calibration_.passed_seen, passed);
}

}  // namespace harness
