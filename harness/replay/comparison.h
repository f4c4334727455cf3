#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"
#include "harness/replay/replay.h"

namespace harness {

/// Consecutive decisions for one arm: from when to when, why it was taken up, what it brought.
struct Stretch {
  Action action = Action::try_arm;
  ArmId arm;
  double from_s = 0, until_s = 0;  // of the campaign
  std::int64_t decisions = 0, evaluations = 0, passed = 0;
  std::optional<double> best_speedup;  // of its evaluations, over the baseline
  double score = 1;                    // of the campaign when it ended
  std::string why;                     // of the first decision
  std::optional<std::string> rule;
  std::int64_t first_decision = 0;
};

/// A campaign's decisions in order, those for the same arm together; a closing of the record's own confirmations last.
std::vector<Stretch> stretches(const Recording& recording, const WorkloadWeights& weights);

/// How the 90 % ranges that the decisions predicted held, evaluation by evaluation, as the running campaign scores
/// them.
Calibration score_predictions(const Recording& recording);

/// Recorded and replayed beside each other, as `harness replay --json` prints it (docs/replay.md has the keys).
json comparison_json(const Recording& recorded, const Replayed& replayed);

}  // namespace harness
