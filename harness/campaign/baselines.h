#pragma once
#include <functional>

#include "harness/campaign/context.h"
#include "harness/campaign/flights.h"
#include "harness/campaign/preparations.h"

namespace harness {

/// What is measured of each workload beside our candidates: its baseline, before anything is tried there, and its
/// rivals, which others made.
class Baselines {
 public:
  /// `limits`: the campaign's end, where another evaluation would not fit; `reserve_s`: what is kept for confirmations.
  Baselines(CampaignContext& context, Flights& flights, Preparations& preparations, std::function<Ended()> limits,
            std::function<double()> reserve_s)
      : context_(context),
        flights_(flights),
        preparations_(preparations),
        limits_(std::move(limits)),
        reserve_s_(std::move(reserve_s)) {}

  /// Measures the baseline, unless it was or is.
  Waits begin_workload(WorkloadBook& book, DecisionRecord cause);
  /// After a try: the next rival, where it is its turn. What is ours comes first, and then each of ours is followed by
  /// a rival, until they have no more.
  Waits follow_with_rival(WorkloadBook& book, DecisionRecord cause);
  /// Where nothing of ours is left to try, the rivals still are, as far as there is time beside the confirmations.
  Waits measure_missing_rivals(Ending ending, DecisionRecord cause);

 private:
  Waits measure_rival(WorkloadBook& book, DecisionRecord cause);
  bool affords_rival() const;
  std::size_t workloads_to_begin() const;

  CampaignContext& context_;
  Flights& flights_;
  Preparations& preparations_;
  std::function<Ended()> limits_;
  std::function<double()> reserve_s_;
};

}  // namespace harness
