#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/campaign/context.h"

namespace harness {

/// Profiles of what matters: baselines, new bests and winners. A profile is made after its evaluation has ended, so
/// nothing is timed meanwhile. It never ends a campaign.
class Profiles {
 public:
  /// `reserve_s`: what is kept for confirming winners, now.
  Profiles(CampaignContext& context, std::function<double()> reserve_s)
      : context_(context), reserve_s_(std::move(reserve_s)) {}

  /// After an evaluation that was recorded: profiles it where it matters and the time for it is left.
  void consider(const Assignment& work, const IterationSummary& iteration, bool new_best);
  /// Those of a campaign that goes on.
  void restore(const std::vector<IterationSummary>& iterations);

 private:
  bool is_affordable(const Assignment& work) const;
  void make(const Assignment& work, const IterationSummary& iteration);
  void keep(const Assignment& work, std::int64_t iteration, const Profile& profile);
  void give_up(const Assignment& work, std::int64_t iteration, const std::string& why, bool for_good);

  CampaignContext& context_;
  std::function<double()> reserve_s_;
  double spent_s_ = 0;  // on all profiles so far
  double next_s_ = 2;   // what the next one is taken to take
  bool off_ = false;    // something is missing
  bool told_ = false;   // why there is none
};

}  // namespace harness
