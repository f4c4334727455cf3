#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/action.h"
#include "harness/core/catalog.h"
#include "harness/core/json.h"
#include "harness/core/outcome.h"
#include "harness/core/pattern_evidence.h"
#include "harness/core/profile.h"

// What a strategy sees and says. A snapshot is a read-only plain value; `decide` is a pure function of it (and of the
// campaign's seed), so a decision can be replayed.
namespace harness {

struct ArmId {
  std::string kernel, workload, technique;
  friend auto operator<=>(const ArmId&, const ArmId&) = default;
};

/// The launches of a plan, as far as they decide how much of a device it fills.
struct LaunchShape {
  std::int64_t kernels = 0;          // launches of the plan
  std::int64_t ctas = 0;             // of the launch with the most
  std::int64_t threads_per_cta = 0;  // of that launch
  std::int64_t shared_bytes = 0;     // dynamic shared memory of that launch, per CTA
};

/// An evaluation that was the arm's best so far. Intervals are 95 %; absent where the record has none.
struct GainRecord {
  std::int64_t evaluation = 0;  // number of it within the arm, from 1
  double speedup = 1;           // over the baseline
  std::optional<double> speedup_lo, speedup_hi;
  bool credible = true;  // its interval lies above that of the record before, or it is the first
  double spent_s = 0;    // of the arm, up to and with it
};

/// What an arm's technique brought on another workload of its kernel, or on another device of its family, in earlier
/// campaigns. It orders arms; its speedup is over that workload's own baseline and says nothing of times here.
struct GainElsewhere {
  std::string workload;
  double distance = 0;  // between the workloads: the sum of |ln(size / size)|, ln 4 for each flag or type that differs
  double best_speedup = 1;
  std::int64_t passed = 0;  // evaluations that it is the best of
};

/// A wrong answer that was seen, and how often.
struct WrongAnswerCount {
  std::string fingerprint;
  std::int64_t count = 0;
};

/// One arm: kernel x workload x technique. Costs and counts cover this campaign; `earlier_*` were frozen at its start
/// from earlier campaigns on the same kernel, workload, contract and device name. Seconds are wall seconds.
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
  std::optional<double> predicted_s;  // prior.evaluations x the measured (or assumed) cost of one evaluation here
  double build_s = 0, gates_s = 0, timing_s = 0;                 // of its evaluations, summed over processes
  std::optional<double> spent_usd, predicted_usd;                // of the device; absent without a price
  std::optional<double> agent_s, agent_usd;                      // of proposals; absent where nobody proposed
  std::vector<GainRecord> records;                               // each better than the one before, the newest 32
  std::int64_t timed = 0;                                        // passed or screened, or abandoned with a time so far
  std::vector<double> gains;                                     // speedups of the newest 16 that were timed, in order
  std::optional<double> log_gain_mean, log_gain_sd;              // of ln(speedup) of all timed; sd from two on
  std::optional<double> log_evaluation_mean, log_evaluation_sd;  // of ln(seconds of an evaluation), likewise
  std::optional<double> best_ns, best_speedup;
  std::optional<double> rival_ns;              // the fastest rival on its workload: others' work, measured beside ours
  std::optional<LaunchShape> launch;           // of the arm's best configuration; absent before one has passed
  std::map<std::string, double> counters;      // of its profile (core/profile.h); empty: it was not profiled
  std::optional<Diagnosis> diagnosis;          // of that
  std::string last_fingerprint;                // of the last wrong answer
  std::int64_t same_fingerprint = 0;           // how many in a row had it
  std::int64_t same_code = 0;                  // how many in a row repeated machine code that was measured already
  std::vector<WrongAnswerCount> fingerprints;  // the most frequent first, at most 8
  std::int64_t sittings = 0;                   // times it was taken up; a sitting ends when another arm is chosen
  bool exhausted = false;                      // its search has nothing left to ask
  bool closed = false;                         // a decision closed it
  std::int64_t earlier_campaigns = 0, earlier_evaluations = 0, earlier_passed = 0;
  double earlier_spent_s = 0;
  std::optional<double> earlier_best_speedup;
  std::vector<GainElsewhere> elsewhere;  // the most alike workloads first, at most 4
  std::optional<double> predicted_ns;    // the fastest of its configurations that were counted for this workload,
  std::int64_t predicted_points = 0;     // and how many those were
  std::optional<std::int64_t> proposal;  // the number of the proposal that it consists of
  std::int64_t running = 0;              // evaluations of it that are under way on other devices
  bool busy = false;  // cannot be tried now: its search waits for a result, or its workload for the baseline
};

/// A kernel's technique over all its workloads and contracts, this campaign and every earlier one on the device's
/// family (the same architecture): what is spent is spent, whatever it was spent on.
struct TechniqueState {
  std::string kernel, technique;
  std::int64_t workloads = 0;  // arms of this campaign
  std::int64_t campaigns = 0, evaluations = 0;
  std::int64_t passed = 0;  // sound: the gates were passed, or not needed for what was screened or abandoned
  double spent_s = 0;
  std::optional<double> predicted_s;  // the sum over its arms of this campaign
  std::optional<double> spent_usd, agent_s, agent_usd;
  std::int64_t earlier_evaluations = 0, earlier_passed = 0;  // the part of earlier campaigns
  double earlier_spent_s = 0;
  std::optional<double> best_speedup;  // over the baseline of its own campaign and workload
};

/// Best so far of one workload, over all arms.
struct WorkloadState {
  std::string kernel, workload;
  json sizes = json::object();  // the workload's values by name: sizes, flags, types
  double bytes = 0;             // that its work model says must be moved: what is drawn and judged grows with it
  double weight = 1;
  std::optional<double> baseline_ns, best_ns, speedup, floor_ns, of_floor;
  std::optional<double> limit_ns, of_limit;  // what a call can reach: launch, trips and floor (core/floor.h)
  std::optional<std::string> floor_binds;  // what makes the floor: "bytes", "flops" or "exps"; absent on the cpu device
  std::optional<double> speedup_lo, speedup_hi;  // 95 %
  std::string best_variant, best_technique;
  bool confirmed = false;
  std::optional<LaunchShape> launch;                                 // of the best
  std::optional<std::int64_t> registers, spill_bytes, shared_bytes;  // of its entry with the most registers; static
  std::map<std::string, double> counters;                            // of its profile; empty: it was not profiled
  std::optional<Diagnosis> diagnosis;                                // what limits it, by a rule
  /// The fastest that an earlier campaign confirmed under the same contract on the same device name, and its technique.
  std::optional<double> earlier_best_ns;
  std::optional<std::string> earlier_best_technique;
  std::optional<double> rival_ns;  // the fastest rival (cuDNN...) that passed here, and which it is
  std::optional<std::string> rival_variant;
  std::optional<double> rival_s;              // what its evaluation took: about what another fast candidate's will
  std::optional<double> earlier_baseline_ns;  // the baseline beside which that was confirmed
};

/// The evaluations of one arm since it was last taken up, against what the decision that took it up predicted.
struct Sitting {
  ArmId arm;
  std::int64_t evaluations = 0, passed = 0;
  double spent_s = 0;
  std::optional<double> predicted_s;          // absent: that decision predicted none
  std::optional<double> best_speedup_before;  // of the arm
  std::int64_t improvements = 0;              // credible records of the arm in it
};

/// The hour as the record tells it, in the zone that the campaign was started in.
struct Moment {
  std::int64_t unix = 0;
  int hour = 0, minute = 0;
  int weekday = 1;  // ISO 8601: 1 Monday ... 7 Sunday
  std::string zone = "UTC";
  int utc_offset_s = 0;
};

/// How predictions of this strategy held, on this device name, over this and earlier campaigns. `widen` and `scale` are
/// what the next ones are to be multiplied by (campaign/calibration.h says how they are found).
struct Calibration {
  std::int64_t speedup_n = 0, speedup_held = 0, speedup_below = 0, speedup_above = 0;
  std::int64_t minutes_n = 0, minutes_held = 0;
  double speedup_widen = 1;  // half width of ranges of ln(speedup)
  double minutes_widen = 1, minutes_scale = 1;
  std::int64_t passed_n = 0;
  std::optional<double> passed_predicted, passed_seen;  // mean probability that was predicted, share that passed
};

/// What a strategy sees of whoever proposes variants (core/proposal.h).
struct ProposerState {
  std::string name, spec;              // core/proposal.h has the form of both
  std::int64_t asked = 0;              // requests, second questions apart
  std::int64_t accepted = 0;           // that became a variant
  std::int64_t passed = 0;             // of those, a configuration passed
  std::int64_t improved = 0;           // of those, one became a workload's best
  std::int64_t since_improvement = 0;  // accepted or not, since one last did; what is not yet evaluated apart
  std::int64_t failed_in_a_row = 0;    // requests without any reply
  bool in_flight = false;              // a request is under way
  std::int64_t under_way = 0, most_under_way = 1;
  bool ready = true;                // false: it answers nothing more
  std::optional<double> latency_s;  // mean of a request
  std::optional<double> usd;        // spent on all; absent: unknown
  std::optional<double> next_usd;   // what another request may cost; absent: unknown
  std::optional<double> log_gain;   // mean ln(new best / old best) of those that improved
  std::optional<double> usd_each;   // mean of a request; absent: unknown
  /// What another request is likely to cost: that mean, before the first one by the tokens of the others' requests.
  std::optional<double> likely_usd;
  // Of earlier campaigns of this proposer on this device.
  std::int64_t earlier_asked = 0, earlier_improved = 0;
  std::optional<double> earlier_log_gain;
};

/// An evaluation that is under way.
struct PendingState {
  ArmId arm;
  std::string variant, purpose, node;
  Config config;
};

struct Snapshot {
  std::int64_t campaign = 0;
  std::string device, device_name, architecture;
  std::optional<std::int64_t> multiprocessors;  // absent on an emulated device
  bool emulation = false;
  std::uint64_t seed = 1;
  std::int64_t now_unix = 0;  // recorded, so that a replay sees the same hour and weekday
  Moment now;
  std::string objective = "each";  // "each": a configuration for each workload; "single": one for all of a kernel
  std::optional<double> budget_s;  // absent: none
  double spent_s = 0;
  std::optional<double> max_cost_usd, spent_usd, usd_per_hour;
  double reserve_s = 0;     // kept for confirming the winners
  double evaluation_s = 0;  // measured mean wall cost of an evaluation (an assumption before the first)
  std::optional<double> build_s, gates_s, timing_s;  // of the mean evaluation; absent before the first
  double idle_s = 0;                                 // of this campaign in no evaluation and no decision
  std::optional<double> since_evaluation_s;          // since the last evaluation ended; absent before the first
  double since_passed_s = 0;                         // since a candidate last passed, or the campaign began
  std::optional<double> wait_s;  // expected until there is work again; absent: not waiting, or unknown
  std::optional<double> goal_speedup, goal_of_floor;
  std::int64_t iterations = 0;
  std::optional<double> score;  // weighted geometric mean of the workloads' speedups; without one it counts as 1
  std::vector<ArmState> arms;
  std::vector<TechniqueState> techniques;
  std::vector<WorkloadState> workloads;
  std::optional<ArmId> current;              // the arm of the last iteration
  std::optional<Sitting> sitting;            // of that arm
  std::vector<std::string> recent_outcomes;  // newest last, at most 32
  Calibration calibration;
  std::vector<PatternEvidence> playbook;  // what came of the patterns on this device name, frozen at the start
  std::optional<ProposerState> proposer;  // all of them together; absent: nobody proposes
  std::vector<ProposerState> proposers;   // each
  std::int64_t devices = 1;               // that evaluate at the same time
  std::vector<PendingState> pending;      // under way on them, in the order in which they were begun
  json memory = json::object();           // what an earlier decision asked to be kept
};

/// What is expected of the evaluation that a decision leads to: 90 % ranges, scored when it has ended. `evaluations`:
/// how many the arm is expected to need from here; its sitting is predicted to take as many times the expected minutes.
struct Prediction {
  double speedup_lo = 1, speedup_hi = 1;  // over the baseline, if it passes
  int evaluations = 1;
  std::optional<double> probability;             // that it passes
  std::optional<double> minutes_lo, minutes_hi;  // of the evaluation
};

struct Decision {
  Action action = Action::try_arm;
  ArmId arm;
  std::string why;
  std::optional<std::string> rule;     // the rule whose reason it is
  json rule_numbers;                   // what that rule measured; null: no rule, or it says none
  std::optional<EndReason> reason;     // of a stop: goal, exhausted, strategy
  std::vector<std::int64_t> patterns;  // ids of the playbook's pages that it rests on
  Prediction predict;
  json table = json::array();        // the numbers it chose from, one object an arm
  std::string ask;                   // of a proposal: what is wanted, in words
  std::vector<std::string> parents;  // of a proposal: variants to begin with, the most important first
  std::string proposer;              // of a proposal: the name of who is asked; "": the first that is ready
  json memory;                       // Snapshot::memory of the decisions that follow; null: it stays what it is
};

/// What a rule says of a snapshot, for people: `harness run --dry-run`.
struct RuleState {
  std::string rule, effect;
  std::optional<std::string> arm;     // asked about it; absent: about the campaign
  std::optional<std::string> reason;  // absent: it has none now
  std::string asked;                  // "" when it was asked, else why not
  json numbers;
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
  /// What each of its rules says now, in their order.
  virtual std::vector<RuleState> rules(const Snapshot&) { return {}; }
};

/// What was recorded of a configuration of the same kernel: by an earlier campaign, here or on another workload or
/// device, or by this one on another workload.
struct EarlierResult {
  std::string workload, device_name, variant;
  Config config;
  OutcomeKind outcome = OutcomeKind::passed;
  std::optional<double> time_ns;  // comparable only with others of its workload and device
  /// Of its workload from the one that is searched (GainElsewhere::distance); absent where it is unknown.
  std::optional<double> distance;
};

/// The recorded result a search is told, for each configuration it asked for.
struct SearchResult {
  OutcomeKind outcome = OutcomeKind::passed;
  std::optional<double> time_ns;  // of what passed; of what was abandoned, its time so far
  double cost_s = 0;
  std::optional<double> left_s;  // of the campaign's budget, when this was found; absent: it has none
  /// What the searches of the same technique have found to be fastest on the workloads most like this one, as far as
  /// this search was not told it before.
  std::vector<EarlierResult> elsewhere;
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
  /// It can go on without the result of its last ask.
  virtual bool takes_several() const { return false; }
  /// The result of the last ask comes later, by tell_late(): from now on ask() returns another one. Only where it takes
  /// several; when it is put off is part of what a search is deterministic in.
  virtual void put_off() {}
  /// The result of an ask that was put off.
  virtual void tell_late(const SearchAsk& /*asked*/, const SearchResult& /*result*/) {}
  /// What is known before it begins; only before the first ask. Part of what it is deterministic in.
  virtual void know(std::vector<EarlierResult> earlier) { (void)earlier; }
  /// It needs the times of slow candidates too: none of its own is abandoned.
  virtual bool exact_times() const { return false; }
};

/// The spaces of one arm's variants on its workload, and what is known before it begins: frozen, so that a search can
/// be resumed.
struct ArmSpace {
  ArmId id;
  std::vector<std::pair<std::string, Space>> variants;
  std::vector<EarlierResult> earlier;
};

/// Makes strategies and searches by name or file. Throws Error(bad_input): unknown name with the nearest known one.
class ScriptLibrary {
 public:
  virtual ~ScriptLibrary() = default;
  virtual std::unique_ptr<Strategy> strategy(const std::string& name_or_file) = 0;
  virtual std::unique_ptr<Search> search(const std::string& name_or_file, const ArmSpace& space,
                                         std::uint64_t seed) = 0;
  virtual std::vector<json> list() = 0;  // {"name","kind": strategy|rule|search,"summary","file"}
  /// Loads a strategy, rule or search by name or file and tries it on made-up campaigns or spaces, so that what is
  /// wrong with it is said before an hour was spent: {"name","kind","summary","tried": sentences}. Throws
  /// Error(bad_input).
  virtual json check(const std::string& name_or_file) = 0;
};

void to_json(json& to, const ArmId& value);
void from_json(const json& from, ArmId& value);
void to_json(json& to, const LaunchShape& value);
void from_json(const json& from, LaunchShape& value);
void to_json(json& to, const GainRecord& value);
void from_json(const json& from, GainRecord& value);
void to_json(json& to, const WrongAnswerCount& value);
void from_json(const json& from, WrongAnswerCount& value);
void to_json(json& to, const ArmState& value);
void from_json(const json& from, ArmState& value);
void to_json(json& to, const TechniqueState& value);
void from_json(const json& from, TechniqueState& value);
void to_json(json& to, const WorkloadState& value);
void from_json(const json& from, WorkloadState& value);
void to_json(json& to, const Sitting& value);
void from_json(const json& from, Sitting& value);
void to_json(json& to, const Moment& value);
void from_json(const json& from, Moment& value);
void to_json(json& to, const Calibration& value);
void from_json(const json& from, Calibration& value);
void to_json(json& to, const PendingState& value);
void from_json(const json& from, PendingState& value);
void to_json(json& to, const Snapshot& value);
void from_json(const json& from, Snapshot& value);
void to_json(json& to, const Prediction& value);
void from_json(const json& from, Prediction& value);

}  // namespace harness
