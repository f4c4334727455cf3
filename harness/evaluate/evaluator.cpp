#include "harness/evaluate/evaluator.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/floor.h"
#include "harness/core/gates.h"
#include "harness/evaluate/admission.h"
#include "harness/evaluate/contract_review.h"
#include "harness/evaluate/fairness.h"
#include "harness/evaluate/run.h"
#include "harness/judge/reference.h"
#include "harness/system/machine_state.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

constexpr double kPeaksDeadline = 60;
// Compiling ahead is given so long to end before a candidate is tried alone.
constexpr double kSettleS = 10;

std::optional<double> load_per_processor() {
  const MachineState state = machine_state();
  return state.load < 0 ? std::nullopt : std::optional(state.load / std::max(1, state.cores));
}

}  // namespace

struct PipelineEvaluator::PreflightWorkers {
  PreflightWorkers(const EvaluatorDevice& device, const std::function<bool()>& stop_requested)
      : stop([this, stop_requested] { return closing || (stop_requested && stop_requested()); }),
        builders(device.target, std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2)),
        judge(device.target, stop),
        runner(device.target, stop),
        workers{*device.kind, device.target, device.info, default_limits(device.info), stop, builders, judge,
                runner,       nullptr,       {}},
        preflight(workers) {
    // What g++ reads before every candidate is precompiled, for seconds on a machine's first day: begun at once, while
    // nobody waits for it yet.
    const BuildSpec nothing{
        .source_name = "nothing.cu", .source = "__global__ void nothing() {}\n", .entries = {"nothing"}};
    builders.submit(nothing, false);
    builders.submit(device.kind->checked_build(nothing), false);
  }
  ~PreflightWorkers() { closing = true; }  // nobody waits for what is under way
  PreflightWorkers(const PreflightWorkers&) = delete;
  PreflightWorkers& operator=(const PreflightWorkers&) = delete;
  std::atomic<bool> closing = false;
  std::function<bool()> stop;
  Builders builders;
  JudgeProcess judge;
  Runner runner;
  WorkerPool workers;
  Preflight preflight;
};

PipelineEvaluator::PipelineEvaluator(PipelineOptions options)
    : options_(std::move(options)),
      builders_(options_.device.target, options_.builders),
      judge_(options_.device.target, options_.stop),
      runner_(options_.device.target, options_.stop),
      lock_(options_.device.info.device, options_.device.kind->identity(options_.device.info.device)),
      workers_{*options_.device.kind,
               options_.device.target,
               options_.device.info,
               options_.limits,
               options_.stop,
               builders_,
               judge_,
               runner_,
               &lock_,
               options_.on_wait} {
  for (const BuildSpec& own : options_.device.kind->own_builds(options_.device.info)) builders_.submit(own, true);
  judge_.start();
  runner_.start();
  if (options_.device.kind->make_profiler()) profiler_ = std::make_unique<CountersProfiler>(workers_, peaks_);
  if (!options_.device.info.predicts.empty()) counting_.emplace(counting_workers(workers_, options_.find_compiler));
  if (options_.preflight) emulated_ = std::make_unique<PreflightWorkers>(*options_.preflight, options_.stop);
}

PipelineEvaluator::~PipelineEvaluator() = default;

Profiler* PipelineEvaluator::profiler() {
  return profiler_.get();
}

std::optional<DeviceInfo> PipelineEvaluator::preflight_device() {
  return emulated_ ? std::optional(emulated_->workers.device) : std::nullopt;
}

void PipelineEvaluator::prepare(std::span<const Realized> candidates) {
  for (const Realized& candidate : candidates) builders_.submit(candidate.build, false);
  if (counting_)
    for (const Realized& candidate : candidates) counting_->announce(candidate, options_.device.info.predicts);
  // Its reference is the first thing that a GPU's first evaluation needs, and takes a compiler seconds.
  if (candidates.empty()) return;
  const Realized& first = candidates.front();
  if (!workers_.native() || judge::is_program(first.problem.reference)) workers_.announce_trusted(first);
}

Evaluation PipelineEvaluator::run(const EvaluationRequest& request) {
  const RunSettings settings{peaks_,
                             options_.policy_refuses,
                             options_.unconfined,
                             emulated_ ? &emulated_->preflight : nullptr,
                             &explanations_,
                             options_.on_phase,
                             counting_ ? &*counting_ : nullptr};
  std::optional<FailedLaunch> failed;
  const auto once = [&] { return run_gates(request, settings, workers_, failed); };
  return evaluate_fairly(once, [&] {
    const auto quiet = builders_.pause_speculative(kSettleS);
    const auto quiet_beside = emulated_ ? emulated_->builders.pause_speculative(kSettleS) : nullptr;
    runner_.kill();  // fresh processes: nothing that came before
    workers_.second.reset();
    try {
      const auto hold = workers_.hold_device();
      return once();
    } catch (const InterruptedWork&) {
      return Evaluation{};
    }
  });
}

Evaluation PipelineEvaluator::evaluate(const EvaluationRequest& request) {
  if (request.confirm) {  // fresh processes: nothing an earlier candidate left behind
    runner_.renew();
    workers_.second.reset();
  }
  Evaluation evaluation = run(request);
  evaluation.machine_load = load_per_processor();
  evaluation.gates_version = kGatesVersion;
  if (const Timing* timing = timing_of(evaluation.outcome); timing != nullptr && !timing->emulation)
    if (const auto limit = limit_ns(request.realized.problem.work, workers_.device, call_costs(peaks_)))
      evaluation.reachable_ns = limit->ns;
  if (options_.usd_per_hour) evaluation.cost.usd = *options_.usd_per_hour * evaluation.cost.wall_s / 3600;
  return evaluation;
}

std::optional<Admission> PipelineEvaluator::admit(const AdmissionRequest& request) {
  for (const AdmissionRequest::Group& group : request.groups) {
    builders_.submit(group.baseline.build, true);
    if (!workers_.native() || judge::is_program(group.baseline.problem.reference))
      workers_.announce_trusted(group.baseline);
  }
  try {
    const auto hold = workers_.native() ? std::nullopt : workers_.hold_device();
    const auto try_mutant = [this](const EvaluationRequest& mutant) { return run(mutant); };
    try {
      return AdmissionTrial(request, workers_, try_mutant).finish();
    } catch (const AdmissionDisagrees&) {  // it was made by other rules, or is a lie: everything is tried here
      AdmissionRequest anew = request;
      anew.elsewhere.clear();
      return AdmissionTrial(anew, workers_, try_mutant).finish();
    }
  } catch (const InterruptedWork&) {
    return std::nullopt;
  }
}

std::optional<ContractReview> PipelineEvaluator::review(const Realized& baseline, const Realized* small) {
  try {
    ContractReview review = review_draws(workers_, baseline);
    WorkerPool* const emulation = workers_.native() ? &workers_ : emulated_ ? &emulated_->workers : nullptr;
    if (small == nullptr || emulation == nullptr)
      review.not_checked = "no cpu device runs the reference under its memory checker";
    else check_reference(*emulation, *small, review);
    return review;
  } catch (const InterruptedWork&) {
    return std::nullopt;
  }
}

MeasuredPeaks PipelineEvaluator::measure_peaks() {
  MeasuredPeaks peaks;
  if (options_.device.info.emulation) return peaks;
  for (const BuildSpec& own : options_.device.kind->own_builds(options_.device.info)) workers_.await(own);
  const auto hold = workers_.hold_device();
  if (const auto failure = runner_.measure_peaks(kPeaksDeadline, peaks))
    throw environment_error("the device's peaks could not be measured: " + failure->detail);
  return peaks;
}

// Where times are predicted, the processor is not what they are predicted of.
CardCalibration PipelineEvaluator::calibrate() {
  CardCalibration calibration;
  if (!options_.device.info.predicts.empty()) return calibration;
  for (const BuildSpec& own : options_.device.kind->own_builds(options_.device.info)) workers_.await(own);
  const auto hold = workers_.hold_device();
  const auto quiet = workers_.native() ? builders_.pause_speculative() : nullptr;
  if (const auto failure = runner_.calibrate(kPeaksDeadline, calibration))
    throw environment_error("the card could not be calibrated: " + failure->detail);
  return calibration;
}

}  // namespace harness
