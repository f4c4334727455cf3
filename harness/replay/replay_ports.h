#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/core/clock.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/fleet.h"
#include "harness/core/strategy.h"
#include "harness/replay/recording.h"

// The outside of a replayed campaign: the ports of a running one, answered from a record. No device, no store and no
// time of the user's is touched.
namespace harness {

/// How often the record had the answer, and what was done where it had none.
struct AnswerTally {
  std::int64_t recorded = 0;       // evaluations answered by the recorded one of the same candidate
  std::int64_t stand_ins = 0;      // the search asked for an unrecorded configuration and was given a recorded one
  std::int64_t confirmations = 0;  // recorded ones
  std::int64_t assumed_confirmations = 0;  // the winner was never confirmed: taken to hold
  std::int64_t unanswered = 0;             // evaluations of which the record holds nothing: recorded as unsupported
  std::int64_t verdicts_recomputed = 0;    // the incumbent was another than in the record: intervals were compared
  std::set<ArmId> ended;                   // arms whose search wanted more than the record holds
  std::vector<std::string> examples;       // the first few stand-ins, in words
};

/// Stands still until an evaluation's recorded seconds pass.
class ReplayClock : public Clock {
 public:
  explicit ReplayClock(std::int64_t begin_unix) : begin_unix_(begin_unix) {}
  double seconds() override { return 1 + passed_s_; }  // 0 would mean "not begun"
  std::int64_t unix_seconds() override { return begin_unix_ + static_cast<std::int64_t>(passed_s_); }
  void pass(double seconds) { passed_s_ += seconds; }
  double passed() const { return passed_s_; }
  void return_to(double passed_s) { passed_s_ = passed_s; }

 private:
  std::int64_t begin_unix_;
  double passed_s_ = 0;
};

/// Remembers what a kernel's plugin said, so that hundreds of replays ask it once, and makes candidates concrete
/// without reading their sources: nothing is built in a replay.
class ReplayKernel : public KernelPlugin {
 public:
  ReplayKernel(Catalog& plugins, std::string name) : plugins_(plugins), name_(std::move(name)) {}
  const KernelInfo& info() override { return plugin().info(); }
  Problem problem(const std::string& workload) override;
  Prior prior(const std::string& variant, const std::string& workload) override {
    return plugin().prior(variant, workload);
  }
  VariantTexts variant_texts(const std::string& variant) override { return plugin().variant_texts(variant); }
  std::string unsupported_reason(const std::string& variant, const DeviceInfo& device) override {
    return plugin().unsupported_reason(variant, device);
  }
  Space space(const std::string& variant, const std::string& workload, const DeviceInfo& device) override;
  bool has_configuration(const std::string& variant, const std::string& workload, const DeviceInfo& device) override {
    return plugin().has_configuration(variant, workload, device);
  }
  Config default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                        const Config& given) override;
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override;
  /// What was remembered of a variant of this name is forgotten.
  void add_variant(const NewVariant& variant) override;
  std::string add_shape(const std::string& text, const DeviceInfo& device) override {
    return plugin().add_shape(text, device);
  }
  std::string admission_hash() override { return "replay-" + name_; }

 private:
  KernelPlugin& plugin() { return plugins_.plugin(name_); }

  Catalog& plugins_;
  std::string name_;
  std::map<std::string, Problem> problems_;  // by workload
  std::map<std::string, Space> spaces_;
  std::map<std::string, Config> defaults_;
  std::map<std::string, Plan> plans_;
};

/// The plugin folders of a replay.
class ReplayCatalog : public Catalog {
 public:
  explicit ReplayCatalog(Catalog& plugins) : plugins_(plugins) {}
  std::vector<std::string> kernel_names() override { return plugins_.kernel_names(); }
  KernelPlugin& plugin(const std::string& kernel) override {
    return kernels_.try_emplace(kernel, plugins_, kernel).first->second;
  }

 private:
  Catalog& plugins_;
  std::map<std::string, ReplayKernel> kernels_;
};

/// Searches that are only ever given what the record holds. One that asks for something else is given the nearest
/// recorded configuration of its arm that it was not given yet, or ends where `stand_ins` is false or none is left.
class ReplayScripts : public ScriptLibrary {
 public:
  ReplayScripts(ScriptLibrary& scripts, const RecordBook& book, AnswerTally& tally, bool stand_ins)
      : scripts_(scripts), book_(book), tally_(tally), stand_ins_(stand_ins) {}
  std::unique_ptr<Strategy> strategy(const std::string& name_or_file) override {
    return scripts_.strategy(name_or_file);
  }
  std::unique_ptr<Search> search(const std::string& name_or_file, const ArmSpace& space, std::uint64_t seed) override;
  std::vector<json> list() override { return scripts_.list(); }
  json check(const std::string& name_or_file) override { return scripts_.check(name_or_file); }

 private:
  ScriptLibrary& scripts_;
  const RecordBook& book_;
  AnswerTally& tally_;
  bool stand_ins_;
};

/// Answers with what was found when the record was made: nothing is counted in a replay.
class ReplayProfiler : public Profiler {
 public:
  explicit ReplayProfiler(const RecordBook& book) : book_(book) {}
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest& request) override;

 private:
  const RecordBook& book_;
};

/// Answers evaluations with recorded outcomes and lets their recorded seconds pass. What depends on the order of
/// evaluations is answered for the replayed order: which of two configurations with the same machine code is measured,
/// and the verdict against an incumbent that is another than it was (by the recorded 95 % intervals).
class ReplayEvaluator : public Evaluator {
 public:
  ReplayEvaluator(DeviceInfo device, const RecordBook& book, ReplayClock& clock, double overhead_s, AnswerTally& tally)
      : device_(std::move(device)), book_(book), clock_(clock), overhead_s_(overhead_s), tally_(tally) {}
  DeviceInfo device() override { return device_; }
  std::optional<DeviceInfo> preflight_device() override { return std::nullopt; }
  void prepare(std::span<const Realized>) override {}
  Evaluation evaluate(const EvaluationRequest& request) override;
  std::optional<Admission> admit(const AdmissionRequest&) override { return std::nullopt; }
  MeasuredPeaks measure_peaks() override { return {}; }
  /// What a campaign does before its first evaluation: the recorded overhead passes here, once.
  void use_peaks(const MeasuredPeaks&) override {
    clock_.pass(overhead_s_);
    overhead_s_ = 0;
  }
  double take_prepare_seconds() override { return 0; }
  /// What the next confirmation of this candidate is answered with; nullptr: none is recorded.
  const IterationSummary* recorded_confirmation(const EvaluationRequest& request) const;

 private:
  Outcome timed_answer(const IterationSummary& row, const EvaluationRequest& request);
  Evaluation answer(const IterationSummary& row, const EvaluationRequest& request, double seconds);
  Evaluation search_answer(const IterationSummary& row, const EvaluationRequest& request);
  Evaluation confirm_answer(const EvaluationRequest& request);
  Timing timing_of(const IterationSummary& row, const EvaluationRequest& request);
  std::optional<Comparison> verdict_on(const IterationSummary& row, const EvaluationRequest& request);
  DeviceInfo device_;
  const RecordBook& book_;
  ReplayClock& clock_;
  double overhead_s_;
  AnswerTally& tally_;
  std::map<std::string, std::size_t> confirmed_;  // how often a candidate was, in this replay
  std::map<std::string, std::int64_t> ran_;       // by workload and machine code: answered as measured in this replay
};

/// The devices of a recorded campaign that had several: their evaluations end in the recorded order.
class ReplayFleet : public Fleet {
 public:
  ReplayFleet(std::vector<FleetDevice> devices, ReplayEvaluator& evaluator, const RecordBook& book, ReplayClock& clock);
  const std::vector<FleetDevice>& devices() override { return devices_; }
  void begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) override;
  std::optional<FleetAnswer> next(double patience_s) override;
  void cancel() override { flights_.clear(); }

 private:
  struct Flight {
    std::int64_t ticket = 0, recorded = 0;  // the iteration that it was; 0: the record has none
    double ends_s = 0;
    Evaluation evaluation;
  };
  std::vector<FleetDevice> devices_;
  ReplayEvaluator& evaluator_;
  const RecordBook& book_;
  ReplayClock& clock_;
  std::vector<Flight> flights_;
};

/// Keeps the replayed campaign as a Recording. What earlier campaigns learnt is asked of `source`, the store that the
/// record came from, which is only read; nullptr: there were none.
class ReplayLedger : public Ledger {
 public:
  ReplayLedger(EarlierCampaigns* source, std::int64_t campaign) : source_(source) { recording_.campaign = campaign; }
  Recording& recording() { return recording_; }

  std::int64_t begin_campaign(const CampaignRecord& record) override;
  void resume_campaign(std::int64_t, const CampaignRecord&) override {}
  void end_campaign(std::int64_t, EndReason reason, double spent_s, std::optional<double>) override;
  std::int64_t record_decision(std::int64_t, const Decision& decision, const std::optional<ArmId>& from,
                               const ScriptIdentity&, std::int64_t now_unix, double) override;
  std::int64_t begin_attempt(const AttemptRecord& record) override;
  std::int64_t end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool confirmed) override;
  void charge(std::int64_t, const std::string&, double) override {}
  std::int64_t record_proposal(const ProposalRecord& record) override {
    recording_.proposals.push_back(record);
    return static_cast<std::int64_t>(recording_.proposals.size());
  }
  std::optional<std::int64_t> latest_resumable() override { return std::nullopt; }
  CampaignRecord campaign(std::int64_t) override { return recording_.record; }
  double spent_seconds(std::int64_t) override { return recording_.spent_s; }
  std::vector<IterationSummary> iterations(std::int64_t) override { return recording_.iterations; }
  std::vector<DecisionRecord> decisions(std::int64_t) override { return recording_.decisions; }
  std::vector<Orphan> orphans(std::int64_t) override { return {}; }
  Experience experience(const ExperienceQuery& query) override;
  ProposerHistory proposer_history(const std::string& spec, const std::string& device_name,
                                   std::int64_t before_campaign) override;
  std::vector<EarlierResult> earlier_results(std::int64_t campaign, const std::string& kernel,
                                             const std::string& device) override;
  /// The gates were tried when the record was made: the seconds are in its overhead.
  std::optional<Admission> admission(const std::string& hash, const std::string& device_name) override;
  void record_admission(const Admission&) override {}
  std::optional<MeasuredPeaks> peaks(const DeviceInfo&) override { return MeasuredPeaks{}; }
  void record_peaks(const DeviceInfo&, const MeasuredPeaks&) override {}
  std::vector<FailedGate> failed_gates(std::int64_t) override { return {}; }
  /// Of what was recorded: a replay begins with the same.
  void take_over(const std::vector<ProposalRecord>& recorded) {
    for (const ProposalRecord& record : recorded)
      if (record.proposer == kFromRecord) taken_over_.push_back(record);
  }
  std::optional<std::vector<ProposalRecord>> taken_over() override { return taken_over_; }

 private:
  std::vector<ProposalRecord> taken_over_;
  EarlierCampaigns* source_;
  Recording recording_;
  std::vector<AttemptRecord> attempts_;
};

/// Nobody watches a replay.
class NoDisplay : public Display {
 public:
  void started(const CampaignStarted&) override {}
  void iteration(const IterationEnded&) override {}
  void pivoted(const Pivoted&) override {}
  void progress(const Progress&) override {}
  void finished(const CampaignSummary&) override {}
};

}  // namespace harness
