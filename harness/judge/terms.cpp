#include "harness/judge/terms.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/gates.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/tolerance.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

/// On plain inputs an error beyond this is no rounding error, however little is left of the terms.
constexpr double kGrossest = 0.1;

bool may_cancel(const Argument& argument, const std::string& form) {
  const bool relative = is_written(argument.kind) && !argument.absent && is_floating(argument.dtype) &&
                        compare_of(argument).kind == "relative";
  return relative && (form != "nominal" || count_elements(argument) <= kFewTerms);
}

}  // namespace

bool may_be_cancellation(const Problem& problem, const Verdict& verdict, const std::string& form) {
  if (verdict.passed()) return false;
  for (const GateResult& gate : verdict.gates) {
    if (gate.passed) continue;
    const std::string relative = name_of(gate::relative_l2) + ":";
    const Argument* const output =
        gate.name.starts_with(relative) ? find_argument(problem, gate.name.substr(relative.size())) : nullptr;
    if (output == nullptr || !may_cancel(*output, form)) return false;
    const auto error = std::ranges::find(verdict.errors, output->name, &ArgumentError::argument);
    if (error == verdict.errors.end() || error->non_finite > 0) return false;
    if (form == "nominal" && !(error->relative_l2 < kGrossest)) return false;
  }
  return true;
}

void change_inputs(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, double change,
                   std::span<std::byte> image) {
  for (const Argument& a : problem.arguments) {
    if (!is_drawn(a) || !is_floating(a.dtype)) continue;
    const Indexer indexer(a);
    std::byte* const data = payload(layout, a.name, image).data();
    const int bytes = storage_bytes(a.dtype);
    const std::uint64_t stream = random::stream_of(a.name.c_str());
    parallel_ranges(indexer.count(), indexer.overlapping() ? 1 : 0, [&](std::int64_t begin, std::int64_t end) {
      indexer.for_elements(begin, end, [&](std::int64_t logical, std::int64_t storage) {
        const bool up = (random::words(seed, stream, static_cast<std::uint64_t>(logical)).w[0] & 1u) != 0;
        std::byte* const unit = data + storage * bytes;
        store_rounded(a.dtype, unit, load_as_double(a.dtype, unit) * (up ? 1 + change : 1 - change));
      });
    });
  }
}

double term_change(const Problem& problem) {
  constexpr double kFine = 0x1p-6, kCoarse = 0x1p-4;
  const bool coarse = std::ranges::any_of(problem.arguments, [](const Argument& a) {
    return is_drawn(a) && is_floating(a.dtype) && unit_roundoff(a.dtype) >= 0x1p-8;
  });
  return coarse ? kCoarse : kFine;
}

int count_term_trials(const Problem& problem, const std::string& form) {
  constexpr std::int64_t kMany = std::int64_t{1} << 22;  // elements, over which one trial averages as well as four
  std::int64_t elements = 0;
  for (const Argument& a : problem.arguments)
    if (is_drawn(a) && is_floating(a.dtype)) elements += count_elements(a);
  return elements > kMany ? 1 : form == "nominal" ? 4 : 2;
}

void measure_terms(const Problem& problem, ReferenceValues& reference, const std::vector<ChangedPair>& pairs,
                   const std::string& form) {
  constexpr double kMostCurvature = 0.1;
  for (const Argument& a : problem.arguments) {
    if (!may_cancel(a, form)) continue;
    ReferenceArray& right = reference.at(a.name);
    std::vector<float> slopes2(right.values.size());
    double slope2 = 0, curvature2 = 0, bend2 = 0, count = 0;
    for (const ChangedPair& pair : pairs) {
      const auto &up = pair.up.at(a.name).values, &down = pair.down.at(a.name).values;
      const auto &half_up = pair.half_up.at(a.name).values, &half_down = pair.half_down.at(a.name).values;
      for (std::size_t i = 0; i < up.size(); ++i) {
        const double slope = (up[i] - down[i]) / 2, curvature = (up[i] + down[i]) / 2 - right.values[i];
        const double bend = slope - (half_up[i] - half_down[i]);  // twice the slope of half the change
        if (!std::isfinite(slope) || !std::isfinite(curvature) || !std::isfinite(bend)) continue;
        slope2 += slope * slope;
        slopes2[i] += static_cast<float>(slope * slope);
        curvature2 += curvature * curvature;
        bend2 += bend * bend;
        ++count;
      }
    }
    right.terms = 0;
    right.element_terms.clear();
    if (count == 0 || std::max(curvature2, bend2) > kMostCurvature * kMostCurvature * slope2) continue;
    const double summands = form == "nominal" ? 1 : static_cast<double>(accuracy_of(problem, a).sum);
    const double unit = std::sqrt(summands) / term_change(problem);
    right.terms = std::sqrt(slope2 / count) * unit;
    right.element_terms = std::move(slopes2);
    for (float& terms : right.element_terms)
      terms = static_cast<float>(std::sqrt(terms / static_cast<double>(pairs.size())) * unit);
  }
}

}  // namespace harness::judge
