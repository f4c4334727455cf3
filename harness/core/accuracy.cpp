#include "harness/core/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/json_fields.h"

namespace harness {
namespace {

constexpr double kRms = 0.41;          // of a rounding, in unit roundoffs: uniform within half a unit of the last place
constexpr double kOtherRoundings = 8;  // beside the sum's

/// Roundings that a term of the sum goes through, at the most.
double depth(const Accuracy& accuracy) {
  const auto terms = static_cast<double>(std::max<std::int64_t>(1, accuracy.sum));
  return accuracy.order == SumOrder::pairwise ? std::ceil(std::log2(terms)) : terms - 1;
}

}  // namespace

double unit_roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 0x1p-53;
    case Dtype::f32:
      return 0x1p-24;
    case Dtype::f16:
      return 0x1p-11;
    case Dtype::bf16:
      return 0x1p-8;
    case Dtype::e4m3:
      return 0x1p-4;
    case Dtype::e5m2:
      return 0x1p-3;
    default:
      return 0;
  }
}

double typical_error(const Accuracy& accuracy, Dtype output) {
  const double summed = accuracy.order == SumOrder::pairwise ? depth(accuracy) : depth(accuracy) / 2;
  return kRms * (unit_roundoff(output) + unit_roundoff(accuracy.accumulate) * std::sqrt(kOtherRoundings + summed));
}

double worst_error(const Accuracy& accuracy, Dtype output) {
  return unit_roundoff(output) + unit_roundoff(accuracy.accumulate) * (kOtherRoundings + depth(accuracy));
}

std::string in_words(const Accuracy& accuracy, Dtype output) {
  return fmt::format("sums of {} terms in {}, {}: typical {:.2g}, at most {:.2g}", accuracy.sum,
                     name(accuracy.accumulate), accuracy.order == SumOrder::any ? "any order" : "pairwise",
                     typical_error(accuracy, output), worst_error(accuracy, output));
}

HARNESS_ENUM_TABLE(SumOrder, "order of a sum", {{SumOrder::any, "any"}, {SumOrder::pairwise, "pairwise"}})
HARNESS_JSON_DEFAULTS(Accuracy, sum, accumulate, order, declared)

}  // namespace harness
