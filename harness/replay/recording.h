#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ledger.h"

namespace harness {

/// What a campaign left behind, as plain values: read back from a store, or made by a replay.
struct Recording {
  std::int64_t campaign = 0;
  CampaignRecord record;
  double spent_s = 0;                        // wall seconds, what was spent outside evaluations included
  std::vector<IterationSummary> iterations;  // ascending
  std::vector<DecisionRecord> decisions;     // ascending
  std::vector<ProposalRecord> proposals;     // ascending
  std::vector<ProfileRecord> profiles;       // as they were recorded
};

/// Throws Error(bad_input) for a campaign that is unknown, was made by eval, or holds no evaluation.
Recording read_recording(CampaignReader& record, std::int64_t campaign);

/// Seconds that the campaign spent outside its evaluations: admission of the kernels, deciding, rest.
double overhead_seconds(const Recording& recording);

/// The device a recording was made on, as it was told then; without it, its names alone.
DeviceInfo recorded_device(const CampaignRecord& record);

/// What an evaluation is found again by: kernel, workload, variant, configuration.
std::string record_key(const std::string& workload, const Candidate& candidate);

/// A recording as something to be asked: which answer it holds for a candidate on a workload.
class RecordBook {
 public:
  explicit RecordBook(const Recording& recording);

  /// The first evaluation of this candidate, confirmations apart; nullptr: the record has no answer.
  const IterationSummary* find(const std::string& workload, const Candidate& candidate) const;
  /// One of several: that of each card in a fleet. With `nth` beyond them the last.
  const IterationSummary* confirmation(const std::string& workload, const Candidate& candidate,
                                       std::size_t nth = 0) const;
  /// Distinct recorded evaluations of an arm, in order.
  const std::vector<const IterationSummary*>& of_arm(const ArmId& arm) const;
  /// The evaluation that ran this machine code to a result on this workload; nullptr: none.
  const IterationSummary* ran(const std::string& workload, const std::string& binary_hash) const;
  /// Seconds that finding out about a second configuration with this machine code took; nullopt: none is recorded.
  std::optional<double> no_effect_seconds(const std::string& workload, const std::string& binary_hash) const;
  /// The best at the time this iteration was timed beside it; nullptr: it was the first, or nothing passed.
  const IterationSummary* incumbent(const IterationSummary& iteration) const;
  /// What was found of this candidate; nullptr: it was not profiled.
  const Profile* profile(const std::string& workload, const Candidate& candidate) const;
  double confirm_seconds() const { return confirm_s_; }  // mean of the recorded confirmations; 0: there are none

 private:
  void add_confirmation(const IterationSummary& iteration);
  void follow_incumbents(const std::vector<IterationSummary>& iterations);
  std::map<std::string, const IterationSummary*> by_candidate_, by_binary_;
  std::map<std::string, std::vector<const IterationSummary*>> confirmations_;
  std::map<std::string, const Profile*> profiles_;
  std::map<std::string, double> no_effect_s_;
  std::map<ArmId, std::vector<const IterationSummary*>> by_arm_;
  std::map<std::int64_t, const IterationSummary*> incumbents_;
  double confirm_s_ = 0;
};

/// The best of each workload as a campaign's iterations pass: the same rules as a running campaign's.
class Podium {
 public:
  /// True: the iteration is the new best of its workload.
  bool apply(const IterationSummary& iteration);
  const IterationSummary* best(const std::string& kernel, const std::string& workload) const;
  /// Weighted geometric mean of the speedups over the baselines; a workload counts 1 until something faster passed.
  /// `weights` by {kernel, workload}; what is not in it does not count.
  double score(const std::map<std::pair<std::string, std::string>, double>& weights) const;

 private:
  struct Places {
    std::vector<const IterationSummary*> standings;  // each faster than the one before
    std::vector<const IterationSummary*> others;     // that passed and were never the best
  };
  std::map<std::pair<std::string, std::string>, Places> places_;
};

}  // namespace harness
