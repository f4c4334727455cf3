#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/first_look.h"
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
  if (!arguments.json) report::err("  {}\n", line);
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
                       {"output", text_or_null(mutant.output)},
                       {"caught_by", text_or_null(mutant.caught_by)},
                       {"detail", mutant.detail}});
  return mutants;
}

/// nullopt: interrupted.
std::optional<KernelCheck> checked(const std::string& name, KernelChecker& checker, const CheckArguments& arguments) {
  if (!arguments.json) report::err("{}\n", name);
  const KernelCheck check = checker.check(name);
  if (interrupted()) return std::nullopt;
  if (!arguments.json) report::out("{}: {}\n", name, check.problems.empty() ? "ok" : "FAILED");
  return check;
}

int check(CheckArguments arguments, Shell& shell) {
  require_descriptors();
  KernelChecker checker(shell, arguments.device, telling(arguments), arguments.kernels);
  if (arguments.kernels.empty()) arguments.kernels = checker.kernel_names();
  if (const std::string unchecked = checker.unchecked(); !unchecked.empty()) note(arguments, unchecked);
  bool all = true;
  for (const std::string& name : arguments.kernels) {
    const auto check = interrupted() ? std::nullopt : checked(name, checker, arguments);
    if (!check) return 130;
    all = all && check->problems.empty();
    if (arguments.json)
      report::out_json({{"kernel", name},
                        {"passed", check->problems.empty()},
                        {"mutants", mutants_json(check->admission)},
                        {"tolerances", check->admission.tolerances},
                        {"problems", check->problems}});
    else
      for (const std::string& problem : check->problems) report::out("  {}\n", problem);
    std::fflush(stdout);
  }
  return all ? 0 : 1;
}

}  // namespace

std::vector<std::string> first_check(const std::string& kernel, const std::string& device, bool quiet, Shell& shell) {
  CheckArguments arguments;
  arguments.json = quiet;
  arguments.options.baseline_later = true;
  KernelChecker checker(shell, device, telling(arguments), {kernel});
  const auto check = checked(kernel, checker, arguments);
  return check ? check->problems : std::vector<std::string>();
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
  add_shared_options(app, shell);
  action = [arguments, &shell] { return check(*arguments, shell); };
}

}  // namespace harness
