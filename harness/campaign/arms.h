#pragma once
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/campaign/options.h"
#include "harness/core/catalog.h"
#include "harness/core/strategy.h"

namespace harness {

/// Mean and spread of a series, kept as it grows (Welford, "Note on a method for calculating corrected sums of squares
/// and products", 1962).
struct Spread {
  std::int64_t n = 0;
  double average = 0, squares = 0;
  void add(double value) {
    const double apart = value - average;
    average += apart / static_cast<double>(++n);
    squares += apart * (value - average);
  }
  std::optional<double> mean() const { return n > 0 ? std::optional(average) : std::nullopt; }
  std::optional<double> deviation() const {
    return n > 1 ? std::optional(std::sqrt(squares / static_cast<double>(n - 1))) : std::nullopt;
  }
};

/// What an arm's search asked for and was not told yet.
struct Asked {
  SearchAsk ask;
  std::int64_t number = 0;    // within the arm, from 1
  std::int64_t decision = 0;  // that led to it
  bool put_off = false;       // its result comes late: the search goes on without it
};

/// One arm at work: what the strategy sees of it, its space, and its search, which keeps its place while other arms
/// run.
struct Arm {
  ArmState state;
  ArmSpace space;
  std::unique_ptr<Search> search;
  std::int64_t asks = 0;        // told so far
  std::vector<Asked> asked;     // under way, in order
  std::int64_t announced = -1;  // the ask that was last given to Evaluator::prepare
  Spread log_gains, log_seconds;
  std::vector<EarlierResult> earlier;                 // what its search knew before it began
  std::vector<EarlierResult> predicted;               // what it is told with its next result
  std::map<std::string, std::string> told_elsewhere;  // the configuration of each other workload that it was told of
  std::map<std::string, std::int64_t> fingerprints;   // of wrong answers; at most 64 different ones are kept apart
  std::optional<Candidate> best;                      // its fastest that passed
  bool launch_known = false;                          // of that one: state.launch is current
};

/// A kernel's workload and its baseline candidate.
struct WorkloadPlan {
  std::string kernel, workload, contract_hash;
  double weight = 1;
  Candidate baseline;
  std::vector<Candidate> rivals;  // the configurations of variants that are only measured beside ours, in order
  json sizes = json::object();    // the workload's values by name
  double bytes = 0;               // of its work model
};

/// Everything a campaign can try: arms in a fixed order (kernels and workloads as given, techniques as the variants
/// rise).
struct Arms {
  std::vector<WorkloadPlan> workloads;
  std::vector<Arm> arms;
  std::vector<std::string> notes;  // variants left out, and why
};

/// `asked` with the shapes among it ("B=4 Sq=3000") made workloads of the kernel, by their names.
std::vector<std::string> with_shapes(Catalog& catalog, const std::string& kernel, std::vector<std::string> words,
                                     const DeviceInfo& device);
/// The workloads meant by names or sets (`asked` empty: "default" on this device). Only the set "default" leaves out
/// what is not sensible there. May be empty when the words mean another kernel's workloads.
std::vector<std::string> choose_workloads(const KernelInfo& kernel, const std::vector<std::string>& words,
                                          const DeviceInfo& device);

/// Throws Error(bad_input): unknown kernel, workload or variant; no variant that this device can run.
Arms make_arms(Catalog& catalog, ScriptLibrary& scripts, const CampaignOptions& options, const DeviceInfo& device);

/// One arm for each of the campaign's workloads on which an accepted proposal has a configuration; they come last.
void add_proposed_arms(Arms& arms, Catalog& catalog, ScriptLibrary& scripts, const CampaignOptions& options,
                       const DeviceInfo& device, const ProposalRecord& proposal);

Arm* find_arm(Arms& arms, const ArmId& id);

}  // namespace harness
