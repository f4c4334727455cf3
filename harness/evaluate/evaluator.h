#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/core/evaluator.h"
#include "harness/evaluate/counters_profiler.h"
#include "harness/evaluate/counting_workers.h"
#include "harness/evaluate/limits.h"
#include "harness/evaluate/preflight.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// A device, its kind, and how its workers are told of it.
struct EvaluatorDevice {
  const DeviceKind* kind = nullptr;  // outlives the evaluator
  Target target;
  DeviceInfo info;
};

struct PipelineOptions {
  EvaluatorDevice device;
  Limits limits;
  int builders = 1;
  std::optional<double> usd_per_hour;
  std::function<bool()> stop;  // asked often; true: end with Interrupted as soon as possible
  bool policy_refuses = true;  // false: what the source policy flags is only marked
  std::string unconfined;      // what this machine lacks of the cage around native candidates, as recorded; "" nothing
  std::optional<EvaluatorDevice> preflight;
  FindOfflineCompiler find_compiler;                 // where times are predicted (DeviceInfo::predicts)
  std::function<void(const std::string&)> on_wait;   // told when another process has the device
  std::function<void(const std::string&)> on_phase;  // told what an evaluation does now: "build", "gates", "timing"
};

/// Build -> gates -> timing in disposable worker processes. Holds a pool of builders, one judge and one runner; a fault
/// costs the runner, never the campaign. It may hold the same of an emulation, for pre-flight checks.
class PipelineEvaluator : public Evaluator {
 public:
  explicit PipelineEvaluator(PipelineOptions options);
  ~PipelineEvaluator() override;
  DeviceInfo device() override { return options_.device.info; }
  std::optional<DeviceInfo> preflight_device() override;
  void prepare(std::span<const Realized> candidates) override;
  Evaluation evaluate(const EvaluationRequest& request) override;
  std::optional<Admission> admit(const AdmissionRequest& request) override;
  std::optional<ContractReview> review(const Realized& baseline, const Realized* small) override;
  MeasuredPeaks measure_peaks() override;
  void use_peaks(const MeasuredPeaks& peaks) override { peaks_ = peaks; }
  CardCalibration calibrate() override;
  Profiler* profiler() override;
  void restart_runner() { runner_.kill(); }  // the next launch is in a fresh process
  double reference_seconds() const { return judge_.reference_seconds(); }
  double take_prepare_seconds() override { return builders_.take_speculative_seconds(); }

 private:
  /// Workers of an emulation beside a GPU's.
  struct PreflightWorkers;

  Evaluation run(const EvaluationRequest& request);

  PipelineOptions options_;
  MeasuredPeaks peaks_;
  Builders builders_;
  JudgeProcess judge_;
  Runner runner_;
  DeviceLock lock_;
  WorkerPool workers_;
  std::unique_ptr<PreflightWorkers> emulated_;
  Explanations explanations_;
  std::unique_ptr<CountersProfiler> profiler_;  // null: the device has no counters
  std::optional<Counting> counting_;
};

}  // namespace harness
