#include "harness/evaluate/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"
#include "harness/core/torch_call.h"
#include "harness/judge/forms.h"
#include "harness/judge/integer_forms.h"
#include "harness/judge/mutants.h"
#include "harness/judge/terms.h"
#include "harness/judge/tolerance.h"
#include "harness/system/awake_clock.h"

namespace harness {
namespace {

constexpr double kDeadline = 10;
// Draws on which a generated mutant may show; one of them must catch it.
constexpr int kMutantDraws = 3;
// Of a single number even one precision less is right on some draw. A candidate is judged on more draws than these.
constexpr int kMostMutantDraws = 8;
// A baseline further from its reference than this is not wrong by rounding: the form is out of its range.
constexpr double kOutOfRange = 0.2;
// Places besides the baseline's own where a spot check measures a form.
constexpr std::size_t kSpotCheckedPlaces = 2;
// Errors of two trials differ by their draws and by the sizes that were drawn, by less than this: 100 times was seen.
constexpr double kLikeErrors = 256;
// An impostor's errors of one output at two random sizes: 400 times was seen (logarithms of sums of 4 and of thousands
// of terms).
constexpr double kLikeErrorsElsewhere = 4096;

std::vector<Contender> as_contenders(const std::vector<Subject>& subjects) {
  std::vector<Contender> contenders;
  for (const Subject& subject : subjects) contenders.push_back({&subject.executable, {&subject.images[0]}});
  return contenders;
}

constexpr int kTriesOfRunner = 10;

Error killed_again(const RunnerFailure& failure) {
  return environment_error(fmt::format(
      "the baseline's process was killed or stopped from outside {} times in a row ({}); end what does that, or give "
      "the machine more memory",
      kTriesOfRunner, failure.detail));
}

// What the machine lacks says nothing of a kernel, and is not recorded.
void refuse_environment(const std::optional<RunnerFailure>& failure) {
  using Kind = RunnerFailure::Kind;
  if (failure && (failure->kind == Kind::environment || failure->kind == Kind::memory))
    throw environment_error(fmt::format("the baseline cannot run on this machine: {}", failure->detail));
}

std::size_t any_index(std::size_t count) {
  std::random_device random;
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

/// Whether what was found elsewhere would let pass what is refused by what is found here. Smaller errors only make a
/// tolerance strict. Honest errors far below the impostor's move none, nor does rounding in f32: an output may be exact
/// here and off in one element there. A draw on which an impostor is no worse than an honest one tells nothing of it.
bool allows_more(const ErrorRange& there, const ErrorRange& here) {
  constexpr double kRounding = 0x1p-20, kFarBelow = 1.0 / 8;
  const bool tells = here.impostor > here.honest;
  const double apart = there.settled && here.settled ? kLikeErrors : kLikeErrorsElsewhere;
  if (tells && there.impostor > apart * here.impostor) return true;
  const double impostor = tells ? std::min(there.impostor, here.impostor) : there.impostor;
  return there.honest > kLikeErrors * here.honest && there.honest > std::max(kRounding, kFarBelow * impostor);
}

/// Of what was found elsewhere and what was found here, at fewer places: an output that the group's own workload does
/// not have may be at none of them.
bool agrees(const FormTrial& there, const FormTrial& here) {
  if (there.skipped.empty() != here.skipped.empty()) return false;
  const bool covered = std::ranges::all_of(here.ranges, [&](const auto& range) {
    const auto other = there.ranges.find(range.first);
    return other != there.ranges.end() && !allows_more(other->second, range.second);
  });
  return covered && std::ranges::all_of(there.ranges, [&](const auto& range) {
           return !range.second.settled || here.ranges.contains(range.first);
         });
}

bool agrees(const MutantVerdict& there, const MutantVerdict& here) {
  return there.caught_by.empty() == here.caught_by.empty();
}

bool agrees(const std::vector<MutantVerdict>& there, const std::vector<MutantVerdict>& here) {
  return std::ranges::equal(there, here, [](const MutantVerdict& a, const MutantVerdict& b) {
    return a.name == b.name && a.output == b.output && agrees(a, b);
  });
}

std::string part_of(const AdmissionRequest::Mutant& mutant) {
  return "mutant " + mutant.name + " " + mutant.source_hash.substr(0, 12);
}

std::string caught_by(const Evaluation& evaluation) {
  if (const GateResult* const failed = first_failed(evaluation.gates)) return failed->name;
  return std::string(outcome_name(evaluation.outcome));
}

}  // namespace

// JSON has no infinity: the error of an impostor that is not even finite is null there.
void to_json(json& to, const ErrorRange& value) {
  to = {{"honest", value.honest}, {"settled", value.settled}, {"impostor", value.impostor}};
  if (!std::isfinite(value.impostor)) to["impostor"] = nullptr;
}

void from_json(const json& from, ErrorRange& value) {
  from.at("honest").get_to(value.honest);
  from.at("settled").get_to(value.settled);
  const json& impostor = from.at("impostor");
  value.impostor = impostor.is_null() ? std::numeric_limits<double>::infinity() : impostor.get<double>();
}

HARNESS_JSON(FormTrial, ranges, skipped)

AdmissionTrial::AdmissionTrial(const AdmissionRequest& request, WorkerPool& workers, Evaluate evaluate)
    : request_(request), workers_(workers), evaluate_(std::move(evaluate)) {
  admission_.kernel = request.kernel;
  admission_.hash = request.hash;
  admission_.device_name = workers.device.name;
  admission_.device_key = workers.device.admission_key;
  choose_spot_checks();
  announce_builds();
}

// One group, whose baseline is then built once for its form and its mutants, and one mutant of the kernel's own.
void AdmissionTrial::choose_spot_checks() {
  if (!is_spot_check() || request_.groups.empty()) return;
  const auto any_of = [&](const std::string& start, const std::string& end) {
    std::vector<std::string> parts;
    for (const auto& [part, value] : request_.elsewhere)
      if (part.starts_with(start) && part.ends_with(end)) parts.push_back(part);
    if (!parts.empty()) spot_checks_.insert(parts[any_index(parts.size())]);
  };
  const std::string group =
      workload_group(request_.groups[any_index(request_.groups.size())].baseline.problem.workload);
  any_of("form ", " of " + group);
  any_of("generated mutants of " + group, "");
  any_of("mutant ", "");
  admission_.spot_checked = fmt::format("{}", fmt::join(spot_checks_, "; "));
}

// Compilers begin with what will be tried while the first of it is: one after the other, each would be waited for.
void AdmissionTrial::announce_builds() {
  const auto will_try = [&](const std::string& part) {
    if (request_.known && request_.known(part)) return false;
    return spot_checks_.contains(part) || !request_.elsewhere.contains(part);
  };
  for (const AdmissionRequest::Group& group : request_.groups) {
    if (!will_try("generated mutants of " + workload_group(group.baseline.problem.workload))) continue;
    workers_.builders.submit(group.baseline.build, false);
    workers_.announce_trusted(group.baseline);
  }
  for (const AdmissionRequest::Mutant& mutant : request_.mutants)
    if (will_try(part_of(mutant)) && !mutant.workloads.empty())
      workers_.builders.submit(mutant.request(mutant.workloads.front()).realized.build, false);
}

Admission AdmissionTrial::finish() {
  const double begin = awake_seconds();
  for (const AdmissionRequest::Group& group : request_.groups) try_group(group);
  if (admission_.problems.empty())
    for (const AdmissionRequest::Mutant& mutant : request_.mutants) {
      MutantVerdict verdict;
      recall(part_of(mutant), verdict, [&](MutantVerdict& fresh) { fresh = try_source(mutant); });
      admission_.mutants.push_back(std::move(verdict));
    }
  workers_.judge.forget();
  admission_.passed = admission_.problems.empty();
  admission_.seconds = awake_seconds() - begin;
  return std::move(admission_);
}

void AdmissionTrial::problem(std::string sentence) {
  if (std::find(admission_.problems.begin(), admission_.problems.end(), sentence) == admission_.problems.end())
    admission_.problems.push_back(std::move(sentence));
}

void AdmissionTrial::note_skipped(std::string sentence) {
  std::vector<std::string>& sentences = admission_.skipped_forms;
  if (std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(std::move(sentence));
}

void AdmissionTrial::try_group(const AdmissionRequest::Group& group) {
  check_work(group.baseline);
  if (!admission_.problems.empty()) return;
  std::vector<Subject> subjects;
  subjects.reserve(group.others.size() + 1);
  const auto add = [&](const Realized& realized) {
    const BuildResult built = workers_.await(realized.build);
    if (const auto* failure = std::get_if<CompileFailure>(&built))
      return problem(fmt::format("the baseline does not compile on workload '{}': {}", realized.problem.workload.name,
                                 failure->log.substr(0, 500)));
    Subject& subject = subjects.emplace_back(workers_.make_subject(realized, std::get<Artifact>(built), nullptr));
    subject.trusted = workers_.build_trusted(realized);
    workers_.paint(subject, 0);
  };
  std::optional<bool> ready;
  const auto make_ready = [&] {  // only once something is to be measured
    if (ready) return *ready;
    ready = false;
    add(group.baseline);
    for (std::size_t i = 0; i < group.others.size() && (!is_spot_check() || i < kSpotCheckedPlaces); ++i)
      add(group.others[i]);
    if (!admission_.problems.empty()) return false;
    if (const auto failure = load(subjects))
      return problem(fmt::format("the baseline cannot run: {}", failure->detail)), false;
    return *(ready = true);
  };
  const std::string name = workload_group(group.baseline.problem.workload);
  std::vector<std::pair<std::string, Ranges>> measured;
  const ExcludedForms& left_out = group.baseline.problem.forms;
  if (const std::string words = in_words(left_out); !words.empty()) note_skipped(words);
  for (const std::string& form : judge::draw_forms()) {
    if (std::ranges::find(left_out.except, form) != left_out.except.end()) continue;
    if (form != "nominal" && !judge::has_form(group.baseline.problem, form)) continue;  // it would change nothing
    FormTrial trial;
    const bool kept = recall("form " + form + " of " + name, trial, [&](FormTrial& fresh) {
      if (make_ready()) fresh = measure_form(subjects, form);
    });
    if (!kept && !ready.value_or(true)) return;
    if (!kept) continue;
    if (!trial.skipped.empty()) note_skipped(trial.skipped);
    else measured.emplace_back(form, std::move(trial.ranges));
  }
  raise_to_worst(measured);
  for (const auto& [form, ranges] : measured) add_tolerances(group.baseline.problem, form, ranges);
  if (workers_.native()) workers_.runner.kill();
  if (!admission_.problems.empty()) return;
  std::vector<MutantVerdict> mutants;
  recall("generated mutants of " + name, mutants, [&](std::vector<MutantVerdict>& fresh) {
    if (!make_ready()) return;
    subjects.front().executable.problem = with_tolerances(group.baseline.problem, &admission_, "nominal");
    fresh = try_generated(subjects.front());
  });
  admission_.mutants.insert(admission_.mutants.end(), mutants.begin(), mutants.end());
}

// A runner that was killed from outside is no fault of the baseline: another one runs the same draw. What the baseline
// seems to have done itself must happen twice.
std::optional<RunnerFailure> AdmissionTrial::run(std::vector<Subject>& subjects, std::size_t index) {
  const double deadline = kDeadline + torch_start_s(subjects[index].executable.plan);
  std::optional<RunnerFailure> failure = workers_.runner.run(index, 0, deadline);
  bool repeated = false;
  for (int attempt = 1; attempt < kTriesOfRunner && failure; ++attempt) {
    if (!was_killed(*failure) && (repeated || !is_its_own(*failure))) break;
    repeated = repeated || !was_killed(*failure);
    workers_.repaint(subjects[index], 0);
    failure = load(subjects);
    if (!failure) failure = workers_.runner.run(index, 0, deadline);
  }
  if (failure && was_killed(*failure)) throw killed_again(*failure);
  refuse_environment(failure);
  return failure;
}

std::optional<RunnerFailure> AdmissionTrial::load(const std::vector<Subject>& subjects) {
  std::optional<RunnerFailure> failure;
  for (int attempt = 0; attempt < kTriesOfRunner; ++attempt) {
    failure = workers_.runner.prepare(as_contenders(subjects), kDeadline);
    refuse_environment(failure);
    if (!failure || !was_killed(*failure)) return failure;
  }
  throw killed_again(*failure);
}

// What an earlier trial of the same gates found before it was cut short, or a trial elsewhere. A problem is never kept:
// it is shown again.
template <typename Found, typename Find>
bool AdmissionTrial::recall(const std::string& part, Found& finding, const Find& find) {
  std::optional<Found> there;
  const auto read = [&](const json& kept) {
    try {
      return std::optional(kept.get<Found>());
    } catch (const json::exception&) {  // damaged: found again
      return std::optional<Found>();
    }
  };
  const auto settle = [&](const json& as_json) {
    admission_.parts[part] = as_json;
    return true;
  };
  if (request_.known)
    if (const std::optional<json> known = request_.known(part))
      if (const auto value = read(*known)) return finding = *value, settle(*known);
  if (const auto elsewhere = request_.elsewhere.find(part); elsewhere != request_.elsewhere.end()) {
    there = read(elsewhere->second);
    if (there && !spot_checks_.contains(part)) return finding = *there, settle(elsewhere->second);
  }
  const std::size_t problems = admission_.problems.size();
  find(finding);
  if (admission_.problems.size() > problems) return false;
  if (there && !agrees(*there, finding)) throw AdmissionDisagrees{part};
  if (request_.keep) request_.keep(part, finding);
  return settle(finding);
}

// How far honest rounding goes depends on how the values are arranged (a long sum of equal terms errs all one way), and
// a few draws of a form need not show it: in the hostile forms an honest error counts as the worst of all forms. They
// are there for what goes wrong grossly; precision is judged on plain inputs, by what was measured on those.
void AdmissionTrial::raise_to_worst(std::vector<std::pair<std::string, Ranges>>& measured) {
  std::map<std::string, double> worst;
  for (const auto& [form, ranges] : measured)
    for (const auto& [output, range] : ranges) worst[output] = std::max(worst[output], range.honest);
  for (auto& [form, ranges] : measured)
    if (form != "nominal")
      for (auto& [output, range] : ranges) range.honest = worst[output];
}

// An impostor costs a second reference: only while one of these outputs has none.
bool AdmissionTrial::all_settled(const Problem& problem, const Ranges& ranges) {
  return std::all_of(problem.arguments.begin(), problem.arguments.end(), [&](const Argument& a) {
    if (!is_written(a.kind) || a.absent) return true;
    const auto range = ranges.find(a.name);
    return range != ranges.end() && range->second.settled;
  });
}

// The largest honest error over all shapes, and the impostor's at the first.
FormTrial AdmissionTrial::measure_form(std::vector<Subject>& subjects, const std::string& form) {
  FormTrial trial;
  Ranges& ranges = trial.ranges;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Subject& subject = subjects[i];
    if (is_large(subject.executable.layout) && !is_tried_at_large_sizes(form)) continue;
    workers_.paint(subject, 0, form);
    const std::string where =
        fmt::format("form '{}' at {}, seed {}", form, subject.problem().workload.name, subject.draws[0].seed);
    if (const auto failure = run(subjects, i)) {
      problem(fmt::format("the baseline failed in {}: {}", where, failure->detail));
      return trial;
    }
    const bool needs_impostor = !all_settled(subject.problem(), ranges);
    const MeasuredErrors errors = workers_.judge.measure_errors(needs_impostor, subject.executable, subject.trusted,
                                                                subject.draws[0], subject.images[0]);
    for (const auto& [output, honest] : errors.honest) {
      const Argument& argument = *find_argument(subject.problem(), output);
      const bool by_share = judge::compare_of(argument).kind != "ulp";
      if (!std::isfinite(honest) || (by_share && honest > kOutOfRange)) {
        const std::string sentence =
            fmt::format("{}: the baseline's '{}' is {:.3g} from the reference", where, output, honest);
        if (form == "nominal") problem(sentence + "; mend the baseline or the reference");
        trial.skipped = sentence + ", so this form is out of its range";
        return trial;
      }
      if (form == "nominal") check_model(argument, honest, where);
      ErrorRange& range = ranges[output];
      range.honest = std::max(range.honest, honest);
      // Elsewhere every answer may be exact (a softmax of one column), and there an impostor is none. Only an output
      // that the first workload does not have is taken from where it shows most.
      const auto measured = errors.impostor.find(output);
      const double impostor = measured == errors.impostor.end() ? 0 : measured->second;
      if (i == 0) range = {range.honest, impostor, true};
      else if (!range.settled) range.impostor = std::max(range.impostor, impostor);
    }
  }
  return trial;
}

void AdmissionTrial::add_tolerances(const Problem& problem, const std::string& form, const Ranges& ranges) {
  for (const auto& [output, range] : ranges) {
    const Argument& argument = *find_argument(problem, output);
    if (!judge::has_tolerance(argument)) {
      // Exact and custom comparisons judge by themselves; the form is still one that the gates use.
      admission_.tolerances.push_back(
          {workload_group(problem.workload), form, output, range.honest, range.impostor, 0, "none"});
      continue;
    }
    const Tolerance tolerance{workload_group(problem.workload), form, output, range.honest, range.impostor, 0, ""};
    if (argument.accuracy && argument.accuracy->declared && form == "nominal") {
      Tolerance by_model = tolerance;
      by_model.origin = "model";
      by_model.tolerance = judge::tolerance_at(problem, argument, by_model);
      admission_.tolerances.push_back(std::move(by_model));
    } else if (judge::declares_tolerance(argument)) check_declared(argument, range, tolerance);
    else derive(argument, range, tolerance);
  }
}

// The model must allow the baseline, on every shape.
void AdmissionTrial::check_model(const Argument& output, double honest, const std::string& where) {
  if (!output.accuracy || !output.accuracy->declared) return;
  const double typical = typical_error(*output.accuracy, output.dtype);
  const double few =
      1 + judge::kFewElements / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, count_elements(output))));
  if (honest <= judge::kSeparation * typical * few || count_elements(output) <= judge::kFewTerms) return;
  this->problem(
      fmt::format("the declared accuracy of '{}' ({}) refuses the baseline, whose error is {:.2g} in {}; it "
                  "has longer sums, or adds in a narrower type",
                  output.name, in_words(*output.accuracy, output.dtype), honest, where));
}

void AdmissionTrial::derive(const Argument& output, const ErrorRange& range, Tolerance tolerance) {
  const bool plain = tolerance.form == "nominal";
  const double least = judge::least_error(output, !plain);
  const judge::DerivedTolerance derived =
      plain ? judge::derive_plain_tolerance(output, range.honest, range.impostor, least)
            : judge::derive_tolerance(range.honest, range.impostor, least);
  tolerance.tolerance = derived.tolerance;
  tolerance.origin = derived.separates ? "derived" : "gross";
  if (!derived.separates && tolerance.form == "nominal")
    problem(
        fmt::format("no tolerance of '{}' ({}) tells the baseline's error of {:.2g} from the {:.2g} of an impostor "
                    "with {} mantissa bits; declare `tolerance`, or `impostor_bits` where one precision lower means "
                    "nothing",
                    output.name, tolerance.group, range.honest, range.impostor, judge::impostor_bits(output)));
  admission_.tolerances.push_back(std::move(tolerance));
}

void AdmissionTrial::check_declared(const Argument& output, const ErrorRange& range, Tolerance tolerance) {
  tolerance.tolerance = output.compare->tolerance;
  tolerance.origin = "declared";
  if (tolerance.form == "nominal" && range.honest > tolerance.tolerance)
    problem(fmt::format("the declared tolerance {:.2g} of '{}' refuses the baseline, whose error is {:.2g}",
                        tolerance.tolerance, output.name, range.honest));
  if (tolerance.form != "nominal" && range.honest * judge::kSeparation > tolerance.tolerance) {
    tolerance.tolerance = range.honest * judge::kSeparation;
    tolerance.origin = "gross";
  }
  admission_.tolerances.push_back(std::move(tolerance));
}

// A lower bound of the traffic cannot exceed what all arguments together hold.
void AdmissionTrial::check_work(const Realized& baseline) {
  double held = 0;
  for (const Argument& a : baseline.problem.arguments) {
    if (!is_tensor(a.kind) || a.absent) continue;
    const double bytes = static_cast<double>(count_elements(a) * storage_bytes(a.dtype));
    held += a.kind == ArgumentKind::inout ? 2 * bytes : bytes;
  }
  if (baseline.problem.work.bytes > held)
    problem(
        fmt::format("the work model counts {:.0f} bytes on workload '{}' and all arguments together hold {:.0f}: "
                    "it is no lower bound",
                    baseline.problem.work.bytes, baseline.problem.workload.name, held));
}

std::vector<MutantVerdict> AdmissionTrial::try_generated(Subject& subject) {
  std::map<std::pair<std::string, std::string>, MutantTrial> trials;
  const auto was_caught = [](const auto& trial) { return !trial.second.caught_by.empty(); };
  for (int draw = 0; draw < kMutantDraws || (draw < kMostMutantDraws && !std::ranges::all_of(trials, was_caught));
       ++draw) {
    for (MutantTrial& trial :
         workers_.judge.try_mutants(subject.executable, subject.trusted, {fresh_seed(), "nominal"})) {
      if (trial.name == "the right answer") {
        if (!trial.caught_by.empty())
          problem(fmt::format("its gates refuse the right answer itself on workload '{}': {}: {}",
                              subject.problem().workload.name, trial.caught_by, trial.detail));
        continue;
      }
      MutantTrial& seen = trials[{trial.name, trial.output}];
      if (seen.caught_by.empty()) seen = std::move(trial);
    }
  }
  std::vector<MutantVerdict> verdicts;
  for (const auto& [key, trial] : trials) {
    verdicts.push_back({trial.name, subject.problem().workload.name, trial.output, trial.caught_by, trial.detail});
    if (trial.caught_by.empty())
      problem(fmt::format("the mutant '{}' of output '{}' passes every gate on workload '{}'", trial.name, trial.output,
                          subject.problem().workload.name));
  }
  return verdicts;
}

MutantVerdict AdmissionTrial::try_source(const AdmissionRequest::Mutant& mutant) {
  for (const std::string& workload : mutant.workloads) {
    EvaluationRequest request = mutant.request(workload);
    request.admission = &admission_;
    request.gates_only = true;
    const Evaluation evaluation = evaluate_(request);
    if (std::holds_alternative<Interrupted>(evaluation.outcome)) throw InterruptedWork{};
    if (const auto* failed = std::get_if<CompileError>(&evaluation.outcome))
      return problem(fmt::format("the mutant '{}' does not compile: {}", mutant.name, failed->log.substr(0, 500))),
             MutantVerdict{mutant.name, workload, "", "", failed->log.substr(0, 500)};
    if (std::holds_alternative<Passed>(evaluation.outcome)) continue;
    const json error = error_json(evaluation.outcome);
    return {mutant.name, workload, "", caught_by(evaluation), error.value("message", "")};
  }
  problem(fmt::format("the mutant '{}' passes every gate on {} workloads ({})", mutant.name, mutant.workloads.size(),
                      fmt::join(mutant.workloads, ", ")));
  return {mutant.name, mutant.workloads.empty() ? "" : mutant.workloads.front(), "", "", ""};
}

}  // namespace harness
