#include "harness/judge/tolerance.h"

#include <algorithm>
#include <cmath>

namespace harness::judge {

double default_tolerance(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 1e-12;
    case Dtype::f32:
      return 2e-5;
    case Dtype::f16:
      return 2e-3;
    case Dtype::bf16:
      return 1.2e-2;
    case Dtype::e4m3:
      return 1e-1;
    case Dtype::e5m2:
      return 2e-1;
    default:
      return 0;
  }
}

Compare compare_of(const Argument& argument) {
  if (argument.compare && !argument.compare->kind.empty()) return *argument.compare;
  return {is_floating(argument.dtype) ? "relative" : "exact", 0, json::object()};
}

double tolerance_of(const Argument& argument) {
  const Compare compare = compare_of(argument);
  if (compare.tolerance > 0) return compare.tolerance;
  if (compare.kind == "relative" || compare.kind == "set") return default_tolerance(argument.dtype);
  return compare.kind == "quantized" ? 1e-3 : 0;
}

DerivedTolerance derive_tolerance(double honest, double impostor, double least) {
  const double floor = std::max(honest, least);
  if (impostor < kSeparation * floor) return {kSeparation * floor, false};
  // One that is not even finite (the largest float of all, rounded up) tells no distance.
  if (!std::isfinite(impostor)) return {kSeparation * floor, true};
  return {std::sqrt(floor * impostor), true};
}

DerivedTolerance derive_plain_tolerance(const Argument& output, double honest, double impostor, double least) {
  const bool named = output.compare && output.compare->options.value("impostor_bits", 0) > 0;
  if (output.dtype == Dtype::f32 && compare_of(output).kind == "relative" && !named) {
    const DerivedTolerance fine = derive_tolerance(honest, impostor * kFineImpostorShare, least);
    if (fine.separates) return fine;
  }
  return derive_tolerance(honest, impostor, least);
}

LocalFactors local_factors(Dtype dtype, std::int64_t row_length) {
  constexpr LocalFactors kOfRounding{3, 10};
  if (!is_floating(dtype) || storage_bytes(dtype) > 2) return {};
  const double few = 1 + kFewElements / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, row_length)));
  return {kOfRounding.row * few, kOfRounding.element};
}

double rounding_error(Dtype dtype) {
  constexpr double kOfSums = 8, kCoarsest = 0x1p-3;
  const double unit = unit_roundoff(dtype);
  if (dtype == Dtype::f64 || dtype == Dtype::f32) return kOfSums * unit;
  return unit > 0 ? unit : kCoarsest;
}

double least_error(const Argument& argument, bool every_value_alike) {
  if (compare_of(argument).kind == "quantized") return 1e-5;
  if (compare_of(argument).kind == "ulp") return 0.5;
  return rounding_error(argument.dtype) * (every_value_alike ? 1.0 : 0.5);
}

bool has_tolerance(const Argument& argument) {
  const std::string kind = compare_of(argument).kind;
  return kind == "relative" || kind == "ulp" || kind == "quantized";
}

bool declares_tolerance(const Argument& argument) {
  return argument.compare && argument.compare->tolerance > 0;
}

double tolerance_at(const Problem& problem, const Argument& output, const Tolerance& measured) {
  if (compare_of(output).kind != "relative" || measured.origin == "declared") return measured.tolerance;
  const Accuracy accuracy = accuracy_of(problem, output);
  const double typical = kSeparation * typical_error(accuracy, output.dtype);
  if (measured.form != "nominal")
    return std::max({measured.tolerance, std::min(worst_error(accuracy, output.dtype), kHostileBound)});
  if (accuracy.declared) return typical;
  return std::max(measured.tolerance, std::min(typical, measured.impostor / kSeparation));
}

void set_tolerance(Argument& argument, double tolerance) {
  argument.compare = compare_of(argument);
  argument.compare->tolerance = tolerance;
}

}  // namespace harness::judge
