#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/campaign/gatekeeper.h"
#include "harness/cli/command.h"
#include "harness/cli/first_look.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/report/out.h"
#include "harness/service/kernel_check.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

// check: is a kernel plugin fit to be optimized? Its manifests, spaces and launch arithmetic, its gates against
// mutants, its reference against its baseline through all gates, and every variant through the compilers that are here.
namespace harness {
namespace {

struct CheckArguments {
  std::vector<std::string> kernels;
  std::string device = "auto";
  CheckOptions options;  // architecture "": the first GPU's
  bool json = false;
};

void note(const CheckArguments& arguments, const std::string& line) {
  if (!arguments.json) report::err("  %s\n", line.c_str());
}

/// The options, with lines for who sits at a terminal.
CheckOptions telling(const CheckArguments& arguments) {
  CheckOptions options = arguments.options;
  options.tell = [arguments](const std::string& line) { note(arguments, line); };
  return options;
}

json mutants_json(const Admission& admission) {
  json mutants = json::array();
  for (const MutantVerdict& mutant : admission.mutants)
    mutants.push_back({{"name", mutant.name},
                       {"workload", mutant.workload},
                       {"output", mutant.output.empty() ? json() : json(mutant.output)},
                       {"caught_by", mutant.caught_by.empty() ? json() : json(mutant.caught_by)},
                       {"detail", mutant.detail}});
  return mutants;
}

int check(CheckArguments arguments, Shell& shell) {
  require_descriptors();
  const Places places = shell.places();
  if (arguments.options.architecture.empty()) arguments.options.architecture = find_gpu("").architecture;
  const auto offline = shell.rooms.offline_device(places, arguments.options.architecture);
  if (!offline)
    throw bad_input(fmt::format("'{}' is no architecture; write it like {}", arguments.options.architecture,
                                find_gpu("").architecture));
  const auto catalog = shell.rooms.catalog(places);
  if (arguments.kernels.empty()) arguments.kernels = catalog->kernel_names();
  for (const std::string& name : arguments.kernels) {  // an unknown name is bad usage, not a kernel that fails
    const auto known = catalog->kernel_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) catalog->kernel(name);
  }
  const DeviceInfo device = choose_device(arguments.device, shell.rooms.devices(places));
  catch_interrupts();
  const auto evaluator = shell.rooms.evaluator(places, device, std::nullopt, interrupted);
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  Ledger& ledger = archive->ledger();
  evaluator->use_peaks(known_peaks(*evaluator, ledger));
  if (!offline->compiler)
    note(arguments, fmt::format("{}: compiling for {} is not checked", fmt::join(offline->info.missing, "; "),
                                arguments.options.architecture));
  bool all = true;
  for (const std::string& name : arguments.kernels) {
    if (interrupted()) return 130;
    if (!arguments.json) report::err("%s\n", name.c_str());
    const KernelCheck report = check_kernel(name, *catalog, *evaluator, ledger, *offline, telling(arguments));
    if (interrupted()) return 130;
    all = all && report.problems.empty();
    if (arguments.json) {
      const json object{{"kernel", name},
                        {"passed", report.problems.empty()},
                        {"mutants", mutants_json(report.admission)},
                        {"tolerances", report.admission.tolerances},
                        {"problems", report.problems}};
      report::out_json(object);
    } else {
      report::out("%s: %s\n", name.c_str(), report.problems.empty() ? "ok" : "FAILED");
      for (const std::string& problem : report.problems) report::out("  %s\n", problem.c_str());
    }
    std::fflush(stdout);
  }
  return all ? 0 : 1;
}

}  // namespace

std::vector<std::string> first_check(const std::string& kernel, const std::string& device, bool quiet, Shell& shell) {
  CheckArguments arguments;
  arguments.device = device;
  arguments.json = quiet;
  arguments.options.baseline_later = true;
  arguments.options.architecture = find_gpu("").architecture;
  const Places places = shell.places();
  const auto catalog = shell.rooms.catalog(places);
  const auto offline = shell.rooms.offline_device(places, arguments.options.architecture);
  const auto evaluator =
      shell.rooms.evaluator(places, choose_device(device, shell.rooms.devices(places)), std::nullopt, interrupted);
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  evaluator->use_peaks(known_peaks(*evaluator, archive->ledger()));
  if (!quiet) report::err("%s\n", kernel.c_str());
  const KernelCheck report =
      check_kernel(kernel, *catalog, *evaluator, archive->ledger(), *offline, telling(arguments));
  if (!quiet && !interrupted()) report::out("%s: %s\n", kernel.c_str(), report.problems.empty() ? "ok" : "FAILED");
  return report.problems;
}

void define_check(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<CheckArguments>();
  app.add_option("kernel", arguments->kernels, "Kernels (default: all)")->type_name("[KERNEL...]");
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  app.add_option(
      "--arch", arguments->options.architecture,
      "Compile every variant and the reference for this architecture where NVRTC is found (default: the first GPU's "
      "of harness devices)");
  app.add_flag(
      "--keep", arguments->options.keep,
      "Put what the trial of the gates found beside the kernel (admitted.json): other machines only spot-check it");
  app.add_flag("--json", arguments->json, "One JSON object a kernel and line");
  add_db_option(app, shell);
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return check(*arguments, shell); };
}

}  // namespace harness
