#pragma once
#include <functional>
#include <string>

#include "harness/campaign/cards.h"
#include "harness/campaign/confirmation_costs.h"
#include "harness/campaign/context.h"
#include "harness/campaign/flights.h"

namespace harness {

/// Winners are timed again in fresh processes with fresh inputs, beside the baseline; one that fails gives way to the
/// next. Time is kept for that while the search goes on.
class Confirmation {
 public:
  /// `record`: writes a decision down.
  Confirmation(CampaignContext& context, const Cards& cards, Flights& flights,
               std::function<DecisionRecord(Decision)> record)
      : context_(context),
        cards_(cards),
        flights_(flights),
        record_(std::move(record)),
        costs_(context.device.emulation) {}

  /// What confirmations usually take on this device.
  void know(UsualSeconds usual) { costs_.know(std::move(usual)); }
  /// One of them has ended.
  void ended(const std::string& kernel, double seconds) { costs_.add(kernel, seconds); }
  /// What is kept for the winners that there are and may be.
  double reserve_s() const;
  /// When the search is over: what gained most comes first, and none begins that would not fit by its estimate.
  Ended confirm_winners();

 private:
  double seconds_of(const std::string& kernel) const;
  double least_seconds() const;  // of any confirmation
  bool affords(const WorkloadBook& book, double more_s = 0) const;
  bool may_get_winner(const WorkloadBook& book) const;
  Waits confirm(WorkloadBook& book);
  Waits confirm_best(WorkloadBook& book);
  Waits confirm_again(WorkloadBook& book, Assignment work, DecisionRecord cause);
  Waits try_controls(WorkloadBook& book);
  Waits complete_baseline(WorkloadBook& book);
  Waits reconsider_screened(WorkloadBook& book, DecisionRecord cause);

  CampaignContext& context_;
  const Cards& cards_;
  Flights& flights_;
  std::function<DecisionRecord(Decision)> record_;
  ConfirmationCosts costs_;
};

}  // namespace harness
