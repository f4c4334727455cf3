#include "harness/judge/comparison_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/gates.h"
#include "harness/judge/tolerance.h"

namespace harness::judge {
namespace {

std::string row_words(const Output& output, std::int64_t row) {
  auto index = output.indexer().index(row * output.indexer().row_length());
  if (!index.empty()) index.pop_back();
  return index.empty() ? "the only row" : "row " + index_text(index);
}

std::string worst_words(const Output* seen, const Measured& m) {
  return seen != nullptr && m.worst >= 0 ? "; " + element_words(*seen, m.worst) : "";
}

double scale_limit(const Comparison& comparison, const Measured& m, double tolerance) {
  const double elements = static_cast<double>(std::max<std::int64_t>(m.compared, 1));
  // Where all values are alike, they are all rounded alike.
  return std::max(tolerance * (kScaleShare + 1 / std::sqrt(elements)), rounding_error(comparison.argument().dtype));
}

GateResult relative_gate(const Comparison& comparison, const Measured& m, const Output* seen) {
  const Argument& argument = comparison.argument();
  const auto compared = static_cast<double>(std::max<std::int64_t>(m.compared, 1));
  const double t = comparison.tolerance() * (1 + kFewElements / std::sqrt(compared));
  const bool whole = m.error.relative_l2 <= t && m.disagree == 0;
  const LocalFactors factors = local_factors(argument.dtype, comparison.indexer().row_length());
  const bool rows = m.worst_row_error <= factors.row * t;
  // badness counts in units of the row factor
  const bool elements = m.worst_badness <= factors.element / factors.row;
  const bool scale = std::fabs(m.factor - 1) <= m.cancellation * scale_limit(comparison, m, t);
  std::string detail = fmt::format("relative L2 {:.3g}, tolerance {:.3g}", m.error.relative_l2, t);
  if (m.disagree > 0)
    detail += fmt::format("; {} of {} elements are NaN or infinite, or other so", m.disagree, m.compared);
  if (argument.accuracy && argument.accuracy->sum > 1)
    detail += fmt::format(" ({})", in_words(*argument.accuracy, argument.dtype));
  if (m.cancellation > 1)
    detail += fmt::format("; relative to its terms, of which {:.3g} % are left", 100 / m.cancellation);
  if (!rows && seen != nullptr)
    detail += fmt::format("; {} has {:.3g}, more than {:.3g}", row_words(*seen, m.worst_row), m.worst_row_error,
                          factors.row * t);
  if (!elements) detail += worst_words(seen, m);
  if (!scale) detail += fmt::format("; the whole is {:.6g} times the reference", m.factor);
  return {name_of(gate::relative_l2), whole && rows && elements && scale, detail};
}

GateResult ulp_gate(const Comparison& comparison, const Measured& m, const Output* seen) {
  const bool passed = m.wrong == 0;
  std::string detail = fmt::format("largest distance {} ulp, tolerance {:g}", m.error.max_ulp, comparison.tolerance());
  if (!passed) detail += fmt::format("; {} of {} elements are beyond it", m.wrong, m.compared) + worst_words(seen, m);
  return {name_of(gate::ulp), passed, detail};
}

GateResult exact_gate(const Measured& m, const Output* seen) {
  const std::string detail = fmt::format("{} of {} elements differ", m.error.mismatches, m.compared);
  return {name_of(gate::exact), m.error.mismatches == 0, detail + worst_words(seen, m)};
}

GateResult quantized_gate(const Comparison& comparison, const Measured& m, const Output* seen) {
  const double allowed = std::max(1.0, std::floor(comparison.tolerance() * static_cast<double>(m.compared)));
  const bool passed = m.over_steps == 0 && static_cast<double>(m.error.mismatches) <= allowed;
  std::string detail = fmt::format("{} of {} elements differ, at most {} may; {} by more than {} steps",
                                   m.error.mismatches, m.compared, allowed, m.over_steps, comparison.steps());
  if (!passed) detail += worst_words(seen, m);
  return {name_of(gate::quantized), passed, detail};
}

}  // namespace

GateResult comparison_gate(const Comparison& comparison, const Measured& m, const Output* seen) {
  if (comparison.kind() == Comparison::Kind::relative) return relative_gate(comparison, m, seen);
  if (comparison.kind() == Comparison::Kind::ulp) return ulp_gate(comparison, m, seen);
  if (comparison.kind() == Comparison::Kind::quantized) return quantized_gate(comparison, m, seen);
  return exact_gate(m, seen);
}

bool is_unwritten(const Measured& m) {
  constexpr std::int64_t kChance = 16;
  return m.error.unwritten > 0 && m.error.unwritten * kChance >= m.wrong;
}

std::string place_words(const Output& output, std::int64_t logical) {
  return output.argument().name + index_text(output.indexer().index(logical));
}

std::string element_words(const Output& output, std::int64_t logical) {
  const Element e = output.element(logical);
  return fmt::format("{} is {:.6g}, expected {:.6g}", place_words(output, logical), e.got, e.expected);
}

}  // namespace harness::judge
