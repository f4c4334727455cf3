#include "harness/shipping/judged_package.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/package/resolved.h"
#include "harness/report/format.h"
#include "harness/report/table.h"
#include "harness/service/arguments.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

std::string message_of(const Outcome& outcome) {
  const json error = error_json(outcome);
  return error.is_null() ? "" : error.value("message", "");
}

}  // namespace

std::unique_ptr<FormulaCatalog> packaged_catalog(const Shell& shell, const package::PackageFolder& package) {
  Places places = shell.places();
  places.kernel_folders = {package.kernels_folder()};
  places.include_folder = package.include_folder();
  return shell.rooms.formula_catalog(places);
}

DeviceInfo device_for(const Shell& shell, const package::PackageFolder& package, const std::string& asked) {
  const std::vector<DeviceInfo> devices = shell.rooms.devices(shell.places());
  const std::vector<std::string> wanted = package.device_names();
  const auto fits = [&](const DeviceInfo& device) {
    if (package.emulated()) return device.emulation;
    return !device.emulation && std::ranges::find(wanted, device.name) != wanted.end();
  };
  // What was chosen by counting is counted: an emulation's own times say nothing of it.
  const std::vector<std::string> predicted = package.predicted();
  const auto as_chosen = [&](const DeviceInfo& device) {
    return !predicted.empty() && device.predicts.empty() ? predicting(device, find_gpu(predicted.front())) : device;
  };
  if (asked == "auto")
    for (const DeviceInfo& device : devices)
      if (device.available && fits(device)) return as_chosen(device);
  const DeviceInfo device = choose_device(asked, devices);
  if (fits(device)) return as_chosen(device);
  if (package.emulated())
    throw environment_error(fmt::format("the package is of emulated times, and '{}' is no emulation; name --device cpu",
                                        report::clean(device.name)));
  throw environment_error(
      fmt::format("the package was measured on {}, and this machine has '{}': times of another model "
                  "say nothing; package what was measured here",
                  fmt::join(wanted, " and "), report::clean(device.name)));
}

PackageJudge::PackageJudge(const Shell& shell, const package::PackageFolder& package, const DeviceInfo& device)
    : PackageJudge(shell, packaged_catalog(shell, package), package.kernel, device) {}

PackageJudge::PackageJudge(const Shell& shell, std::unique_ptr<FormulaCatalog> catalog, std::string kernel,
                           const DeviceInfo& device)
    : shell_(shell), kernel_(std::move(kernel)), device_(device), catalog_(std::move(catalog)) {}

PackageJudge::~PackageJudge() = default;

Realized PackageJudge::realize(FormulaCatalog& catalog, const Candidate& candidate,
                               const package::PackagedWorkload& workload) {
  if (!workload.workload.declared) catalog.plugin(kernel_).add_shape(workload.workload.name, device_);
  return catalog.plugin(candidate.kernel).realize(candidate, workload.workload.name, device_);
}

void PackageJudge::prepare() {
  if (evaluator_) return;
  evaluator_ = shell_.rooms.evaluator(shell_.places(), device_, std::nullopt, interrupted);
  archive_ = shell_.rooms.archive(":memory:", ArchiveAccess::write);
  evaluator_->use_peaks(known_peaks(*evaluator_, archive_->ledger()));
  admission_ = known_admission(*catalog_, *evaluator_, archive_->ledger(), kernel_);
  if (admission_ && !admission_->passed) throw bad_input(refusal(*admission_));
}

std::optional<double> PackageJudge::predicted_ns(Catalog& catalog, const Realized& other) {
  const std::string key = other.problem.workload.name + " " + package::candidate_text(other.candidate);
  if (const auto known = predicted_.find(key); known != predicted_.end()) return known->second;
  EvaluationRequest request = gated_request(catalog, *evaluator_, other, Points::none);
  request.admission = &*admission_;
  const Evaluation evaluation = evaluator_->evaluate(request);
  const Timing* const timing = timing_of(evaluation.outcome);
  return predicted_[key] = timing == nullptr ? std::nullopt : std::optional(timing->time_ns);
}

PairResult PackageJudge::judge(Catalog& catalog, const Realized& candidate, const Realized& other) {
  PairResult result;
  result.workload = candidate.problem.workload.name;
  result.candidate = package::candidate_text(candidate.candidate);
  result.beside = package::candidate_text(other.candidate);
  prepare();
  if (!admission_) {
    result.outcome = "interrupted";
    return result;
  }
  EvaluationRequest request = gated_request(catalog, *evaluator_, candidate, Points::finalist);
  request.confirm = true;
  request.admission = &*admission_;
  if (!device_.predicts.empty()) request.baseline_ns = predicted_ns(catalog, other);
  if (device_.predicts.empty() || request.baseline_ns)
    request.incumbent = Incumbent{other, request.baseline_ns.value_or(0), 1.0};
  const Evaluation evaluation = evaluator_->evaluate(request);
  result.outcome = outcome_name(evaluation.outcome);
  result.detail = message_of(evaluation.outcome);
  result.predicted = !device_.predicts.empty();
  result.gates = evaluation.gates.size();
  result.failed_gates = static_cast<std::size_t>(
      std::ranges::count_if(evaluation.gates, [](const GateResult& gate) { return gate.checked && !gate.passed; }));
  if (const auto* passed = std::get_if<Passed>(&evaluation.outcome)) {
    result.ratio = passed->timing.speedup;
    result.ratio_lo = passed->timing.speedup_lo;
    result.ratio_hi = passed->timing.speedup_hi;
    result.verdict = passed->timing.verdict;
  }
  return result;
}

json pair_json(const PairResult& result) {
  json interval;
  if (result.ratio_lo && result.ratio_hi) interval = {*result.ratio_lo, *result.ratio_hi};
  return {{"workload", result.workload},
          {"candidate", result.candidate},
          {"beside", result.beside},
          {"outcome", result.outcome},
          {"times", result.predicted ? "predicted" : "taken"},
          {"ratio", result.ratio},
          {"ratio_ci95", interval},
          {"verdict", result.verdict},
          {"gates", {{"checked", result.gates}, {"failed", result.failed_gates}}},
          {"error", text_or_null(result.detail)}};
}

}  // namespace harness
