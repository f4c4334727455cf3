#include "harness/judge/comparison.h"

#include <algorithm>
#include <limits>

#include "harness/judge/tolerance.h"

namespace harness::judge {
namespace {

Comparison::Kind kind_of(const std::string& kind) {
  if (kind == "relative") return Comparison::Kind::relative;
  if (kind == "ulp") return Comparison::Kind::ulp;
  return kind == "quantized" ? Comparison::Kind::quantized : Comparison::Kind::other;
}

/// The distance of a type's numbers below its smallest normal one, where that is far above f32's; else 0.
double subnormal_step(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 0x1p-24;
    case Dtype::e4m3:
      return 0x1p-9;
    case Dtype::e5m2:
      return 0x1p-16;
    default:
      return 0;
  }
}

double negligible_error(Dtype dtype) {
  if (dtype == Dtype::f64) return std::numeric_limits<double>::min();
  constexpr double kHalfAndRounding = 0.51;  // of a sum in f32 that lies between two numbers
  return std::max<double>(std::numeric_limits<float>::min(), kHalfAndRounding * subnormal_step(dtype));
}

}  // namespace

Comparison::Comparison(const Argument& argument)
    : argument_(argument),
      indexer_(argument),
      compare_(compare_of(argument)),
      kind_(kind_of(compare_.kind)),
      tolerance_(tolerance_of(argument)),
      steps_(std::max(compare_.options.value("steps", 1.0), 0.5)),
      negligible_(negligible_error(argument.dtype)) {}

}  // namespace harness::judge
