#include "harness/evaluate/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/core/abandon.h"
#include "harness/core/accuracy.h"
#include "harness/core/error.h"
#include "harness/core/floor.h"
#include "harness/evaluate/gates.h"
#include "harness/evaluate/measure.h"
#include "harness/evaluate/stages.h"
#include "harness/evaluate/statistics.h"
#include "harness/evaluate/timed_calls.h"
#include "harness/judge/plausibility.h"
#include "harness/judge/policy.h"
#include "harness/judge/tolerance.h"
#include "harness/judge/verdict.h"
#include "harness/system/files.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

// Draws that timing takes turns with where inputs are structured, so that a device cannot draw them anew by itself; of
// large ones two, which already exceed any L2.
constexpr std::size_t kTimingDraws = 3, kLargeTimingDraws = 2;
constexpr std::int64_t kLargeImage = 64 << 20;
// Timed calls of each CallKind whose results the judge sees.
constexpr std::size_t kJudgedInSearch = 1, kJudgedOfFinalist = 3;
// All memory checkers of a finalist together, seconds.
constexpr double kMemoryCheckSeconds = 40;
// And of a candidate that is wrong or crashed, while searching and for a finalist.
constexpr double kExplainSeconds = 5, kExplainFinalistSeconds = 20;

std::size_t random_below(std::size_t n) {
  return static_cast<std::size_t>(fresh_seed() % n);
}

// A small point of the domain tells a memory checker as much as the timed size in a hundredth of the time. From a
// middle one by work (the largest of the small ones where instrumented code is not emulated) up to the first that has
// twice as many blocks as the device holds at once: only then are blocks given places that others have left.
const Realized& place_of_memory_check(const std::vector<Realized>& all, const Realized& otherwise,
                                      const DeviceInfo& device) {
  constexpr double kSmallWork = 2.5e7;
  std::vector<const Realized*> sorted;
  for (const Realized& each : all) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const Realized* a, const Realized* b) {
    return amount_of(a->problem.work) < amount_of(b->problem.work);
  });
  if (sorted.empty()) return otherwise;
  const auto large = std::partition_point(
      sorted.begin(), sorted.end(), [](const Realized* each) { return amount_of(each->problem.work) <= kSmallWork; });
  const std::size_t small = static_cast<std::size_t>(large - sorted.begin());
  const std::size_t from = device.emulation ? small / 2 : small == 0 ? 0 : small - 1;
  const auto filling = std::find_if(
      sorted.begin() + static_cast<std::ptrdiff_t>(from), sorted.end(),
      [&](const Realized* each) { return fills_device_twice(each->plan, device.multiprocessors, device.emulation); });
  return filling == sorted.end() ? *sorted[from] : **filling;
}

const std::string& stealthy(const std::vector<std::string>& forms) {
  const auto found = std::find(forms.begin(), forms.end(), "few spikes");
  return found == forms.end() ? forms.front() : *found;
}

template <typename Kind>
bool has_step(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& step) { return std::holds_alternative<Kind>(step); });
}

bool has_library_step(const Plan& plan) {
  return has_step<LibraryCall>(plan);
}

bool has_launch(const Plan& plan) {
  return has_step<Launch>(plan);
}

bool is_unsupported(const std::optional<RunnerFailure>& failure) {
  return failure && failure->kind == RunnerFailure::Kind::unsupported;
}

double largest_error(const Verdict& verdict) {
  double largest = 0;
  for (const ArgumentError& error : verdict.errors) largest = std::max(largest, error.relative_l2);
  return largest;
}

// The artifact of the same machine code for another shape: only the plan and the memory differ.
// Whether every input that is drawn can be drawn anew by a device.
bool draws_by_itself(const Subject& subject) {
  return std::ranges::all_of(subject.problem().arguments, [&](const Argument& a) {
    const bool drawn = (a.kind == ArgumentKind::input || a.kind == ArgumentKind::inout) && !a.absent;
    return !drawn || find_buffer(subject.executable.layout, a.name)->draw.has_value();
  });
}

std::size_t timing_draws(const Subject& subject) {
  if (draws_by_itself(subject)) return 1;
  return subject.executable.layout.bytes > kLargeImage ? kLargeTimingDraws : kTimingDraws;
}

std::vector<Contender> contenders_of(std::vector<Subject*> subjects) {
  std::vector<Contender> contenders;
  for (const Subject* subject : subjects) {
    Contender contender{&subject->executable, {}, {}};
    for (const SharedMemory& image : subject->images) contender.images.push_back(&image);
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

}  // namespace

Limits default_limits(const DeviceInfo& device) {
  Limits limits;
  if (device.emulation) {
    limits.search = {.noise = 0.05, .max_s = 0.3, .burst_s = 0, .pause_s = 0, .min_samples = 6, .cold = false};
    limits.confirm = {.noise = 0.02, .max_s = 1.0, .burst_s = 0, .pause_s = 0, .min_samples = 12, .cold = false};
    return limits;
  }
  limits.run_s = 5;
  limits.search = {.noise = 0.005, .max_s = 0.15, .burst_s = 0.02, .pause_s = 0.005, .min_samples = 12, .cold = true};
  limits.confirm = {.noise = 0.002, .max_s = 1.0, .burst_s = 0.02, .pause_s = 0.02, .min_samples = 30, .cold = true};
  return limits;
}

EvaluationRun::EvaluationRun(const EvaluationRequest& request, RunSettings settings, WorkerPool& workers)
    : request_(request), settings_(std::move(settings)), workers_(workers) {
  suspect_.realized = &request_.realized;
  evaluation_.contract_hash = request.realized.problem.contract_hash;
  evaluation_.source_hash = request.realized.source_hash;
  evaluation_.source_text = request.realized.build.source;
}

Evaluation EvaluationRun::finish() {
  const double begin = steady_seconds();
  try {
    evaluation_.outcome = steps();
    explain(evaluation_.outcome);
  } catch (const InterruptedWork&) {
    evaluation_.outcome = Interrupted{};
  }
  workers_.judge.forget();
  evaluation_.cost.wall_s = steady_seconds() - begin;
  return std::move(evaluation_);
}

Outcome EvaluationRun::steps() {
  if (Settled settled = gate_source()) return *settled;
  if (Settled settled = build()) return *settled;
  if (Settled settled = gate_artifact()) return *settled;
  if (Settled settled = gate_preflight()) return *settled;
  // From here on a GPU is this process's alone: a launch of anybody else's would show in a timing.
  const std::optional<DeviceLock::Hold> hold = workers_.native() ? std::nullopt : workers_.hold_device();
  if (Settled settled = prepare()) return *settled;
  if (Settled settled = gate_launch()) return *settled;
  if (Settled settled = gate_determinism()) return *settled;
  if (Settled settled = gate_forms()) return *settled;
  Timing timing;
  if (!request_.gates_only) {
    if (Settled settled = measure(timing)) return *settled;
    if (Settled settled = gate_after_timing()) return *settled;
    if (Settled settled = gate_plausibility(timing)) return *settled;
  }
  if (request_.confirm)
    if (Settled settled = gate_memory()) return *settled;
  if (request_.stages) try_stages_of(request_.realized, subject_.trusted, "nominal");
  return Passed{timing};
}

EvaluationRun::Settled EvaluationRun::add(GateResult gate, bool refuses) {
  const bool failed = !gate.passed;
  evaluation_.gates.push_back(std::move(gate));
  const GateResult& added = evaluation_.gates.back();
  if (failed && refuses) return Rejected{added.name, added.detail};
  return std::nullopt;
}

// ---- what can be said before anything runs

EvaluationRun::Settled EvaluationRun::gate_source() {
  const Charge charge(evaluation_.cost.gates_s);
  if (!settings_.unconfined.empty()) add({"confinement", true, settings_.unconfined, false});
  std::vector<judge::PolicyFlag> flags;
  for (const SourceFile& file : request_.realized.sources)
    for (judge::PolicyFlag& flag : judge::scan_source(file.name, file.text)) flags.push_back(std::move(flag));
  return add(judge::policy_gate(flags, request_.realized.problem.policy, settings_.policy_refuses));
}

EvaluationRun::Settled EvaluationRun::build() {
  const Charge charge(evaluation_.cost.build_s);
  workers_.announce_trusted(request_.realized);
  for (const Realized& neighbour : request_.neighbours) workers_.announce_trusted(neighbour);
  if (settings_.preflight != nullptr && request_.preflight) settings_.preflight->announce(*request_.preflight);
  const BuildResult result = workers_.await(request_.realized.build);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    evaluation_.log = failure->log;
    add({"compile", false, "see the compiler's log"}, false);
    return CompileError{failure->log};
  }
  artifact_ = std::get<Artifact>(result);
  evaluation_.log = artifact_.log;
  evaluation_.compiler = artifact_.compiler;
  evaluation_.from_cache = artifact_.from_cache;
  evaluation_.resources = heaviest_entry(artifact_);
  evaluation_.binary_hash = binary_identity(artifact_, request_.realized.plan);
  add({"compile", true, artifact_.compiler + (artifact_.from_cache ? ", from the cache" : "")});
  if (!artifact_.notes.empty())  // nothing is refused for them: the clock decides
    add({"compiler-notes", true, fmt::format("{}", fmt::join(artifact_.notes, "; "))});
  return std::nullopt;
}

EvaluationRun::Settled EvaluationRun::gate_artifact() {
  const Charge charge(evaluation_.cost.gates_s);
  const Problem& problem = request_.realized.problem;
  if (!artifact_.listing.empty()) {
    GateResult listing = judge::policy_gate(judge::scan_ptx("PTX", read_file_if_any(artifact_.listing).value_or("")),
                                            problem.policy, settings_.policy_refuses);
    listing.name = "source-policy:ptx";
    if (Settled settled = add(std::move(listing))) return settled;
  }
  if (request_.confirm)
    if (Settled settled = gate_machine_code()) return settled;
  if (Settled settled = add(check_entries(request_.realized.plan, artifact_))) return settled;
  if (Settled settled = add(check_arguments(request_.realized, artifact_))) return settled;
  if (add(check_resources(request_.realized, artifact_, workers_.device)))
    return LaunchError{evaluation_.gates.back().detail};
  if (Settled settled = add(check_state(artifact_, problem, settings_.policy_refuses))) return settled;
  if (request_.recorded_with)
    if (const std::int64_t same = request_.recorded_with(evaluation_.binary_hash); same > 0) return NoEffect{same};
  subject_ = workers_.make_subject(request_.realized, artifact_, request_.admission);
  const std::int64_t limit = workers_.device.memory_bytes / 4;
  if (limit > 0 && subject_.executable.layout.bytes > limit)
    return OutOfMemory{fmt::format("its buffers take {} bytes; at most {} (a quarter of the device's memory) are given",
                                   subject_.executable.layout.bytes, limit)};
  return std::nullopt;
}

// A finalist's: a disassembler takes tenths of a second, and what it finds stood in the PTX before.
EvaluationRun::Settled EvaluationRun::gate_machine_code() {
  const Disassembly code = workers_.kind.disassemble(artifact_);
  if (!code.why.empty()) return add({"source-policy:sass", true, "not checked: " + code.why, false});
  if (code.text.empty()) return std::nullopt;
  GateResult gate = judge::policy_gate(judge::scan_sass("SASS", code.text), request_.realized.problem.policy,
                                       settings_.policy_refuses);
  gate.name = "source-policy:sass";
  return add(std::move(gate));
}

EvaluationRun::Settled EvaluationRun::gate_preflight() {
  if (settings_.preflight == nullptr) return std::nullopt;
  const Charge charge(evaluation_.cost.gates_s);
  if (!request_.preflight) {
    add({"preflight", true, "no small point of the domain on the cpu device allows this candidate", false});
    return std::nullopt;
  }
  const PreflightResult result = settings_.preflight->check(*request_.preflight, request_.admission, request_.confirm);
  add(result.gate, false);
  return result.settled;
}

// ---- launches that are judged

EvaluationRun::Settled EvaluationRun::prepare() {
  const Charge charge(evaluation_.cost.gates_s);
  subject_.trusted = workers_.build_trusted(request_.realized);
  paint(subject_, 0);
  std::vector<Subject*> subjects{&subject_};
  if (request_.admission != nullptr) {
    neighbours_.reserve(request_.neighbours.size());
    for (const Realized& realized : request_.neighbours) {
      Subject& subject = neighbours_.emplace_back(workers_.make_subject(realized, artifact_, request_.admission));
      subject.trusted = workers_.build_trusted(realized);
      subject.images.emplace_back(subject.image_bytes());
      subject.draws.resize(1);
    }
    for (Subject& subject : neighbours_) subjects.push_back(&subject);
  }
  if (workers_.native()) {
    subject_.images.emplace_back(subject_.image_bytes());  // timed runs change addresses, too
    subject_.draws.resize(2);
    workers_.runner.kill();  // native code: a process per candidate
  }
  const double limit = workers_.limits.run_s;
  if (auto failure = workers_.runner.prepare(contenders_of(subjects), limit))
    return to_outcome(*failure, "launch", limit);
  return std::nullopt;
}

EvaluationRun::Settled EvaluationRun::gate_launch() {
  const Charge charge(evaluation_.cost.gates_s);
  const double begin = steady_seconds();
  const Launched launched = launch_and_judge(workers_, subject_, 0, 0, deadline());
  if (launched.failure) return to_outcome(*launched.failure, "launch", deadline());
  launch_s_ = std::min(launched.seconds, steady_seconds() - begin);
  first_outputs_ = output_bytes(subject_, 0);
  for (const GateResult& gate : launched.verdict.gates) evaluation_.gates.push_back(gate);
  evaluation_.errors = launched.verdict.errors;
  if (launched.verdict.passed()) return std::nullopt;
  return wrong(launched, subject_, "");
}

EvaluationRun::Settled EvaluationRun::gate_determinism() {
  const Charge charge(evaluation_.cost.gates_s);
  if (!subject_.problem().deterministic)
    return add({"determinism", true, "the contract allows the bits to differ from launch to launch", false});
  workers_.repaint(subject_, 0);
  if (auto failure = workers_.runner.run(0, 0, deadline())) return to_outcome(*failure, "launch", deadline());
  const std::string difference = difference_in_words(subject_, first_outputs_, output_bytes(subject_, 0));
  if (difference.empty()) return add({"determinism", true, "a second launch on the same inputs gave the same bits"});
  add({"determinism", false, "a second launch on the same inputs: " + difference}, false);
  return WrongAnswer{
      "determinism: a second launch on the same inputs gave other bits (a race, or memory that nobody "
      "wrote): " +
          difference,
      std::nullopt, "determinism: changes from run to run"};
}

// Every admitted form of the inputs, at points of the domain that are not timed; a finalist meets them at the timed
// size as well, and plain inputs at every neighbour.
EvaluationRun::Settled EvaluationRun::gate_forms() {
  if (request_.admission == nullptr) return std::nullopt;
  const Charge charge(evaluation_.cost.gates_s);
  if (const std::string words = in_words(subject_.problem().forms); !words.empty()) add({"forms", true, words, false});
  const std::vector<std::string> forms =
      admitted_forms(*request_.admission, workload_group(subject_.problem().workload));
  const std::size_t count = neighbours_.size();
  const std::size_t launches = std::max(forms.size() - 1, count);
  for (std::size_t i = 0; i < launches; ++i) {
    // Forms beyond "nominal" first; neighbours beyond them see plain inputs and, what is hardest to notice, few spikes.
    const std::string& form = i + 1 < forms.size() ? forms[i + 1] : i % 2 == 0 ? forms[0] : stealthy(forms);
    const std::size_t chosen = count > 0 ? neighbour_for(form, i % count) : 0;
    Subject& subject = count > 0 ? neighbours_[chosen] : subject_;
    const std::string place = count > 0 ? subject.problem().workload.name : "the timed size";
    if (Settled settled = judge_form(subject, count > 0 ? chosen + 1 : 0, form, place)) return settled;
  }
  if (!judged_.empty()) add(sizes_judged());
  if (count > 0 && !request_.confirm) {
    // Lost precision shows where honest errors are smallest: on plain inputs and short sums.
    const std::size_t chosen = strictest_neighbour();
    Subject& subject = neighbours_[chosen];
    return judge_form(subject, chosen + 1, forms[0], subject.problem().workload.name);
  }
  if (!request_.confirm || count == 0) return std::nullopt;
  // Hostile forms find what is grossly wrong; a part of the work that is left out at long sizes shows on plain inputs.
  for (std::size_t i = 0; i < count; ++i)
    if (Settled settled = judge_form(neighbours_[i], i + 1, forms[0], neighbours_[i].problem().workload.name))
      return settled;
  const bool large = is_large(subject_.executable.layout);
  for (std::size_t i = 1; i < forms.size(); ++i) {
    if (large && !is_tried_at_large_sizes(forms[i])) continue;
    if (Settled settled = judge_form(subject_, 0, forms[i], "the timed size")) return settled;
  }
  return std::nullopt;
}

// The neighbour at `turn`, or the next one that is small enough for this form.
std::size_t EvaluationRun::neighbour_for(const std::string& form, std::size_t turn) const {
  const std::size_t count = neighbours_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t chosen = (turn + i) % count;
    if (is_tried_at_large_sizes(form) || !is_large(neighbours_[chosen].executable.layout)) return chosen;
  }
  return turn;
}

// Where the least error is allowed on plain inputs, few elements counting as they do in a comparison.
std::size_t EvaluationRun::strictest_neighbour() const {
  const auto allowed = [](const Problem& problem) {
    double error = 0;
    for (const Argument& a : problem.arguments) {
      if (!is_written(a.kind) || a.absent || !is_floating(a.dtype)) continue;
      const double few =
          1 + judge::kFewElements / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, count_elements(a))));
      error = std::max(error, few * typical_error(accuracy_of(problem, a), a.dtype));
    }
    return error;
  };
  const auto strictest =
      std::ranges::min_element(request_.neighbours, {}, [&](const Realized& each) { return allowed(each.problem); });
  return static_cast<std::size_t>(strictest - request_.neighbours.begin());
}

// What the gates have seen beside the timed size. Decides nothing: a domain may have no point beyond it, or none that
// can be judged in time.
GateResult EvaluationRun::sizes_judged() const {
  const auto neighbour = [&](std::size_t contender) -> const Realized& { return request_.neighbours[contender - 1]; };
  const Realized* largest = &neighbour(*judged_.begin());
  for (const std::size_t contender : judged_)
    if (amount_of(neighbour(contender).problem.work) > amount_of(largest->problem.work))
      largest = &neighbour(contender);
  const double times = amount_of(largest->problem.work) / std::max(1.0, amount_of(request_.realized.problem.work));
  return {"sizes", true,
          fmt::format("judged at {} other sizes; the largest, {}, has {:.3g} times the work of the timed one{}",
                      judged_.size(), largest->problem.workload.name, times,
                      times > 1 ? "" : ": nothing beyond the timed size is judged"),
          times > 1};
}

EvaluationRun::Settled EvaluationRun::judge_form(Subject& subject, std::size_t contender, const std::string& form,
                                                 const std::string& place) {
  paint(subject, 0, form);
  const Problem nominal = subject.executable.problem;
  const Realized& realized = contender == 0 ? request_.realized : request_.neighbours[contender - 1];
  suspect_ = {&realized, form};
  if (contender > 0) judged_.insert(contender);
  const double limit = contender == 0 ? deadline() : deadline() + seconds_at(realized);
  subject.executable.problem = with_tolerances(realized.problem, request_.admission, form);
  const Launched launched = launch_and_judge(workers_, subject, contender, 0, limit);
  subject.executable.problem = nominal;
  const std::string where = fmt::format("at {}, seed {}", place, subject.draws[0].seed);
  const std::string name = form == "nominal" ? "shape" : "form:" + form;
  if (contender > 0 && is_unsupported(launched.failure) && has_library_step(realized.plan))
    return judge_form_here(form, name, where + ": " + launched.failure->detail);
  if (launched.failure) {
    add({name, false, where + ": the launch failed"}, false);
    RunnerFailure failure = *launched.failure;
    failure.detail += fmt::format(" ({} {})", name, where);
    return to_outcome(failure, "launch", limit);
  }
  if (launched.verdict.passed()) return add({name, true, where + ": " + errors_in_words(launched.verdict)});
  const GateResult& failed = *first_failed(launched.verdict.gates);
  add({name, false, fmt::format("{}: {}: {}", where, failed.name, failed.detail)}, false);
  return wrong(launched, subject, fmt::format("{} {}: ", name, where));
}

// A library offers so many engines for one shape and fewer for another: where it has none, nothing is judged, and the
// form is met at the timed size instead.
EvaluationRun::Settled EvaluationRun::judge_form_here(const std::string& form, const std::string& name,
                                                      const std::string& why) {
  add({name, true, "not tried " + why, false});
  if (form == "nominal" || (is_large(subject_.executable.layout) && !is_tried_at_large_sizes(form)))
    return std::nullopt;
  return judge_form(subject_, 0, form, "the timed size");
}

EvaluationRun::Settled EvaluationRun::gate_after_timing() {
  const Charge charge(evaluation_.cost.gates_s);
  paint(subject_, 0);
  // The very process that was timed is judged: code that works once a process, or that answered before it had worked,
  // is found out.
  const Launched launched = launch_and_judge(workers_, subject_, 0, 0, deadline());
  if (launched.failure) return to_outcome(*launched.failure, "launch", deadline());
  for (GateResult gate : launched.verdict.gates) {
    gate.name += " after timing";
    evaluation_.gates.push_back(std::move(gate));
  }
  if (launched.verdict.passed()) return std::nullopt;
  return wrong(launched, subject_, "after timing: ");
}

EvaluationRun::Settled EvaluationRun::wrong(const Launched& launched, Subject& subject, const std::string& where) {
  const GateResult& failed = *first_failed(launched.verdict.gates);
  std::string message = where + failed.name + ": " + failed.detail;
  if (!launched.verdict.pattern.empty()) message += "; " + launched.verdict.pattern;
  if (const std::string tiles = in_tiles(launched.verdict.pattern, request_.realized.candidate.config); !tiles.empty())
    message += " [" + tiles + "]";
  if (&subject == &subject_ && where.empty())
    if (const std::string words = diagnosis(launched); !words.empty()) message += "; " + words;
  const Realized& realized = &subject == &subject_
                                 ? request_.realized
                                 : request_.neighbours[static_cast<std::size_t>(&subject - neighbours_.data())];
  if (const std::string words = try_stages_of(realized, subject.trusted, subject.draws[0].form); !words.empty())
    message += "; " + words;
  return WrongAnswer{message, launched.verdict.first_bad, judge::fingerprint(launched.verdict)};
}

// Tells before what is wrong why it is: a checker sees the missing barrier behind a NaN. Crashes that name their place
// need none.
void EvaluationRun::explain(Outcome& outcome) {
  auto* const wrong = std::get_if<WrongAnswer>(&outcome);
  auto* const crashed = std::get_if<Crashed>(&outcome);
  const bool unexplained = wrong != nullptr || (crashed != nullptr && (crashed->kind == CrashKind::illegal_access ||
                                                                       crashed->kind == CrashKind::signal ||
                                                                       crashed->kind == CrashKind::unknown));
  const bool by_preflight = std::ranges::any_of(
      evaluation_.gates, [](const GateResult& gate) { return gate.name == "preflight" && !gate.passed; });
  if (!unexplained || by_preflight || request_.gates_only || has_library_step(request_.realized.plan)) return;
  const Charge charge(evaluation_.cost.gates_s);
  std::string& message = wrong != nullptr ? wrong->message : crashed->detail;
  const GateResult* const failed = first_failed(evaluation_.gates);
  const std::string symptom = request_.realized.source_hash + (failed == nullptr ? " crash" : " " + failed->name);
  std::string said;
  if (settings_.explanations != nullptr && settings_.explanations->contains(symptom) && !request_.confirm) {
    said = settings_.explanations->at(symptom);
    if (!said.empty()) said = "another configuration of this source " + said;
  } else {
    said = ask_checkers().value_or("");
    if (settings_.explanations != nullptr) (*settings_.explanations)[symptom] = said;
  }
  // Evidence, and no gate: what failed is told by another row, or by the outcome.
  add({"explained", true, said.empty() ? "no memory checker found why" : said, false}, false);
  if (!said.empty()) message = "memory checker " + said + "; " + message;
}

std::optional<std::string> EvaluationRun::ask_checkers() {
  const double seconds = request_.confirm ? kExplainFinalistSeconds : kExplainSeconds;
  std::vector<CheckedPlace> places;
  if (suspect_.realized == &request_.realized && !request_.neighbours.empty())  // where it takes less
    places.push_back({&place_of_memory_check(request_.neighbours, request_.realized, workers_.device), suspect_.form});
  places.push_back(suspect_);
  if (workers_.native()) return explain_by_checker(workers_, places, request_.admission, seconds);
  if (settings_.preflight != nullptr && request_.preflight)
    if (auto said = settings_.preflight->explain(*request_.preflight, request_.admission, seconds)) return said;
  const auto hold = workers_.hold_device();
  return explain_by_checker(workers_, {suspect_}, request_.admission, seconds);
}

// A wrong answer at the timed size: does it change from run to run, and what do the points where it is right share?
std::string EvaluationRun::diagnosis(const Launched& launched) {
  std::string words;
  workers_.repaint(subject_, 0);
  if (workers_.runner.run(0, 0, deadline())) return words;
  if (!difference_in_words(subject_, first_outputs_, output_bytes(subject_, 0)).empty())
    words = "changes from run to run (a race, or memory that nobody wrote)";
  std::vector<Observation> observations{{subject_.problem().workload.values, false, largest_error(launched.verdict)}};
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    paint(neighbours_[i], 0);
    const Launched other =
        launch_and_judge(workers_, neighbours_[i], i + 1, 0, deadline() + seconds_at(request_.neighbours[i]));
    if (other.failure) return words;
    observations.push_back({neighbours_[i].problem().workload.values, other.passed(), largest_error(other.verdict)});
  }
  const std::string shared = diagnose(observations, request_.realized.candidate.config);
  if (!shared.empty()) words += (words.empty() ? "" : "; ") + shared;
  return words;
}

// Where in a candidate of several launches it begins to go wrong. Gates of their own in the record; they decide
// nothing.
std::string EvaluationRun::try_stages_of(const Realized& realized, const JudgeProcess::Trusted& trusted,
                                         const std::string& form) {
  std::string words;
  if (realized.stages.parts.empty()) return words;
  for (const StageResult& result :
       try_stages(workers_, realized, artifact_, request_.admission, trusted, form, deadline())) {
    add({"stage:" + result.name, result.right, result.detail, result.checked}, false);
    const char* const found = !result.checked ? "not checked" : result.right ? "right" : "wrong";
    words += fmt::format("{}{} {} ({})", words.empty() ? "stages alone: " : ", ", result.name, found, result.detail);
  }
  return words;
}

void EvaluationRun::paint(Subject& subject, std::size_t image, const std::string& form) {
  workers_.paint(subject, image, form);
  evaluation_.seeds.push_back(subject.draws[image].seed);
}

double EvaluationRun::deadline() const {
  const auto best = request_.incumbent ? std::optional(request_.incumbent->time_ns) : request_.baseline_ns;
  constexpr double kImageBytesPerSecond = 1e9;  // to the device and back, at the least
  constexpr double kLibraryBuildSeconds = 10;   // cuDNN compiles when it meets a shape for the first time
  return run_deadline(workers_.limits, best) + static_cast<double>(subject_.image_bytes()) / kImageBytesPerSecond +
         (has_library_step(request_.realized.plan) ? kLibraryBuildSeconds : 0);
}

// What a launch at another point of the domain may take beside the deadline of the timed size: the point may be larger.
double EvaluationRun::seconds_at(const Realized& point) const {
  const double amount = amount_of(point.problem.work);
  if (!workers_.device.emulation) return amount * 1e-10;
  // As much more of what this candidate took as there is more to do: one that is slow everywhere is not to blame.
  constexpr double kRoom = 4, kLongest = 60;
  const double timed = amount_of(subject_.problem().work);
  const double its_own = timed > 0 ? kRoom * launch_s_ * amount / timed : 0;
  return std::min(workers_.limits.run_s, amount * 5e-8 + static_cast<double>(launched_threads(point.plan)) * 2e-6) +
         std::min(kLongest, its_own);
}

// ---- timing

std::optional<Subject> EvaluationRun::incumbent_subject() {
  if (!request_.incumbent) return std::nullopt;
  const BuildResult result = workers_.await(request_.incumbent->realized.build);
  const auto* artifact = std::get_if<Artifact>(&result);
  if (artifact == nullptr) return std::nullopt;  // its cache entry went and it no longer builds: time alone
  Subject subject = workers_.make_subject(request_.incumbent->realized, *artifact, request_.admission);
  subject.trusted = subject_.trusted;
  return subject;
}

EvaluationRun::Settled EvaluationRun::measure(Timing& timing) {
  const Charge charge(evaluation_.cost.timing_s);
  std::optional<Subject> incumbent = incumbent_subject();
  const auto hold = workers_.hold_device();
  // On the cpu device compilers would take the cores that are timed.
  const auto quiet = workers_.native() ? workers_.builders.pause_speculative() : nullptr;
  TimingPolicy policy = request_.confirm ? workers_.limits.confirm : workers_.limits.search;
  if (!request_.confirm) policy.abandon_factor = request_.abandon_factor;
  std::vector<Samples> samples;
  Subject* other = incumbent ? &*incumbent : nullptr;
  const Settled settled =
      workers_.native() ? measure_by_turns(other, policy, samples) : measure_on_device(other, policy, samples);
  if (settled) return settled;
  timing = describe(samples);
  if (samples.size() > 1 && clearly_slower(samples[0].rotating_ns, samples[1].rotating_ns, policy.abandon_factor))
    return Abandoned{abandon_threshold(samples[1].rotating_ns, policy.abandon_factor), timing.time_ns};
  return gate_timed_calls(samples[0]);
}

EvaluationRun::Settled EvaluationRun::measure_on_device(Subject* incumbent, const TimingPolicy& policy,
                                                        std::vector<Samples>& samples) {
  std::vector<Subject*> subjects{&subject_};
  if (incumbent != nullptr) subjects.push_back(incumbent);
  for (Subject* subject : subjects) {
    for (std::size_t i = 0; i < timing_draws(*subject); ++i) {
      if (subject == &subject_) paint(*subject, i);
      else workers_.paint(*subject, i);
    }
  }
  std::vector<Contender> contenders = contenders_of(subjects);
  timed_places_.clear();
  for (std::size_t i = 0; i < 3 * (request_.confirm ? kJudgedOfFinalist : kJudgedInSearch); ++i)
    timed_places_.emplace_back(subject_.image_bytes());
  for (const SharedMemory& place : timed_places_) contenders[0].places.push_back(&place);
  // Besides the policy's time: at least some thirty launches of each contender, cold and warm ones included, and as
  // many again whose results are compared with theirs.
  const double limit = workers_.limits.run_s + policy.max_s * 8 + 120 * launch_s_;
  if (auto failure = workers_.runner.prepare(contenders, workers_.limits.run_s))
    return to_outcome(*failure, "timing", workers_.limits.run_s);
  const auto failure = workers_.runner.time(policy, limit, samples);
  if (!failure) return std::nullopt;
  // A candidate is not blamed for its incumbent: only what it does alone counts.
  if (incumbent != nullptr && failure->kind != RunnerFailure::Kind::interrupted)
    return measure_on_device(nullptr, policy, samples);
  return to_outcome(*failure, "timing", limit);
}

// Before every timed run the image gets other inputs, fresh poison and clean workspaces, at one of two addresses; what
// one of the runs left, chosen as they go by so that nobody can know which, is judged.
EvaluationRun::Settled EvaluationRun::measure_by_turns(Subject* incumbent, const TimingPolicy& policy,
                                                       std::vector<Samples>& samples) {
  Runner second(workers_.target, workers_.stop);
  std::vector<std::vector<std::byte>> pristine(kTimingDraws);
  std::vector<DrawId> draws;
  for (auto& bytes : pristine) {
    paint(subject_, 0);
    draws.push_back(subject_.draws[0]);
    bytes.assign(subject_.images[0].bytes().begin(), subject_.images[0].bytes().end());
  }
  std::vector<Turns> turns;
  std::size_t drawn = 0, runs = 0;
  turns.push_back({&workers_.runner,
                   [&] {
                     const std::size_t image = random_below(subject_.images.size());
                     drawn = random_below(pristine.size());
                     std::memcpy(subject_.images[image].bytes().data(), pristine[drawn].data(), pristine[drawn].size());
                     return image;
                   },
                   [&](std::size_t image) {
                     if (random_below(++runs) != 0) return;
                     const auto bytes = subject_.images[image].bytes();
                     timed_copy_.assign(bytes.begin(), bytes.end());
                     timed_draw_ = draws[drawn];
                   }});
  std::vector<std::byte> other;
  if (incumbent != nullptr) {
    workers_.paint(*incumbent, 0);
    const auto bytes = incumbent->images[0].bytes();
    other.assign(bytes.begin(), bytes.end());
    if (!second.prepare(contenders_of({incumbent}), workers_.limits.run_s))  // else it is timed alone
      turns.push_back({&second,
                       [&other, incumbent] {
                         std::memcpy(incumbent->images[0].bytes().data(), other.data(), other.size());
                         return std::size_t{0};
                       },
                       [](std::size_t) {}});
  }
  const auto trouble = time_by_turns(turns, policy, deadline(), samples);
  if (!trouble) return std::nullopt;
  if (trouble->contender == 0) return to_outcome(trouble->failure, "timing", deadline());
  return measure_by_turns(nullptr, policy, samples);  // the incumbent's fault is not this candidate's
}

EvaluationRun::Settled EvaluationRun::gate_timed_calls(const Samples& samples) {
  const Charge charge(evaluation_.cost.gates_s);
  if (workers_.native()) {
    const SharedMemory evidence(timed_copy_.size());
    std::memcpy(evidence.bytes().data(), timed_copy_.data(), timed_copy_.size());
    return judge_timed_call("timed-launch", timed_draw_, evidence);
  }
  if (add(check_twice(samples.twice))) {
    const GateResult& failed = evaluation_.gates.back();
    return WrongAnswer{failed.name + ": " + failed.detail, std::nullopt, failed.name};
  }
  if (Settled settled = add(check_times(samples))) return settled;
  for (const KeptCall& kept : samples.kept) {
    DrawId draw = subject_.draws.at(static_cast<std::size_t>(kept.image));
    draw.fresh = kept.seeds;
    if (Settled settled = judge_timed_call(fmt::format("timed-launch:{}", name(kept.kind)), draw,
                                           timed_places_.at(static_cast<std::size_t>(kept.place))))
      return settled;
  }
  return std::nullopt;
}

EvaluationRun::Settled EvaluationRun::judge_timed_call(const std::string& gate, const DrawId& draw,
                                                       const SharedMemory& left) {
  Launched timed;
  timed.verdict = workers_.judge.verdict(subject_.executable, subject_.trusted, draw, left);
  const std::string where = draw.fresh
                                ? fmt::format("secretly chosen, seed {}, values {}", draw.seed, draw.fresh->values)
                                : fmt::format("secretly chosen, seed {}", draw.seed);
  if (timed.verdict.passed()) return add({gate, true, where + ": " + errors_in_words(timed.verdict)});
  const GateResult& failed = *first_failed(timed.verdict.gates);
  add({gate, false, fmt::format("{}: {}: {}", where, failed.name, failed.detail)}, false);
  return wrong(timed, subject_, gate + ": ");
}

EvaluationRun::Settled EvaluationRun::gate_plausibility(const Timing& timing) {
  const Charge charge(evaluation_.cost.gates_s);
  return add(judge::plausibility_gate(subject_.problem().work, workers_.device, settings_.peaks, timing));
}

// ---- finalists

EvaluationRun::Settled EvaluationRun::gate_memory() {
  const Charge charge(evaluation_.cost.gates_s);
  if (!request_.realized.plan.steps.empty() && !has_launch(request_.realized.plan))
    return add({"memory", true, "the plan runs library code alone, whose memory nobody here can mend", false});
  const BuildResult built = workers_.await(workers_.kind.checked_build(request_.realized.build));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) return add({"memory", true, "the checked build failed", false});
  const Realized& realized = place_of_memory_check(request_.neighbours, request_.realized, workers_.device);
  const bool small = !request_.neighbours.empty();
  Subject subject = workers_.make_subject(realized, *artifact, request_.admission);
  subject.trusted = workers_.build_trusted(realized);
  workers_.paint(subject, 0);
  const bool filled = fills_device_twice(realized.plan, workers_.device.multiprocessors, workers_.device.emulation);
  const std::string place = (small ? realized.problem.workload.name : "the timed size") +
                            std::string(filled ? " (twice the blocks that the device holds, or more)" : "");
  for (const MemoryCheck& check : check_memory(workers_.kind, workers_.target, subject.executable, subject.images[0],
                                               kMemoryCheckSeconds, workers_.stop)) {
    const std::string name = "memory:" + check.tool;
    if (!check.checked) {
      add({name, true, "not checked: " + check.why, false});
      continue;
    }
    const std::vector<Finding> found = faults(check);
    if (found.empty()) {
      add({name, true, fmt::format("clean at {}, {:.1f} s", place, check.seconds)});
      continue;
    }
    std::string detail = fmt::format("at {}: {}", place, found.front().message);
    if (found.size() > 1) detail += fmt::format("; and {} more", found.size() - 1);
    if (Settled settled = add({name, false, detail})) return settled;
  }
  return std::nullopt;
}

Timing EvaluationRun::describe(const std::vector<Samples>& samples) const {
  const ProcessSpread spread = workers_.device.emulation ? kProcessSpreadCpu : kProcessSpreadGpu;
  Timing timing;
  const Estimate own = estimate(samples[0].rotating_ns, spread);
  timing.time_ns = own.median;
  timing.time_lo_ns = own.lo;
  timing.time_hi_ns = own.hi;
  timing.samples = samples[0];
  if (const int others = samples[0].foreign_processes; others > 0)  // the record shows it with the time
    timing.samples.method +=
        fmt::format("; DISTURBED: {} other process{} used the device", others, others == 1 ? "" : "es");
  timing.emulation = workers_.device.emulation;
  if (!samples[0].cold_ns.empty()) timing.cold_ns = estimate(samples[0].cold_ns, {}).median;
  if (!samples[0].warm_ns.empty()) timing.warm_ns = estimate(samples[0].warm_ns, {}).median;
  if (const auto floor = floor_ns(request_.realized.problem.work, workers_.device)) timing.floor_ns = floor->ns;
  std::optional<Estimate> baseline;
  if (request_.baseline_ns) baseline = Estimate{*request_.baseline_ns, *request_.baseline_ns, *request_.baseline_ns, 0};
  if (samples.size() > 1) {
    const Estimate other = estimate(samples[1].rotating_ns, spread);
    timing.incumbent_ns = other.median;
    timing.verdict = compare(own, other);
    // Measured in this very run: what the host's speed does meanwhile happens to both.
    if (const auto known = request_.incumbent->speedup)
      baseline = Estimate{other.median * *known, other.lo * *known, other.hi * *known, other.samples};
  }
  if (baseline) {
    timing.baseline_ns = baseline->median;
    timing.speedup = baseline->median / own.median;
    timing.speedup_lo = baseline->lo / own.hi;
    timing.speedup_hi = baseline->hi / own.lo;
  }
  return timing;
}

}  // namespace harness
