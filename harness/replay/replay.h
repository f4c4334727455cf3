#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/display.h"
#include "harness/replay/recording.h"
#include "harness/replay/replay_ports.h"

namespace harness {

struct ReplayOptions {
  std::string strategy;
  std::optional<std::string> search;  // absent: the recorded one
  std::optional<std::uint64_t> seed;  // absent: the recorded one
  std::optional<double> budget_s;     // absent: the recorded one
  /// A search that asks for an unrecorded configuration is given the nearest recorded one; false: its arm ends there.
  bool stand_ins = true;
};

/// The score of a campaign after `at_s` seconds, of which the iteration was the last.
struct ScorePoint {
  double at_s = 0, score = 1;
  std::int64_t iteration = 0;
};

/// A campaign as another strategy would have led it, from the recorded outcomes.
struct Replayed {
  Recording recording;      // what it would have left behind; seconds are recorded ones
  CampaignSummary summary;  // `message` says why it ended
  AnswerTally answers;
  std::vector<std::string> notes;  // where the plugins are no longer what was recorded
};

/// Drives the real campaign loop with ports that answer from the record: each evaluation takes its recorded seconds,
/// deciding takes none, and the overhead of the record passes before the first. The clock begins at the recorded time,
/// so that scripts see the hour and weekday they would have seen. `plugins` describe the kernels (a ReplayCatalog that
/// is used again remembers them); `earlier` is the store whose earlier campaigns are the evidence, only read, or
/// nullptr. Deterministic. Throws Error(bad_input) for a script that does not load or a kernel that is no longer there.
Replayed replay(const Recording& recorded, ReplayCatalog& plugins, ScriptLibrary& scripts, EarlierCampaigns* earlier,
                const ReplayOptions& options);

/// Weights of the workloads of a campaign, by {kernel, workload}.
using WorkloadWeights = std::map<std::pair<std::string, std::string>, double>;
WorkloadWeights workload_weights(const CampaignSummary& summary);

/// The score as time passed, first at 0 s with 1; a workload counts 1 until something faster passed.
std::vector<ScorePoint> score_curve(const Recording& recording, const WorkloadWeights& weights);
/// Area under ln(score) from 0 to `until_s`, divided by `until_s`: its mean over the time. What a strategy is compared
/// by.
double mean_log_score(const std::vector<ScorePoint>& curve, double until_s);

}  // namespace harness
