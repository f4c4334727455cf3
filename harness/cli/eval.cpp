#include <fmt/format.h>

#include <memory>

#include "harness/campaign/gatekeeper.h"
#include "harness/cli/command.h"
#include "harness/cli/first_look.h"
#include "harness/cli/task_line.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/report/events.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/edited_source.h"
#include "harness/system/awake_clock.h"
#include "harness/system/cache_limit.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

namespace harness {
namespace {

struct EvalArguments {
  std::string kernel, variant, device = "auto", workloads, source;
  std::optional<std::string> label;
  std::int64_t from = 0;
  AskedTimes times;
  std::vector<std::string> parameters;
  double usd_per_hour = 0;
  bool no_record = false, json = false, quiet = false, gates = false;
  std::function<void(const EvaluatedPoint&)> tell;  // set: instead of printing
  std::vector<std::string> points;                  // set: these workloads, as they stand
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
  report::tell("%s %s [%s, %s]  cold %s  warm %s  floor %s  (%s)%s\n", gpu.empty() ? "time" : "predicted time",
               report::nanoseconds(timing.time_ns).c_str(), report::nanoseconds(timing.time_lo_ns).c_str(),
               report::nanoseconds(timing.time_hi_ns).c_str(), report::nanoseconds(timing.cold_ns).c_str(),
               report::nanoseconds(timing.warm_ns).c_str(), report::nanoseconds(timing.floor_ns).c_str(),
               timing.samples.method.c_str(), timing.emulation && gpu.empty() ? "  EMULATION" : "");
}

bool held(const GateResult& gate) {
  return gate.checked && gate.passed;
}

/// Those that held are counted; what failed or went unchecked is what a person looks for. All of them with --gates.
void print_gates(const std::vector<GateResult>& gates, bool all) {
  report::Table table{{"gate", "", "evidence"}, {}};
  for (const GateResult& gate : gates)
    if (all || !held(gate))
      table.rows.push_back({gate.name, !gate.checked ? "-" : gate.passed ? "ok" : "FAILED", gate.detail});
  const auto passed = std::ranges::count_if(gates, held);
  report::out("gates: %td of %zu held%s\n", passed, gates.size(), all ? "" : "; --gates shows them all");
  if (!table.rows.empty()) report::out("%s", report::aligned(table).c_str());
}

void print_person(const IterationEnded& event, bool all_gates) {
  const Evaluation& evaluation = *event.evaluation;
  const Candidate& candidate = event.attempt.candidate;
  report::tell("%s %s %s on %s: %s\n", candidate.kernel.c_str(), variant_text(event.attempt).c_str(),
               to_text(candidate.config).c_str(), event.attempt.workload.c_str(),
               std::string(outcome_name(evaluation.outcome)).c_str());
  if (const auto* passed = std::get_if<Passed>(&evaluation.outcome)) print_time(event, passed->timing);
  print_gates(evaluation.gates, all_gates);
  if (std::holds_alternative<Passed>(evaluation.outcome)) {
    for (const GateResult& gate : evaluation.gates)
      if (const std::string words = reservation(gate.name, gate.detail); !words.empty())
        report::tell("%s\n", report::clean(words).c_str());
    return;
  }
  const json error = error_json(evaluation.outcome);
  if (!error.is_null()) report::tell("%s\n", report::clean(error.value("message", "")).c_str());
  static std::string told;  // the same errors on the next workload are not told again
  if (const auto* failed = std::get_if<CompileError>(&evaluation.outcome); failed != nullptr && failed->log != told)
    report::out("%s\n", (told = failed->log).c_str());
}

bool evaluate_one(const AskedCandidate& asked, const std::string& workload, const EvalArguments& arguments,
                  Catalog& catalog, Evaluator& evaluator, const Admission& admission, CampaignWriter* ledger,
                  std::int64_t campaign, const TaskLine& line) {
  const DeviceInfo device = evaluator.device();
  const Realized realized = realize(asked.candidate, workload, catalog, device);
  AttemptRecord attempt{
      campaign,     0, realized.candidate, workload, realized.problem.contract_hash, realized.source_hash, 0,
      Purpose::eval};
  attempt.label = arguments.label;
  attempt.parent = asked.parent;
  const std::int64_t id = ledger != nullptr ? ledger->begin_attempt(attempt) : 0;
  EvaluationRequest request = gated_request(catalog, evaluator, realized, Points::finalist);
  request.confirm = true;
  request.admission = &admission;
  const Evaluation evaluation = evaluator.evaluate(request);
  const std::int64_t iteration = ledger != nullptr ? ledger->end_attempt(id, evaluation, false) : 0;
  const IterationEnded event{iteration, attempt, &evaluation, {}, device.device, false, false};
  line.hide();
  if (arguments.tell) arguments.tell({workload, realized, evaluation, iteration});
  else if (arguments.json) report::out_json(report::evaluation_json(event));
  else if (!arguments.quiet) print_person(event, arguments.gates);
  std::fflush(stdout);
  return std::holds_alternative<Passed>(evaluation.outcome);
}

/// A variant need not do every workload of the default set; without any the first one says why.
void leave_out_impossible(std::vector<std::string>& workloads, const Candidate& candidate, Catalog& catalog,
                          const DeviceInfo& device) {
  std::vector<std::string> possible;
  for (const std::string& each : workloads)
    if (catalog.plugin(candidate.kernel).has_configuration(candidate.variant, each, device)) possible.push_back(each);
  if (possible.empty()) return;
  for (const std::string& each : workloads)
    if (std::find(possible.begin(), possible.end(), each) == possible.end())
      report::err("%s %s is not valid on %s, which is left out\n", candidate.kernel.c_str(), candidate.variant.c_str(),
                  each.c_str());
  workloads = std::move(possible);
}

int eval(const EvalArguments& arguments, Shell& shell) {
  require_descriptors();
  watch_for_stops();
  Places places = shell.places();
  const auto catalog = shell.rooms.catalog(places);
  if (arguments.label) check_label(*arguments.label);
  AskedCandidate wanted = asked_candidate(
      {arguments.kernel, arguments.variant, arguments.source, arguments.from, arguments.parameters}, *catalog, shell);
  Candidate& candidate = wanted.candidate;
  const KernelInfo& kernel = catalog->kernel(candidate.kernel);
  candidate.technique = variant_of(kernel, candidate.variant).technique;
  const DeviceInfo device = choose_device(arguments.device, arguments.times, shell.rooms.devices(places));
  const std::vector<std::string> asked =
      arguments.points.empty() ? split_commas(arguments.workloads) : arguments.points;
  std::vector<std::string> workloads = asked_workloads(wanted, asked, *catalog, device);
  if (asked.empty() && wanted.workload.empty()) leave_out_impossible(workloads, candidate, *catalog, device);
  for (const std::string& each : workloads)
    catalog->plugin(candidate.kernel).default_config(candidate.variant, each, device, candidate.config);
  use_edited(wanted, workloads, *catalog, device);
  catch_interrupts();
  const std::optional<double> price = arguments.usd_per_hour > 0 ? std::optional(arguments.usd_per_hour) : std::nullopt;
  const TaskLine line(arguments.json || arguments.quiet, &places);
  const auto evaluator = shell.rooms.evaluator(places, device, price, interrupted);
  const auto archive = shell.rooms.archive(arguments.no_record ? ":memory:" : shell.store_path(), ArchiveAccess::write);
  Ledger& known = archive->ledger();
  CampaignWriter* const ledger = arguments.no_record ? nullptr : &known;
  evaluator->use_peaks(known_peaks(*evaluator, known));
  // The gates are tried on the plugin as it is: an edit has no say in how it is judged.
  const auto own = wanted.source ? shell.rooms.catalog(places) : nullptr;
  line.begin(fmt::format("the gates of {}", candidate.kernel));
  const auto admission = known_admission(own ? *own : *catalog, *evaluator, known, candidate.kernel);
  if (!admission) return 130;
  line.hide();
  if (!admission->passed) throw bad_input(refusal(*admission));
  std::int64_t campaign = 0;
  if (ledger != nullptr) {
    CampaignRecord record;
    record.name = "eval";
    record.device = device.device;
    record.device_name = device.name;
    record.kernels = {candidate.kernel};
    record.options = {{"eval", true}};
    record.environment = {{"device", device}, {"revision", shell.rooms.program.revision}};
    campaign = ledger->begin_campaign(record);
  }
  bool all = true;
  for (const std::string& each : workloads) {
    line.begin(fmt::format("{} {} on {}", candidate.kernel, candidate.variant, each));
    all = evaluate_one(wanted, each, arguments, *catalog, *evaluator, *admission, ledger, campaign, line) && all;
    if (interrupted()) break;
  }
  if (ledger != nullptr)
    ledger->end_campaign(campaign, interrupted() ? EndReason::interrupted : EndReason::exhausted,
                         awake_seconds() - awake_at_start(), std::nullopt);
  keep_cache_small(places.cache_folder);
  if (interrupted()) return 130;
  return all ? 0 : 1;
}

}  // namespace

bool first_evaluation(const std::string& kernel, const std::string& variant, const std::string& device, bool quiet,
                      Shell& shell) {
  EvalArguments arguments;
  arguments.kernel = kernel;
  arguments.variant = variant;
  arguments.device = device;
  arguments.quiet = quiet;
  arguments.times.emulated = predicted_gpu(device).empty();  // the question is whether it is right, not how fast
  return eval(arguments, shell) == 0;
}

bool evaluate_points(const PointsAsked& asked, Shell& shell, const std::function<void(const EvaluatedPoint&)>& tell) {
  EvalArguments arguments;
  arguments.kernel = asked.kernel;
  arguments.variant = asked.variant;
  arguments.device = asked.device;
  arguments.times = asked.times;
  arguments.parameters = asked.parameters;
  arguments.points = asked.workloads;
  arguments.no_record = asked.no_record;
  arguments.tell = tell;
  return eval(arguments, shell) != 130;
}

void define_eval(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<EvalArguments>();
  app.add_option("kernel", arguments->kernel, "The kernel");
  app.add_option("variant", arguments->variant, "The variant");
  app.add_option("--from", arguments->from, "Evaluate what this recorded iteration evaluated")->type_name("ITERATION");
  app.add_option("--source", arguments->source,
                 "An edited source: takes the place of the variant's own, passes all gates and is recorded")
      ->type_name("FILE");
  app.add_option("--label", arguments->label, "What to call it: history, show, best and diff print it")
      ->type_name("TEXT");
  app.add_option("-p", arguments->parameters, "A parameter's value; the others take their first valid one")
      ->type_name("NAME=VALUE")
      ->take_all();
  app.add_option(
      "--workload", arguments->workloads,
      "Workloads, sets, or shapes of your own (\"B=4 Sq=3000\"; the rest as in the first workload), separated "
      "by commas (default: the set 'default')");
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  add_times_options(app, arguments->times);
  app.add_option("--usd-per-hour", arguments->usd_per_hour, "The device's price")->check(CLI::PositiveNumber);
  app.add_flag("--no-record", arguments->no_record, "Write nothing to the store");
  app.add_flag("--gates", arguments->gates, "Show every gate with its evidence, also those that held");
  app.add_flag("--json", arguments->json, "One JSON object a workload and line");
  add_db_option(app, shell);
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    if (arguments->from == 0 && (arguments->kernel.empty() || arguments->variant.empty()))
      throw bad_input("name a kernel and a variant, or --from an iteration: harness eval KERNEL VARIANT");
    return eval(*arguments, shell);
  };
}

}  // namespace harness
