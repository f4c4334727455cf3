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
  double seconds() override { return now += tick; }
  std::int64_t unix_seconds() override { return 1'700'000'000 + static_cast<std::int64_t>(now) + jumped; }
  double now = 1000;
  double tick = 0;          // what passes from one reading to the next
  std::int64_t jumped = 0;  // what somebody set the calendar's clock by
};

/// A kernel with workloads "w1", "w2", a baseline 00_base (technique "base") and 10_tile (technique "tile", N = 1..8).
class FakeKernel : public KernelPlugin {
 public:
  explicit FakeKernel(const std::string& name = "k") {
    data.name = name;
    for (const char* workload_name : {"w1", "w2"}) {
      Workload workload;
      workload.name = workload_name;
      workload.sets = {"default"};
      data.workloads.push_back(workload);
    }
    VariantInfo base;
    base.name = "00_base";
    base.technique = "base";
    VariantInfo tile;
    tile.name = "10_tile";
    tile.technique = "tile";
    tile.prior = {2, 4, 0.9, 8};
    data.variants = {base, tile};
  }
  const KernelInfo& info() override { return data; }
  Problem problem(const std::string& workload) override {
    Problem problem;
    problem.kernel = data.name;
    problem.contract_hash = "contract-" + workload;
    problem.workload.name = workload;
    return problem;
  }
  Prior prior(const std::string& variant, const std::string&) override {
    return std::ranges::find(data.variants, variant, &VariantInfo::name)->prior;
  }
  Space space(const std::string& variant, const std::string&, const DeviceInfo&) override {
    Space space;
    if (variant == "00_base") {
      space.points = {{}};
      return space;
    }
    Parameter parameter{"N", {}, "launch"};
    for (std::int64_t n = 1; n <= 8; ++n) {
      parameter.values.push_back(n);
      space.points.push_back({static_cast<std::uint16_t>(n - 1)});
    }
    space.parameters = {parameter};
    return space;
  }
  Config default_config(const std::string& variant, const std::string&, const DeviceInfo&,
                        const Config& given) override {
    if (!given.empty()) return given;
    return variant == "00_base" ? Config{} : Config{{"N", std::int64_t{1}}};
  }
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo&) override {
    Realized realized;
    realized.candidate = candidate;
    realized.problem = problem(workload);
    realized.source_hash = "source";
    for (const VariantInfo& variant : data.variants)
      if (variant.name == candidate.variant && variant.rival) realized.plan.steps = {LibraryCall{"other", "work"}};
    return realized;
  }
  std::string unsupported_reason(const std::string&, const DeviceInfo&) override { return ""; }
  /// A manifest that holds the word "broken" is refused; its technique is the last one that it sets.
  void add_variant(const NewVariant& variant) override {
    if (variant.manifest.find("broken") != std::string::npos) throw bad_input("the manifest is broken");
    VariantInfo added;
    added.name = variant.name;
    const std::string set = "made.technique = \"";
    const std::size_t at = variant.manifest.rfind(set) + set.size();
    added.technique = variant.manifest.substr(at, variant.manifest.find('"', at) - at);
    added.prior = {1, 2, 0.5, 4};
    added.proposal = variant.proposal;
    std::erase_if(data.variants, [&](const VariantInfo& other) { return other.name == variant.name; });
    data.variants.push_back(added);
    added_texts_[variant.name] = {variant.manifest, variant.source, {}};
  }
  VariantTexts variant_texts(const std::string& variant) override {
    return added_texts_.contains(variant) ? added_texts_.at(variant) : VariantTexts{"", "source of " + variant, {}};
  }
  std::string admission_hash() override { return "admission-" + data.name; }
  KernelInfo data;

 private:
  std::map<std::string, VariantTexts> added_texts_;
};

/// One kernel "k", and others like it.
class FakeCatalog : public Catalog {
 public:
  explicit FakeCatalog(std::unique_ptr<FakeKernel> first = std::make_unique<FakeKernel>())
      : first_(std::move(first)), info(first_->data) {}
  /// Another kernel, as the first one is now.
  void add(const std::string& name) {
    FakeKernel& other = others_.emplace(name, *first_).first->second;
    other.data.name = name;
  }
  std::vector<std::string> kernel_names() override {
    std::vector<std::string> names{"k"};
    for (const auto& [name, other] : others_) names.push_back(name);
    return names;
  }
  KernelPlugin& plugin(const std::string& name) override {
    if (name == "k") return *first_;
    if (!others_.contains(name)) throw bad_input("no kernel '" + name + "'");
    return others_.at(name);
  }

 private:
  std::unique_ptr<FakeKernel> first_;
  std::map<std::string, FakeKernel> others_;

 public:
  KernelInfo& info;  // of the first
};

/// Takes `cost_s` of the fake clock for each evaluation and answers with what `answer` says.
class FakeEvaluator : public Evaluator {
 public:
  explicit FakeEvaluator(FakeClock& clock) : clock_(clock) {}
  DeviceInfo device() override {
    DeviceInfo info;
    info.device = "cuda:0";
    info.name = "Fake GPU";
    info.available = true;
    info.emulation = emulation;
    return info;
  }
  std::optional<DeviceInfo> preflight_device() override { return std::nullopt; }
  std::optional<Admission> admit(const AdmissionRequest& request) override {
    if (admissions++ == 0) prepared_before_gates = prepared;
    clock_.now += admission_s;
    Admission admission;
    admission.kernel = request.kernel;
    admission.hash = request.hash;
    admission.device_name = "Fake GPU";
    if (refused_kernel.empty() || refused_kernel == request.kernel) admission.problems = refuses;
    admission.passed = admission.problems.empty();
    return admission;
  }
  MeasuredPeaks measure_peaks() override {
    ++peaks_measured;
    return {.bytes_per_s = 4e12, .memory_trip_ns = 600};
  }
  void use_peaks(const MeasuredPeaks& peaks) override { used_peaks = peaks; }
  std::vector<std::string> refuses;  // problems that every admission finds, or that of one kernel
  std::string refused_kernel;
  double admission_s = 0;  // that each takes
  int admissions = 0, peaks_measured = 0;
  MeasuredPeaks used_peaks;
  void prepare(std::span<const Realized> candidates) override { prepared += candidates.size(); }
  Evaluation evaluate(const EvaluationRequest& request) override {
    const double seconds = costs ? costs(request) : cost_s;
    clock_.now += seconds;
    requests.push_back(request.realized.candidate);
    confirms += request.confirm ? 1 : 0;
    Evaluation evaluation;
    evaluation.outcome = answer(request);
    if (gates) evaluation.gates = gates(request);
    evaluation.cost.wall_s = seconds;
    return evaluation;
  }
  double take_prepare_seconds() override { return 0; }

  static Outcome passed(double time_ns, const EvaluationRequest& request) {
    Timing timing;
    timing.time_ns = timing.time_lo_ns = timing.time_hi_ns = time_ns;
    timing.baseline_ns = request.baseline_ns;
    if (request.baseline_ns) timing.speedup = *request.baseline_ns / time_ns;
    if (request.incumbent && !request.confirm) {
      const double other = request.incumbent->time_ns;
      timing.verdict = time_ns < other * 0.99   ? Comparison::faster
                       : time_ns > other * 1.01 ? Comparison::slower
                                                : Comparison::same;
    }
    return Passed{timing};
  }
  /// The baseline takes 1000 ns; the tile variant 800 / N.
  static Outcome honest(const EvaluationRequest& request) {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant == "00_base") return passed(1000, request);
    return passed(800.0 / static_cast<double>(std::get<std::int64_t>(candidate.config.at("N"))), request);
  }
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
  FakeFleet(FakeClock& clock, std::size_t devices) : clock_(clock), devices_(devices) {
    for (std::size_t i = 0; i < devices; ++i) {
      devices_[i].node = "n" + std::to_string(i + 1);
      devices_[i].uuid = "GPU-" + std::to_string(i + 1);
      devices_[i].info = FakeEvaluator(clock).device();
    }
  }
  const std::vector<FleetDevice>& devices() override { return devices_; }
  void begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) override {
    if (std::ranges::find(flights_, device, &Flight::device) != flights_.end()) throw std::logic_error("it is taken");
    if (!devices_[device].alive) throw std::logic_error("it is not alive");
    const double seconds = costs ? costs(device, request) : 1;
    Flight flight{device, ticket, clock_.now + seconds, {}};
    flight.evaluation.outcome = answer(device, request);
    flight.evaluation.cost.wall_s = seconds;
    if (evaluated) evaluated(device, request, flight.evaluation);
    begun.emplace_back(device, request.realized.candidate);
    requests.push_back(request);
    flights_.push_back(std::move(flight));
    most_at_once = std::max(most_at_once, flights_.size());
  }
  std::optional<FleetAnswer> next(double patience_s) override {
    for (const auto& [device, at_s] : joins_at_)
      if (clock_.now >= at_s && devices_[device].coming) {
        devices_[device].coming = false;
        devices_[device].alive = true;
      }
    if (flights_.empty()) {
      clock_.now += patience_s;
      return std::nullopt;
    }
    const auto first = std::ranges::min_element(flights_, {}, &Flight::ends_s);
    clock_.now = std::max(clock_.now, first->ends_s);
    FleetAnswer ended{first->ticket, std::move(first->evaluation)};
    if (std::holds_alternative<Lost>(ended.evaluation.outcome) && lost_stay_dead) devices_[first->device].alive = false;
    flights_.erase(first);
    return ended;
  }
  void cancel() override {
    ++cancelled;
    for (Flight& flight : flights_) {
      flight.evaluation.outcome = Interrupted{};
      flight.ends_s = clock_.now;
    }
  }
  std::function<Outcome(std::size_t device, const EvaluationRequest&)> answer =
      [](std::size_t, const EvaluationRequest& request) { return FakeEvaluator::honest(request); };
  std::vector<CardCheck> take_card_checks() override { return std::exchange(checks, {}); }
  void doubt(std::size_t device) override { doubted.insert(device); }
  /// Joins at that time of the clock.
  void come_late(std::size_t device, double at_s) {
    devices_[device].alive = false;
    devices_[device].coming = true;
    joins_at_[device] = at_s;
  }
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
  std::int64_t begin_campaign(const CampaignRecord& record) override {
    campaigns.push_back(record);
    return static_cast<std::int64_t>(campaigns.size());
  }
  void resume_campaign(std::int64_t, const CampaignRecord&) override {}
  void keep_options(std::int64_t campaign, const json& options) override {
    campaigns.at(static_cast<std::size_t>(campaign) - 1).options = options;
  }
  void end_campaign(std::int64_t, EndReason reason, double spent, std::optional<double>) override {
    ended = reason;
    spent_s = spent;
  }
  std::int64_t record_decision(std::int64_t, const Decision& decision, const std::optional<ArmId>& from,
                               const ScriptIdentity&, std::int64_t now, double) override {
    decision_records.push_back({static_cast<std::int64_t>(decision_records.size()) + 1, decision, from, now});
    return decision_records.back().id;
  }
  std::int64_t begin_attempt(const AttemptRecord& record) override {
    if (full) throw environment_error("the disk is full");
    attempts.push_back(record);
    return static_cast<std::int64_t>(attempts.size());
  }
  std::int64_t end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool) override {
    const AttemptRecord& record = attempts[static_cast<std::size_t>(attempt) - 1];
    IterationSummary row;
    static_cast<IterationFacts&>(row) = facts_of(evaluation);
    row.iteration = static_cast<std::int64_t>(rows.size()) + 1;
    row.campaign = record.campaign;
    row.ask = record.ask;
    row.candidate = record.candidate;
    row.workload = record.workload;
    row.outcome = kind_of(evaluation.outcome);
    row.purpose = record.purpose;
    row.decision = record.decision;
    row.budget_left_s = record.budget_left_s;
    row.attempt = attempt;
    row.node = record.node;
    row.device_uuid = record.device_uuid;
    row.after = record.after;
    row.wall_s = evaluation.cost.wall_s;
    if (const Timing* timing = timing_of(evaluation.outcome)) row.verdict = timing->verdict;
    rows.push_back(row);
    return row.iteration;
  }
  void charge(std::int64_t, const std::string& stage, double seconds) override { charged[stage] += seconds; }
  void record_card_check(std::int64_t, const CardCheck& check) override { card_checks.push_back(check); }
  std::vector<CardCheck> card_checks;
  std::int64_t record_proposal(const ProposalRecord& record) override {
    proposed.push_back(record);
    return static_cast<std::int64_t>(proposed.size());
  }
  std::vector<ProposalRecord> proposals(std::int64_t) override { return proposed; }
  void record_profile(std::int64_t iteration, const Profile& profile) override {
    profiled.push_back({iteration, profile});
  }
  std::vector<ProfileRecord> profiles(std::int64_t) override { return profiled; }
  std::vector<ProfileRecord> profiled;
  std::vector<ProposalRecord> proposed;
  std::vector<RecordedSource> recorded_sources(const TwinQuery&) override { return older_sources; }
  std::vector<RecordedWinner> recorded_winners(const TwinQuery&, int) override { return winners; }
  std::vector<RecordedFailure> recorded_failures(const TwinQuery&, int) override { return failures; }
  std::vector<std::string> recorded_notes(const std::string&, int) override { return notes; }
  void record_note(std::int64_t, const std::string&, const std::string& text) override { notes.push_back(text); }
  std::vector<RecordedWinner> winners;
  std::vector<RecordedFailure> failures;
  std::vector<std::string> notes;
  std::optional<RecordedTwin> same_source(const TwinQuery&, const std::string& hash) override {
    return hash == "older" ? older_twin : std::nullopt;
  }
  std::int64_t same_binary_before(const TwinQuery& asked, const std::string&) override {
    asked_before.push_back(asked);
    return 0;
  }
  ProposerHistory proposer_history(const std::string&, const std::string&, std::int64_t) override { return history; }
  std::vector<RecordedSource> older_sources;
  std::optional<RecordedTwin> older_twin;
  std::vector<TwinQuery> asked_before;
  ProposerHistory history;
  std::optional<std::int64_t> latest_resumable() override { return std::nullopt; }
  CampaignRecord campaign(std::int64_t id) override { return campaigns.at(static_cast<std::size_t>(id) - 1); }
  double spent_seconds(std::int64_t) override { return spent_s; }
  std::vector<IterationSummary> iterations(std::int64_t) override { return rows; }
  std::vector<DecisionRecord> decisions(std::int64_t) override { return decision_records; }
  std::vector<Orphan> orphans(std::int64_t) override { return orphaned; }
  std::vector<Begun> begun(std::int64_t) override {
    std::vector<Begun> all;
    for (std::size_t i = 0; i < attempts.size(); ++i)
      if (attempts[i].after) all.push_back({static_cast<std::int64_t>(i) + 1, attempts[i]});
    return all;
  }
  Experience experience(const ExperienceQuery& query) override {
    experience_queries.push_back(query);
    return earlier;
  }
  std::vector<PatternApplication> pattern_applications(std::int64_t, const std::string&) override {
    return applications;
  }
  UsualSeconds usual_seconds(const std::string&, const std::string&) override { return usual; }
  std::vector<EarlierResult> earlier_results(std::int64_t, const std::string&, const std::string&) override {
    return earlier_of_others;
  }
  std::optional<Admission> admission(const std::string& hash, const std::string&) override {
    const auto known = admissions.find(hash);
    return known == admissions.end() ? std::nullopt : std::optional(known->second);
  }
  void record_admission(const Admission& admission) override { admissions[admission.hash] = admission; }
  std::optional<MeasuredPeaks> peaks(const DeviceInfo&) override { return known_peaks; }
  void record_peaks(const DeviceInfo&, const MeasuredPeaks& peaks) override { known_peaks = peaks; }
  std::map<std::string, Admission> admissions;
  std::optional<MeasuredPeaks> known_peaks;
  std::vector<FailedGate> failed_gates(std::int64_t) override { return failed; }

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
  explicit FakeProfiler(FakeClock& clock) : clock_(clock) {}
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest&) override {
    clock_.now += cost_s;
    asked.push_back(realized.candidate);
    if (missing) throw environment_error("no counters here");
    if (fails) throw bad_input("its run failed");
    Profile profile;
    profile.source = ProfileSource::cupti;
    const auto n = realized.candidate.config.find("N");
    if (n != realized.candidate.config.end())
      profile.numbers = {{"blocks", static_cast<double>(std::get<std::int64_t>(n->second))}};
    return profile;
  }
  std::vector<Candidate> asked;
  double cost_s = 0.1;
  bool missing = false, fails = false;

 private:
  FakeClock& clock_;
};

/// Says of every profile with blocks how many they are.
class FakeDiagnoser : public Diagnoser {
 public:
  std::vector<DiagnosisRule> rules() override { return {}; }
  std::optional<Diagnosis> diagnose(const Profile& profile) override {
    if (!profile.number("blocks")) return std::nullopt;
    return Diagnosis{"blocks", std::to_string(static_cast<int>(*profile.number("blocks"))), "page"};
  }
};

/// Answers each request with what `reply` says, after `latency_s` of the fake clock, in the order of the requests.
class FakeProposer : public Proposer {
 public:
  explicit FakeProposer(FakeClock& clock) : clock_(clock) {}
  std::string spec() const override { return "fake"; }
  void begin(const ProposalRecord& record, double deadline_s) override {
    requests.push_back(record);
    deadlines.push_back(deadline_s);
    due_.emplace_back(clock_.now + latency_s, record);
  }
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>&) override {
    if (due_.empty()) return std::nullopt;
    const auto [due, record] = due_.front();
    if (due > clock_.now + patience_s) {
      clock_.now += patience_s;
      return std::nullopt;
    }
    clock_.now = std::max(clock_.now, due);
    due_.erase(due_.begin());
    ProposerAnswer answer;
    answer.number = record.number;
    answer.end = ProposerAnswer::End::answered;
    answer.latency_s = latency_s;
    reply(record, answer);
    return answer;
  }
  void cancel() override {
    due_.clear();
    ++cancelled;
  }
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
  void started(const CampaignStarted& event) override { start = event; }
  void iteration(const IterationEnded& event) override {
    new_bests += event.new_best ? 1 : 0;
    if (under_way.erase(event.attempt_id) == 0) ++never_begun;
  }
  void begun(const EvaluationBegun& event) override { under_way.insert(event.attempt); }
  void pivoted(const Pivoted& event) override { pivots.push_back(event); }
  void profiled(const Profiled& event) override {
    if (event.profile == nullptr) not_profiled.push_back(event.why_not);
  }
  std::vector<std::string> not_profiled;
  void progress(const Progress&) override {}
  void finished(const CampaignSummary& event) override { summary = event; }
  CampaignStarted start;
  std::vector<Pivoted> pivots;
  CampaignSummary summary;
  int new_bests = 0, never_begun = 0;
  std::set<std::int64_t> under_way;  // attempts that were begun and have not ended
};

/// Asks for every point of every variant, in order.
class FakeSearch : public Search {
 public:
  explicit FakeSearch(const ArmSpace& space, bool backwards = false) {
    for (const auto& [variant, points] : space.variants)
      for (std::size_t i = 0; i < points.points.size(); ++i) queue_.push_back({variant, configuration(points, i), {}});
    if (backwards) std::ranges::reverse(queue_);
  }
  ScriptIdentity identity() const override { return {"fake", "0"}; }
  std::optional<SearchAsk> ask() override {
    asked_ = true;
    return queue_.empty() ? std::nullopt : std::optional(queue_.front());
  }
  void tell(const SearchResult& result) override {
    told.push_back(result);
    if (log != nullptr) log->push_back(result);
    if (!queue_.empty()) queue_.pop_front();
  }
  bool exact_times() const override { return exact; }
  bool takes_several() const override { return several; }
  void put_off() override { queue_.pop_front(); }
  void tell_late(const SearchAsk& asked, const SearchResult& result) override {
    if (!queue_.empty() && to_text(queue_.front().config) == to_text(asked.config)) return tell(result);
    told.push_back(result);
    if (log != nullptr) log->push_back(result);
  }
  void know(std::vector<EarlierResult> earlier) override {
    if (asked_) throw std::logic_error("it was asked before it was told what is known");
    *known = std::move(earlier);
  }
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
  ScriptIdentity identity() const override { return {"fake", "0"}; }
  Decision decide(const Snapshot& snapshot) override { return decide_(snapshot); }

 private:
  Decide decide_;
};

class FakeScripts : public ScriptLibrary {
 public:
  bool exact_times = false;  // of its searches
  bool several = false;      // they go on without a result
  std::vector<SearchResult> told;
  std::map<std::string, std::vector<EarlierResult>> known;  // by workload
  bool backwards = false;                                   // which ask for the last point first
  std::unique_ptr<Strategy> strategy(const std::string&) override { return std::make_unique<FakeStrategy>(decide); }
  std::unique_ptr<Search> search(const std::string&, const ArmSpace& space, std::uint64_t) override {
    auto made = std::make_unique<FakeSearch>(space, backwards);
    made->exact = exact_times;
    made->several = several;
    made->log = &told;
    made->known = &known[space.id.workload];
    return made;
  }
  std::vector<json> list() override { return {}; }
  json check(const std::string&) override { return {}; }

  static Decision try_arm(const ArmState& arm) {
    Decision decision;
    decision.action = Action::try_arm;
    decision.arm = arm.id;
    decision.why = "the first that is open";
    return decision;
  }
  /// Every open arm in order.
  static Decision first_open(const Snapshot& snapshot) {
    for (const ArmState& arm : snapshot.arms)
      if (!arm.exhausted && !arm.closed && !arm.busy) return try_arm(arm);
    Decision stop;
    stop.action = Action::stop;
    stop.reason = EndReason::exhausted;
    return stop;
  }
  FakeStrategy::Decide decide = first_open;
};

}  // namespace harness::fakes
