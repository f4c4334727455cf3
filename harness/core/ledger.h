#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/core/iteration_facts.h"
#include "harness/core/pattern_evidence.h"
#include "harness/core/profile.h"
#include "harness/core/proposal.h"
#include "harness/core/strategy.h"

// What is recorded: a campaign, its decisions, an attempt before each evaluation and an iteration after it.
namespace harness {

struct CampaignRecord {
  std::optional<std::string> name;
  std::string device, device_name;
  std::string strategy, strategy_hash, search;
  std::uint64_t seed = 1;
  std::optional<double> budget_s, max_cost_usd;
  std::vector<std::string> kernels;
  json options = json::object();      // everything a resume needs: kernels, workloads, variants, goal, ...
  json environment = json::object();  // GPU, driver, compiler, clocks, host, git revision, harness version
  std::optional<double> usd_per_hour;
};

/// What an evaluation is for: a search's ask, a workload's baseline or rival, a winner timed again, or `harness eval`.
enum class Purpose { search, baseline, rival, confirm, eval };
/// Whether its times are emulation, as its device said when it began.
bool in_emulation(const CampaignRecord& record);

struct AttemptRecord {
  std::int64_t campaign = 0;
  std::int64_t decision = 0;  // id of the decision that led here; 0: none (eval)
  Candidate candidate;
  std::string workload;
  std::string contract_hash, source_hash;
  std::int64_t ask = 0;  // number of this ask within its arm, from 1; 0: not asked by a search
  Purpose purpose = Purpose::search;
  std::optional<double> budget_left_s;  // when it began; absent: the campaign has no budget of time
  std::optional<std::string> label;     // what a person calls it
  std::optional<std::string> parent;    // an edited source: hash of the variant's own, in whose place it stood
  std::string node, device_uuid;        // of a fleet: where it is evaluated; "" on the one device of a campaign
  /// In a fleet: of the campaign's iterations the last that had ended when it began; 0: none had.
  std::optional<std::int64_t> after;
};

/// A row of the record as a campaign reads it back: resume, replay, evidence.
struct IterationSummary : IterationFacts {
  std::int64_t iteration = 0, campaign = 0, ask = 0;
  Candidate candidate;
  std::string workload, contract_hash, source_hash;
  OutcomeKind outcome = OutcomeKind::passed;
  Purpose purpose = Purpose::search;
  std::optional<Comparison> verdict;
  double wall_s = 0, build_s = 0, gates_s = 0, timing_s = 0;
  double begun_unix = 0;  // 0: not known
  std::optional<double> usd;
  std::int64_t decision = 0;
  std::optional<double> budget_left_s;  // AttemptRecord's
  std::int64_t attempt = 0;             // of which it is the end: ascending in the order in which they were begun
  std::string node, device_uuid;        // AttemptRecord's
  std::optional<std::int64_t> after;    // AttemptRecord's
  bool deterministic = true;  // false: a rival's launches on the same values left other bits; told while it runs
};

/// A gate that a candidate failed.
struct FailedGate {
  std::int64_t iteration = 0;
  std::string source_hash, gate;
};

struct DecisionRecord {
  std::int64_t id = 0;
  Decision decision;
  std::optional<ArmId> from;  // of a pivot
  std::int64_t now_unix = 0;
};

/// Evidence of earlier campaigns about an arm.
struct Evidence {
  ArmId arm;
  std::int64_t campaigns = 0, evaluations = 0, passed = 0;
  double spent_s = 0;
  std::optional<double> best_speedup;
};

/// Earlier campaigns on a kernel's technique, whatever the workload and contract, on a family of devices.
struct TechniqueEvidence {
  std::string kernel, technique;
  std::int64_t campaigns = 0, evaluations = 0, passed = 0;
  double spent_s = 0;
  std::optional<double> usd, best_speedup;
};

/// The fastest that an earlier campaign confirmed.
struct EarlierBest {
  std::string kernel, workload, technique;
  double time_ns = 0;
  std::optional<double> baseline_ns;
};

/// A decision's prediction and what came of the evaluation it led to.
struct ScoredPrediction {
  Prediction predict;
  OutcomeKind outcome = OutcomeKind::passed;
  std::optional<double> speedup;  // of a passed one
  double wall_s = 0;
};

/// Whose experience is asked for. Empty architecture: only the device name counts as its family.
struct ExperienceQuery {
  std::int64_t before_campaign = 0;  // campaigns with a smaller number
  std::vector<std::string> kernels, contract_hashes;
  std::string device_name, architecture;
  std::string script;  // the strategy whose predictions are meant
};

/// Among which records a proposal's twin is looked for.
struct TwinQuery {
  std::string kernel;
  std::vector<std::string> contract_hashes;
  std::string device_name;
  std::int64_t before_campaign = 0;  // campaigns with a smaller number
};
struct RecordedSource {
  std::string source_hash, text;
};
struct RecordedTwin {
  std::int64_t campaign = 0, iteration = 0;
  std::string variant, outcome;
  std::optional<double> speedup;  // where it passed
};

/// A variant in no folder that an earlier campaign or session saw pass: proposed, or an edited source. It is told as
/// the proposal that it was; of an edit `source`, `hypothesis` (its label) and `parents` are known alone.
struct RecordedWinner {
  std::int64_t iteration = 0;
  std::string workload;
  Config config;
  double speedup = 1;  // over the baseline
  ProposalRecord proposal;
};

/// How another such variant failed: the newest of those with the same fingerprint or message.
struct RecordedFailure {
  std::int64_t campaign = 0, iteration = 0;
  std::string variant, hypothesis, outcome, message, fingerprint;
};

/// What earlier campaigns on a device know of a proposer.
struct ProposerHistory {
  std::int64_t asked = 0, improved = 0;       // requests, second ones apart; those that became a best
  double log_gain = 0;                        // mean ln(old best / new best) of these
  std::optional<double> latency_s, usd_each;  // mean of a request; absent: unknown
};

/// What earlier campaigns learnt, frozen at a campaign's start.
struct Experience {
  std::vector<Evidence> arms;                 // same contract and device name
  std::vector<TechniqueEvidence> techniques;  // same kernel and family of devices
  std::vector<EarlierBest> bests;             // same contract and device name
  std::vector<Evidence> elsewhere;            // same kernel and family of devices, any workload and contract
  std::vector<ScoredPrediction> predictions;  // by that script on the device name, oldest first, the newest 2000
};

struct Orphan {
  std::int64_t attempt = 0;
  AttemptRecord record;
  int tries = 1;
  /// Of the tries, how often the machine itself went down after it: the only end that a candidate may have brought
  /// about. Whoever kills this program says nothing about a candidate.
  int machine_went_down = 0;
};

/// An evaluation that was begun on a device of a fleet.
struct Begun {
  std::int64_t attempt = 0;
  AttemptRecord record;
};

/// How long things took in all campaigns on a device name: mean wall seconds of an evaluation by kernel and purpose,
/// and of the last trial of each kernel's gates on devices with this DeviceInfo::admission_key.
struct UsualSeconds {
  std::map<std::pair<std::string, Purpose>, double> evaluations;
  std::map<std::string, double> trials;
};

// Ports to the store, by who calls them. Each call is one transaction. All throw Error(environment) when the store
// cannot be written. A record that keeps nothing of a kind knows nothing: what has a body here may be left out.

/// What a campaign writes while it runs.
class CampaignWriter {
 public:
  virtual ~CampaignWriter() = default;
  virtual std::int64_t begin_campaign(const CampaignRecord& record) = 0;
  /// Takes a campaign up again under its new limits (budget, cost, options). Throws Error(bad_input) for one that is
  /// unknown, was made by eval or import, or that another living process is writing.
  virtual void resume_campaign(std::int64_t campaign, const CampaignRecord& record) = 0;
  /// The campaign's options, with what has been found since it began and a resume needs.
  virtual void keep_options(std::int64_t /*campaign*/, const json& /*options*/) {}
  /// Also written on interruption, so that --resume finds it.
  virtual void end_campaign(std::int64_t campaign, EndReason reason, double spent_s, std::optional<double> usd) = 0;
  virtual std::int64_t record_decision(std::int64_t campaign, const Decision& decision,
                                       const std::optional<ArmId>& from, const ScriptIdentity& script,
                                       std::int64_t now_unix, double decide_s) = 0;
  virtual std::int64_t begin_attempt(const AttemptRecord& record) = 0;
  /// Writes the iteration, its samples, gates and costs, and keeps the rollups current; returns the iteration's id.
  virtual std::int64_t end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool confirmed) = 0;
  virtual void charge(std::int64_t campaign, const std::string& stage, double seconds) = 0;  // prepare, decide, idle
  /// A request to the proposer that has ended, with what it cost; returns its id.
  virtual std::int64_t record_proposal(const ProposalRecord& /*record*/) { return 0; }
  /// What somebody learnt about a kernel, for those who come after.
  virtual void record_note(std::int64_t /*campaign*/, const std::string& /*kernel*/, const std::string& /*text*/) {}
  /// What was found of an iteration.
  virtual void record_profile(std::int64_t /*iteration*/, const Profile& /*profile*/) {}
};

/// One campaign as it was recorded: for a resume, a replay, and whoever asks what was found so far. Lists ascend.
class CampaignReader {
 public:
  virtual ~CampaignReader() = default;
  virtual CampaignRecord campaign(std::int64_t id) = 0;
  virtual double spent_seconds(std::int64_t campaign) = 0;
  virtual std::vector<IterationSummary> iterations(std::int64_t campaign) = 0;
  virtual std::vector<DecisionRecord> decisions(std::int64_t campaign) = 0;
  virtual std::vector<Orphan> orphans(std::int64_t campaign) = 0;  // begun, never ended
  /// On a fleet: everything that was begun, ended or not. Empty: the campaign had one device.
  virtual std::vector<Begun> begun(std::int64_t /*campaign*/) { return {}; }
  virtual std::vector<ProposalRecord> proposals(std::int64_t /*campaign*/) { return {}; }
  virtual std::vector<ProfileRecord> profiles(std::int64_t /*campaign*/) { return {}; }  // as they were recorded
  /// A replay's: the winners that the recorded campaign took over. Nothing: they are looked for in the record.
  virtual std::optional<std::vector<ProposalRecord>> taken_over() { return std::nullopt; }
  /// Of all iterations of the campaign, in their order.
  virtual std::vector<FailedGate> failed_gates(std::int64_t campaign) = 0;
};

/// What was cut short: for `--resume`.
class InterruptedCampaigns {
 public:
  virtual ~InterruptedCampaigns() = default;
  virtual std::optional<std::int64_t> latest_resumable() = 0;
  /// Adds to each campaign what its processes spent before they were killed. Of those that still run nothing is said.
  virtual void settle_lost_time() {}
};

/// What earlier campaigns say of a new one's choices: evidence for strategies and searches.
class EarlierCampaigns {
 public:
  virtual ~EarlierCampaigns() = default;
  virtual Experience experience(const ExperienceQuery& query) = 0;
  virtual UsualSeconds usual_seconds(const std::string& /*device_name*/, const std::string& /*device_key*/) {
    return {};
  }
  /// What came of the playbook's patterns in earlier campaigns on this device name.
  virtual std::vector<PatternApplication> pattern_applications(std::int64_t /*before_campaign*/,
                                                               const std::string& /*device_name*/) {
    return {};
  }
  /// What campaigns before this one recorded of a kernel on any workload, newest first, at most 20,000. On the cpu
  /// device only what was emulated, on a GPU only what was not.
  virtual std::vector<EarlierResult> earlier_results(std::int64_t campaign, const std::string& kernel,
                                                     const std::string& device) {
    (void)campaign, (void)kernel, (void)device;
    return {};
  }
  virtual ProposerHistory proposer_history(const std::string& /*spec*/, const std::string& /*device_name*/,
                                           std::int64_t /*before_campaign*/) {
    return {};
  }
};

/// Whether the same thing was evaluated before: the same source, machine code, or mistake.
class RecordedTwins {
 public:
  virtual ~RecordedTwins() = default;
  /// The different sources that were evaluated of the kernel under these contracts.
  virtual std::vector<RecordedSource> recorded_sources(const TwinQuery& /*query*/) { return {}; }
  /// The best that earlier campaigns saw of a source, or of a proposal with this normal_hash; none: it was not
  /// evaluated.
  virtual std::optional<RecordedTwin> same_source(const TwinQuery& /*query*/, const std::string& /*source_hash*/) {
    return std::nullopt;
  }
  virtual std::optional<RecordedTwin> same_proposal(const TwinQuery& /*query*/, const std::string& /*normal_hash*/) {
    return std::nullopt;
  }
  /// The fastest of each variant on each workload, the fastest first, at most `limit`. What was imported counts where a
  /// person said that it is evidence.
  virtual std::vector<RecordedWinner> recorded_winners(const TwinQuery& /*query*/, int /*limit*/) { return {}; }
  virtual std::vector<RecordedFailure> recorded_failures(const TwinQuery& /*query*/, int /*limit*/) { return {}; }
  /// What agents and proposers wrote down about a kernel, newest first.
  virtual std::vector<std::string> recorded_notes(const std::string& /*kernel*/, int /*limit*/) { return {}; }
  /// The same of machine code and launches, only its iteration; 0: none.
  virtual std::int64_t same_binary_before(const TwinQuery& /*query*/, const std::string& /*binary_hash*/) { return 0; }
  /// The iteration of this campaign on this workload with the same machine code and launches; 0: none.
  virtual std::int64_t same_binary(std::int64_t /*campaign*/, const std::string& /*workload*/,
                                   const std::string& /*binary_hash*/) {
    return 0;
  }
  /// Iterations of other variants of the kernel with the same fingerprint, newest first, at most `limit`.
  virtual std::vector<IterationSummary> same_fingerprint(const std::string& /*kernel*/, const std::string& /*variant*/,
                                                         const std::string& /*fingerprint*/, int /*limit*/) {
    return {};
  }
};

/// Verdicts over kernels' gates, by Admission::hash and DeviceInfo::admission_key.
class AdmissionRecord {
 public:
  virtual ~AdmissionRecord() = default;
  virtual std::optional<Admission> admission(const std::string& hash, const std::string& device_key) = 0;
  virtual void record_admission(const Admission& admission) = 0;
  /// What a trial on this machine has found of one of its parts.
  virtual std::optional<json> admission_part(const std::string& /*hash*/, const std::string& /*device_key*/,
                                             const std::string& /*part*/) {
    return std::nullopt;
  }
  virtual void keep_admission_part(const std::string& /*hash*/, const std::string& /*device_key*/,
                                   const std::string& /*kernel*/, const std::string& /*part*/, const json& /*found*/) {}
  /// What trials on other machines have found, where a person said that it counts here.
  virtual AdmissionParts imported_admission(const std::string& /*hash*/, const std::string& /*device_key*/) {
    return {};
  }
};

/// What devices were measured to do.
class DeviceRecord {
 public:
  virtual ~DeviceRecord() = default;
  /// What a device was measured to reach when it was first seen with this driver.
  virtual std::optional<MeasuredPeaks> peaks(const DeviceInfo& device) = 0;
  virtual void record_peaks(const DeviceInfo& device, const MeasuredPeaks& peaks) = 0;
  virtual void record_card_check(std::int64_t /*campaign*/, const CardCheck& /*check*/) {}
  /// What a card's later calibrations by this method are held against: its first one with this driver in any campaign.
  virtual std::optional<CardCalibration> first_calibration(const std::string& /*device_uuid*/,
                                                           const std::string& /*driver_release*/,
                                                           const std::string& /*method*/) {
    return std::nullopt;
  }
};

/// All of them, for a campaign: it writes, resumes, learns and compares. Whoever needs less takes the port it needs.
class Ledger : public CampaignWriter,
               public CampaignReader,
               public InterruptedCampaigns,
               public EarlierCampaigns,
               public RecordedTwins,
               public AdmissionRecord,
               public DeviceRecord {};

HARNESS_ENUM_TEXT(Purpose);

}  // namespace harness
