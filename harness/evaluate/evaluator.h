#pragma once
#include <functional>
#include <memory>
#include <string>

#include "harness/core/evaluator.h"
#include "harness/evaluate/limits.h"
#include "harness/worker/builders.h"
#include "harness/worker/judge.h"
#include "harness/worker/runner.h"

namespace harness {

/// Build -> gates -> timing in disposable worker processes. Holds a pool of builders, one judge and one runner; a fault
/// costs the runner, never the campaign.
class PipelineEvaluator : public Evaluator {
 public:
  struct Options {
    Target target;
    DeviceInfo device;
    Limits limits;
    int builders = 1;
    std::optional<double> usd_per_hour;
    std::function<bool()> stop;  // asked often; true: end with Interrupted as soon as possible
  };

  explicit PipelineEvaluator(Options options);
  ~PipelineEvaluator() override;
  DeviceInfo device() override { return options_.device; }
  void prepare(std::span<const Realized> candidates) override;
  Evaluation evaluate(const EvaluationRequest& request) override;
  double take_prepare_seconds() override { return builders_.take_speculative_seconds(); }

 private:
  Options options_;
  Builders builders_;
  Judge judge_;
  Runner runner_;
};

}  // namespace harness
