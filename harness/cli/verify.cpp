#include "harness/shipping/verify.h"

#include <memory>

#include "harness/cli/command.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

// verify: whether a package still holds on this machine.
namespace harness {
namespace {

struct VerifyArguments {
  VerifyQuestion question;
  bool json = false;
};

void print_pair(const PairResult& result) {
  if (!result.right()) {
    report::out("{}: {}: {} {}\n", result.workload, report::clean(result.candidate), result.outcome,
                report::clean(result.detail));
    return;
  }
  if (result.predicted) {
    report::out("{}: {}: {} gates, not timed: counted again, and predicted {:.2f}x beside {}\n", result.workload,
                report::clean(result.candidate), result.gates, result.ratio.value_or(0), report::clean(result.beside));
    return;
  }
  report::out("{}: {}: {} gates, {:.3f}x [{:.3f}, {:.3f}] beside {}: {}\n", result.workload,
              report::clean(result.candidate), result.gates, result.ratio.value_or(0), result.ratio_lo.value_or(0),
              result.ratio_hi.value_or(0), report::clean(result.beside),
              result.verdict ? std::string(name(*result.verdict)).c_str() : "not compared");
}

void print_workload(const VerifiedWorkload& workload) {
  if (workload.pair) print_pair(*workload.pair);
  else report::out("{}: the original\n", workload.workload);
}

/// The workloads are printed already, each when it was judged.
void print_end(const Verification& verification) {
  if (!verification.signature.holds()) {
    report::out("{}\nthe package does not hold; nothing of it was run\n", report::clean(verification.signature.text));
    return;
  }
  for (const std::string& sentence : verification.code.different) report::out("{}\n", report::clean(sentence));
  if (!verification.code.not_compared.empty())
    report::out("machine code not compared: {}\n", report::clean(verification.code.not_compared));
  const std::string& launcher = verification.code.launcher;
  if (launcher != "same" && launcher != "different")
    report::out("compiled launcher not compared: {}\n", report::clean(launcher));
  report::out("{} images are what their sources compile to{}\n", verification.code.same,
              launcher == "same" ? ", and so is the compiled launcher" : "");
  report::out("the package {}\n", verification.holds ? "holds" : "does not hold");
}

json verification_json(const Verification& verification, const std::string& folder) {
  json workloads = json::array();
  for (const VerifiedWorkload& workload : verification.workloads)
    if (workload.pair) workloads.push_back(pair_json(*workload.pair));
  const RebuiltCode& code = verification.code;
  return {{"package", folder},
          {"kernel", verification.kernel},
          {"device", text_or_null(verification.device.name)},
          {"digests", {{"files", verification.files}, {"package", verification.digest}}},
          {"signature",
           {{"state", name(verification.signature.state)}, {"key", text_or_null(verification.signature.signer)}}},
          {"gates", {{"checked", verification.gates}, {"failed", verification.failed_gates}}},
          {"code",
           {{"same", code.same},
            {"different", code.different},
            {"not_compared", code.not_compared},
            {"launcher", code.launcher}}},
          {"workloads", workloads},
          {"passed", verification.holds}};
}

int verify(const VerifyArguments& arguments, Shell& shell) {
  require_descriptors();
  const bool quiet = arguments.json;
  const auto begun = [quiet](const Verification& verification) {
    catch_interrupts();
    if (!quiet)
      report::err("{} files as they were packaged, {}; judging on {}\n", verification.files,
                  report::clean(verification.signature.text), report::clean(verification.device.name));
  };
  const auto judged = [quiet](const VerifiedWorkload& workload) {
    if (!quiet) print_workload(workload);
  };
  const Verification verification = verify_package(shell, arguments.question, {begun, judged});
  if (verification.interrupted) return 130;
  if (arguments.json) report::out_json(verification_json(verification, arguments.question.folder));
  else print_end(verification);
  return verification.holds ? 0 : 1;
}

}  // namespace

void define_verify(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<VerifyArguments>();
  app.add_option("folder", arguments->question.folder, "The package")->required()->type_name("DIR");
  app.add_option("--device", arguments->question.device, shell.rooms.device_words)->capture_default_str();
  app.add_option("--digest", arguments->question.digest,
                 "The digest that `harness package` told: the package must be that one")
      ->type_name("HEX");
  app.add_option("--key", arguments->question.key,
                 "Public key (PEM, Ed25519) that must have signed the package; else nothing of it is run")
      ->type_name("FILE");
  app.add_flag("--json", arguments->json, "One JSON object");
  add_gate_options(app, shell);
  action = [arguments, &shell] { return verify(*arguments, shell); };
}

}  // namespace harness
