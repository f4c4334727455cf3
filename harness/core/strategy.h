#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/json.h"

// What a strategy sees and says. A snapshot is a read-only plain value; `decide` is a pure function of it (and of the
// campaign's seed), so a decision can be replayed.
namespace harness {

struct ArmId {
  std::string kernel, workload, technique;
  friend auto operator<=>(const ArmId&, const ArmId&) = default;
};

/// One arm: kernel x workload x technique. Costs and counts cover this campaign; `earlier_*` were frozen at its start
/// from earlier campaigns on the same kernel, workload, contract and device name.
struct ArmState {
  ArmId id;
  std::vector<std::string> variants;
  Prior prior;  // merged over the arm's variants (widest range, their mean probability)
  std::string risk;
  bool multi_kernel = false;
  bool baseline = false;  // holds the kernel's 00 variant
  double weight = 1;
  std::int64_t space_points = 0;                 // valid configurations
  std::int64_t evaluations = 0;                  // ended iterations, all outcomes
  std::map<std::string, std::int64_t> outcomes;  // "passed": 3, "wrong_answer": 1
  std::int64_t since_improvement = 0;            // evaluations since the arm's best improved
  double spent_s = 0;                            // wall seconds charged to it
  double predicted_s = 0;     // prior.evaluations x the measured (or assumed) cost of one evaluation here
  std::vector<double> gains;  // speedup over the baseline of each passed evaluation, in order
  std::optional<double> best_ns, best_speedup;
  std::string last_fingerprint;       // of the last wrong answer
  std::int64_t same_fingerprint = 0;  // how many in a row had it
  bool exhausted = false;             // its search has nothing left to ask
  bool closed = false;                // a decision closed it
  std::int64_t earlier_evaluations = 0, earlier_passed = 0;
  double earlier_spent_s = 0;
  std::optional<double> earlier_best_speedup;
};

/// Best so far of one workload, over all arms.
struct WorkloadState {
  std::string kernel, workload;
  double weight = 1;
  std::optional<double> baseline_ns, best_ns, speedup, floor_ns, of_floor;
  std::string best_variant, best_technique;
  bool confirmed = false;
};

struct Snapshot {
  std::int64_t campaign = 0;
  std::string device, device_name;
  bool emulation = false;
  std::uint64_t seed = 1;
  std::int64_t now_unix = 0;         // recorded, so that a replay sees the same hour and weekday
  double budget_s = 0, spent_s = 0;  // budget_s <= 0: none
  std::optional<double> max_cost_usd, spent_usd;
  double reserve_s = 0;     // kept for confirming the winners
  double evaluation_s = 0;  // measured mean wall cost of an evaluation (an assumption before the first)
  std::optional<double> goal_speedup, goal_of_floor;
  std::int64_t iterations = 0;
  std::vector<ArmState> arms;
  std::vector<WorkloadState> workloads;
  std::optional<ArmId> current;              // the arm of the last iteration
  std::vector<std::string> recent_outcomes;  // newest last, at most 32
};

struct Prediction {
  double speedup_lo = 1, speedup_hi = 1;
  int evaluations = 1;
};

/// `try`: the arm's search chooses the next configuration. `close`: never offer the arm again. `confirm`: time the
/// winners again. `stop` ends the campaign with `why`.
struct Decision {
  std::string action;  // try, confirm, close, stop (propose: reserved for model clients)
  ArmId arm;
  std::string why;
  std::optional<std::string> rule;    // the rule whose reason it is
  std::optional<std::string> reason;  // of a stop: budget, cost, goal, exhausted, strategy
  Prediction predict;
  json table = json::array();  // the numbers it chose from, one object an arm
};

/// Name, and hash of everything that decides: stored with each decision.
struct ScriptIdentity {
  std::string name, hash;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual ScriptIdentity identity() const = 0;
  /// Throws Error(bad_input) with file and line when the script fails; the campaign then ends as script_error.
  virtual Decision decide(const Snapshot& snapshot) = 0;
};

/// The recorded result a search is told, for each configuration it asked for.
struct SearchResult {
  std::string outcome;            // "passed", ...
  std::optional<double> time_ns;  // passed only
  double cost_s = 0;
};

/// What a search wants next: one configuration (its variant chosen too), and hints of what may follow.
struct SearchAsk {
  std::string variant;
  Config config;
  std::vector<std::pair<std::string, Config>> hints;  // worth compiling ahead
};

/// One arm's search: a coroutine in Lua that asks `evaluate(config)` in straight-line code. Deterministic in its seed
/// and the results it was told, so resume and replay feed it the record and it continues where it was.
class Search {
 public:
  virtual ~Search() = default;
  virtual ScriptIdentity identity() const = 0;
  /// nullopt: it has nothing left to ask. Calling it twice without `tell` returns the same ask.
  virtual std::optional<SearchAsk> ask() = 0;
  virtual void tell(const SearchResult& result) = 0;
};

/// The spaces of one arm's variants on its workload.
struct ArmSpace {
  ArmId id;
  std::vector<std::pair<std::string, Space>> variants;
};

/// Makes strategies and searches by name or file. Throws Error(bad_input): unknown name with the nearest known one.
class ScriptLibrary {
 public:
  virtual ~ScriptLibrary() = default;
  virtual std::unique_ptr<Strategy> strategy(const std::string& name_or_file) = 0;
  virtual std::unique_ptr<Search> search(const std::string& name_or_file, const ArmSpace& space,
                                         std::uint64_t seed) = 0;
  virtual std::vector<json> list() = 0;  // {"name","kind": strategy|rule|search,"summary","file"}
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArmId, kernel, workload, technique)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArmState, id, variants, prior, risk, multi_kernel, baseline, weight, space_points,
                                   evaluations, outcomes, since_improvement, spent_s, predicted_s, gains, best_ns,
                                   best_speedup, last_fingerprint, same_fingerprint, exhausted, closed,
                                   earlier_evaluations, earlier_passed, earlier_spent_s, earlier_best_speedup)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkloadState, kernel, workload, weight, baseline_ns, best_ns, speedup, floor_ns,
                                   of_floor, best_variant, best_technique, confirmed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Snapshot, campaign, device, device_name, emulation, seed, now_unix, budget_s,
                                   spent_s, max_cost_usd, spent_usd, reserve_s, evaluation_s, goal_speedup,
                                   goal_of_floor, iterations, arms, workloads, current, recent_outcomes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Prediction, speedup_lo, speedup_hi, evaluations)

}  // namespace harness
