#pragma once

namespace harness {

/// The range of a predicted time goes from ns / kPredictedRange to ns * kPredictedRange, and never below an empty
/// launch: of 10 predictions 9 should hold (docs/profile.md says how many did).
inline constexpr double kPredictedRange = 2;

}  // namespace harness
