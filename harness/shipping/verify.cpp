#include "harness/shipping/verify.h"

#include "harness/core/error.h"
#include "harness/package/folder/reading.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

/// The winner beside the original; no pair where the original is the choice.
VerifiedWorkload judged(PackageJudge& judge, const package::PackageFolder& package,
                        const package::PackagedWorkload& point) {
  if (!point.winner) return {point.workload.name, {}};
  const Realized original = judge.realize(judge.catalog(), package.original, point);
  const Realized winner = judge.realize(judge.catalog(), *point.winner, point);
  return {point.workload.name, judge.judge(judge.catalog(), winner, original)};
}

}  // namespace

Verification verify_package(const Shell& shell, const VerifyQuestion& question, const VerifyWatch& watch) {
  const package::PackageFolder package = package::read_package(question.folder, question.digest);
  Verification verification{package.kernel, package.digest, signature_of(package, question.key), {}, package.files};
  if (!verification.signature.holds()) return verification;
  verification.device = device_for(shell, package, question.device);
  watch.begun(verification);
  verification.code = rebuild(shell, package);
  verification.holds = verification.code.different.empty();
  PackageJudge judge(shell, package, verification.device);
  for (const package::PackagedWorkload& point : package.workloads) {
    verification.interrupted = interrupted();
    if (verification.interrupted) break;
    if ((!package.emulated() || !verification.device.predicts.empty()) && point.device != verification.device.name)
      continue;
    VerifiedWorkload workload = judged(judge, package, point);
    verification.interrupted = interrupted();
    if (verification.interrupted) break;
    if (const auto& pair = workload.pair) {
      verification.gates += pair->gates;
      verification.failed_gates += pair->failed_gates;
      verification.holds = verification.holds && pair->right() && !pair->slower();
    }
    watch.judged(workload);
    verification.workloads.push_back(std::move(workload));
  }
  return verification;
}

}  // namespace harness
