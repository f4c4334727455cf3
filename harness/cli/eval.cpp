#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "harness/cli/first_look.h"
#include "harness/cli/task_line.h"
#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/report/events.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/serve_mcp/veil.h"
#include "harness/service/asked_evaluation.h"
#include "harness/service/candidate_digest.h"
#include "harness/service/evaluation_lines.h"
#include "harness/service/fitness.h"
#include "harness/system/awake_clock.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

namespace harness {
namespace {

struct EvalArguments {
  EvaluationAsked asked;
  WorkloadWords words;
  bool json = false, quiet = false, gates = false, veil = false, feedback = false, lines = false;
};

/// "10_vector", and that its source is not the plugin's.
std::string variant_text(const AttemptRecord& attempt) {
  std::string text = attempt.candidate.variant;
  if (attempt.parent) text += " (edited)";
  if (attempt.label) text += fmt::format(" \"{}\"", report::clean(*attempt.label));
  return text;
}

/// The one number, with what it is.
void print_time(const IterationEnded& event, const Timing& timing) {
  const std::string gpu = predicted_gpu(event.device);
  report::tell("{} {} [{}, {}]  cold {}  warm {}  floor {}  ({}){}\n", gpu.empty() ? "time" : "predicted time",
               report::nanoseconds(timing.time_ns), report::nanoseconds(timing.time_lo_ns),
               report::nanoseconds(timing.time_hi_ns), report::nanoseconds(timing.cold_ns),
               report::nanoseconds(timing.warm_ns), report::nanoseconds(timing.floor_ns), timing.samples.method,
               timing.emulation && gpu.empty() ? "  EMULATION" : "");
}

bool held(const GateResult& gate) {
  return gate.checked && gate.passed;
}

/// Those that held are counted; what failed or went unchecked is what a person looks for. All of them with --gates.
void print_gates(const std::vector<GateResult>& gates, bool all) {
  report::Table table{{"gate", "", "s", "evidence"}, {}};
  for (const GateResult& gate : gates)
    if (all || !held(gate))
      table.rows.push_back({gate.name,
                            !gate.checked ? "-"
                            : gate.passed ? "ok"
                                          : "FAILED",
                            gate.seconds ? fmt::format("{:.2f}", *gate.seconds) : "", gate.detail});
  const auto passed = std::ranges::count_if(gates, held);
  report::out("gates: {} of {} held{}\n", passed, gates.size(), all ? "" : "; --gates shows them all");
  if (!table.rows.empty()) report::out("{}", report::aligned(table));
}

void print_person(const IterationEnded& event, bool all_gates) {
  const Evaluation& evaluation = *event.evaluation;
  const Candidate& candidate = event.attempt.candidate;
  report::tell("{} {} {} on {}: {}\n", candidate.kernel, variant_text(event.attempt), to_text(candidate.config),
               event.attempt.workload, outcome_name(evaluation.outcome));
  if (const auto* passed = std::get_if<Passed>(&evaluation.outcome)) print_time(event, passed->timing);
  print_gates(evaluation.gates, all_gates);
  if (std::holds_alternative<Passed>(evaluation.outcome)) {
    for (const GateResult& gate : evaluation.gates)
      if (const std::string words = reservation(gate.name, gate.detail); !words.empty())
        report::tell("{}\n", report::clean(words));
    return;
  }
  const json error = error_json(evaluation.outcome);
  if (!error.is_null()) report::tell("{}\n", report::clean(error.value("message", "")));
  static std::string told;  // the same errors on the next workload are not told again
  if (const auto* failed = std::get_if<CompileError>(&evaluation.outcome); failed != nullptr && failed->log != told)
    report::out("{}\n", (told = failed->log));
}

/// What limits a candidate that passed; "" where nothing here counts it.
std::string digest_of(const EvaluatedPoint& point, Shell& shell) {
  const Places places = shell.places();
  const DeviceInfo device = choose_device(point.device, shell.rooms.devices(places));
  const GpuFacts* const own = gpu_of_device(device.name);
  const std::string gpu = own != nullptr ? own->name : find_gpu("").name;
  try {
    const auto profile = shell.rooms.profiler(places, device, interrupted)->profile(point.realized, {gpu, 16, {}});
    return profile
               ? candidate_digest({&*profile, point.realized.problem.work, device, std::nullopt, std::nullopt}, shell)
               : "";
  } catch (const Error& error) {
    return fmt::format("It could not be profiled: {}", error.what());
  }
}

/// One object, complete: whoever searches by it needs no second question.
json fitness_json(const EvalArguments& arguments, const EvaluatedPoint& point, Shell& shell) {
  json answer = point.recorded.is_object() ? point.recorded : report::evaluation_json(point.event());
  add_fitness(answer);
  if (arguments.feedback && point.passed())
    if (const std::string digest = digest_of(point, shell); !digest.empty())
      answer["feedback"] = answer["feedback"].get<std::string>() + "\n" + digest;
  answer["from_record"] = point.recorded.is_object();
  if (!arguments.veil) return answer;
  json veiled(mcp::veiled_iteration(answer));
  for (const char* key : {"score", "feedback", "from_record", "speedup"}) veiled[key] = answer[key];
  return veiled;
}

int eval(const EvalArguments& arguments, Shell& shell) {
  require_descriptors();
  watch_for_stops();
  Places places = shell.places();
  const TaskLine line(arguments.json || arguments.quiet, &places);
  const auto ended = [&](const EvaluatedPoint& point) {
    line.hide();
    if (arguments.json) report::out_json(fitness_json(arguments, point, shell));
    else if (!arguments.quiet) print_person(point.event(), arguments.gates);
    std::fflush(stdout);
  };
  const auto passed =
      evaluate_asked(arguments.asked, places, shell, {[&line](const std::string& task) { line.begin(task); }, ended});
  if (!passed) return 130;
  return *passed ? 0 : 1;
}

/// What of a line's answer a model may know.
void veil(json& answer) {
  for (json& each : answer["evaluations"]) {
    json veiled(mcp::veiled_iteration(each));
    for (const char* key : {"score", "feedback", "from_record", "speedup"}) veiled[key] = each[key];
    each = std::move(veiled);
  }
}

/// Of what it is asked for, the lines say what one candidate is.
void require_lines(const EvalArguments& arguments) {
  const EvaluationAsked& asked = arguments.asked;
  if (asked.words.kernel.empty()) throw bad_input("name a kernel: harness eval KERNEL --lines");
  const CandidateWords& words = asked.words;
  if (!words.variant.empty() || !words.source.empty() || words.from != 0 || !words.parameters.empty() || asked.label)
    throw bad_input("eval --lines: variant, source, parameters and label stand in the lines");
  if (asked.controls || arguments.gates || arguments.feedback)
    throw bad_input("eval --lines: --controls, --gates and --feedback are for one candidate");
}

int eval_lines(const EvalArguments& arguments, Shell& shell) {
  require_descriptors();
  watch_for_stops();
  Places places = shell.places();
  const TaskLine line(true, &places);
  const EvaluationAsked& asked = arguments.asked;
  const LinesAsked lines{asked.words.kernel, asked.device, asked.times, asked.workloads, asked.no_record, asked.reuse};
  const auto next = []() -> std::optional<std::string> {
    for (std::string text; std::getline(std::cin, text);)
      if (text.find_first_not_of(" \t\r") != std::string::npos) return text;
    return std::nullopt;
  };
  const auto ended = [&](json answer) {
    if (arguments.veil) veil(answer);
    report::out_json(answer);
    std::fflush(stdout);
  };
  const auto passed =
      evaluate_lines(lines, places, shell, {next, ended, [&line](const std::string& task) { line.begin(task); }});
  if (!passed) return 130;
  return *passed ? 0 : 1;
}

}  // namespace

bool first_evaluation(const std::string& kernel, const std::string& variant, const std::string& device, bool quiet,
                      Shell& shell) {
  EvalArguments arguments;
  arguments.asked.words.kernel = kernel;
  arguments.asked.words.variant = variant;
  arguments.asked.device = device;
  arguments.asked.times.emulated = predicted_gpu(device).empty();  // the question is whether it is right, not how fast
  arguments.quiet = quiet;
  return eval(arguments, shell) == 0;
}

void define_eval(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<EvalArguments>();
  EvaluationAsked& asked = arguments->asked;
  add_candidate_options(app, asked.words);
  app.add_option("--label", asked.label, "What to call it: history, show, best and diff print it")->type_name("TEXT");
  add_workload_options(app, arguments->words);
  app.add_option("--device", asked.device, shell.rooms.device_words)->capture_default_str();
  add_times_options(app, asked.times);
  app.add_option("--usd-per-hour", asked.usd_per_hour, "The device's price")->check(CLI::PositiveNumber);
  app.add_flag("--no-record", asked.no_record, "Write nothing to the store");
  app.add_flag("--controls", asked.controls,
               "Where it passes, also try options of the compiler on it that change its machine code alone");
  app.add_flag("--gates", arguments->gates, "Show every gate with its evidence, also those that held");
  app.add_flag("--reuse", asked.reuse, "With --json: answer from the record what was evaluated before");
  app.add_flag("--veil", arguments->veil, "With --json: without seeds, tolerances and the gates' numbers");
  app.add_flag("--feedback", arguments->feedback, "With --json: `feedback` also says what limits what passed");
  app.add_flag("--lines", arguments->lines,
               "Candidates of the kernel as JSON lines on standard input, answered in turn; what was started stays");
  app.add_flag("--json", arguments->json, "One JSON object a workload and line, with score and feedback");
  add_shared_options(app, shell);
  action = [arguments, &shell] {
    if (!arguments->lines) require_candidate(arguments->asked.words, "eval");
    else require_lines(*arguments);
    if (!arguments->json && !arguments->lines && (arguments->asked.reuse || arguments->veil || arguments->feedback))
      throw bad_input("eval: --reuse, --veil and --feedback need --json");
    arguments->asked.workloads =
        asked_words(arguments->words, {arguments->asked.words.kernel}, arguments->asked.device, shell);
    return arguments->lines ? eval_lines(*arguments, shell) : eval(*arguments, shell);
  };
}

}  // namespace harness
