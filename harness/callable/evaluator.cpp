#include "harness/callable/evaluator.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "harness/callable/catalog.h"
#include "harness/callable/trial.h"
#include "harness/core/abandon.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/evaluate/limits.h"
#include "harness/evaluate/statistics.h"

namespace harness::callable {
namespace {

constexpr std::size_t kMostSamples = 100'000, kMostGates = 1000, kLongestText = 4000, kLongestLog = 1 << 16;
// All of one process, whose memory lies where it lies: allowed for as three times what processes on a GPU differ by.
constexpr ProcessSpread kOneProcess{0.01, 0};
// Draws of the inputs in each form: of a finalist more.
constexpr int kDrawsInSearch = 1, kDrawsOfFinalist = 3;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Error bad_answer(const std::string& what) {
  return bad_input(fmt::format("harness callable: the caller's answer has {}; see docs/callables.md", what));
}

std::string text_in(const json& from, const char* key, std::size_t most = kLongestText) {
  const json field = from.is_object() ? from.value(key, json()) : json();
  return field.is_string() ? field.get<std::string>().substr(0, most) : "";
}

double seconds_in(const json& from, const char* key) {
  const json field = from.value(key, json());
  return field.is_number() && field.get<double>() > 0 && std::isfinite(field.get<double>()) ? field.get<double>() : 0;
}

std::vector<double> nanoseconds_in(const json& from, const char* key) {
  std::vector<double> all;
  const json list = from.value(key, json::array());
  if (!list.is_array() || list.size() > kMostSamples) throw bad_answer("samples that are no list");
  for (const json& each : list) {
    if (!each.is_number() || !(each.get<double>() > 0) || !std::isfinite(each.get<double>()))
      throw bad_answer("a sample that is no time");
    all.push_back(each.get<double>());
  }
  return all;
}

Samples samples_in(const json& from) {
  if (!from.is_object()) throw bad_answer("samples that are no object");
  Samples samples;
  samples.rotating_ns = nanoseconds_in(from, "rotating_ns");
  samples.cold_ns = nanoseconds_in(from, "cold_ns");
  samples.warm_ns = nanoseconds_in(from, "warm_ns");
  samples.calls_per_sample = static_cast<int>(std::min(1e6, seconds_in(from, "calls_per_sample")));
  samples.input_sets = static_cast<int>(std::min(1e6, seconds_in(from, "input_sets")));
  samples.method = text_in(from, "method");
  if (samples.rotating_ns.empty()) throw bad_answer("no sample");
  return samples;
}

std::optional<FirstBad> first_bad_in(const json& failure) {
  const json from = failure.value("first_bad", json());
  if (!from.is_object()) return std::nullopt;
  FirstBad bad;
  bad.argument = text_in(from, "argument");
  for (const json& index : from.value("index", json::array()))
    if (index.is_number_integer()) bad.index.push_back(index.get<std::int64_t>());
  const auto number = [&](const char* key) {
    const json value = from.value(key, json());
    return value.is_number() ? value.get<double>() : NAN;
  };
  bad.expected = number("expected");
  bad.got = number("got");
  return bad;
}

Outcome outcome_in(const json& failure) {
  const std::string kind = text_in(failure, "kind"), message = text_in(failure, "message");
  if (kind == "compile_error") return CompileError{text_in(failure, "log", kLongestLog)};
  if (kind == "launch_error") return LaunchError{message};
  if (kind == "wrong_answer") return WrongAnswer{message, first_bad_in(failure), text_in(failure, "fingerprint")};
  if (kind == "rejected") return Rejected{text_in(failure, "gate"), message};
  if (kind == "timed_out") return TimedOut{seconds_in(failure, "deadline_s"), text_in(failure, "stage")};
  if (kind == "out_of_memory") return OutOfMemory{message};
  if (kind == "device_lost") return Crashed{CrashKind::device_lost, message};
  throw bad_answer(fmt::format("the failure '{}', which is none", kind));
}

void take_evidence(const json& answer, Evaluation& evaluation) {
  for (const json& gate : answer.value("gates", json::array())) {
    if (evaluation.gates.size() >= kMostGates) throw bad_answer("too many gates");
    const json passed = gate.is_object() ? gate.value("passed", json()) : json();
    if (find_gate(text_in(gate, "name")) == nullptr) throw bad_answer("a gate that is none");
    evaluation.gates.push_back({text_in(gate, "name"), passed.is_boolean() ? passed.get<bool>() : true,
                                text_in(gate, "detail"), passed.is_boolean()});
  }
  for (const json& from : answer.value("errors", json::array())) {
    if (evaluation.errors.size() >= kMostGates) throw bad_answer("too many errors");
    ArgumentError error;
    error.argument = text_in(from, "argument");
    error.relative_l2 = seconds_in(from, "relative_l2");
    error.tolerance = seconds_in(from, "tolerance");
    error.mismatches = static_cast<std::int64_t>(std::min(1e15, seconds_in(from, "mismatches")));
    error.non_finite = static_cast<std::int64_t>(std::min(1e15, seconds_in(from, "non_finite")));
    evaluation.errors.push_back(std::move(error));
  }
  for (const json& seed : answer.value("seeds", json::array()))
    if (seed.is_number_unsigned() && evaluation.seeds.size() < kMostGates)
      evaluation.seeds.push_back(seed.get<std::uint64_t>());
}

json candidate_json(const Candidate& candidate) {
  return {{"baseline", candidate.variant == kBaseline}, {"config", config_to_json(candidate.config)}};
}

/// What a person must know of the tolerances; "" where they tell a precision.
std::string coarse_outputs(const Admission& admission) {
  std::string names;
  for (const Tolerance& tolerance : admission.tolerances)
    if (tolerance.form == "nominal" && tolerance.origin == "gross")
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", tolerance.output);
  return names.empty() ? ""
                       : names + ": the baseline is no more exact than one precision lower, so only gross errors show";
}

}  // namespace

/// One evaluation under way.
struct CallableEvaluator::Work {
  const EvaluationRequest& request;
  const Admission& admission;
  Evaluation evaluation = {};
  Timing timing = {};
};

CallableEvaluator::CallableEvaluator(const Question& question, Line& line, std::optional<double> usd_per_hour,
                                     double forms_s, Phase phase)
    : device_(device_of(question)),
      line_(line),
      usd_per_hour_(usd_per_hour),
      forms_s_(forms_s),
      phase_(std::move(phase)) {
  const Limits limits = default_limits(device_);
  search_ = limits.search;
  confirm_ = limits.confirm;
  run_s_ = limits.run_s;
}

/// False: a gate has failed, and the outcome says which.
bool CallableEvaluator::judge(Work& work, const std::vector<std::string>& forms, bool first) {
  phase_(first ? "compiling and judging" : "judging other forms of the inputs");
  const double begin = seconds_now();
  const Problem& problem = work.request.realized.problem;
  json compare = json::object();
  for (const std::string& form : forms) compare[form] = comparisons_of(problem, work.admission, form);
  const bool finalist = work.request.points == Points::finalist;
  const json answer = line_.ask("judge", {{"candidate", candidate_json(work.request.realized.candidate)},
                                          {"forms", forms},
                                          {"compare", compare},
                                          {"first", first},
                                          {"draws", finalist ? kDrawsOfFinalist : kDrawsInSearch},
                                          {"deadline_s", run_s_}});
  const double build_s = std::min(seconds_in(answer, "build_s"), seconds_now() - begin);
  work.evaluation.cost.build_s += build_s;
  work.evaluation.cost.gates_s += seconds_now() - begin - build_s;
  take_evidence(answer, work.evaluation);
  work.evaluation.log += text_in(answer, "log", kLongestLog);
  const json failure = answer.value("failure", json());
  if (failure.is_object()) work.evaluation.outcome = outcome_in(failure);
  return !failure.is_object();
}

bool CallableEvaluator::time(Work& work) {
  phase_("timing");
  const double begin = seconds_now();
  const EvaluationRequest& request = work.request;
  TimingPolicy policy = request.confirm ? confirm_ : search_;
  if (!request.confirm) policy.abandon_factor = request.abandon_factor;
  json question{{"candidate", candidate_json(request.realized.candidate)},
                {"policy", policy},
                {"compare", comparisons_of(request.realized.problem, work.admission, "nominal")},
                {"deadline_s", run_s_}};
  if (request.incumbent) question["beside"] = candidate_json(request.incumbent->realized.candidate);
  const json answer = line_.ask("time", std::move(question));
  work.evaluation.cost.timing_s += seconds_now() - begin;
  take_evidence(answer, work.evaluation);
  if (const json failure = answer.value("failure", json()); failure.is_object()) {
    work.evaluation.outcome = outcome_in(failure);
    return false;
  }
  std::vector<Samples> samples;
  for (const json& from : answer.value("samples", json::array())) samples.push_back(samples_in(from));
  if (samples.empty() || samples.size() > (request.incumbent ? 2U : 1U)) throw bad_answer("a wrong number of samples");
  work.timing = timing_of_samples(samples, kOneProcess, request.baseline_ns,
                                  request.incumbent ? request.incumbent->speedup : std::nullopt);
  if (samples.size() < 2) return true;
  const std::vector<double>&own = samples[0].rotating_ns, &other = samples[1].rotating_ns;
  if (!clearly_slower(own, other, policy.abandon_factor)) return true;
  work.evaluation.outcome = Abandoned{abandon_threshold(other, policy.abandon_factor), work.timing.time_ns};
  return false;
}

void CallableEvaluator::steps(Work& work) {
  const EvaluationRequest& request = work.request;
  if (!judge(work, {"nominal"}, true)) return;
  if (!request.gates_only && !time(work)) return;
  const bool no_best = request.incumbent && work.timing.verdict != Comparison::faster;
  if (request.screen && no_best && !request.gates_only) {
    work.evaluation.gates.push_back({name_of(gate::screened), true, "no new best: other forms were left out", false});
    work.evaluation.outcome = Screened{work.timing};
    return;
  }
  std::vector<std::string> others = usable_forms(work.admission);
  others.erase(others.begin());
  if (!others.empty() && !judge(work, others, false)) return;
  work.evaluation.outcome = Passed{work.timing};
}

Evaluation CallableEvaluator::evaluate(const EvaluationRequest& request) {
  const double begin = seconds_now();
  static const Admission kNone;
  Work work{request, request.admission != nullptr ? *request.admission : kNone};
  Evaluation& evaluation = work.evaluation;
  evaluation.contract_hash = request.realized.problem.contract_hash;
  evaluation.source_hash = request.realized.source_hash;
  evaluation.source_text = request.realized.build.source;
  evaluation.compiler = device_.driver;
  evaluation.gates_version = kGatesVersion;
  const std::string coarse = coarse_outputs(work.admission);
  evaluation.gates.push_back({name_of(gate::confinement), true, kClaim + (coarse.empty() ? "" : "; " + coarse), false});
  try {
    steps(work);
  } catch (const CallerGone&) {
    evaluation.outcome = Interrupted{};
  }
  evaluation.cost.wall_s = seconds_now() - begin;
  if (usd_per_hour_) evaluation.cost.usd = evaluation.cost.wall_s / 3600 * *usd_per_hour_;
  return std::move(evaluation);
}

std::optional<Admission> CallableEvaluator::admit(const AdmissionRequest& request) {
  if (request.groups.empty()) throw bad_input("harness callable: there is nothing to try the gates on");
  const double begin = seconds_now();
  try {
    Admission admission = try_gates(request.groups.front().baseline.problem, request.hash, device_, forms_s_, line_);
    admission.seconds = seconds_now() - begin;
    return admission;
  } catch (const CallerGone&) {
    return std::nullopt;
  }
}

}  // namespace harness::callable
