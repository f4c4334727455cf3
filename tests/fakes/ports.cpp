#include "tests/fakes/ports.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/core/error.h"

namespace harness::fakes {

FakeKernel::FakeKernel(const std::string& name) {
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

FakeSearch::FakeSearch(const ArmSpace& space, bool backwards) {
  for (const auto& [variant, points] : space.variants)
    for (std::size_t i = 0; i < points.points.size(); ++i) queue_.push_back({variant, configuration(points, i), {}});
  if (backwards) std::ranges::reverse(queue_);
}

FakeFleet::FakeFleet(FakeClock& clock, std::size_t devices) : clock_(clock), devices_(devices) {
  for (std::size_t i = 0; i < devices; ++i) {
    devices_[i].node = "n" + std::to_string(i + 1);
    devices_[i].uuid = "GPU-" + std::to_string(i + 1);
    devices_[i].info = FakeEvaluator(clock).device();
  }
}

FakeKernel::~FakeKernel() = default;

FakeCatalog::~FakeCatalog() = default;

FakeEvaluator::~FakeEvaluator() = default;

FakeFleet::~FakeFleet() = default;

FakeLedger::~FakeLedger() = default;

FakeProfiler::~FakeProfiler() = default;

FakeProposer::~FakeProposer() = default;

FakeDisplay::~FakeDisplay() = default;

FakeSearch::~FakeSearch() = default;

FakeScripts::~FakeScripts() = default;

double FakeClock::seconds() {
  return now += tick;
}

std::int64_t FakeClock::unix_seconds() {
  return 1'700'000'000 + static_cast<std::int64_t>(now) + jumped;
}

const KernelInfo& FakeKernel::info() {
  return data;
}

Problem FakeKernel::problem(const std::string& workload) {
  Problem problem;
  problem.kernel = data.name;
  problem.contract_hash = "contract-" + workload;
  problem.workload.name = workload;
  return problem;
}

Prior FakeKernel::prior(const std::string& variant, const std::string&) {
  return std::ranges::find(data.variants, variant, &VariantInfo::name)->prior;
}

Space FakeKernel::space(const std::string& variant, const std::string&, const DeviceInfo&) {
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

Config FakeKernel::default_config(const std::string& variant, const std::string&, const DeviceInfo&,
                                  const Config& given) {
  if (!given.empty()) return given;
  return variant == "00_base" ? Config{} : Config{{"N", std::int64_t{1}}};
}

Realized FakeKernel::realize(const Candidate& candidate, const std::string& workload, const DeviceInfo&) {
  Realized realized;
  realized.candidate = candidate;
  realized.problem = problem(workload);
  realized.source_hash = "source";
  for (const VariantInfo& variant : data.variants)
    if (variant.name == candidate.variant && variant.rival) realized.plan.steps = {LibraryCall{"other", "work"}};
  return realized;
}

std::string FakeKernel::unsupported_reason(const std::string&, const DeviceInfo&) {
  return "";
}

void FakeKernel::add_variant(const NewVariant& variant) {
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

VariantTexts FakeKernel::variant_texts(const std::string& variant) {
  return added_texts_.contains(variant) ? added_texts_.at(variant) : VariantTexts{"", "source of " + variant, {}};
}

std::string FakeKernel::admission_hash() {
  return "admission-" + data.name;
}

void FakeCatalog::add(const std::string& name) {
  FakeKernel& other = others_.emplace(name, *first_).first->second;
  other.data.name = name;
}

std::vector<std::string> FakeCatalog::kernel_names() {
  std::vector<std::string> names{"k"};
  for (const auto& [name, other] : others_) names.push_back(name);
  return names;
}

KernelPlugin& FakeCatalog::plugin(const std::string& name) {
  if (name == "k") return *first_;
  if (!others_.contains(name)) throw bad_input("no kernel '" + name + "'");
  return others_.at(name);
}

DeviceInfo FakeEvaluator::device() {
  DeviceInfo info;
  info.device = "cuda:0";
  info.name = "Fake GPU";
  info.available = true;
  info.emulation = emulation;
  return info;
}

std::optional<DeviceInfo> FakeEvaluator::preflight_device() {
  return std::nullopt;
}

std::optional<Admission> FakeEvaluator::admit(const AdmissionRequest& request) {
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

MeasuredPeaks FakeEvaluator::measure_peaks() {
  ++peaks_measured;
  return {.bytes_per_s = 4e12, .memory_trip_ns = 600};
}

void FakeEvaluator::use_peaks(const MeasuredPeaks& peaks) {
  used_peaks = peaks;
}

void FakeEvaluator::prepare(std::span<const Realized> candidates) {
  prepared += candidates.size();
}

Evaluation FakeEvaluator::evaluate(const EvaluationRequest& request) {
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

double FakeEvaluator::take_prepare_seconds() {
  return 0;
}

Outcome FakeEvaluator::passed(double time_ns, const EvaluationRequest& request) {
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

Outcome FakeEvaluator::honest(const EvaluationRequest& request) {
  const Candidate& candidate = request.realized.candidate;
  if (candidate.variant == "00_base") return passed(1000, request);
  return passed(800.0 / static_cast<double>(std::get<std::int64_t>(candidate.config.at("N"))), request);
}

const std::vector<FleetDevice>& FakeFleet::devices() {
  return devices_;
}

void FakeFleet::begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) {
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

std::optional<FleetAnswer> FakeFleet::next(double patience_s) {
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

void FakeFleet::cancel() {
  ++cancelled;
  for (Flight& flight : flights_) {
    flight.evaluation.outcome = Interrupted{};
    flight.ends_s = clock_.now;
  }
}

std::vector<CardCheck> FakeFleet::take_card_checks() {
  return std::exchange(checks, {});
}

void FakeFleet::doubt(std::size_t device) {
  doubted.insert(device);
}

void FakeFleet::come_late(std::size_t device, double at_s) {
  devices_[device].alive = false;
  devices_[device].coming = true;
  joins_at_[device] = at_s;
}

std::int64_t FakeLedger::begin_campaign(const CampaignRecord& record) {
  campaigns.push_back(record);
  return static_cast<std::int64_t>(campaigns.size());
}

void FakeLedger::resume_campaign(std::int64_t, const CampaignRecord&) {}

void FakeLedger::keep_options(std::int64_t campaign, const json& options) {
  campaigns.at(static_cast<std::size_t>(campaign) - 1).options = options;
}

void FakeLedger::end_campaign(std::int64_t, EndReason reason, double spent, std::optional<double>) {
  ended = reason;
  spent_s = spent;
}

std::int64_t FakeLedger::record_decision(std::int64_t, const Decision& decision, const std::optional<ArmId>& from,
                                         const ScriptIdentity&, std::int64_t now, double) {
  decision_records.push_back({static_cast<std::int64_t>(decision_records.size()) + 1, decision, from, now});
  return decision_records.back().id;
}

std::int64_t FakeLedger::begin_attempt(const AttemptRecord& record) {
  if (full) throw environment_error("the disk is full");
  attempts.push_back(record);
  return static_cast<std::int64_t>(attempts.size());
}

std::int64_t FakeLedger::end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool) {
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

void FakeLedger::charge(std::int64_t, const std::string& stage, double seconds) {
  charged[stage] += seconds;
}

void FakeLedger::record_card_check(std::int64_t, const CardCheck& check) {
  card_checks.push_back(check);
}

std::int64_t FakeLedger::record_proposal(const ProposalRecord& record) {
  proposed.push_back(record);
  return static_cast<std::int64_t>(proposed.size());
}

std::vector<ProposalRecord> FakeLedger::proposals(std::int64_t) {
  return proposed;
}

void FakeLedger::record_profile(std::int64_t iteration, const Profile& profile) {
  profiled.push_back({iteration, profile});
}

std::vector<ProfileRecord> FakeLedger::profiles(std::int64_t) {
  return profiled;
}

std::vector<RecordedSource> FakeLedger::recorded_sources(const TwinQuery&) {
  return older_sources;
}

std::vector<RecordedWinner> FakeLedger::recorded_winners(const TwinQuery&, int) {
  return winners;
}

std::vector<RecordedFailure> FakeLedger::recorded_failures(const TwinQuery&, int) {
  return failures;
}

std::vector<std::string> FakeLedger::recorded_notes(const std::string&, int) {
  return notes;
}

void FakeLedger::record_note(std::int64_t, const std::string&, const std::string& text) {
  notes.push_back(text);
}

std::optional<RecordedTwin> FakeLedger::same_source(const TwinQuery&, const std::string& hash) {
  return hash == "older" ? older_twin : std::nullopt;
}

std::int64_t FakeLedger::same_binary_before(const TwinQuery& asked, const std::string&) {
  asked_before.push_back(asked);
  return 0;
}

ProposerHistory FakeLedger::proposer_history(const std::string&, const std::string&, std::int64_t) {
  return history;
}

std::optional<std::int64_t> FakeLedger::latest_resumable() {
  return std::nullopt;
}

CampaignRecord FakeLedger::campaign(std::int64_t id) {
  return campaigns.at(static_cast<std::size_t>(id) - 1);
}

double FakeLedger::spent_seconds(std::int64_t) {
  return spent_s;
}

std::vector<IterationSummary> FakeLedger::iterations(std::int64_t) {
  return rows;
}

std::vector<DecisionRecord> FakeLedger::decisions(std::int64_t) {
  return decision_records;
}

std::vector<Orphan> FakeLedger::orphans(std::int64_t) {
  return orphaned;
}

std::vector<Begun> FakeLedger::begun(std::int64_t) {
  std::vector<Begun> all;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (attempts[i].after) all.push_back({static_cast<std::int64_t>(i) + 1, attempts[i]});
  return all;
}

Experience FakeLedger::experience(const ExperienceQuery& query) {
  experience_queries.push_back(query);
  return earlier;
}

std::vector<PatternApplication> FakeLedger::pattern_applications(std::int64_t, const std::string&) {
  return applications;
}

UsualSeconds FakeLedger::usual_seconds(const std::string&, const std::string&) {
  return usual;
}

std::vector<EarlierResult> FakeLedger::earlier_results(std::int64_t, const std::string&, const std::string&) {
  return earlier_of_others;
}

std::optional<Admission> FakeLedger::admission(const std::string& hash, const std::string&) {
  const auto known = admissions.find(hash);
  return known == admissions.end() ? std::nullopt : std::optional(known->second);
}

void FakeLedger::record_admission(const Admission& admission) {
  admissions[admission.hash] = admission;
}

std::optional<MeasuredPeaks> FakeLedger::peaks(const DeviceInfo&) {
  return known_peaks;
}

void FakeLedger::record_peaks(const DeviceInfo&, const MeasuredPeaks& peaks) {
  known_peaks = peaks;
}

std::vector<FailedGate> FakeLedger::failed_gates(std::int64_t) {
  return failed;
}

std::optional<Profile> FakeProfiler::profile(const Realized& realized, const ProfileRequest&) {
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

std::vector<DiagnosisRule> FakeDiagnoser::rules() {
  return {};
}

std::optional<Diagnosis> FakeDiagnoser::diagnose(const Profile& profile) {
  if (!profile.number("blocks")) return std::nullopt;
  return Diagnosis{"blocks", std::to_string(static_cast<int>(*profile.number("blocks"))), "page"};
}

std::string FakeProposer::spec() const {
  return named;
}

void FakeProposer::begin(const ProposalRecord& record, double deadline_s) {
  requests.push_back(record);
  deadlines.push_back(deadline_s);
  due_.emplace_back(clock_.now + latency_s, record);
}

std::optional<ProposerAnswer> FakeProposer::take(double patience_s, const std::function<bool()>&) {
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

void FakeProposer::cancel() {
  due_.clear();
  ++cancelled;
}

void FakeDisplay::started(const CampaignStarted& event) {
  start = event;
}

void FakeDisplay::iteration(const IterationEnded& event) {
  new_bests += event.new_best ? 1 : 0;
  if (under_way.erase(event.attempt_id) == 0) ++never_begun;
}

void FakeDisplay::begun(const EvaluationBegun& event) {
  under_way.insert(event.attempt);
}

void FakeDisplay::pivoted(const Pivoted& event) {
  pivots.push_back(event);
}

void FakeDisplay::profiled(const Profiled& event) {
  if (event.profile == nullptr) not_profiled.push_back(event.why_not);
}

void FakeDisplay::progress(const Progress&) {}

void FakeDisplay::finished(const CampaignSummary& event) {
  summary = event;
}

ScriptIdentity FakeSearch::identity() const {
  return {"fake", "0"};
}

std::optional<SearchAsk> FakeSearch::ask() {
  asked_ = true;
  return queue_.empty() ? std::nullopt : std::optional(queue_.front());
}

void FakeSearch::tell(const SearchResult& result) {
  told.push_back(result);
  if (log != nullptr) log->push_back(result);
  if (!queue_.empty()) queue_.pop_front();
}

bool FakeSearch::exact_times() const {
  return exact;
}

bool FakeSearch::takes_several() const {
  return several;
}

void FakeSearch::put_off() {
  queue_.pop_front();
}

void FakeSearch::tell_late(const SearchAsk& asked, const SearchResult& result) {
  if (!queue_.empty() && to_text(queue_.front().config) == to_text(asked.config)) return tell(result);
  told.push_back(result);
  if (log != nullptr) log->push_back(result);
}

void FakeSearch::know(std::vector<EarlierResult> earlier) {
  if (asked_) throw std::logic_error("it was asked before it was told what is known");
  *known = std::move(earlier);
}

ScriptIdentity FakeStrategy::identity() const {
  return {"fake", "0"};
}

Decision FakeStrategy::decide(const Snapshot& snapshot) {
  return decide_(snapshot);
}

std::unique_ptr<Strategy> FakeScripts::strategy(const std::string&) {
  return std::make_unique<FakeStrategy>(decide);
}

std::unique_ptr<Search> FakeScripts::search(const std::string&, const ArmSpace& space, std::uint64_t) {
  auto made = std::make_unique<FakeSearch>(space, backwards);
  made->exact = exact_times;
  made->several = several;
  made->log = &told;
  made->known = &known[space.id.workload];
  return made;
}

std::vector<json> FakeScripts::list() {
  return {};
}

json FakeScripts::check(const std::string&) {
  return {};
}

Decision FakeScripts::try_arm(const ArmState& arm) {
  Decision decision;
  decision.action = Action::try_arm;
  decision.arm = arm.id;
  decision.why = "the first that is open";
  return decision;
}

Decision FakeScripts::first_open(const Snapshot& snapshot) {
  for (const ArmState& arm : snapshot.arms)
    if (!arm.exhausted && !arm.closed && !arm.busy) return try_arm(arm);
  Decision stop;
  stop.action = Action::stop;
  stop.reason = EndReason::exhausted;
  return stop;
}

}  // namespace harness::fakes
