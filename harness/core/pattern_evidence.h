#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/action.h"
#include "harness/core/json.h"

// What came of the patterns of the playbook, as plain values.
namespace harness {

/// The numbers of the patterns that rules implement, by the rules' names.
using RulePatterns = std::map<std::string, int>;

/// What a page promises of one application: a factor on the best time before it, and how often it is reached.
struct Expectation {
  double speedup_lo = 1, speedup_hi = 1;
  std::optional<double> probability;
};

/// One application of a pattern. It begins with a decision that names the pattern, or was made by a rule that carries
/// its number, and lasts while the campaign stays on the arm that was tried then. A decision that tried nothing (a
/// rule's close) is followed by what the campaign tried next.
struct PatternApplication {
  int id = 0;
  std::int64_t campaign = 0, decision = 0;
  std::string device_name;
  bool emulation = false;
  Action action = Action::try_arm;          // of the decision
  std::string rule, why;                    // of the decision; rule "": none
  std::string kernel, workload, technique;  // the arm that was tried; "" when nothing was
  std::int64_t evaluations = 0, passed = 0;
  double seconds = 0;
  std::optional<double> usd;   // nullopt: the price of one of its evaluations is unknown
  std::optional<double> gain;  // the workload's best time before it over that after it; 1: no credible improvement;
                               // nullopt: nothing was evaluated, or nothing had been measured to compare with
};

/// The applications of one pattern, summed up. Times of emulation count only where there are no others.
struct PatternEvidence {
  int id = 0;
  bool emulation = false;           // all that is counted was emulation
  std::int64_t applied = 0;         // applications
  std::int64_t measured = 0;        // of these: with a gain
  std::int64_t improved = 0;        // of these: with a gain above 1
  std::int64_t met = 0;             // with at least the gain that the page promises; as `improved` if it promises none
  std::optional<double> mean_gain;  // geometric, over the measured ones
  double seconds = 0;
  std::optional<double> usd;  // nullopt: unknown, for one of them
  std::string against;        // a sentence, when the record speaks against the page; else ""
};

/// `applications` are those of the pattern `id`; others are passed over. The record speaks against a page when as few
/// applications as were met have a chance below 5 % under the page's own probability (one half where it gives none):
/// the lower tail of the binomial distribution.
PatternEvidence sum_up(int id, const std::optional<Expectation>& expect,
                       const std::vector<PatternApplication>& applications);

/// P(X <= successes) for X binomial over `trials` with `probability`.
double binomial_tail(std::int64_t successes, std::int64_t trials, double probability);

void to_json(json& to, const PatternEvidence& value);
void from_json(const json& from, PatternEvidence& value);

}  // namespace harness
