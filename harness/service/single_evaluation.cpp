#include "harness/service/single_evaluation.h"

#include "harness/campaign/gatekeeper.h"

namespace harness {

CampaignRecord record_of_singles(const std::string& kernel, const DeviceInfo& device, const Shell& shell) {
  CampaignRecord record;
  record.name = "eval";
  record.device = device.device;
  record.device_name = device.name;
  record.kernels = {kernel};
  record.options = {{"eval", true}};
  record.environment = {{"device", device}, {"revision", shell.rooms.program.revision}};
  return record;
}

EvaluatedPoint evaluate_one(Realized realized, AttemptRecord attempt, const EvaluationPlace& place, Trial trial) {
  const std::int64_t id = place.ledger != nullptr ? place.ledger->begin_attempt(attempt) : 0;
  EvaluationRequest request =
      gated_request(place.catalog, place.evaluator, realized, trial.finalist ? Points::finalist : Points::search);
  request.confirm = trial.finalist;
  request.screen = trial.incumbent.has_value();
  request.incumbent = std::move(trial.incumbent);
  request.baseline_ns = place.baseline_ns;
  request.admission = &place.admission;
  if (request.screen && place.ledger != nullptr)
    request.recorded_with = [&](const std::string& hash) {
      return place.ledger->same_binary(attempt.campaign, attempt.workload, hash);
    };
  Evaluation evaluation = place.evaluator.evaluate(request);
  const std::int64_t iteration = place.ledger != nullptr ? place.ledger->end_attempt(id, evaluation, false) : 0;
  return {std::move(realized), std::move(attempt), std::move(evaluation), iteration, place.evaluator.device().device};
}

}  // namespace harness
