#include "harness/service/kernel_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/campaign/arms.h"
#include "harness/campaign/covering.h"
#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/core/torch_call.h"
#include "harness/service/arguments.h"
#include "harness/service/new_problem.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

void note(const CheckOptions& options, const std::string& line) {
  if (options.tell) options.tell(line);
}

// Of one variant, that are run through all gates.
constexpr std::size_t kMostConfigurations = 8;

/// What is found on the way.
struct Checking : KernelCheck {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> repeated;  // variant, problem: workloads
  /// What is wrong with a variant on several workloads is told once, with all of them.
  void add(const std::string& variant, const std::string& workload, const std::string& problem) {
    repeated[{variant, problem}].push_back(workload);
  }
  void tell_repeated() {
    for (const auto& [what, workloads] : repeated)
      problems.push_back(fmt::format("{} on {}: {}", what.first, fmt::join(workloads, ", "), what.second));
    repeated.clear();
  }
};

/// "10_vector BLOCK=128 VEC=4"
std::string with_config(const std::string& variant, const Config& config) {
  return config.empty() ? variant : variant + " " + to_text(config);
}

// The whole is right: a stage that is not has a wrong reference.
void note_stages(const Evaluation& evaluation, const VariantInfo& variant, const std::string& workload,
                 Checking& report) {
  for (const GateResult& gate : evaluation.gates)
    if (find_gate(gate.name) == &gate::stage && !gate.passed)
      report.problems.push_back(
          fmt::format("{} on {} passes, and its {} alone does not: {}; mend the launch that "
                      "computes what it should hand on",
                      variant.name, workload, gate.name, gate.detail));
}

void run_variant(Catalog& catalog, Evaluator& evaluator, const std::string& kernel, const VariantInfo& variant,
                 const std::string& workload, const Config& config, bool timed, const CheckOptions& options,
                 Checking& report) {
  const DeviceInfo device = evaluator.device();
  const Realized realized =
      catalog.plugin(kernel).realize({kernel, variant.name, variant.technique, config}, workload, device);
  EvaluationRequest request = gated_request(catalog, evaluator, realized, Points::finalist);
  request.admission = &report.admission;
  request.stages = true;
  request.gates_only = !timed;
  const Evaluation evaluation = evaluator.evaluate(request);
  const json error = error_json(evaluation.outcome);
  if (!error.is_null())
    report.add(with_config(variant.name, config), workload,
               fmt::format("{}: {}", outcome_name(evaluation.outcome), error.value("message", "")));
  else note_stages(evaluation, variant, workload, report);
  note(options,
       fmt::format("{} on {}: {}", with_config(variant.name, config), workload, outcome_name(evaluation.outcome)));
}

// Every variant that can run here through all gates: on the first workload in configurations that hold each value of
// each parameter once; the baseline, which also tries the reference, on the other workloads of the default set too.
void run_variants(Catalog& catalog, Evaluator& evaluator, const KernelInfo& kernel, const CheckOptions& options,
                  Checking& report) {
  const DeviceInfo device = evaluator.device();
  const std::vector<std::string> workloads = choose_workloads(kernel, {}, device);
  for (const VariantInfo& variant : kernel.variants) {
    const bool baseline = variant.name == baseline_of(kernel, device).name;
    if (!catalog.plugin(kernel.name).unsupported_reason(variant.name, device).empty()) continue;
    if (calls_torch(variant) && device.emulation) continue;  // it has no time there
    std::vector<std::string> on = workloads;
    if (!baseline) {
      std::erase_if(on, [&](const std::string& workload) {
        return !catalog.plugin(kernel.name).has_configuration(variant.name, workload, device);
      });
      on.resize(std::min<std::size_t>(1, on.size()));
    }
    for (const std::string& workload : on) {
      const Config first = catalog.plugin(kernel.name).default_config(variant.name, workload, device, {});
      std::vector<Config> configs{first};
      if (workload == on.front())
        for (Config& config : covering_configurations(catalog.plugin(kernel.name).space(variant.name, workload, device),
                                                      kMostConfigurations))
          if (to_text(config) != to_text(first)) configs.push_back(std::move(config));
      for (const Config& config : configs) {
        if (interrupted()) return;
        if (baseline && options.baseline_later && &config == configs.data()) continue;
        run_variant(catalog, evaluator, kernel.name, variant, workload, config, &config == configs.data(), options,
                    report);
      }
    }
  }
}

// Every variant, and the reference, for a named architecture; needs no GPU. On the first workload each value of each
// parameter is compiled once, on the others the first configuration.
void compile_offline(Catalog& catalog, const OfflineDevice& offline, const KernelInfo& kernel,
                     const CheckOptions& options, Checking& report) {
  const DeviceInfo& device = offline.info;
  int built = 0;
  std::set<std::vector<std::string>> references;  // by their entries: one for each type
  std::set<std::string> missing;                  // what builders said that cannot work here
  const auto build = [&](const BuildSpec& spec, const std::string& what, const std::string& workload) {
    const BuildResult result = offline.compiler->build(spec);
    ++built;
    const auto* const failure = std::get_if<CompileFailure>(&result);
    if (failure != nullptr && failure->missing) missing.insert(failure->log);
    else if (failure != nullptr)
      report.add(what, workload, fmt::format("does not compile for {}: {}", options.architecture, failure->log));
  };
  for (const VariantInfo& variant : kernel.variants) {
    if (!catalog.plugin(kernel.name).unsupported_reason(variant.name, device).empty()) continue;
    bool covered = false;
    for (const std::string& workload : choose_workloads(kernel, {}, device)) {
      if (!catalog.plugin(kernel.name).has_configuration(variant.name, workload, device)) continue;
      const Space space = catalog.plugin(kernel.name).space(variant.name, workload, device);
      for (const Config& config : covering_configurations(space, covered ? 1 : kMostConfigurations)) {
        if (interrupted()) return;
        const Realized realized =
            catalog.plugin(kernel.name)
                .realize({kernel.name, variant.name, variant.technique, config}, workload, device);
        if (!calls_torch(variant)) build(realized.build, with_config(variant.name, config), workload);
        if (realized.problem.reference.source.ends_with(".py")) continue;
        if (const BuildSpec reference = offline.reference_build(realized); references.insert(reference.entries).second)
          build(reference, "the reference", workload);
      }
      covered = true;
    }
  }
  note(options, fmt::format("{} builds for {} through {}", built, device.architecture, device.compiler));
  for (const std::string& why : missing) note(options, "not compiled: " + why);
}

/// The model of honest errors that each relative output is judged by, on each workload that is timed.
std::vector<std::string> models_in_words(Catalog& catalog, const DeviceInfo& device, const std::string& kernel) {
  std::vector<std::string> lines;
  for (const std::string& workload : choose_workloads(catalog.kernel(kernel), {}, device)) {
    const Problem problem = catalog.plugin(kernel).problem(workload);
    for (const Argument& a : problem.arguments) {
      if (!a.compare || a.compare->kind != "relative" || a.absent) continue;
      const Accuracy accuracy = accuracy_of(problem, a);
      lines.push_back(fmt::format("honest error of '{}' on {}: {} ({})", a.name, workload, in_words(accuracy, a.dtype),
                                  accuracy.declared ? "declared" : "inferred"));
    }
  }
  return lines;
}

Realized baseline_on(Catalog& catalog, const std::string& kernel, const std::string& workload,
                     const DeviceInfo& device) {
  const VariantInfo& baseline = baseline_of(catalog.kernel(kernel), device);
  const Config config = catalog.plugin(kernel).default_config(baseline.name, workload, device, {});
  return catalog.plugin(kernel).realize({kernel, baseline.name, baseline.technique, config}, workload, device);
}

/// What no gate could tell: inputs that never change, a reference that follows from none or is no function of them.
/// False: there is such a thing, or it was stopped on the way.
bool review_contract(Catalog& catalog, Evaluator& evaluator, const std::string& kernel, const CheckOptions& options,
                     Checking& report) {
  const std::size_t before = report.problems.size();
  const std::optional<Realized> small = small_baseline(catalog, evaluator, kernel);
  std::optional<std::map<std::string, double>> constant;  // on all that are looked at
  const auto look = [&](const Realized& baseline, const Realized* checked) {
    const auto review = evaluator.review(baseline, checked);
    if (!review) return false;
    for (const std::string& problem : review->problems)
      if (std::ranges::find(report.problems, problem) == report.problems.end()) report.problems.push_back(problem);
    if (!constant && !review->not_checked.empty()) note(options, "the reference: not checked: " + review->not_checked);
    if (!constant) constant = review->constant_inputs;
    std::erase_if(*constant, [&](const auto& input) { return !review->constant_inputs.contains(input.first); });
    return true;
  };
  for (const Realized& baseline : review_baselines(catalog, evaluator, kernel))
    if (!look(baseline, constant ? nullptr : small ? &*small : nullptr)) return false;
  if (constant && !constant->empty() &&
      evaluator.device().emulation)  // lengths may be equal on one workload and ragged on another
    for (const std::string& workload : choose_workloads(catalog.kernel(kernel), {}, evaluator.device()))
      if (!look(baseline_on(catalog, kernel, workload, evaluator.device()), nullptr)) return false;
  // One point says little of lengths; the cpu device looks at all.
  if (!evaluator.device().emulation) constant.reset();
  for (const auto& [input, value] : constant.value_or(std::map<std::string, double>{}))
    report.problems.push_back(fmt::format(
        "every element of the input '{}' is {:g} in all draws, so nothing tells how it is read; draw values that vary",
        input, value));
  return report.problems.size() == before;
}

// The gates on trial, always anew: that is what a check is for. False: stopped on the way, or refused.
bool try_gates(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions, const CheckOptions& options,
               const std::string& kernel, Checking& report) {
  const auto admission = evaluator.admit(admission_request(catalog, evaluator, kernel));
  if (!admission) return false;
  report.admission = *admission;
  admissions.record_admission(*admission);
  report.problems.insert(report.problems.end(), admission->problems.begin(), admission->problems.end());
  for (const Tolerance& tolerance : admission->tolerances)
    if (tolerance.form == "nominal" && tolerance.tolerance > 0)
      note(options, fmt::format("tolerance of '{}' ({}): {:.2g}, {}: baseline {:.2g}, one precision lower {:.2g}",
                                tolerance.output, tolerance.group, tolerance.tolerance, tolerance.origin,
                                tolerance.honest, tolerance.impostor));
  for (const std::string& line : models_in_words(catalog, evaluator.device(), kernel)) note(options, line);
  for (const std::string& skipped : admission->skipped_forms) note(options, skipped);
  std::size_t caught = 0;
  for (const MutantVerdict& mutant : admission->mutants) caught += mutant.caught_by.empty() ? 0 : 1;
  note(options,
       fmt::format("{} of {} mutants caught, {:.1f} s", caught, admission->mutants.size(), admission->seconds));
  return admission->passed;
}

}  // namespace

namespace {

OfflineDevice offline_device(const Shell& shell, const Places& places, CheckOptions& options) {
  const std::string first = find_gpu("").architecture;
  if (options.architecture.empty()) options.architecture = first;
  if (auto offline = shell.rooms.offline_device(places, options.architecture)) return std::move(*offline);
  throw bad_input(fmt::format("'{}' is no architecture; write it like {}", options.architecture, first));
}

}  // namespace

KernelChecker::KernelChecker(Shell& shell, const std::string& device, CheckOptions options,
                             const std::vector<std::string>& kernels)
    : options_(std::move(options)),
      places_(shell.places()),
      offline_(offline_device(shell, places_, options_)),
      catalog_(shell.rooms.catalog(places_)) {
  const std::vector<std::string> names = kernel_names();
  for (const std::string& kernel : kernels)
    if (std::ranges::find(names, kernel) == names.end()) catalog_->kernel(kernel);  // says which is the nearest
  const DeviceInfo chosen = choose_device(device, shell.rooms.devices(places_));
  catch_interrupts();
  evaluator_ = shell.rooms.evaluator(places_, chosen, std::nullopt, interrupted);
  archive_ = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  evaluator_->use_peaks(known_peaks(*evaluator_, archive_->ledger()));
}

std::string KernelChecker::unchecked() const {
  if (offline_.compiler) return "";
  return fmt::format("{}: compiling for {} is not checked", fmt::join(offline_.info.missing, "; "),
                     options_.architecture);
}

KernelCheck KernelChecker::check(const std::string& name) {
  Checking report;
  try {
    const KernelInfo& kernel = catalog_->kernel(name);
    report.problems = catalog_->inspect(name, evaluator_->device());
    if (!review_contract(*catalog_, *evaluator_, name, options_, report)) return report;
    if (!has_kernel(*catalog_, name)) {
      note(options_, fmt::format("{} has no kernel yet: the contract and its reference hold; the gates are tried with "
                                 "the first kernel",
                                 name));
      report.tell_repeated();
      return report;
    }
    if (!try_gates(*catalog_, *evaluator_, archive_->ledger(), options_, name, report)) return report;
    if (options_.keep) catalog_->plugin(name).keep_admitted(evaluator_->device().admission_key, report.admission.parts);
    run_variants(*catalog_, *evaluator_, kernel, options_, report);
    if (offline_.compiler) compile_offline(*catalog_, offline_, kernel, options_, report);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::environment) throw;
    report.problems.emplace_back(error.what());
  }
  report.tell_repeated();
  return report;
}

}  // namespace harness
