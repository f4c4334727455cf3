#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "harness/core/catalog.h"
#include "harness/core/clock.h"
#include "harness/core/diagnoser.h"
#include "harness/core/display.h"
#include "harness/core/error.h"
#include "harness/core/evaluator.h"
#include "harness/core/fleet.h"
#include "harness/core/ledger.h"
#include "harness/core/profiler.h"
#include "harness/core/strategy.h"

// In-memory twins of the ports: a campaign runs against them with no device, no store and no time passing.
namespace harness::fakes {

class FakeClock : public Clock {
 public:
  double seconds() override;
  std::int64_t unix_seconds() override;
  double now = 1000;
  double tick = 0;          // what passes from one reading to the next
  std::int64_t jumped = 0;  // what somebody set the calendar's clock by
};

/// A kernel with workloads "w1", "w2", a baseline 00_base (technique "base") and 10_tile (technique "tile", N = 1..8).
class FakeKernel : public KernelPlugin {
 public:
  ~FakeKernel() override;
  explicit FakeKernel(const std::string& name = "k");
  const KernelInfo& info() override;
  Problem problem(const std::string& workload) override;
  Prior prior(const std::string& variant, const std::string&) override;
  Space space(const std::string& variant, const std::string&, const DeviceInfo&) override;
  Config default_config(const std::string& variant, const std::string&, const DeviceInfo&,
                        const Config& given) override;
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo&) override;
  std::string unsupported_reason(const std::string&, const DeviceInfo&) override;
  /// A manifest that holds the word "broken" is refused; its technique is the last one that it sets.
  void add_variant(const NewVariant& variant) override;
  VariantTexts variant_texts(const std::string& variant) override;
  std::string admission_hash() override;
  KernelInfo data;

 private:
  std::map<std::string, VariantTexts> added_texts_;
};

/// One kernel "k", and others like it.
class FakeCatalog : public Catalog {
 public:
  ~FakeCatalog() override;
  explicit FakeCatalog(std::unique_ptr<FakeKernel> first = std::make_unique<FakeKernel>())
      : first_(std::move(first)), info(first_->data) {}
  /// Another kernel, as the first one is now.
  void add(const std::string& name);
  std::vector<std::string> kernel_names() override;
  KernelPlugin& plugin(const std::string& name) override;

 private:
  std::unique_ptr<FakeKernel> first_;
  std::map<std::string, FakeKernel> others_;

 public:
  KernelInfo& info;  // of the first
};

/// Takes `cost_s` of the fake clock for each evaluation and answers with what `answer` says.
class FakeEvaluator : public Evaluator {
 public:
  ~FakeEvaluator() override;
  explicit FakeEvaluator(FakeClock& clock) : clock_(clock) {}
  DeviceInfo device() override;
  std::optional<DeviceInfo> preflight_device() override;
  std::optional<Admission> admit(const AdmissionRequest& request) override;
  MeasuredPeaks measure_peaks() override;
  void use_peaks(const MeasuredPeaks& peaks) override;
  std::vector<std::string> refuses;  // problems that every admission finds, or that of one kernel
  std::string refused_kernel;
  double admission_s = 0;  // that each takes
  int admissions = 0, peaks_measured = 0;
  MeasuredPeaks used_peaks;
  void prepare(std::span<const Realized> candidates) override;
  Evaluation evaluate(const EvaluationRequest& request) override;
  double take_prepare_seconds() override;

  static Outcome passed(double time_ns, const EvaluationRequest& request);
  /// The baseline takes 1000 ns; the tile variant 800 / N.
  static Outcome honest(const EvaluationRequest& request);
  std::function<Outcome(const EvaluationRequest&)> answer = honest;
  std::function<std::vector<GateResult>(const EvaluationRequest&)> gates;  // none: no evidence
  double cost_s = 1;
  std::function<double(const EvaluationRequest&)> costs;  // instead, where it depends
  std::size_t prepared = 0, prepared_before_gates = 0;    // before the first kernel's were tried
  bool emulation = false;
  int confirms = 0;
  std::vector<Candidate> requests;

 private:
  FakeClock& clock_;
};

/// Devices whose evaluations end in the order of their seconds, by the fake clock.
class FakeFleet : public Fleet {
 public:
  ~FakeFleet() override;
  FakeFleet(FakeClock& clock, std::size_t devices);
  const std::vector<FleetDevice>& devices() override;
  void begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) override;
  std::optional<FleetAnswer> next(double patience_s) override;
  void cancel() override;
  std::function<Outcome(std::size_t device, const EvaluationRequest&)> answer =
      [](std::size_t, const EvaluationRequest& request) { return FakeEvaluator::honest(request); };
  std::vector<CardCheck> take_card_checks() override;
  void doubt(std::size_t device) override;
  /// Joins at that time of the clock.
  void come_late(std::size_t device, double at_s);
  std::function<double(std::size_t device, const EvaluationRequest&)> costs;
  std::function<void(std::size_t device, const EvaluationRequest&, Evaluation&)> evaluated;  // adds what else was found
  std::vector<CardCheck> checks;  // that nobody has taken yet
  std::set<std::size_t> doubted;
  std::vector<std::pair<std::size_t, Candidate>> begun;
  std::vector<EvaluationRequest> requests;
  std::size_t most_at_once = 0;
  bool lost_stay_dead = false;
  int cancelled = 0;

 private:
  struct Flight {
    std::size_t device = 0;
    std::int64_t ticket = 0;
    double ends_s = 0;
    Evaluation evaluation;
  };
  FakeClock& clock_;
  std::vector<FleetDevice> devices_;
  std::map<std::size_t, double> joins_at_;
  std::vector<Flight> flights_;
};

/// Keeps everything in vectors.
class FakeLedger : public Ledger {
 public:
  ~FakeLedger() override;
  std::int64_t begin_campaign(const CampaignRecord& record) override;
  void resume_campaign(std::int64_t, const CampaignRecord&) override;
  void keep_options(std::int64_t campaign, const json& options) override;
  void end_campaign(std::int64_t, EndReason reason, double spent, std::optional<double>) override;
  std::int64_t record_decision(std::int64_t, const Decision& decision, const std::optional<ArmId>& from,
                               const ScriptIdentity&, std::int64_t now, double) override;
  std::int64_t begin_attempt(const AttemptRecord& record) override;
  std::int64_t end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool) override;
  void charge(std::int64_t, const std::string& stage, double seconds) override;
  void record_card_check(std::int64_t, const CardCheck& check) override;
  std::vector<CardCheck> card_checks;
  std::int64_t record_proposal(const ProposalRecord& record) override;
  std::vector<ProposalRecord> proposals(std::int64_t) override;
  void record_profile(std::int64_t iteration, const Profile& profile) override;
  std::vector<ProfileRecord> profiles(std::int64_t) override;
  std::vector<ProfileRecord> profiled;
  std::vector<ProposalRecord> proposed;
  std::vector<RecordedSource> recorded_sources(const TwinQuery&) override;
  std::vector<RecordedWinner> recorded_winners(const TwinQuery&, int) override;
  std::vector<RecordedFailure> recorded_failures(const TwinQuery&, int) override;
  std::vector<std::string> recorded_notes(const std::string&, int) override;
  void record_note(std::int64_t, const std::string&, const std::string& text) override;
  std::vector<RecordedWinner> winners;
  std::vector<RecordedFailure> failures;
  std::vector<std::string> notes;
  std::optional<RecordedTwin> same_source(const TwinQuery&, const std::string& hash) override;
  std::int64_t same_binary_before(const TwinQuery& asked, const std::string&) override;
  ProposerHistory proposer_history(const std::string&, const std::string&, std::int64_t) override;
  std::vector<RecordedSource> older_sources;
  std::optional<RecordedTwin> older_twin;
  std::vector<TwinQuery> asked_before;
  ProposerHistory history;
  std::optional<std::int64_t> latest_resumable() override;
  CampaignRecord campaign(std::int64_t id) override;
  double spent_seconds(std::int64_t) override;
  std::vector<IterationSummary> iterations(std::int64_t) override;
  std::vector<DecisionRecord> decisions(std::int64_t) override;
  std::vector<Orphan> orphans(std::int64_t) override;
  std::vector<Begun> begun(std::int64_t) override;
  Experience experience(const ExperienceQuery& query) override;
  std::vector<PatternApplication> pattern_applications(std::int64_t, const std::string&) override;
  UsualSeconds usual_seconds(const std::string&, const std::string&) override;
  std::vector<EarlierResult> earlier_results(std::int64_t, const std::string&, const std::string&) override;
  std::optional<Admission> admission(const std::string& hash, const std::string&) override;
  void record_admission(const Admission& admission) override;
  std::optional<MeasuredPeaks> peaks(const DeviceInfo&) override;
  void record_peaks(const DeviceInfo&, const MeasuredPeaks& peaks) override;
  std::map<std::string, Admission> admissions;
  std::optional<MeasuredPeaks> known_peaks;
  std::vector<FailedGate> failed_gates(std::int64_t) override;

  std::vector<CampaignRecord> campaigns;
  std::vector<AttemptRecord> attempts;
  std::vector<IterationSummary> rows;
  std::vector<DecisionRecord> decision_records;
  std::vector<Orphan> orphaned;
  std::vector<FailedGate> failed;
  Experience earlier;
  std::vector<ExperienceQuery> experience_queries;
  std::vector<PatternApplication> applications;
  std::vector<EarlierResult> earlier_of_others;
  UsualSeconds usual;
  std::map<std::string, double> charged;
  std::optional<EndReason> ended;
  double spent_s = 0;
  bool full = false;
};

/// Takes `cost_s` of the fake clock for each profile, which says that N is the number of blocks.
class FakeProfiler : public Profiler {
 public:
  ~FakeProfiler() override;
  explicit FakeProfiler(FakeClock& clock) : clock_(clock) {}
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest&) override;
  std::vector<Candidate> asked;
  double cost_s = 0.1;
  bool missing = false, fails = false;

 private:
  FakeClock& clock_;
};

/// Says of every profile with blocks how many they are.
class FakeDiagnoser : public Diagnoser {
 public:
  std::vector<DiagnosisRule> rules() override;
  std::optional<Diagnosis> diagnose(const Profile& profile) override;
};

/// Answers each request with what `reply` says, after `latency_s` of the fake clock, in the order of the requests.
class FakeProposer : public Proposer {
 public:
  ~FakeProposer() override;
  explicit FakeProposer(FakeClock& clock, std::string named = "fake") : named(std::move(named)), clock_(clock) {}
  std::string spec() const override;
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>&) override;
  void cancel() override;
  std::string named;  // its SPEC
  std::function<void(const ProposalRecord&, ProposerAnswer&)> reply;
  double latency_s = 0;
  int cancelled = 0;
  std::vector<ProposalRecord> requests;
  std::vector<double> deadlines;

 private:
  FakeClock& clock_;
  std::vector<std::pair<double, ProposalRecord>> due_;  // in order
};

class FakeDisplay : public Display {
 public:
  ~FakeDisplay() override;
  void started(const CampaignStarted& event) override;
  void iteration(const IterationEnded& event) override;
  void begun(const EvaluationBegun& event) override;
  void pivoted(const Pivoted& event) override;
  void profiled(const Profiled& event) override;
  std::vector<std::string> not_profiled;
  void progress(const Progress&) override;
  void finished(const CampaignSummary& event) override;
  CampaignStarted start;
  std::vector<Pivoted> pivots;
  CampaignSummary summary;
  int new_bests = 0, never_begun = 0;
  std::set<std::int64_t> under_way;  // attempts that were begun and have not ended
};

/// Asks for every point of every variant, in order.
class FakeSearch : public Search {
 public:
  ~FakeSearch() override;
  explicit FakeSearch(const ArmSpace& space, bool backwards = false);
  ScriptIdentity identity() const override;
  std::optional<SearchAsk> ask() override;
  void tell(const SearchResult& result) override;
  bool exact_times() const override;
  bool takes_several() const override;
  void put_off() override;
  void tell_late(const SearchAsk& asked, const SearchResult& result) override;
  void know(std::vector<EarlierResult> earlier) override;
  std::vector<SearchResult> told;
  std::vector<SearchResult>* log = nullptr;     // of all searches of a campaign
  std::vector<EarlierResult>* known = nullptr;  // what this one was told of earlier campaigns
  bool exact = false, several = false;

 private:
  bool asked_ = false;
  std::deque<SearchAsk> queue_;
};

class FakeStrategy : public Strategy {
 public:
  using Decide = std::function<Decision(const Snapshot&)>;
  explicit FakeStrategy(Decide decide) : decide_(std::move(decide)) {}
  ScriptIdentity identity() const override;
  Decision decide(const Snapshot& snapshot) override;

 private:
  Decide decide_;
};

class FakeScripts : public ScriptLibrary {
 public:
  ~FakeScripts() override;
  bool exact_times = false;  // of its searches
  bool several = false;      // they go on without a result
  std::vector<SearchResult> told;
  std::map<std::string, std::vector<EarlierResult>> known;  // by workload
  bool backwards = false;                                   // which ask for the last point first
  std::unique_ptr<Strategy> strategy(const std::string&) override;
  std::unique_ptr<Search> search(const std::string&, const ArmSpace& space, std::uint64_t) override;
  std::vector<json> list() override;
  json check(const std::string&) override;

  static Decision try_arm(const ArmState& arm);
  /// Every open arm in order.
  static Decision first_open(const Snapshot& snapshot);
  FakeStrategy::Decide decide = first_open;
};

}  // namespace harness::fakes
