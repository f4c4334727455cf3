#include "harness/replay/replay_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/campaign/state.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"

namespace harness {
namespace {

constexpr std::size_t kMostExamples = 5;
// A winner that was never confirmed in the record costs this many of its evaluations: as the loop assumes.
constexpr double kAssumedConfirmation = 4;
// Where no intervals are recorded (imports), times within this share of each other are the same.
constexpr double kAssumedNoise = 0.01;

std::string describe_candidate(const std::string& workload, const std::string& variant, const Config& config) {
  return fmt::format("{}{}{} on {}", variant, config.empty() ? "" : " ", to_text(config), workload);
}

/// How far apart two configurations of one variant are: parameters that differ, ties by how far along their lists.
double distance(const Space& space, const Config& a, const Config& b) {
  double sum = 0;
  for (const Parameter& parameter : space.parameters) {
    const auto place = [&](const Config& config) -> std::ptrdiff_t {
      const auto value = config.find(parameter.name);
      if (value == config.end()) return 0;
      return std::find_if(parameter.values.begin(), parameter.values.end(),
                          [&](const Value& v) { return same_value(v, value->second); }) -
             parameter.values.begin();
    };
    const auto apart = std::abs(place(a) - place(b));
    if (apart > 0) sum += 1 + static_cast<double>(apart) / static_cast<double>(parameter.values.size() + 1) / 100;
  }
  return sum;
}

class ReplaySearch : public Search {
 public:
  ReplaySearch(std::unique_ptr<Search> search, const ArmSpace& space, const RecordBook& book, AnswerTally& tally,
               bool stand_ins)
      : search_(std::move(search)), space_(space), book_(book), tally_(tally), stand_ins_(stand_ins) {}
  ScriptIdentity identity() const override { return search_->identity(); }
  void know(std::vector<EarlierResult> earlier) override { search_->know(std::move(earlier)); }

  std::optional<SearchAsk> ask() override {
    if (given_ || ended_) return given_;
    std::optional<SearchAsk> own_ask = search_->ask();
    if (!own_ask) return std::nullopt;
    const SearchAsk own = *own_ask;
    if (!book_.find(space_.id.workload, candidate(own_ask->variant, own_ask->config))) own_ask = stand_in(*own_ask);
    if (!own_ask) {
      ended_ = true;
      tally_.ended.insert(space_.id);
      return std::nullopt;
    }
    asked_.insert(key(*own_ask));
    own_[key(*own_ask)] = own;
    own_ask->hints.clear();
    given_ = std::move(own_ask);
    return given_;
  }

  void tell(const SearchResult& result) override {
    given_.reset();
    search_->tell(result);
  }
  bool takes_several() const override { return search_->takes_several(); }
  void put_off() override {
    given_.reset();
    search_->put_off();
  }
  void tell_late(const SearchAsk& late_ask, const SearchResult& result) override {
    const bool still_given = given_ && key(*given_) == key(late_ask);
    if (still_given) given_.reset();
    search_->tell_late(own_.at(key(late_ask)), result);
  }

 private:
  static std::string key(const SearchAsk& ask) { return ask.variant + "\n" + to_text(ask.config); }

  Candidate candidate(const std::string& variant, const Config& config) const {
    return {space_.id.kernel, variant, space_.id.technique, config};
  }

  double distance_to(const SearchAsk& ask, const Candidate& recorded) const {
    if (recorded.variant != ask.variant) return 1e6;
    const auto space = std::find_if(space_.variants.begin(), space_.variants.end(),
                                    [&](const auto& entry) { return entry.first == ask.variant; });
    return space == space_.variants.end() ? 1e6 : distance(space->second, ask.config, recorded.config);
  }

  /// The nearest recorded configuration of the arm that this search was not given yet; the earlier one on a tie.
  std::optional<SearchAsk> stand_in(const SearchAsk& ask) {
    if (!stand_ins_) return std::nullopt;
    const IterationSummary* nearest = nullptr;
    double least = 0;
    for (const IterationSummary* row : book_.of_arm(space_.id)) {
      if (asked_.contains(row->candidate.variant + "\n" + to_text(row->candidate.config))) continue;
      const double apart = distance_to(ask, row->candidate);
      if (nearest != nullptr && apart >= least) continue;
      nearest = row;
      least = apart;
    }
    if (nearest == nullptr) return std::nullopt;
    ++tally_.stand_ins;
    if (tally_.examples.size() < kMostExamples)
      tally_.examples.push_back(fmt::format(
          "{} was never evaluated; answered by {}", describe_candidate(space_.id.workload, ask.variant, ask.config),
          describe_candidate(space_.id.workload, nearest->candidate.variant, nearest->candidate.config)));
    return SearchAsk{nearest->candidate.variant, nearest->candidate.config, {}};
  }

  std::unique_ptr<Search> search_;
  ArmSpace space_;
  const RecordBook& book_;
  AnswerTally& tally_;
  bool stand_ins_, ended_ = false;
  std::map<std::string, SearchAsk> own_;  // what the search itself asked for, by what it was given
  std::optional<SearchAsk> given_;
  std::set<std::string> asked_;
};

Outcome recorded_failure(const IterationSummary& row) {
  const std::string as_recorded = fmt::format("as recorded in iteration {}", row.iteration);
  switch (row.outcome) {
    case OutcomeKind::compile_error:
      return CompileError{as_recorded};
    case OutcomeKind::launch_error:
      return LaunchError{as_recorded};
    case OutcomeKind::wrong_answer:
      return WrongAnswer{as_recorded, {}, row.fingerprint};
    case OutcomeKind::rejected:
      return Rejected{"recorded", as_recorded};
    case OutcomeKind::no_effect:
      return NoEffect{0};
    case OutcomeKind::abandoned:
      return Abandoned{.time_ns = row.stopped_ns.value_or(0)};
    case OutcomeKind::crashed:
      return Crashed{CrashKind::unknown, as_recorded};
    case OutcomeKind::timed_out:
      return TimedOut{row.wall_s, "recorded"};
    case OutcomeKind::out_of_memory:
      return OutOfMemory{as_recorded};
    case OutcomeKind::passed:
    case OutcomeKind::screened:  // without a time: nothing to compare with
    case OutcomeKind::unsupported:
    case OutcomeKind::interrupted:
    case OutcomeKind::lost:
      break;
  }
  return Unsupported{as_recorded};
}

/// The 95 % interval of a recorded time on the scale that is free of the host's drift: that of its recorded speedup.
/// Two predictions are off by what the model is off, in the same direction: they are compared by their values.
std::pair<double, double> interval(const IterationSummary& row, bool predicted) {
  if (predicted) return {*row.time_ns, *row.time_ns};
  const double lo = row.time_lo_ns.value_or(*row.time_ns * (1 - kAssumedNoise / 2));
  const double hi = row.time_hi_ns.value_or(*row.time_ns * (1 + kAssumedNoise / 2));
  if (!row.speedup || !row.baseline_ns || *row.speedup <= 0) return {lo, hi};
  const double scale = *row.baseline_ns / *row.speedup / *row.time_ns;
  return {lo * scale, hi * scale};
}

}  // namespace

Problem ReplayKernel::problem(const std::string& workload) {
  const auto entry = problems_.find(workload);
  return entry != problems_.end() ? entry->second
                                  : problems_.emplace(workload, plugin().problem(workload)).first->second;
}

void ReplayKernel::add_variant(const NewVariant& variant) {
  plugin().add_variant(variant);
  const auto forget = [](auto& answers, const std::string& part) {
    std::erase_if(answers, [&](const auto& entry) { return entry.first.find(part) != std::string::npos; });
  };
  const std::string key = "\n" + variant.name + "\n";
  forget(spaces_, key);
  forget(defaults_, key);
  forget(plans_, key);
}

namespace {

/// A key of what is kept by variant, workload and device.
std::string space_key(const std::string& variant, const std::string& workload, const DeviceInfo& device) {
  return "\n" + variant + "\n" + workload + "\n" + device.name;
}

}  // namespace

Space ReplayKernel::space(const std::string& variant, const std::string& workload, const DeviceInfo& device) {
  const std::string key = space_key(variant, workload, device);
  const auto entry = spaces_.find(key);
  return entry != spaces_.end() ? entry->second
                                : spaces_.emplace(key, plugin().space(variant, workload, device)).first->second;
}

Config ReplayKernel::default_config(const std::string& variant, const std::string& workload, const DeviceInfo& device,
                                    const Config& given) {
  if (!given.empty()) return plugin().default_config(variant, workload, device, given);
  const std::string key = space_key(variant, workload, device);
  const auto entry = defaults_.find(key);
  return entry != defaults_.end()
             ? entry->second
             : defaults_.emplace(key, plugin().default_config(variant, workload, device, {})).first->second;
}

Realized ReplayKernel::realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) {
  Realized realized;
  realized.candidate = candidate;
  realized.problem.kernel = candidate.kernel;
  realized.problem.workload.name = workload;
  const std::string key = record_key(workload, candidate) + "\n" + device.name;
  auto entry = plans_.find(key);
  if (entry == plans_.end()) entry = plans_.emplace(key, plugin().realize(candidate, workload, device).plan).first;
  realized.plan = entry->second;
  return realized;
}

std::unique_ptr<Search> ReplayScripts::search(const std::string& name_or_file, const ArmSpace& space,
                                              std::uint64_t seed) {
  return std::make_unique<ReplaySearch>(scripts_.search(name_or_file, space, seed), space, book_, tally_, stand_ins_);
}

std::optional<Profile> ReplayProfiler::profile(const Realized& realized, const ProfileRequest&) {
  const Profile* const recorded = book_.profile(realized.problem.workload.name, realized.candidate);
  return recorded == nullptr ? std::nullopt : std::optional(*recorded);
}

Evaluation ReplayEvaluator::evaluate(const EvaluationRequest& request) {
  if (request.confirm) return confirm_answer(request);
  const IterationSummary* row = book_.find(request.realized.problem.workload.name, request.realized.candidate);
  if (row != nullptr) return search_answer(*row, request);
  ++tally_.unanswered;
  Evaluation evaluation;
  evaluation.outcome = Unsupported{"the record holds nothing of it"};
  return evaluation;
}

// What was screened beside another incumbent than this one would have met the gates behind: it is taken to pass them.
Outcome ReplayEvaluator::timed_answer(const IterationSummary& row, const EvaluationRequest& request) {
  if (!is_timed(row.outcome)) return recorded_failure(row);
  Timing timing = timing_of(row, request);
  const bool screened = row.outcome == OutcomeKind::screened && timing.verdict == Comparison::slower;
  if (screened && request.screen) return Screened{std::move(timing)};
  // A slow baseline, told by a few launches then and now.
  const bool brief = row.outcome == OutcomeKind::screened && row.purpose == Purpose::baseline;
  if (brief && request.brief_s > 0) return Screened{std::move(timing)};
  return Passed{std::move(timing)};
}

Evaluation ReplayEvaluator::answer(const IterationSummary& row, const EvaluationRequest& request, double seconds) {
  Evaluation evaluation;
  evaluation.outcome = row.time_ns ? timed_answer(row, request) : recorded_failure(row);
  evaluation.contract_hash = row.contract_hash;
  evaluation.source_hash = row.source_hash;
  evaluation.binary_hash = row.binary_hash;
  if (row.registers) {
    evaluation.resources.emplace();
    evaluation.resources->registers = static_cast<int>(*row.registers);
    evaluation.resources->spill_bytes = row.spill_bytes.value_or(0);
    evaluation.resources->static_shared_bytes = row.shared_bytes.value_or(0);
  }
  evaluation.cost.build_s = row.build_s;
  evaluation.cost.gates_s = row.gates_s;
  evaluation.cost.timing_s = row.timing_s;
  evaluation.cost.wall_s = seconds;
  clock_.pass(seconds);
  return evaluation;
}

// Of several configurations with the same machine code only the first is measured. Which that is depends on the order.
Evaluation ReplayEvaluator::search_answer(const IterationSummary& row, const EvaluationRequest& request) {
  ++tally_.recorded;
  const std::string& workload = row.workload;
  const IterationSummary* measured = book_.ran(workload, row.binary_hash);
  const auto wasted = book_.no_effect_seconds(workload, row.binary_hash);
  if (measured == nullptr || !wasted) return answer(row, request, row.wall_s);
  const auto [first, fresh] = ran_.emplace(workload + "\n" + row.binary_hash, row.iteration);
  if (fresh) return answer(*measured, request, measured->wall_s);
  Evaluation evaluation;
  evaluation.outcome = NoEffect{first->second};
  evaluation.binary_hash = row.binary_hash;
  evaluation.cost.wall_s = row.outcome == OutcomeKind::no_effect ? row.wall_s : *wasted;
  clock_.pass(evaluation.cost.wall_s);
  return evaluation;
}

const IterationSummary* ReplayEvaluator::recorded_confirmation(const EvaluationRequest& request) const {
  const std::string& workload = request.realized.problem.workload.name;
  const Candidate& candidate = request.realized.candidate;
  const auto before = confirmed_.find(record_key(workload, candidate));
  return book_.confirmation(workload, candidate, before == confirmed_.end() ? 0 : before->second);
}

Evaluation ReplayEvaluator::confirm_answer(const EvaluationRequest& request) {
  const std::string& workload = request.realized.problem.workload.name;
  if (const IterationSummary* row = recorded_confirmation(request)) {
    ++tally_.confirmations;
    ++confirmed_[record_key(workload, request.realized.candidate)];
    return answer(*row, request, row->wall_s);
  }
  const IterationSummary* row = book_.find(workload, request.realized.candidate);
  if (row == nullptr) return Evaluation{};
  if (row->outcome == OutcomeKind::no_effect) row = book_.ran(workload, row->binary_hash);
  ++tally_.assumed_confirmations;
  return answer(*row, request,
                book_.confirm_seconds() > 0 ? book_.confirm_seconds() : kAssumedConfirmation * row->wall_s);
}

Timing ReplayEvaluator::timing_of(const IterationSummary& row, const EvaluationRequest& request) {
  Timing timing;
  timing.time_ns = *row.time_ns;
  timing.time_lo_ns = row.time_lo_ns.value_or(*row.time_ns);
  timing.time_hi_ns = row.time_hi_ns.value_or(*row.time_ns);
  timing.baseline_ns = row.baseline_ns ? row.baseline_ns : request.baseline_ns;
  timing.speedup = row.speedup;
  timing.speedup_lo = row.speedup_lo;
  timing.speedup_hi = row.speedup_hi;
  if (!timing.speedup && timing.baseline_ns) timing.speedup = *timing.baseline_ns / timing.time_ns;
  timing.floor_ns = row.floor_ns;
  timing.emulation = device_.emulation;
  timing.verdict = verdict_on(row, request);
  return timing;
}

std::optional<Comparison> ReplayEvaluator::verdict_on(const IterationSummary& row, const EvaluationRequest& request) {
  const auto recorded = [&]() -> std::optional<Comparison> {
    if (row.verdict) return row.verdict;
    return std::nullopt;
  };
  if (row.purpose == Purpose::confirm) return recorded();
  if (request.confirm || !request.incumbent) return std::nullopt;
  const Candidate& rival = request.incumbent->realized.candidate;
  const IterationSummary* then = book_.incumbent(row);
  if (then != nullptr && row.verdict && then->candidate.variant == rival.variant &&
      to_text(then->candidate.config) == to_text(rival.config))
    return recorded();
  const IterationSummary* other = book_.find(row.workload, rival);
  if (other != nullptr && other->outcome == OutcomeKind::no_effect) other = book_.ran(row.workload, other->binary_hash);
  if (other == nullptr || !other->time_ns) return std::nullopt;
  ++tally_.verdicts_recomputed;
  const bool predicted = !predicted_gpu(device_.device).empty();
  const auto [lo, hi] = interval(row, predicted);
  const auto [rival_lo, rival_hi] = interval(*other, predicted);
  if (hi < rival_lo) return Comparison::faster;
  return lo > rival_hi ? Comparison::slower : Comparison::same;
}

ReplayFleet::ReplayFleet(std::vector<FleetDevice> devices, ReplayEvaluator& evaluator, const RecordBook& book,
                         ReplayClock& clock)
    : devices_(std::move(devices)), evaluator_(evaluator), book_(book), clock_(clock) {}

void ReplayFleet::begin(std::size_t, std::int64_t ticket, EvaluationRequest request) {
  const std::string& workload = request.realized.problem.workload.name;
  const IterationSummary* row =
      request.confirm ? evaluator_.recorded_confirmation(request) : book_.find(workload, request.realized.candidate);
  const double begun = clock_.passed();
  Flight flight{ticket, row != nullptr ? row->iteration : 0, 0, evaluator_.evaluate(request)};
  flight.ends_s = clock_.passed();
  clock_.return_to(begun);
  flights_.push_back(std::move(flight));
}

// As long as all that is under way is of the record, it ends in the recorded order; else in the order of its seconds.
std::optional<FleetAnswer> ReplayFleet::next(double) {
  if (flights_.empty()) return std::nullopt;
  const bool recorded = std::ranges::all_of(flights_, [](const Flight& flight) { return flight.recorded > 0; });
  const auto first = std::ranges::min_element(flights_, [&](const Flight& a, const Flight& b) {
    return recorded ? a.recorded < b.recorded : a.ends_s < b.ends_s;
  });
  clock_.return_to(std::max(clock_.passed(), first->ends_s));
  FleetAnswer answer{first->ticket, std::move(first->evaluation)};
  flights_.erase(first);
  return answer;
}

std::int64_t ReplayLedger::begin_campaign(const CampaignRecord& record) {
  recording_.record = record;
  return recording_.campaign;
}

void ReplayLedger::end_campaign(std::int64_t, EndReason, double spent_s, std::optional<double>) {
  recording_.spent_s = spent_s;
}

std::int64_t ReplayLedger::record_decision(std::int64_t, const Decision& decision, const std::optional<ArmId>& from,
                                           const ScriptIdentity&, std::int64_t now_unix, double) {
  const auto id = static_cast<std::int64_t>(recording_.decisions.size()) + 1;
  recording_.decisions.push_back({id, decision, from, now_unix});
  return id;
}

std::int64_t ReplayLedger::begin_attempt(const AttemptRecord& record) {
  attempts_.push_back(record);
  return static_cast<std::int64_t>(attempts_.size());
}

std::int64_t ReplayLedger::end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool) {
  const AttemptRecord& begun = attempts_.at(static_cast<std::size_t>(attempt) - 1);
  const auto id = static_cast<std::int64_t>(recording_.iterations.size()) + 1;
  IterationSummary row = summarize_iteration(id, begun, evaluation);
  row.contract_hash = begun.contract_hash;
  row.source_hash = begun.source_hash;
  row.binary_hash = evaluation.binary_hash;
  recording_.iterations.push_back(std::move(row));
  return id;
}

Experience ReplayLedger::experience(const ExperienceQuery& query) {
  return source_ == nullptr ? Experience{} : source_->experience(query);
}

ProposerHistory ReplayLedger::proposer_history(const std::string& spec, const std::string& device_name,
                                               std::int64_t before_campaign) {
  return source_ == nullptr ? ProposerHistory{} : source_->proposer_history(spec, device_name, before_campaign);
}

std::vector<EarlierResult> ReplayLedger::earlier_results(std::int64_t campaign, const std::string& kernel,
                                                         const std::string& device) {
  return source_ == nullptr ? std::vector<EarlierResult>{} : source_->earlier_results(campaign, kernel, device);
}

std::optional<Admission> ReplayLedger::admission(const std::string& hash, const std::string& device_name) {
  Admission admission;
  admission.hash = hash;
  admission.device_name = device_name;
  admission.passed = true;
  return admission;
}

}  // namespace harness
