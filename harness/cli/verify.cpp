#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/judged_package.h"
#include "harness/cli/package_rebuild.h"
#include "harness/core/error.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/resource_limits.h"

// verify: whether a package still holds on this machine.
namespace harness {
namespace {

struct VerifyArguments {
  std::string folder, device = "auto", digest;
  bool json = false;
};

void print_pair(const PairResult& result) {
  if (!result.right()) {
    report::out("%s: %s: %s %s\n", result.workload.c_str(), report::clean(result.candidate).c_str(),
                result.outcome.c_str(), report::clean(result.detail).c_str());
    return;
  }
  report::out("%s: %s: %zu gates, %.3fx [%.3f, %.3f] beside %s: %s\n", result.workload.c_str(),
              report::clean(result.candidate).c_str(), result.gates, result.ratio.value_or(0),
              result.ratio_lo.value_or(0), result.ratio_hi.value_or(0), report::clean(result.beside).c_str(),
              result.verdict ? std::string(name(*result.verdict)).c_str() : "not compared");
}

int verify(const VerifyArguments& arguments, Shell& shell) {
  require_descriptors();
  const package::PackageFolder package = package::read_package(arguments.folder, arguments.digest);
  const DeviceInfo device = device_for(shell, package, arguments.device);
  if (!arguments.json)
    report::err("%zu files as they were packaged; judging on %s\n", package.files, report::clean(device.name).c_str());
  catch_interrupts();
  const RebuiltCode code = rebuild(shell, package);
  PackageJudge judge(shell, package, device);
  bool holds = code.different.empty();
  json workloads = json::array();
  std::size_t gates = 0, failed = 0;
  for (const package::PackagedWorkload& each : package.workloads) {
    if (interrupted()) return 130;
    if (!package.emulated() && each.device != device.name) continue;
    if (!each.winner) {
      if (!arguments.json) report::out("%s: the original\n", each.workload.name.c_str());
      continue;
    }
    const Realized original = judge.realize(judge.catalog(), package.original, each);
    const PairResult result =
        judge.judge(judge.catalog(), judge.realize(judge.catalog(), *each.winner, each), original);
    if (interrupted()) return 130;
    gates += result.gates;
    failed += result.failed_gates;
    holds = holds && result.right() && !result.slower();
    workloads.push_back(pair_json(result));
    if (!arguments.json) print_pair(result);
  }
  if (!arguments.json) {
    for (const std::string& sentence : code.different) report::out("%s\n", report::clean(sentence).c_str());
    if (!code.not_compared.empty())
      report::out("machine code not compared: %s\n", report::clean(code.not_compared).c_str());
    report::out(holds ? "the package holds\n" : "the package does not hold\n");
  } else {
    report::out_json(
        {{"package", arguments.folder},
         {"kernel", package.kernel},
         {"device", device.name},
         {"digests", {{"files", package.files}, {"package", package.digest}}},
         {"gates", {{"checked", gates}, {"failed", failed}}},
         {"code", {{"same", code.same}, {"different", code.different}, {"not_compared", code.not_compared}}},
         {"workloads", workloads},
         {"passed", holds}});
  }
  return holds ? 0 : 1;
}

}  // namespace

void define_verify(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<VerifyArguments>();
  app.add_option("folder", arguments->folder, "The package")->required()->type_name("DIR");
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  app.add_option("--digest", arguments->digest, "The digest that `harness package` told: the package must be that one")
      ->type_name("HEX");
  app.add_flag("--json", arguments->json, "One JSON object");
  add_gate_options(app, shell);
  action = [arguments, &shell] { return verify(*arguments, shell); };
}

}  // namespace harness
