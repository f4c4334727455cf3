#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/outcome.h"

namespace harness {

/// Seconds by stage, summed over processes. Unknown is absent from a sum, never 0.
struct StageCosts {
  double decide_s = 0, prepare_s = 0, build_s = 0, gates_s = 0, timing_s = 0, idle_s = 0;
  double wall_s = 0;          // of the evaluation, as the supervisor's clock saw it
  std::optional<double> usd;  // wall seconds x the device's price; null where no price is known
};

/// Everything one evaluation found. The outcome may be any; gates and hashes hold as far as it got.
struct Evaluation {
  Outcome outcome = Interrupted{};
  std::vector<GateResult> gates;
  std::vector<ArgumentError> errors;
  std::vector<std::uint64_t> seeds;         // of the input draws
  std::optional<EntryResources> resources;  // of the entry that uses the most registers
  std::string contract_hash, source_hash, binary_hash, source_text;
  std::string compiler, log;  // the compiler's whole log
  bool from_cache = false;
  StageCosts cost;
};

/// What a candidate is timed beside, in the same run.
struct Incumbent {
  Realized realized;
  double time_ns = 0;
  std::optional<double> speedup;  // over the baseline, as recorded
};

struct EvaluationRequest {
  Realized realized;
  std::optional<Incumbent> incumbent;  // the best so far on this workload; the baseline when confirming
  std::optional<double> baseline_ns;   // the kernel's baseline on this workload, this campaign
  bool confirm = false;                // fresh processes, fresh inputs, longer timing
  /// The recorded iteration of this workload with the same machine code and launches, 0 if none; empty: do not ask.
  std::function<std::int64_t(const std::string& binary_hash)> recorded_with;
};

/// Port to build -> gates -> timing. One evaluation at a time; building runs ahead in other processes.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual DeviceInfo device() = 0;
  /// Speculative builds of what may be asked next; never a decision. Returns at once.
  virtual void prepare(std::span<const Realized> candidates) = 0;
  virtual Evaluation evaluate(const EvaluationRequest& request) = 0;
  /// Seconds of speculative building since the last call.
  virtual double take_prepare_seconds() = 0;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageCosts, decide_s, prepare_s, build_s, gates_s, timing_s, idle_s, wall_s, usd)

}  // namespace harness
