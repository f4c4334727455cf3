#include "harness/judge/tolerance.h"

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

}  // namespace harness::judge
