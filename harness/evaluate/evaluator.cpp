#include "harness/evaluate/evaluator.h"

#include "harness/evaluate/run.h"

namespace harness {

PipelineEvaluator::PipelineEvaluator(Options options)
    : options_(std::move(options)),
      builders_(options_.target, options_.builders),
      judge_(options_.target, options_.stop),
      runner_(options_.target, options_.stop) {
  judge_.start();
  runner_.start();
}

PipelineEvaluator::~PipelineEvaluator() = default;

void PipelineEvaluator::prepare(std::span<const Realized> candidates) {
  for (const Realized& candidate : candidates) builders_.submit(candidate.build, false);
}

Evaluation PipelineEvaluator::evaluate(const EvaluationRequest& request) {
  if (request.confirm) runner_.kill();  // a fresh process: nothing an earlier candidate left behind
  EvaluationRun run(request, {options_.target, options_.device, options_.limits, options_.stop}, builders_, judge_,
                    runner_);
  Evaluation evaluation = run.finish();
  if (options_.usd_per_hour) evaluation.cost.usd = *options_.usd_per_hour * evaluation.cost.wall_s / 3600;
  return evaluation;
}

}  // namespace harness
