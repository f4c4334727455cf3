#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/predicted_start.h"

namespace harness {

/// Before an arm is tried on a workload, counting on the cpu device predicts some of its configurations: on cores that
/// have nothing else to do while the GPU works. Nothing waits for it. In a first round each arm has a few, so that they
/// can be compared; then each has more. An arm's search is told of the fastest of a round as soon as these are there:
/// before it begins, or with its next result.
class Predictions {
 public:
  explicit Predictions(CampaignContext& context) : context_(context) {}

  /// Begins them; `resumed`: the campaign has begun before, and tells what it recorded.
  void begin(bool resumed);
  /// Something of the arm that comes soon is predicted, its search was not told yet, and knows nothing else.
  bool awaits(const Arm& arm) const;
  /// What the record says was known by now.
  void tell_recorded();
  /// Takes what has ended, writes it to the campaign's options and tells the searches.
  void take();

 private:
  std::vector<Realized> candidates_of(const Arm& arm, std::size_t most, std::int64_t number) const;
  void begin_ticket(const Arm& arm, std::vector<Realized> candidates, std::int64_t ticket);
  void take_times(const PredictedTimes& times);

  CampaignContext& context_;
  std::map<std::int64_t, PredictedStart> under_way_;  // by ticket
  std::int64_t first_round_ = 0;                      // the last ticket of it
  std::vector<PredictedStart> to_tell_;               // recorded ones, of which the campaign was not told yet
};

}  // namespace harness
