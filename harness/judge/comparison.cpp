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

}  // namespace

Comparison::Comparison(const Argument& argument)
    : argument_(argument),
      indexer_(argument),
      compare_(compare_of(argument)),
      kind_(kind_of(compare_.kind)),
      tolerance_(tolerance_of(argument)),
      steps_(std::max(compare_.options.value("steps", 1.0), 0.5)),
      negligible_(argument.dtype == Dtype::f64 ? std::numeric_limits<double>::min()
                                               : std::numeric_limits<float>::min()) {}

}  // namespace harness::judge
