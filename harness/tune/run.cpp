#include "harness/tune/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/state.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/campaign_run.h"
#include "harness/system/awake_clock.h"
#include "harness/system/cache_limit.h"
#include "harness/system/interrupt.h"
#include "harness/tune/choice.h"

namespace harness::tune {
namespace {

// Where in the budget each part ends: the campaign at the corners, the points of the grid, a proof of each
// configuration that was chosen, the points beside the grid. Then come the proofs of all other choices.
constexpr double kSearchEnd = 0.4, kDoubtsEnd = 0.65, kFirstProofsEnd = 0.85, kHeldOutEnd = 0.95;
constexpr std::size_t kMostCandidates = 12, kMostCorners = 4, kMostHeldOut = 8, kBestOfCorner = 3;

double spent_s() {
  return awake_seconds() - awake_at_start();
}

/// Tells a person what the campaign at the corners does.
class CornerDisplay : public Display {
 public:
  explicit CornerDisplay(const TuneWatch& watch) : watch_(watch) {}
  void started(const CampaignStarted& event) override {
    for (const std::string& note : event.notes) watch_.told(note);
  }
  void iteration(const IterationEnded& event) override {
    if (event.new_best)
      watch_.told(fmt::format("new best  {}: {} {}", event.attempt.workload, event.attempt.candidate.variant,
                              to_text(event.attempt.candidate.config)));
  }
  void pivoted(const Pivoted&) override {}
  void progress(const Progress& event) override { watch_.begun(event.doing); }
  void finished(const CampaignSummary&) override {}

 private:
  const TuneWatch& watch_;
};

struct Measured {
  double time_ns = 0, seconds = 0;
};

/// What a time is for. Compared: the gates of a search, and its timing; a slow baseline is told by a few launches.
/// Proved: all gates of a finalist, in fresh processes, as winners are timed.
enum class Effort { compared, proved };

/// One kernel on one device, and what was measured of it: shapes become workloads, and each time is recorded.
class Measuring {
 public:
  Measuring(const std::string& kernel, const DeviceInfo& device, std::optional<double> usd_per_hour, Shell& shell)
      : shell_(shell),
        places_(shell.places()),
        catalog_(shell.rooms.formula_catalog(places_)),
        plugin_(catalog_->plugin(kernel)),
        device_(device),
        usd_per_hour_(usd_per_hour) {}

  /// The evaluator and the campaign that times are recorded in; false: stopped on the way.
  bool open(const json& options) {
    evaluator_ = shell_.rooms.evaluator(places_, device_, usd_per_hour_, interrupted);
    archive_ = shell_.rooms.archive(shell_.store_path(), ArchiveAccess::write);
    evaluator_->use_peaks(known_peaks(*evaluator_, archive_->ledger()));
    admission_ = known_admission(*catalog_, *evaluator_, archive_->ledger(), plugin_.info().name);
    if (!admission_) return false;
    if (!admission_->passed) throw bad_input(refusal(*admission_));
    CampaignRecord record;
    record.name = "tune";
    record.device = device_.device;
    record.device_name = device_.name;
    record.kernels = {plugin_.info().name};
    record.options = options;
    record.environment = {{"device", device_}, {"revision", shell_.rooms.program.revision}};
    campaign_ = archive_->ledger().begin_campaign(record);
    return true;
  }

  void close(const json& options) {
    if (!archive_) return;
    archive_->ledger().keep_options(campaign_, options);
    archive_->ledger().end_campaign(campaign_, interrupted() ? EndReason::interrupted : EndReason::exhausted,
                                    spent_s() - begun_s_, std::nullopt);
    keep_cache_small(places_.cache_folder);
  }

  /// Nothing where it did not pass. The baseline's time stands beside it in the record.
  std::optional<Measured> measure(const Candidate& candidate, const std::string& shape, Effort effort, bool baseline,
                                  std::optional<double> original_ns) {
    constexpr double kBriefBaselineS = 3;
    const bool proved = effort == Effort::proved;
    const double begun_s = awake_seconds();
    Realized realized = plugin_.realize(candidate, shape, device_);
    const Purpose purpose = baseline ? Purpose::baseline : proved ? Purpose::confirm : Purpose::search;
    AttemptRecord attempt{
        campaign_, 0, realized.candidate, shape, realized.problem.contract_hash, realized.source_hash, 0, purpose};
    const std::int64_t id = archive_->ledger().begin_attempt(attempt);
    EvaluationRequest request =
        gated_request(*catalog_, *evaluator_, realized, proved ? Points::finalist : Points::search);
    request.confirm = proved;
    if (baseline && !proved) request.brief_s = kBriefBaselineS;
    request.baseline_ns = original_ns;
    request.admission = &*admission_;
    const Evaluation evaluation = evaluator_->evaluate(request);
    const bool passed = std::holds_alternative<Passed>(evaluation.outcome);
    archive_->ledger().end_attempt(id, evaluation, passed && purpose == Purpose::confirm);
    const std::optional<double> time_ns = summarize_iteration(id, attempt, evaluation).time_ns;
    if (!time_ns || (!passed && !baseline)) return std::nullopt;
    return Measured{*time_ns, awake_seconds() - begun_s};
  }

  std::optional<Candidate> possible(const Candidate& candidate, const std::string& shape) {
    try {
      if (!plugin_.has_configuration(candidate.variant, shape, device_)) return std::nullopt;
      Candidate there = candidate;
      there.config = plugin_.default_config(candidate.variant, shape, device_, candidate.config);
      plugin_.realize(there, shape, device_);
      return there;
    } catch (const Error&) {  // its configuration is not valid there
      return std::nullopt;
    }
  }

  Tools tools(const Candidate& candidate, const std::string& shape) {
    const Realized realized = plugin_.realize(candidate, shape, device_);
    return {device_.driver, device_.compiler, shell_.rooms.program.number, realized.problem.contract_hash,
            realized.source_hash};
  }

  FormulaKernel& plugin() { return plugin_; }
  const DeviceInfo& device() const { return device_; }
  std::int64_t campaign() const { return campaign_; }

 private:
  Shell& shell_;
  Places places_;
  std::unique_ptr<FormulaCatalog> catalog_;
  FormulaKernel& plugin_;
  DeviceInfo device_;
  std::optional<double> usd_per_hour_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Archive> archive_;
  std::optional<Admission> admission_;
  std::int64_t campaign_ = 0;
  double begun_s_ = spent_s();
};

std::string times_words(const DeviceInfo& device) {
  return !device.predicts.empty() ? "predicted" : device.emulation ? "emulated" : "measured";
}

class Tuning {
 public:
  Tuning(const TuneAsked& asked, Shell& shell, const TuneWatch& watch)
      : asked_(asked),
        shell_(shell),
        watch_(watch),
        grid_(parse_grid(asked.grid)),
        measuring_(asked.kernel, choose_device(asked.device, asked.times, shell.rooms.devices(shell.places())),
                   asked.usd_per_hour, shell) {}

  Table run() {
    add_shapes();
    const std::int64_t searched = search_corners();
    table_ = {asked_.kernel,
              measuring_.device().device,
              measuring_.device().name,
              asked_.grid,
              asked_.others,
              times_words(measuring_.device()),
              0,
              0,
              0,
              {},
              {},
              std::move(table_.refused)};
    const json options = {{"tune", {{"grid", asked_.grid}, {"others", asked_.others}, {"searched", searched}}}};
    if (interrupted() || !measuring_.open(options)) return std::move(table_);
    table_.campaign = measuring_.campaign();
    take_candidates(searched);
    measure_doubts();
    make_entries();
    prove_entries(kFirstProofsEnd, true);
    measure_held_out();
    obey_held_out();
    prove_entries(1, false);
    table_.candidates = candidates_.size();
    json kept = options;
    kept["tune"]["table"] = table_json(table_);
    measuring_.close(kept);
    return std::move(table_);
  }

 private:
  /// The points of the grid that lie in the domain, each a workload.
  void add_shapes() {
    for (const Point& point : grid_.points()) {
      try {
        shapes_[point] = add_shape(point);
        points_.push_back(point);
      } catch (const Error& why) {
        table_.refused.push_back(why.what());
      }
    }
    if (points_.empty()) throw bad_input(table_.refused.front());
    if (!table_.refused.empty())
      watch_.told(fmt::format("{} of {} points lie outside of the domain: {}", table_.refused.size(),
                              grid_.points().size(), table_.refused.front()));
  }

  std::string add_shape(const Point& point) {
    return measuring_.plugin().add_shape(asked_.others + " " + grid_.words(point), measuring_.device());
  }

  bool time_left(double share) const { return !interrupted() && spent_s() < share * asked_.budget_s; }

  /// A campaign on some corners, as `harness run` makes it; its number.
  std::int64_t search_corners() {
    CampaignAsked search;
    search.options.kernels = {asked_.kernel};
    std::set<std::string> corners;
    for (const Point& corner : grid_.corners(kMostCorners))
      if (shapes_.contains(corner)) corners.insert(shapes_.at(corner));
    if (corners.empty()) corners = {shapes_.at(points_.front()), shapes_.at(points_.back())};
    search.options.workloads.assign(corners.begin(), corners.end());
    search.options.budget_s = kSearchEnd * asked_.budget_s;
    search.options.seed = asked_.seed;
    search.options.rivals = false;
    search.options.confirms = false;  // what is chosen is proved below
    search.options.profile = "off";
    search.options.name = "tune: corners";
    search.options.usd_per_hour = asked_.usd_per_hour;
    search.device = asked_.device;
    search.times = asked_.times;
    watch_.told(fmt::format("searching at {} corners of {} points, {:.0f} s", corners.size(), points_.size(),
                            *search.options.budget_s));
    CornerDisplay display(watch_);
    return run_campaign(std::move(search), shell_, display).summary.campaign;
  }

  /// The baseline, and the fastest of each corner by what the search recorded; its times are known where they are the
  /// grid's.
  void take_candidates(std::int64_t searched) {
    const VariantInfo& original = first_kernel_of(measuring_.plugin().info());
    candidates_.push_back({asked_.kernel, original.name, original.technique, {}});
    const auto archive = shell_.rooms.archive(shell_.store_path(), ArchiveAccess::read);
    const std::vector<IterationSummary> rows = archive->ledger().iterations(searched);
    std::map<std::string, std::vector<const IterationSummary*>> by_corner;
    for (const IterationSummary& row : rows)
      if (row.outcome == OutcomeKind::passed && row.time_ns && row.candidate.variant != original.name)
        by_corner[row.workload].push_back(&row);
    for (auto& [corner, best] : by_corner)
      std::ranges::stable_sort(best, {}, [](const IterationSummary* row) { return *row->time_ns; });
    for (std::size_t place = 0; place < kBestOfCorner; ++place)
      for (const auto& [corner, best] : by_corner)
        if (place < best.size() && candidates_.size() < kMostCandidates) add_candidate(best[place]->candidate);
    surfaces_ = Surfaces(candidates_.size());
    for (const bool of_original : {true, false})  // what others are compared with comes first
      for (const IterationSummary& row : rows) {
        const bool told = row.outcome == OutcomeKind::passed || (of_original && row.outcome == OutcomeKind::screened);
        if (told && row.time_ns && (row.candidate.variant == original.name) == of_original)
          add_searched(row, of_original);
      }
    watch_.told(fmt::format("{} configurations are compared over {} points", candidates_.size(), points_.size()));
  }

  void add_candidate(const Candidate& candidate) {
    const auto same = [&](const Candidate& known) {
      return known.variant == candidate.variant && to_text(known.config) == to_text(candidate.config);
    };
    if (std::ranges::none_of(candidates_, same)) candidates_.push_back(candidate);
  }

  void add_searched(const IterationSummary& row, bool of_original) {
    const auto point = std::ranges::find_if(shapes_, [&](const auto& shape) { return shape.second == row.workload; });
    if (point == shapes_.end() || (!of_original && !times_.contains({0, point->first}))) return;
    const auto same = [&](const Candidate& known) {
      return row.candidate.variant == known.variant &&
             (of_original || to_text(row.candidate.config) == to_text(known.config));
    };
    const auto known = std::ranges::find_if(candidates_, same);
    if (known != candidates_.end())
      keep_time(static_cast<std::size_t>(known - candidates_.begin()), point->first, {*row.time_ns, row.wall_s});
  }

  /// The baseline's time there is known.
  void keep_time(std::size_t candidate, const Point& point, const Measured& measured) {
    times_[{candidate, point}] = measured;
    surfaces_.add(candidate, point, std::log(measured.time_ns / times_.at({0, point}).time_ns));
    ++table_.measured;
  }

  /// Of the baseline its own configuration there.
  std::optional<Candidate> candidate_at(std::size_t candidate, const Point& point) {
    const auto key = std::pair(candidate, point);
    const auto known = possible_.find(key);
    if (known != possible_.end()) return known->second;
    return possible_[key] = measuring_.possible(candidates_[candidate], shapes_.at(point));
  }

  bool may_win(std::size_t candidate, const Point& point) {
    if (!candidate_at(candidate, point)) return false;
    const auto time = times_.find({candidate, point}), original = times_.find({0, point});
    return time == times_.end() || original == times_.end() || candidate == 0 ||
           time->second.time_ns <= original->second.time_ns;
  }

  Possible possible() {
    return [this](std::size_t candidate, const Point& point) { return may_win(candidate, point); };
  }

  /// A time at a point, after the baseline's. What fails is possible there no more; without a baseline nothing is.
  void measure(std::size_t candidate, const Point& point, const std::string& why) {
    if (!times_.contains({0, point})) {
      measure_one(0, point, why);
      if (!times_.contains({0, point}) && !interrupted())
        for (std::size_t i = 0; i < candidates_.size(); ++i) possible_[{i, point}] = std::nullopt;
    }
    if (times_.contains({0, point}) && !times_.contains({candidate, point})) measure_one(candidate, point, why);
  }

  void measure_one(std::size_t candidate, const Point& point, const std::string& why) {
    if (const auto measured = evaluate(candidate, point, Effort::compared, why)) keep_time(candidate, point, *measured);
  }

  /// What fails is possible there no more.
  std::optional<Measured> evaluate(std::size_t candidate, const Point& point, Effort effort, const std::string& why) {
    const auto there = candidate_at(candidate, point);
    if (!there || interrupted()) return std::nullopt;
    const std::string& shape = shapes_.at(point);
    watch_.begun(fmt::format("{} {} on {}: {}", there->variant, to_text(there->config), shape, why));
    const auto original = times_.find({0, point});
    auto measured =
        measuring_.measure(*there, shape, effort, candidate == 0,
                           original == times_.end() ? std::nullopt : std::optional(original->second.time_ns));
    if (measured || interrupted()) return measured;
    possible_[{candidate, point}] = std::nullopt;
    watch_.told(fmt::format("{} {} failed on {}", there->variant, to_text(there->config), shape));
    return std::nullopt;
  }

  void measure_doubts() {
    while (time_left(kDoubtsEnd)) {
      const auto doubt = greatest_doubt(surfaces_, points_, possible(), asked_.regret);
      if (!doubt) break;
      measure(doubt->candidate, doubt->point, fmt::format("it may lose {:.1f} %", 100 * doubt->regret));
    }
  }

  /// Entries get their proofs: of each configuration only the first, or all. The baseline is proved by its reference.
  void prove_entries(double end, bool first_of_each) {
    std::set<std::size_t> proved;
    for (const Entry& entry : table_.entries)
      if (entry.proved) proved.insert(number_of(entry));
    for (std::size_t i = 0; i < table_.entries.size();) {
      if (!time_left(end)) return;
      Entry& entry = table_.entries[i];
      const std::size_t candidate = number_of(entry);
      if (entry.original || entry.proved || (first_of_each && proved.contains(candidate))) {
        ++i;
        continue;
      }
      prove(entry, candidate);
      if (entry.proved) proved.insert(candidate);
      if (!candidate_at(number_of(entry), entry.at))
        table_.entries.erase(table_.entries.begin() + static_cast<std::ptrdiff_t>(i));
      // Else what failed gave way to the next best, which has its turn.
    }
  }

  void prove(Entry& of, std::size_t candidate) {
    const Point point = of.at;
    if (!times_.contains({0, point})) measure_one(0, point, "what the choice is held against");
    if (const auto measured = evaluate(candidate, point, Effort::proved, "all gates")) {
      times_[{candidate, point}] = *measured;
      of = entry(point, candidate, of.expected_regret);
      of.proved = true;
    } else if (!interrupted()) {
      if (const auto next = choose(surfaces_, point, possible())) of = entry(point, next->candidate, next->regret);
      else table_.refused.push_back(fmt::format("nothing that is known runs on {}", of.shape));
    }
  }

  void make_entries() {
    for (const Point& point : points_) {
      const auto choice = choose(surfaces_, point, possible());
      if (!choice) {
        table_.refused.push_back(fmt::format("nothing that is known runs on {}", shapes_.at(point)));
        continue;
      }
      table_.entries.push_back(entry(point, choice->candidate, choice->regret));
    }
  }

  Entry entry(const Point& point, std::size_t candidate, double regret) {
    Entry entry;
    entry.at = point;
    entry.shape = shapes_.at(point);
    entry.cell = grid_.cell(point);
    entry.candidate = *candidate_at(candidate, point);
    entry.original = candidate == 0;
    entry.expected_regret = regret;
    if (const auto time = times_.find({candidate, point}); time != times_.end()) {
      entry.time_ns = time->second.time_ns;
      entry.evaluate_s = time->second.seconds;
    }
    if (const auto time = times_.find({0, point}); time != times_.end()) entry.original_ns = time->second.time_ns;
    entry.tools = measuring_.tools(entry.candidate, entry.shape);
    return entry;
  }

  Entry* entry_around(const Point& point) {
    const auto around =
        std::ranges::find_if(table_.entries, [&](const Entry& each) { return contains(each.cell, point); });
    return around == table_.entries.end() ? nullptr : &*around;
  }

  std::size_t number_of(const Entry& entry) const {
    if (entry.original) return 0;
    const auto same = [&](const Candidate& known) {
      return known.variant == entry.candidate.variant && to_text(known.config) == to_text(entry.candidate.config);
    };
    return static_cast<std::size_t>(std::ranges::find_if(candidates_, same) - candidates_.begin());
  }

  /// Beside the grid, all candidates: what the table would have lost there. These times change no entry's choice but by
  /// the rule that the baseline is never fallen behind.
  void measure_held_out() {
    for (const Point& point : grid_.held_out(kMostHeldOut, asked_.seed)) {
      if (!time_left(kHeldOutEnd)) return;
      const Entry* const around = entry_around(point);
      if (around == nullptr) continue;
      try {
        shapes_[point] = add_shape(point);
      } catch (const Error&) {  // outside of the domain
        continue;
      }
      measure_beside(point, number_of(*around));
    }
  }

  void measure_beside(const Point& point, std::size_t chosen) {
    if (!candidate_at(chosen, point)) chosen = 0;  // as the launcher does: its condition does not hold there
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidate_at(i, point)) {
        if (interrupted() || !time_left(kHeldOutEnd)) return;
        measure(i, point, "held out");
      }
    std::optional<std::size_t> fastest;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (const auto time = times_.find({i, point}); time != times_.end())
        if (!fastest || time->second.time_ns < times_.at({*fastest, point}).time_ns) fastest = i;
    if (!fastest || !times_.contains({chosen, point})) return;
    table_.held_out.push_back({shapes_.at(point), *candidate_at(chosen, point), *candidate_at(*fastest, point),
                               times_.at({chosen, point}).time_ns, times_.at({*fastest, point}).time_ns});
  }

  /// Never slower than the baseline anywhere it was measured: an entry that was, beside the grid, gives way to it.
  void obey_held_out() {
    for (const auto& [key, time] : times_) {
      const auto& [candidate, point] = key;
      Entry* const around = entry_around(point);
      const auto original = times_.find({0, point});
      if (around == nullptr || around->original || original == times_.end() || number_of(*around) != candidate)
        continue;
      if (time.time_ns <= original->second.time_ns || !candidate_at(0, around->at)) continue;
      watch_.told(fmt::format("{} was slower than the baseline on {}: the baseline takes its cell",
                              around->candidate.variant, shapes_.at(point)));
      *around = entry(around->at, 0, 0);
    }
  }

  const TuneAsked& asked_;
  Shell& shell_;
  const TuneWatch& watch_;
  Grid grid_;
  Measuring measuring_;
  Table table_;
  std::vector<Point> points_;  // of the grid, in the domain
  std::map<Point, std::string> shapes_;
  std::vector<Candidate> candidates_;  // the first is the baseline
  Surfaces surfaces_{0};
  std::map<std::pair<std::size_t, Point>, Measured> times_;
  std::map<std::pair<std::size_t, Point>, std::optional<Candidate>> possible_;
};

/// The device that a table was made on, with times of the same kind.
DeviceInfo device_of(const Table& table, Shell& shell) {
  AskedTimes times;
  times.emulated = table.times == "emulated";
  const DeviceInfo device = choose_device(table.device, times, shell.rooms.devices(shell.places()));
  if (device.name != table.device_name)
    throw environment_error(
        fmt::format("the table is of {}, and {} is a {}", table.device_name, device.device, device.name));
  return device;
}

}  // namespace

Table tune_grid(const TuneAsked& asked, Shell& shell, const TuneWatch& watch) {
  catch_interrupts();
  return Tuning(asked, shell, watch).run();
}

std::vector<Stale> stale_entries(const Table& table, Shell& shell) {
  Measuring measuring(table.kernel, device_of(table, shell), std::nullopt, shell);
  std::vector<Stale> stale;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const Entry& entry = table.entries[i];
    try {
      measuring.plugin().add_shape(entry.shape, measuring.device());
      const auto now = measuring.possible(entry.candidate, entry.shape);
      if (!now) stale.push_back({i, {"its configuration is not valid any more"}});
      else if (auto why = changes(entry.tools, measuring.tools(*now, entry.shape)); !why.empty())
        stale.push_back({i, std::move(why)});
    } catch (const Error& why) {
      stale.push_back({i, {why.what()}});
    }
  }
  std::ranges::stable_sort(stale, {}, [&](const Stale& each) { return table.entries[each.entry].evaluate_s; });
  return stale;
}

std::size_t refresh(Table& table, double budget_s, Shell& shell, const TuneWatch& watch) {
  catch_interrupts();
  const std::vector<Stale> stale = stale_entries(table, shell);
  Measuring measuring(table.kernel, device_of(table, shell), std::nullopt, shell);
  const json options = {{"tune", {{"grid", table.grid}, {"others", table.others}, {"refreshed", table.campaign}}}};
  if (stale.empty() || !measuring.open(options)) return 0;
  const VariantInfo& original = first_kernel_of(measuring.plugin().info());
  std::size_t measured = 0;
  for (const Stale& each : stale) {
    if (interrupted() || spent_s() >= budget_s) break;
    Entry& entry = table.entries[each.entry];
    watch.begun(fmt::format("{} on {}: {}", entry.candidate.variant, entry.shape, each.why.front()));
    measuring.plugin().add_shape(entry.shape, measuring.device());
    const auto baseline = measuring.possible({table.kernel, original.name, original.technique, {}}, entry.shape);
    const auto slow =
        baseline ? measuring.measure(*baseline, entry.shape, Effort::compared, true, std::nullopt) : std::nullopt;
    const auto own = entry.original ? std::nullopt : measuring.possible(entry.candidate, entry.shape);
    const auto fast = own ? measuring.measure(*own, entry.shape, Effort::proved, false,
                                              slow ? std::optional(slow->time_ns) : std::nullopt)
                          : std::nullopt;
    if (interrupted() || (!slow && !fast)) continue;
    if (!fast || (slow && slow->time_ns < fast->time_ns)) {
      if (!entry.original)
        watch.told(
            fmt::format("{} holds no more on {}: the baseline takes its cell", entry.candidate.variant, entry.shape));
      entry.original = true;
      entry.candidate = *baseline;
    }
    const Measured& kept = entry.original ? *slow : *fast;
    entry.time_ns = kept.time_ns;
    entry.evaluate_s = kept.seconds;
    entry.proved = !entry.original;
    if (slow) entry.original_ns = slow->time_ns;
    entry.tools = measuring.tools(entry.candidate, entry.shape);
    ++measured;
  }
  json kept = options;
  kept["tune"]["table"] = table_json(table);
  measuring.close(kept);
  return measured;
}

}  // namespace harness::tune
