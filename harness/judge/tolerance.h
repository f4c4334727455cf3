#pragma once
#include "harness/core/contract.h"

namespace harness::judge {

/// A healthy kernel's error in relative L2, with room: attention in fp16 has 3e-4 and in bf16 2.3e-3, and defects in
/// fp16 begin at 7e-3. f64 1e-12, f32 2e-5, f16 2e-3, bf16 1.2e-2, e4m3 1e-1, e5m2 2e-1.
double default_tolerance(Dtype dtype);

/// relative where nothing is declared and the type is floating, else exact.
Compare compare_of(const Argument& argument);

/// The declared tolerance, or the default of the comparison: by dtype (relative, set of floats), 0 (ulp, exact), 1e-3
/// (quantized: honest fp32 arithmetic differs in 2e-5 of the elements, rounding through bf16 in 5e-2).
double tolerance_of(const Argument& argument);

/// Beyond the L2 error of the whole tensor, so that a local error cannot hide in a big one and a small systematic one
/// not in rounding noise:
inline constexpr double kRowFactor = 10;      // a row's L2 error, against the larger of its and a typical row's norm
inline constexpr double kElementFactor = 50;  // one element's error, against the larger of it and its row's rms
/// Rounding errors average out, a wrong factor does not: |<out, ref> / <ref, ref> - 1| over n elements stays below
/// tolerance * (kScaleShare + 1 / sqrt(n)). This is what catches a factor of 1.01 in bf16.
inline constexpr double kScaleShare = 1.0 / 3;

}  // namespace harness::judge
