#include "harness/evaluate/directed_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <future>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "harness/core/gates.h"
#include "harness/evaluate/compared_lines.h"
#include "harness/evaluate/launches.h"
#include "harness/judge/forms.h"
#include "harness/judge/integer_forms.h"
#include "harness/judge/verdict.h"
#include "harness/system/machine_state.h"

namespace harness {
namespace {

// Of the search; and of one that has not launched enough by then: a loaded machine finds and refuses what a quiet one
// does.
constexpr double kSeconds = 4, kMostSeconds = 12, kLaunchDeadline = 2;
constexpr std::size_t kMostNumbers = 64;   // that sizes are taken from
constexpr std::int64_t kConsecutive = 34;  // sizes: every remainder of a warp's width
// Values go as far as single ones do in the forms that every kernel is admitted by: further out honest kernels overflow
// where others do not, and no contract says yet what its callers pass.
constexpr double kLeastScale = 1e-2, kMostScale = 512;
// All that is planned and most of what that leads to; and so few that the candidate is slow, not the machine.
constexpr std::size_t kEnoughLaunches = 150, kFewLaunches = 40;
constexpr std::size_t kMostLaunches = 600;     // a search of a kernel that launches in no time ends here
constexpr std::int64_t kFewThreads = 1 << 14;  // a block of an emulated tile takes 20 ms
constexpr std::size_t kMostPlantedValues = 48;
constexpr std::size_t kMostBarren = 60;  // combinations in a row that reached nothing new

/// What is tried: sizes that are fixed, and a form of the inputs.
struct Trial {
  Config fixed;
  std::string form = "nominal";
  bool if_small = false;  // no comparison asked for it: not worth many blocks
  bool wild = false;      // the contract means no such inputs: they only tell which comparisons follow the inputs
};

std::string in_words(const Trial& trial, const Realized& at) {
  return fmt::format("at {}, {}", at.problem.workload.name, trial.form);
}

/// Where the contract of each floating input says how far its values go, that far.
double most_scale(const Problem& problem) {
  double most = 0;
  for (const Argument& argument : problem.arguments) {
    if (!argument.gen || argument.absent || !is_floating(argument.dtype)) continue;
    if (!argument.values) return kMostScale;
    most = std::max({most, std::fabs(argument.values->lo), std::fabs(argument.values->hi)});
  }
  return std::max(kMostScale, most);
}

/// Lines of the text that define macros, as plain_line has them.
std::vector<std::string> defines_of(const std::string& text) {
  std::vector<std::string> defines;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::string plain = plain_line(line);
    if (!plain.starts_with("#")) continue;
    for (; plain.ends_with("\\") && std::getline(lines, line); plain += " " + plain_line(line)) plain.pop_back();
    const std::size_t word = plain.find("define ");
    if (word != std::string::npos && word <= 2) defines.push_back(plain.substr(word));
  }
  return defines;
}

/// The name that "define NAME ..." or "define NAME(..." defines.
std::string name_defined(const std::string& define) {
  constexpr std::size_t kName = 7;
  return define.substr(kName, define.find_first_of(" (", kName) - kName);
}

bool has_word(const std::string& text, const std::string& word) {
  const auto in_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

/// How many want each core: where others have them, a second of the clock is less of a search.
double processes_per_core() {
  constexpr double kMost = 6;
  const MachineState state = machine_state();
  return std::clamp(state.load / std::max(1, state.cores), 1.0, kMost);
}

/// The tolerances of a form that no admission has measured are those of the largest that it has.
std::string measured_form(const EvaluationRun& run, const Realized& at, const std::string& form) {
  if (run.request.admission == nullptr) return form;
  const std::vector<std::string> forms = admitted_forms(*run.request.admission, workload_group(at.problem.workload));
  return std::ranges::find(forms, form) != forms.end() || forms.size() < 2 ? form : forms[1];
}

class DirectedSearch {
 public:
  DirectedSearch(EvaluationRun& run, WorkerPool& pool, std::function<bool()> stop)
      : run_(run),
        runner_(pool.target, stop),
        runners_beside_(beside(pool.target, stop)),
        judge_(pool.target, stop),
        pool_{pool.kind,     pool.target, pool.device, pool.limits, std::move(stop),
              pool.builders, judge_,      runner_,     nullptr,     {}},
        chance_(fresh_seed()) {}

  /// Rows and outcome in `found`: the evaluation goes on meanwhile, and its rows stay in order.
  ComparisonFindings search() && {
    found_.settled = attempt_all();
    return std::move(found_);
  }

 private:
  /// A comparison where a launch came to it.
  struct Reached {
    Trial trial;
    ComparedSite seen;
  };

  /// As EvaluationRun::add.
  Settled add(GateResult gate, bool refuses = true) {
    Settled settled;
    if (!gate.passed && refuses) settled = Rejected{gate.name, gate.detail};
    found_.rows.push_back(std::move(gate));
    return settled;
  }

  Settled attempt_all() {
    const std::optional<Realized> begin = run_.tiny_at()(run_.request.realized.candidate, {});
    if (!begin) return not_checked("no tiny point of the domain allows this candidate on the cpu device");
    build_ = json_text(begin->build);
    BuildSpec spec = pool_.kind.checked_build(begin->build);
    spec.compares = true;
    const BuildResult built = pool_.await(spec);
    if (const auto* const failure = std::get_if<CompileFailure>(&built)) return does_not_compile(spec, *failure);
    artifact_ = std::get<Artifact>(built);
    lines_.emplace(SitePlaces{[this](const auto& sites) { return pool_.kind.source_lines(artifact_, sites); },
                              [this](const auto& sites) { return pool_.kind.columns(artifact_, sites); },
                              [this](const auto& sites) { return pool_.kind.within_functions(artifact_, sites); }},
                   run_.request.realized.sources);
    for (const SourceFile& file : run_.baseline_texts()) {
      for (FunctionText& function : functions_of(file.text)) baseline_.insert(std::move(function.text));
      for (std::string& define : defines_of(file.text)) baseline_defines_.insert(std::move(define));
    }
    for (const SourceFile& file : run_.request.realized.sources)
      for (std::string& define : defines_of(file.text))
        if (!baseline_defines_.contains(define)) own_defines_.insert(std::move(define));
    begin_s_ = awake_seconds();
    plan_trials();
    while (!is_over()) {
      if (waiting_.empty() && !approach() && (barren_ == kMostBarren || !combine())) break;
      if (Settled settled = attempt_some()) return settled;
    }
    return conclude();
  }

  /// Further runners where there are cores for them: a launch of an emulated tile takes a tenth of a second of one.
  static std::deque<Runner> beside(const Target& target, const std::function<bool()>& stop) {
    constexpr unsigned kCoresOfOne = 2, kMost = 8;
    std::deque<Runner> runners;
    while (runners.size() + 1 < std::min(kMost, std::thread::hardware_concurrency() / kCoresOfOne))
      runners.emplace_back(target, stop);
    return runners;
  }

  /// What waits, as many at once as there are runners. The first two launches are each alone: they tell which
  /// comparisons follow the inputs. What the launches say is learnt in the order of the trials.
  Settled attempt_some() {
    const std::size_t most = launches_ < 2 ? 1 : 1 + runners_beside_.size();
    std::deque<Launch> batch;
    while (batch.size() < most && !waiting_.empty()) {
      const Trial trial = waiting_.front();
      waiting_.pop_front();
      const std::optional<Realized> at = run_.tiny_at()(run_.request.realized.candidate, trial.fixed);
      if (!at || json_text(at->build) != build_) continue;
      if (trial.if_small && launched_threads(at->plan) > kFewThreads) continue;
      ++launches_;
      Launch& launch = batch.emplace_back(trial, *at, subject_at(*at, artifact_, trial.form));
      pool_.paint(launch.subject, 0, trial.form);
    }
    std::vector<std::future<void>> beside;
    for (std::size_t i = 1; i < batch.size(); ++i)
      beside.push_back(std::async(std::launch::async, [&, i] { batch[i].run(runners_beside_[i - 1]); }));
    if (!batch.empty()) batch.front().run(runner_);
    for (std::future<void>& ended : beside) ended.get();
    for (Launch& launch : batch)
      if (Settled settled = look_at(launch)) return settled;
    return std::nullopt;
  }

  bool is_over() const {
    const double spent = (awake_seconds() - begin_s_) / crowd_;
    if (spent > kMostSeconds || launches_ >= kMostLaunches) return true;
    if (spent <= kSeconds) return false;
    return searched_enough() || (launches_ < kFewLaunches && questions(lines_->unturned()).empty());
  }

  bool searched_enough() const { return launches_ >= kEnoughLaunches || waiting_.empty(); }

  /// What compiles for the memory checker compiles with its comparisons, too: else nobody would see them.
  Settled does_not_compile(BuildSpec spec, const CompileFailure& failure) {
    spec.compares = false;
    if (std::holds_alternative<CompileFailure>(pool_.await(spec)))
      return not_checked("it does not compile for the cpu device");
    return add({name_of(gate::comparisons), false,
                "it compiles for the memory checker, and not where its comparisons are recorded: " +
                    failure.log.substr(0, failure.log.find('\n'))});
  }

  Settled not_checked(const std::string& why) { return add({name_of(gate::comparisons), true, why, false}); }

  void plan_trials() {
    const Problem& problem = run_.request.realized.problem;
    for (const std::string& form : judge::draw_forms())
      if (form == "nominal" || judge::has_form(problem, form)) waiting_.push_back({{}, form});
    most_scale_ = most_scale(problem);
    for (const double scale : {most_scale_, 20.0, 0.1, kLeastScale}) try_scale(scale);
    waiting_.push_back({{}, "scaled 0"});
    for (const auto& [size, range] : run_.size_ranges()) {
      for (std::int64_t value = range.lo; value < range.lo + kConsecutive; ++value) try_size(size, value);
      for (const std::int64_t power : {64, 128, 256}) try_size(size, power, true);  // gate "sizes" goes further
    }
  }

  void try_size(const std::string& size, std::int64_t value, bool if_small = false) {
    const auto range = run_.size_ranges().find(size);
    if (range == run_.size_ranges().end() || value < range->second.lo || value > range->second.hi) return;
    if (sizes_tried_.insert({size, value}).second) waiting_.push_back({{{size, value}}, "nominal", if_small});
  }

  /// Conditions before a comparison hold where it was reached: from there sizes are changed one by one, and inputs at
  /// these sizes, until it turns. So conjunctions are solved from left to right, one after the other. The comparison
  /// that was seen last is the first. False: all that is open was approached.
  bool approach() {
    for (const std::uint64_t site : lines_->open()) {
      const auto reached = reached_.find(site);
      if (reached == reached_.end() || !approached_.insert(site).second) continue;
      try_beside(reached->second.trial);
      solve(reached->second.seen, reached->second.trial);
      solve_by_secant(site);
      if (!waiting_.empty()) return true;
    }
    return false;
  }

  /// Two that reached something new, together; false: there is nothing to combine.
  bool combine() {
    if (telling_.empty()) return false;
    const auto any = [&](const std::vector<Trial>& trials) { return trials[chance_() % trials.size()]; };
    Trial both = any(telling_);
    const Trial other = any(telling_);
    if (chance_() % 2 == 0) both.form = other.form;
    for (auto& [size, value] : both.fixed) {
      const std::uint64_t choice = chance_() % 4;
      if (choice == 0) value = other.fixed.at(size);
      else if (choice == 1)
        value = run_.size_ranges().at(size).lo + static_cast<std::int64_t>(chance_() % kConsecutive);
    }
    waiting_.push_back(std::move(both));
    return true;
  }

  /// One of the candidate, and what came of it.
  struct Launch {
    Launch(Trial tried, Realized point, Subject painted)
        : trial(std::move(tried)), at(std::move(point)), subject(std::move(painted)) {}
    void run(Runner& runner) {
      failure = runner.prepare({{&subject.executable, {&subject.images[0]}}}, kLaunchDeadline);
      if (!failure) failure = runner.run(0, 0, kLaunchDeadline, &said);
    }
    Trial trial;
    Realized at;
    Subject subject;
    std::optional<RunnerFailure> failure;
    std::optional<std::vector<RawFinding>> said;
  };

  Settled look_at(Launch& launch) {
    auto& [trial, at, subject, failure, said] = launch;
    if (failure && failure->kind == RunnerFailure::Kind::interrupted) throw InterruptedWork{};
    if (launches_ == 1) {  // these tell which comparisons follow the inputs
      for (const char* form : {"scaled 1e12", "scaled 1e30"})
        waiting_.push_front({sizes_and_flags_of(at), form, false, true});
      waiting_.push_front({sizes_and_flags_of(at), trial.form});
    }
    if (said && std::ranges::any_of(*said, [](const RawFinding& finding) {
          return finding.compared && finding.compared->site == kTooManySites;
        }))
      return add({name_of(gate::comparisons), false,
                  "it compares at more places than are recorded: what the rest do is not known"});
    if (trial.wild) {
      if (said) lines_->learn_what_follows(*said, at.problem.workload.values);
      return std::nullopt;
    }
    const bool is_new = said && learn(*said, trial, at);
    if (failure)
      return failure->kind == RunnerFailure::Kind::timed_out ? std::nullopt : failed(trial, at, subject, *failure);
    ++barren_;
    if (!is_new) return std::nullopt;
    barren_ = 0;
    ++judged_;
    const SharedMemory copy = subject.images[0].copy();
    const Verdict verdict = pool_.judge.verdict(subject.executable, subject.trusted, subject.draws[0], copy);
    const GateResult* const wrong = first_failed(verdict.gates);
    if (wrong == nullptr || !baseline_is_right(trial, subject.draws[0])) return std::nullopt;
    const std::string words =
        fmt::format("{}, where a comparison went another way: {}: {}", in_words(trial, at), wrong->name, wrong->detail);
    add({name_of(gate::comparisons), false, words}, false);
    return WrongAnswer{"comparisons: " + words, verdict.first_bad, judge::fingerprint(verdict)};
  }

  Subject subject_at(const Realized& at, const Artifact& artifact, const std::string& form) {
    Subject subject = pool_.make_subject(at, artifact, run_.request.admission);
    subject.executable.problem = with_tolerances(at.problem, run_.request.admission, measured_form(run_, at, form));
    subject.trusted = pool_.build_trusted(at);
    subject.images.push_back(pool_.make_image(subject.image_bytes()));
    subject.draws.resize(1);
    return subject;
  }

  // Nothing is laid to a candidate that happens to the baseline as well: the inputs may be none of the contract's.
  bool baseline_is_right(const Trial& trial, const DrawId& draw) {
    if (!run_.request.incumbent) return true;
    Config exact = trial.fixed;
    const std::optional<Realized> at = run_.tiny_at()(run_.request.incumbent->realized.candidate, exact);
    if (!at) return true;
    const BuildResult built = pool_.await(at->build);
    const auto* const artifact = std::get_if<Artifact>(&built);
    if (artifact == nullptr) return true;
    Subject subject = subject_at(*at, *artifact, trial.form);
    subject.draws[0] = draw;
    pool_.repaint(subject, 0);
    if (runner_.prepare({{&subject.executable, {&subject.images[0]}}}, kLaunchDeadline)) return false;
    return launch_and_judge_alone(subject);
  }

  bool launch_and_judge_alone(Subject& subject) {
    if (runner_.run(0, 0, kLaunchDeadline)) return false;
    const SharedMemory copy = subject.images[0].copy();
    return pool_.judge.verdict(subject.executable, subject.trusted, subject.draws[0], copy).passed();
  }

  /// The same launch again in a fresh process: what fails twice is the candidate's doing.
  bool fails_again(Subject& subject) {
    runner_.kill();
    pool_.repaint(subject, 0);
    if (runner_.prepare({{&subject.executable, {&subject.images[0]}}}, kLaunchDeadline)) return true;
    const auto failure = runner_.run(0, 0, kLaunchDeadline);
    if (failure && failure->kind == RunnerFailure::Kind::interrupted) throw InterruptedWork{};
    runner_.kill();
    return failure.has_value();
  }

  Settled failed(const Trial& trial, const Realized& at, Subject& subject, const RunnerFailure& failure) {
    if (!fails_again(subject) || !baseline_is_right(trial, subject.draws[0])) return std::nullopt;
    found_.failed_twice = true;
    const std::string words = fmt::format("{}: {}", in_words(trial, at), failure.detail);
    add({name_of(gate::comparisons), false, words}, false);
    RunnerFailure told = failure;
    told.detail = "comparisons " + words;
    return to_outcome(told, "launch", kLaunchDeadline);
  }

  /// What the run adds to what is known of comparisons of the candidate's own text.
  bool learn(const std::vector<RawFinding>& said, const Trial& trial, const Realized& at) {
    const Config sizes = sizes_of(at);
    const std::vector<ComparedLines::News> news = lines_->learn(said, at.problem.workload.values);
    bool reveals = false;
    const Trial here{sizes_and_flags_of(at), trial.form};
    keep_sides(said, here);
    for (const ComparedLines::News& compared : news) {
      follow(compared.seen, sizes);
      reached_.insert_or_assign(compared.seen.site, Reached{here, compared.seen});
      // The first launch tells where it begins, and nothing of what leads where.
      if (!compared.first || launches_ == 1) continue;
      reveals = true;
      plant_behind(trial.form, compared.seen, sizes);
      solve(compared.seen, here);
    }
    if (launches_ == 1 || news.empty()) return !news.empty();
    constexpr int kMostRevealing = 12;
    if (reveals && ++revealing_ <= kMostRevealing) try_beside(here);
    telling_.push_back({sizes, trial.form});
    return true;
  }

  /// Of each comparison, in some launches at different sizes.
  void keep_sides(const std::vector<RawFinding>& said, const Trial& here) {
    constexpr std::size_t kMostKept = 8;
    for (const RawFinding& finding : said) {
      if (!finding.compared || !finding.compared->finite) continue;
      std::vector<Reached>& kept = seen_at_[finding.compared->site];
      const bool is_new =
          std::ranges::none_of(kept, [&](const Reached& other) { return other.trial.fixed == here.fixed; });
      if (is_new && kept.size() < kMostKept) kept.push_back({here, *finding.compared});
    }
  }

  Config sizes_of(const Realized& at) {
    Config sizes;
    for (const auto& [size, range] : run_.size_ranges())
      if (const auto value = at.problem.workload.values.find(size); value != at.problem.workload.values.end())
        sizes[size] = value->second;
    return sizes;
  }

  /// Where a launch was, so that another comes to the same place.
  Config sizes_and_flags_of(const Realized& at) {
    Config exact = sizes_of(at);
    for (const auto& [name, value] : at.problem.workload.values)
      if (std::holds_alternative<bool>(value)) exact[name] = value;
    return exact;
  }

  // Comparisons behind one that had not gone this way: those of conjunctions. Other sizes with these inputs, from the
  // least on and around these, and other inputs at these sizes. The last is tried first.
  void try_beside(const Trial& trial) {
    for (const double scale : {most_scale_, 20.0, 0.1}) try_exactly({trial.fixed, fmt::format("scaled {:.3g}", scale)});
    for (const auto& [size, range] : run_.size_ranges()) {
      const auto here = trial.fixed.find(size);
      if (here == trial.fixed.end()) continue;
      const std::int64_t value = std::get<std::int64_t>(here->second);
      for (std::int64_t other = value - kConsecutive / 2; other < value + kConsecutive; ++other)
        if (other >= range.lo + kConsecutive) try_exactly(with_size(trial, size, other));
      for (std::int64_t other = range.lo; other < range.lo + kConsecutive; ++other)
        try_exactly(with_size(trial, size, other));
    }
  }

  // A sum, difference, multiple or remainder of a size was compared: how far the two sides lie apart is how far the
  // size has to go.
  void solve(const ComparedSite& seen, const Trial& trial) {
    const double apart = seen.right - seen.left;
    if (seen.floating || std::fabs(apart) > 1e9) return;
    for (const auto& [size, here] : trial.fixed) {
      if (!run_.size_ranges().contains(size)) continue;
      const auto value = static_cast<double>(std::get<std::int64_t>(here));
      std::vector<double> others{value + apart, value - apart};
      for (const auto& [of, to] : {std::pair(seen.left, seen.right), std::pair(seen.right, seen.left)})
        if (of != 0) others.push_back(std::floor(value * to / of));
      for (const double other : others)
        if (std::fabs(other) < 1e9) try_exactly(with_size(trial, size, static_cast<std::int64_t>(other)));
    }
  }

  /// Two launches that differ in one size tell how the distance of the two sides follows it, where it follows it in a
  /// line: a product with anything, a whole number that became a floating one.
  void solve_by_secant(std::uint64_t site) {
    constexpr std::size_t kMostSolved = 12;
    std::size_t solved = 0;
    const std::vector<Reached>& seen = seen_at_[site];
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t j = i + 1; j < seen.size() && solved < kMostSolved; ++j)
        for (const auto& [size, range] : run_.size_ranges())
          if (const auto value = root(size, seen[i], seen[j])) {
            ++solved;
            for (const double other : {*value, std::floor(*value), std::ceil(*value)})
              try_exactly(with_size(seen[i].trial, size, static_cast<std::int64_t>(other)));
          }
  }

  /// Where the two sides would meet, by the line through two launches that differ in this size alone.
  std::optional<double> root(const std::string& size, const Reached& one, const Reached& other) const {
    const auto value = [&](const Reached& reached) {
      const auto found = reached.trial.fixed.find(size);
      return found == reached.trial.fixed.end() ? 0.0 : static_cast<double>(std::get<std::int64_t>(found->second));
    };
    Config same = one.trial.fixed;
    if (!same.contains(size) || !other.trial.fixed.contains(size)) return std::nullopt;
    same[size] = other.trial.fixed.at(size);
    const double here = value(one), there = value(other);
    const double apart = one.seen.right - one.seen.left, then = other.seen.right - other.seen.left;
    if (same != other.trial.fixed || here == there || apart == then) return std::nullopt;
    const double root = here - apart * (there - here) / (then - apart);
    return std::isfinite(root) && std::fabs(root) < 1e9 ? std::optional(root) : std::nullopt;
  }

  static Trial with_size(Trial trial, const std::string& size, std::int64_t value) {
    trial.fixed[size] = value;
    return trial;
  }

  /// Before what waits, once.
  void try_exactly(Trial trial) {
    for (const auto& [size, value] : trial.fixed) {
      const auto range = run_.size_ranges().find(size);
      if (range == run_.size_ranges().end()) continue;
      const std::int64_t number = std::get<std::int64_t>(value);
      if (number < range->second.lo || number > range->second.hi) return;
    }
    if (exactly_.insert({trial.fixed, trial.form}).second) waiting_.push_front(std::move(trial));
  }

  // What the two sides were is what a size should be, or how much larger the values.
  void follow(const ComparedSite& seen, const Config& sizes) {
    for (const double side : {seen.left, seen.right}) {
      if (side != std::floor(side) || std::fabs(side) > 1e9 || numbers_.size() >= kMostNumbers) continue;
      const auto whole = static_cast<std::int64_t>(side);
      if (!numbers_.insert(whole).second) continue;
      for (const auto& [size, range] : run_.size_ranges())
        for (const std::int64_t value : {whole, whole + 1, whole - 1}) try_size(size, value);
    }
    plant(seen.left, sizes);
    plant(seen.right, sizes);
    if (seen.left == 0 || seen.right == 0) return;
    const double ratio = std::fabs(seen.right / seen.left);
    if (!std::isfinite(ratio) || (ratio > 0.3 && ratio < 3)) return;
    for (const double scale : {1.5 * ratio, 40 * ratio, std::sqrt(ratio), 4 * std::sqrt(ratio), 0.5 * ratio})
      try_scale(scale);
  }

  /// What a value was compared with is what a value should be; and between two of them, for windows.
  void plant(double value, const Config& sizes) {
    if (!std::isfinite(value) || value == 0 || planted_.size() >= kMostPlantedValues) return;
    if (!planted_.insert(value).second) return;
    std::vector<double> values{value, value + 1, value - 1, 1.01 * value, 0.99 * value, -value};
    const auto at = planted_.find(value);
    if (at != planted_.begin()) values.push_back((*std::prev(at) + value) / 2);
    if (std::next(at) != planted_.end()) values.push_back((*std::next(at) + value) / 2);
    waiting_.push_back({sizes, "planted " + fmt::format("{}", fmt::join(values, " "))});
  }

  // A comparison that nothing reached before these values were planted: what it compares with stands behind them.
  void plant_behind(const std::string& form, const ComparedSite& seen, const Config& sizes) {
    constexpr std::size_t kFurthest = 2;
    const std::vector<double> planted = judge::planted_values(form);
    for (const double side : {seen.left, seen.right}) {
      if (!std::isfinite(side)) continue;
      for (std::size_t place = 1; place <= std::min(kFurthest, planted.size()); ++place) {
        std::vector<double> values(planted.begin(), planted.begin() + static_cast<std::ptrdiff_t>(place));
        values.push_back(side);
        waiting_.push_front({sizes, fmt::format("planted {}", fmt::join(values, " "))});
      }
    }
  }

  void try_scale(double scale) {
    if (scale < kLeastScale || scale > most_scale_) return;
    if (scales_.insert(std::lround(4 * std::log2(scale))).second)
      waiting_.push_front({{}, fmt::format("scaled {:.3g}", scale)});
  }

  /// Of the lines that no input turned those that nobody has answered for: not the contract, and not the baseline,
  /// which holds the same.
  std::vector<ComparedLines::Line> questions(const std::vector<ComparedLines::Line>& unturned) const {
    std::vector<ComparedLines::Line> open;
    for (const ComparedLines::Line& line : unturned)
      if (answer_to(line).empty()) open.push_back(line);
    return open;
  }

  std::string answer_to(const ComparedLines::Line& line) const {
    for (const auto& [piece, reason] : run_.request.realized.problem.accept)
      if (accepts(plain_line(piece), line)) return reason;
    if (is_of_the_baseline(line.function)) return "as in the baseline";
    return line.infinite && !grants_infinities() ? "only infinities or NaN would, and the contract has none" : "";
  }

  /// Each of the line's comparisons stands in the piece: not beside it, nor in a comment or another call of its name.
  static bool accepts(const std::string& piece, const ComparedLines::Line& line) {
    return std::ranges::all_of(line.positions, [&](std::size_t position) {
      for (std::size_t at = line.text.find(piece); at != std::string::npos; at = line.text.find(piece, at + 1))
        if (position == std::string::npos || (at <= position && position < at + piece.size())) return true;
      return false;
    });
  }

  /// The whole function is the baseline's, and no macro of the candidate's makes another one of it: the same line means
  /// something else where its names do.
  bool is_of_the_baseline(const std::string& function) const {
    return baseline_.contains(function) && std::ranges::none_of(own_defines_, [&](const std::string& define) {
             return has_word(function, name_defined(define));
           });
  }

  bool grants_infinities() const {
    return std::ranges::any_of(run_.request.realized.problem.arguments, [](const Argument& argument) {
      return argument.values && (argument.values->infinities || argument.values->nan);
    });
  }

  static std::string shown(const std::vector<ComparedLines::Line>& lines) {
    constexpr std::size_t kMostLines = 3, kMostShown = 60;
    std::vector<std::string> words;
    for (const ComparedLines::Line& line : lines) {
      if (words.size() == kMostLines) break;
      words.push_back(fmt::format("{}: `{}`", line.place, line.text.substr(0, kMostShown)));
    }
    return fmt::format("{}{}", fmt::join(words, "; "), lines.size() > kMostLines ? "; ..." : "");
  }

  Settled conclude() {
    const std::vector<ComparedLines::Line> one_way = lines_->one_way();
    std::size_t comparisons = 0;
    for (const ComparedLines::Line& line : one_way) comparisons += line.comparisons;
    const std::string turned = one_way.empty() ? "each" : fmt::format("{}", lines_->count() - comparisons);
    if (Settled settled =
            add({name_of(gate::comparisons), true,
                 fmt::format("{} launches at tiny sizes on the cpu device, {} of them judged; {} of its {} comparisons "
                             "went more than one way",
                             launches_, judged_, turned, lines_->count())}))
      return settled;
    if (!one_way.empty())
      add({name_of(gate::one_way), true,
           fmt::format("{} of its {} comparisons, in {}, went one way only: {}", comparisons, lines_->count(),
                       one_way.size() == 1 ? "a line" : fmt::format("{} lines", one_way.size()), shown(one_way)),
           false});
    return conclude_unreached();
  }

  Settled conclude_unreached() {
    const std::vector<ComparedLines::Line> unturned = lines_->unturned();
    const std::vector<ComparedLines::Line> open = questions(unturned);
    if (!open.empty() && !searched_enough())
      return add({name_of(gate::unreached), true,
                  fmt::format("not checked: {} launches in {:.0f} s are too few to say that no input turns {}",
                              launches_, awake_seconds() - begin_s_, shown(open)),
                  false});
    if (!open.empty())
      return add({name_of(gate::unreached), false,
                  fmt::format(
                      "no input turned what these lines compare, and what follows it was never run: {}. Remove it, or, "
                      "if no input of the domain can turn it, let kernel.lua say so: accept = {{ [\"{}\"] = \"why\" }}",
                      shown(open), open.front().text)});
    std::vector<std::string> answers;
    for (const ComparedLines::Line& line : unturned)
      answers.push_back(fmt::format("{}: `{}` ({})", line.place, line.text, answer_to(line)));
    return add({name_of(gate::unreached), true,
                answers.empty() ? "inputs turned every comparison of what follows from them"
                                : fmt::format("no input turned {}", fmt::join(answers, "; "))});
  }

  EvaluationRun& run_;  // only read
  Runner runner_;
  std::deque<Runner> runners_beside_;
  JudgeProcess judge_;
  WorkerPool pool_;
  ComparisonFindings found_;
  std::mt19937_64 chance_;
  std::string build_;
  Artifact artifact_;
  std::optional<ComparedLines> lines_;
  std::set<std::string> baseline_;  // its functions
  std::set<std::string> baseline_defines_, own_defines_;
  double begin_s_ = 0;
  double crowd_ = processes_per_core();
  std::size_t launches_ = 0, judged_ = 0, barren_ = 0;
  int revealing_ = 0;
  std::deque<Trial> waiting_;
  std::vector<Trial> telling_;                             // each reached something that was new
  std::map<std::uint64_t, Reached> reached_;               // by site, where it last was new
  std::map<std::uint64_t, std::vector<Reached>> seen_at_;  // by site
  std::set<std::uint64_t> approached_;
  std::set<std::pair<Config, std::string>> exactly_;  // tried with all their sizes
  std::set<std::pair<std::string, std::int64_t>> sizes_tried_;
  std::set<std::int64_t> numbers_;
  std::set<long> scales_;
  double most_scale_ = kMostScale;
  std::set<double> planted_;
};

/// Whose workers it is that try it; null where nothing is tried, said in `why`.
WorkerPool* pool_of(EvaluationRun& run, std::string& why) {
  why = "not tried: times of emulation make no winner";
  if (run.workers.native()) return run.workers.device.predicts.empty() ? nullptr : &run.workers;
  why = "not tried: there is no cpu device for it";
  return run.settings.preflight == nullptr ? nullptr : &run.settings.preflight->workers();
}

}  // namespace

ComparisonSearch::ComparisonSearch(EvaluationRun& run) : run_(run) {
  std::string why;
  WorkerPool* pool = pool_of(run, why);
  if (const std::string& builder = run.request.realized.build.builder; !builder.empty()) {
    pool = nullptr;
    why = "not checked: '" + builder + "' builds nothing whose comparisons can be followed";
  }
  // The points are asked for here: scripts that find them answer one thread.
  if (pool == nullptr || !run.tiny_at() || has_library_step(run.request.realized.plan)) {
    found_.rows.push_back({name_of(gate::comparisons), true, why, false});
    return;
  }
  under_way_ = std::async(run.workers.native() ? std::launch::deferred : std::launch::async, [this, pool] {
    return DirectedSearch(run_, *pool, [this, pool] { return ended_ || (pool->stop && pool->stop()); }).search();
  });
}

ComparisonSearch::~ComparisonSearch() {
  ended_ = true;
}

Settled ComparisonSearch::finish() {
  const Charge charge(run_.evaluation.cost.gates_s);
  if (under_way_.valid()) found_ = under_way_.get();
  for (GateResult& row : found_.rows) run_.add(std::move(row), false);
  run_.evaluation.failed_twice = run_.evaluation.failed_twice || found_.failed_twice;
  return found_.settled;
}

}  // namespace harness
