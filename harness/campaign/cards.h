#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/campaign/context.h"

namespace harness {

/// What a campaign knows of the cards of its fleet: what calibrations found, what incumbents take on each, and how much
/// slower each is than the anchor. Without a fleet, and with one card, it changes nothing.
class Cards {
 public:
  explicit Cards(CampaignContext& context) : context_(context) {}

  /// Records and charges what calibrations have found since the last call.
  void take_checks();
  /// How many still work; at least 1.
  double left() const;
  /// Before an evaluation begins: its incumbent is held against its own record on the flight's card.
  void hold_to_record(Incumbent& incumbent, Flight& flight) const;
  /// When it has ended: its time is told as the anchor card would show it, its verdict is against what is the best by
  /// now, and what was found of its incumbent is kept.
  void land(Flight& flight);
  /// The own time of what was timed on its card.
  void remember(const IterationSummary& iteration);

 private:
  void to_anchor(const Flight& flight, Evaluation& evaluation);
  void hold_to_present_best(const Flight& flight, Evaluation& evaluation) const;
  void keep_alone(const Flight& flight);
  void doubt_outlier(std::size_t device, double over_anchor);

  CampaignContext& context_;
  std::map<std::string, double> alone_ns_;  // by card, workload and candidate: its own time there
  /// By device: the newest of its pairs' times over the anchor's.
  std::map<std::size_t, std::vector<double>> over_anchor_;
};

}  // namespace harness
