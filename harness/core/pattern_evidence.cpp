#include "harness/core/pattern_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/json_fields.h"

namespace harness {
namespace {

constexpr double kEvenOdds = 0.5, kSignificance = 0.05;

std::string sentence_against(const PatternEvidence& evidence, const std::optional<Expectation>& expect) {
  const bool stated = expect && expect->probability;
  const double probability = stated ? *expect->probability : kEvenOdds;
  if (evidence.measured == 0 || binomial_tail(evidence.met, evidence.measured, probability) >= kSignificance) return "";
  const std::string missed =
      expect ? fmt::format("the promised {:g}x was reached in {} of {} applications", expect->speedup_lo, evidence.met,
                           evidence.measured)
             : fmt::format("an improvement followed {} of {} applications", evidence.met, evidence.measured);
  return fmt::format("{}, too few for {} {:g}", missed, stated ? "the page's probability of" : "a probability of",
                     probability);
}

}  // namespace

double binomial_tail(std::int64_t successes, std::int64_t trials, double probability) {
  if (successes >= trials) return 1;
  if (probability >= 1) return 0;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::int64_t k = 0; k <= successes; ++k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(probability) +
                    (n - x) * std::log1p(-probability));
  }
  return std::min(sum, 1.0);
}

PatternEvidence sum_up(int id, const std::optional<Expectation>& expect,
                       const std::vector<PatternApplication>& applications) {
  const auto of_pattern = [id](const PatternApplication& each) { return each.id == id; };
  const bool real = std::any_of(applications.begin(), applications.end(),
                                [&](const PatternApplication& each) { return of_pattern(each) && !each.emulation; });
  PatternEvidence evidence;
  evidence.id = id;
  evidence.usd = 0;
  double log_gain = 0;
  for (const PatternApplication& each : applications) {
    if (!of_pattern(each) || (real && each.emulation)) continue;
    evidence.emulation = each.emulation;
    ++evidence.applied;
    evidence.seconds += each.seconds;
    if (evidence.usd && each.usd) *evidence.usd += *each.usd;
    else evidence.usd.reset();
    if (!each.gain) continue;
    ++evidence.measured;
    log_gain += std::log(*each.gain);
    evidence.improved += *each.gain > 1 ? 1 : 0;
    evidence.met += (expect ? *each.gain >= expect->speedup_lo && *each.gain > 1 : *each.gain > 1) ? 1 : 0;
  }
  if (evidence.applied == 0) evidence.usd.reset();
  if (evidence.measured > 0) evidence.mean_gain = std::exp(log_gain / static_cast<double>(evidence.measured));
  evidence.against = sentence_against(evidence, expect);
  return evidence;
}

HARNESS_JSON(PatternEvidence, id, emulation, applied, measured, improved, met, mean_gain, seconds, usd, against)

}  // namespace harness
