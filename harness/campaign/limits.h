#pragma once
#include <map>
#include <optional>

#include "harness/campaign/ending.h"
#include "harness/campaign/options.h"
#include "harness/core/clock.h"
#include "harness/core/fleet.h"

namespace harness {

/// What a campaign may spend and has spent: seconds by the clock, dollars of the devices that it holds and of whoever
/// proposes. Single-threaded; `options`, `clock` and `fleet` outlive it. `fleet` null: one device of this process.
class Limits {
 public:
  Limits(const CampaignOptions& options, Clock& clock, Fleet* fleet);

  /// Time runs from here on; `before_s` of it have passed already.
  void begin(double before_s);
  /// What earlier legs of a resumed campaign have spent.
  void go_on_from(double spent_s) { earlier_legs_s_ = spent_s; }
  /// A dry run takes these as spent.
  void assume(double seconds) { assumed_s_ += seconds; }
  /// Devices, or this program, were busy for the campaign.
  void work(double seconds) { busy_s_ += seconds; }
  /// For proposals.
  void pay(double usd) { proposals_usd_ += usd; }
  /// Devices that have joined the fleet since the last look are held from now on.
  void note_devices();

  double spent_s() const;
  std::optional<double> left_s() const;  // of the budget; nothing: there is none
  /// Of what the budget and the money still pay for, and of what they paid for at first; infinite without both.
  double payable_s() const;
  double payable_at_first_s() const;
  std::optional<double> spent_usd() const;
  double usd_per_hour() const;  // of all devices that are held
  double held_s() const;        // of all devices together in this leg, idle ones too
  double idle_s() const;        // of those
  /// Whether so many more seconds fit into the budget and the money.
  bool affords(double seconds) const;
  /// The campaign's end where another evaluation does not fit beside what is kept for confirmations.
  Ended check(double evaluation_s, double kept_s) const;

 private:
  double leg_s() const { return spent_s() - earlier_legs_s_; }

  const CampaignOptions& options_;
  Clock& clock_;
  Fleet* fleet_;
  double started_ = 0, earlier_legs_s_ = 0, assumed_s_ = 0, busy_s_ = 0, proposals_usd_ = 0;
  std::map<std::size_t, double> held_from_s_;  // by device of the fleet: when it joined, in seconds of this leg
};

}  // namespace harness
