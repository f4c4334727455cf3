#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/catalog.h"
#include "harness/core/outcome.h"
#include "harness/core/profiler.h"

namespace harness {

/// Seconds by stage, summed over processes. Unknown is absent from a sum, never 0.
struct StageCosts {
  double decide_s = 0, prepare_s = 0, build_s = 0, gates_s = 0, timing_s = 0, idle_s = 0;
  double wall_s = 0;          // of the evaluation, as the supervisor's clock saw it
  std::optional<double> usd;  // wall seconds x the device's price; null where no price is known
};

/// Plain facts of an evaluation that are kept as they were found: on a fleet's wire, in the store, in exports and in
/// JSON. A new one is a member here and a line in core/iteration_fields.cpp.
struct EvaluationFacts {
  std::string binary_hash, compiler;  // "" where it was not built
  bool from_cache = false;
  /// Its time as the campaign's anchor card would have shown it, ns: of an evaluation on another card of a fleet, where
  /// it was timed beside an incumbent whose time on the anchor is known.
  std::optional<double> anchor_ns;
  /// How busy the machine was when it ended: processes that ran or waited to, averaged over a minute, per processor.
  /// More than 1 makes times of the cpu device, and of compilers, longer than they are.
  std::optional<double> machine_load;
  /// kGatesVersion of the program that judged it; no value: a program from before version 7, whose gates were fewer.
  std::optional<std::int64_t> gates_version;
  /// What a call of this work can reach on this device, ns (limit_ns() of core/floor.h). No value: no time, an emulated
  /// one, or a device whose launches were not measured.
  std::optional<double> reachable_ns;
  /// Of a finalist, in words that begin with "yes", "no" or "not checked": whether a row's bits are the same whatever
  /// its batch, and whether another configuration of the variant gives the same bits. Nothing where it is no finalist.
  std::optional<std::string> batch_invariant, configurations_agree;
  /// The steps of its plan, a line each (launches_text). Nothing where it was not built.
  std::optional<std::string> launches;
};

/// Everything one evaluation found. The outcome may be any; gates and hashes hold as far as it got.
struct Evaluation : EvaluationFacts {
  Outcome outcome = Interrupted{};
  std::vector<GateResult> gates;
  std::vector<ArgumentError> errors;
  std::vector<std::uint64_t> seeds;         // of the input draws
  std::optional<EntryResources> resources;  // of the entry that uses the most registers
  std::vector<std::string> flags;           // what the source policy marked, sentences
  std::string contract_hash, source_hash, source_text;
  std::string log;  // the compiler's, whole
  StageCosts cost;
  /// Where the incumbent's own record was asked for (Incumbent::by_record): its time on this card, measured alone.
  std::optional<double> incumbent_alone_ns;
  double calibration_s = 0;   // that this took; none of `cost`
  bool failed_twice = false;  // the launch that it ended with was made again at once, alone, and failed again
};

/// What a candidate is timed beside, in the same run.
struct Incumbent {
  Realized realized;
  double time_ns = 0;
  std::optional<double> speedup;  // over the baseline, as recorded
  /// Its time in the pair must agree with its own on this card, else the pair is repeated in fresh processes: a
  /// candidate that slows its neighbour must not win by it.
  bool by_record = false;
  double alone_ns = 0;  // its own time on this card; 0: unknown, it is measured alone first
};

/// A gate that another configuration of a source failed.
struct FailedBefore {
  std::string gate;
  std::int64_t iteration = 0;
};

/// A candidate elsewhere than at its timed size.
struct OtherPoints {
  /// At other points of the domain: judged in the hostile forms of the inputs, never timed.
  std::vector<Realized> neighbours;
  std::map<std::string, SizeRange> ranges;  // of the sizes: what the domain allows
  double valid_share = 1;                   // CandidatePlans::valid_share, of a finalist
  /// A candidate of the kernel at a tiny point on the cpu device that has these values (CandidatePlans::tiny_at).
  /// Empty: there is no cpu device.
  std::function<std::optional<Realized>(const Candidate& candidate, const Config& fixed)> tiny_at;
  std::vector<SourceFile> baseline;  // the baseline's texts: what a comparison there never does is no question
  /// At a small point of the domain on the cpu device; empty: its features do not allow it.
  std::optional<Realized> preflight;
  /// Of a finalist: CandidatePlans::along, and some other configurations of its variant. Empty: there are none.
  std::function<std::vector<Realized>(const std::string& size)> along;
  std::function<std::vector<Realized>()> other_configurations;
};

/// How many other points of the domain a candidate meets. `none`: every form of the inputs at the timed size.
enum class Points { none, search, finalist };

struct EvaluationRequest {
  Realized realized;
  std::optional<Incumbent> incumbent;  // the best so far on this workload; the baseline when confirming
  std::optional<double> baseline_ns;   // the kernel's baseline on this workload, this campaign
  bool confirm = false;                // fresh processes, fresh inputs, longer timing
  /// Finds what the gates beyond the timed size need; asked once at most, when the first of them is due. Empty: the
  /// candidate has no other points.
  std::function<OtherPoints()> other_points;
  Points points = Points::none;  // how many these are: whoever evaluates elsewhere finds them there
  std::vector<NewVariant> made;  // variants that stand in no file and that this needs
  /// A candidate that is right at the timed size and slower than the incumbent there ends as Screened, without the
  /// gates that only a best needs. Nothing is screened without an incumbent.
  bool screen = false;
  /// A candidate whose launches take longer than a tenth of this, seconds (on a GPU, whose timing repeats them, than a
  /// sixtieth), is told by as many as fit into it, at least one and at most three, each right at the timed size, and
  /// ends as Screened: a slow baseline is there to be compared with, and its other gates would take the time of a
  /// search. 0: never.
  double brief_s = 0;
  /// A launch that leaves other bits than the one before is told, and no reason to reject: somebody else's work that is
  /// there to be compared with.
  bool may_differ = false;
  /// Of another configuration of this source, which is refused because of it.
  std::optional<FailedBefore> failed_before;
  const Admission* admission = nullptr;  // whose tolerances hold; without one the defaults of the types
  bool gates_only = false;               // no timing
  bool stages = false;                   // also try each stage of the plan alone where nothing is wrong
  /// Timing ends early, as Abandoned, once it is clearly slower than this many times the incumbent; 0: never.
  double abandon_factor = 0;
  /// The recorded iteration of this workload with the same machine code and launches, 0 if none; empty: do not ask.
  std::function<std::int64_t(const std::string& binary_hash)> recorded_with;
};

/// What it takes to admit a kernel. One baseline for each group of its workloads, and the same baseline elsewhere: at
/// other points of the domain and at the largest size that is timed; and the kernel's own mutants, which must not pass.
struct AdmissionRequest {
  struct Group {
    Realized baseline;
    std::vector<Realized> others;
  };
  /// A mutant of the kernel's own. It must be caught on one of the workloads; they are tried in order.
  struct Mutant {
    std::string name, source_hash;
    std::vector<std::string> workloads;
    std::function<EvaluationRequest(const std::string& workload)> request;
  };
  std::string kernel, hash;
  std::vector<Group> groups;
  std::vector<Mutant> mutants;
  /// What an earlier trial of these gates found of a part before it was cut short, and where this one's parts are kept.
  /// Empty: everything is tried anew, nothing is kept.
  std::function<std::optional<json>(const std::string& part)> known;
  std::function<void(const std::string& part, const json& found)> keep;
  /// What a trial elsewhere found on a like device. It is taken over but for a few parts, which nobody can foresee:
  /// these are tried here, and where they do not agree, everything is.
  AdmissionParts elsewhere;
};

/// Port to build -> gates -> timing. One evaluation at a time; building runs ahead in other processes.
/// Why the gates of a contract could not tell right from wrong, whatever a candidate does.
struct ContractReview {
  std::vector<std::string> problems;              // sentences
  std::map<std::string, double> constant_inputs;  // inputs all of whose elements are always this value
  std::string not_checked;                        // why the reference did not run under the memory checker; ""
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual DeviceInfo device() = 0;
  /// The cpu device on which candidates for a GPU are tried too; empty where none are.
  virtual std::optional<DeviceInfo> preflight_device() = 0;
  /// Speculative builds of what may be asked next; never a decision. Returns at once.
  virtual void prepare(std::span<const Realized> candidates) = 0;
  virtual Evaluation evaluate(const EvaluationRequest& request) = 0;
  /// Measures tolerances and tries every mutant. nullopt: stopped on the way.
  virtual std::optional<Admission> admit(const AdmissionRequest& request) = 0;
  /// Looks at the draws and the reference of a contract. `small`: the kernel at a small point on the cpu device, where
  /// its reference runs under the memory checker; null: nowhere. nullopt: stopped on the way. Throws Error(bad_input):
  /// the reference does not compile or run.
  virtual std::optional<ContractReview> review(const Realized& baseline, const Realized* small) {
    (void)baseline, (void)small;
    return ContractReview{};
  }
  /// What the device reaches, measured now; all zero where times are emulated. `use_peaks` gives them to the gates.
  virtual MeasuredPeaks measure_peaks() = 0;
  virtual void use_peaks(const MeasuredPeaks& peaks) = 0;
  /// Whether the card is what it was: none where the device cannot say.
  virtual CardCalibration calibrate() { return {}; }
  /// What tells how its candidates use the device; null: nothing here does. Never at work while something is timed.
  virtual Profiler* profiler() { return nullptr; }
  /// Seconds of speculative building since the last call.
  virtual double take_prepare_seconds() = 0;
};

HARNESS_ENUM_TEXT(Points);
void to_json(json& to, const StageCosts& value);
void from_json(const json& from, StageCosts& value);

}  // namespace harness
