#pragma once
#include "harness/core/admission.h"
#include "harness/core/contract.h"

namespace harness::judge {

/// A healthy kernel's error in relative L2, with room: attention in fp16 has 3e-4 and in bf16 2.3e-3, and defects in
/// fp16 begin at 7e-3. f64 1e-12, f32 2e-5, f16 2e-3, bf16 1.2e-2, e4m3 1e-1, e5m2 2e-1.
double default_tolerance(Dtype dtype);

/// relative where nothing is declared and the type is floating, else exact.
Compare compare_of(const Argument& argument);

/// The declared or derived tolerance, else the default of the comparison: by dtype (relative, set of floats), 0 (ulp,
/// exact), 1e-3 (quantized: honest fp32 arithmetic differs in 2e-5 of the elements, rounding through bf16 in 5e-2).
double tolerance_of(const Argument& argument);

/// A tolerance between the error of an honest implementation and that of an impostor one precision lower.
struct DerivedTolerance {
  double tolerance = 0;
  bool separates = false;  // the two are at least kSeparation apart, so that the tolerance tells them from each other
};
inline constexpr double kSeparation = 4;
/// An impostor in f32 has 10 mantissa bits (tf32), and one that drops 6 of 23 would lie far below the mean of that and
/// an honest error. Rounding errors halve with each bit: one with 17 bits has this share of the error of one with 10.
inline constexpr double kFineImpostorShare = 0x1p-7;
/// The tolerance of an output on plain inputs: against the impostor with 17 bits where its type is f32, the contract
/// names no other (`impostor_bits`), and the honest error lies well below; else against `impostor`, which has 10.
/// tolerance_at raises it where sums are long.
DerivedTolerance derive_plain_tolerance(const Argument& output, double honest, double impostor, double least);
/// sqrt(honest x impostor), an honest error of 0 counting as `least`; where they do not separate, kSeparation x honest:
/// gross errors are still found.
DerivedTolerance derive_tolerance(double honest, double impostor, double least);
/// Rounding once to the type, relative and at most: 2^-11 (f16), 2^-8 (bf16), 2^-4 (e4m3). f32 and f64, in which sums
/// are made, 8 times that: 2^-21, 2^-50.
double rounding_error(Dtype dtype);
/// What an honest error of less counts as: an answer may be exact by luck, and is not so elsewhere. Half the rounding
/// error, as the rms of many elements has; all of it where inputs are such that every value may be rounded alike; one
/// element in 10^5 (quantized).
double least_error(const Argument& argument, bool every_value_alike);
/// True where the kind of comparison has a tolerance to derive: relative, ulp and quantized.
bool has_tolerance(const Argument& argument);
bool declares_tolerance(const Argument& argument);
/// What a launch on this problem is judged by, from what an admission measured for its group and form and from the
/// model of honest errors (core/accuracy.h), which knows how long the sums are here.
///   declared model, plain inputs   kSeparation x the typical error: short sums are held to more than long ones
///   none declared, plain inputs    the measured tolerance; for long sums the same, never nearer to the impostor's
///   error
///                                  than by kSeparation
///   hostile forms                  at least the bound on honest errors, up to kHostileBound: there values may be such
///                                  that every addition is rounded alike, and only what is grossly wrong must show
double tolerance_at(const Problem& problem, const Argument& output, const Tolerance& measured);
inline constexpr double kHostileBound = 1e-2;
void set_tolerance(Argument& argument, double tolerance);

/// Beyond the L2 error of the whole tensor, so that a local error cannot hide in a big one and a small systematic one
/// not in rounding noise:
struct LocalFactors {
  double row = 10;      // a row's L2 error, against the larger of its and a typical row's norm
  double element = 50;  // one element's error, against the larger of it and its row's rms
};
/// Of 16 and 8 bits the rounding to the output's type is nearly all of an honest error: one element's is at most 2.4
/// times the rms of many, a row's hardly more than the whole's. There a row that is 5 % off, or an element that is 30 %
/// off, is wrong; in longer types errors of sums reach further, in rows that cancel.
LocalFactors local_factors(Dtype dtype, std::int64_t row_length);
/// Rounding errors average out, a wrong factor does not: |<out, ref> / <ref, ref> - 1| over n elements stays below
/// tolerance * (kScaleShare + 1 / sqrt(n)). This is what catches a factor of 1.01 in bf16. A half, because an honest
/// error may be all factor (one sum divides a whole row), and a derived tolerance is at least twice that. One rounding
/// of the type is always allowed: where all values are alike, they are all rounded alike.
inline constexpr double kScaleShare = 1.0 / 2;
/// The rounding errors of a few elements do not average: the tolerance of n elements is larger by 1 + this / sqrt(n).
/// One element's largest rounding error is 2.4 times the rms of many.
inline constexpr double kFewElements = 1.5;

}  // namespace harness::judge
