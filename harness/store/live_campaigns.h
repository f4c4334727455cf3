#pragma once
#include "harness/core/campaign_live.h"
#include "harness/store/store.h"

namespace harness::store {

/// The real LiveCampaigns: table campaign_live, a row of JSON for each campaign that is under way.
class StoredLive : public LiveCampaigns {
 public:
  explicit StoredLive(Store& store) : store_(store) {}

  /// Survives the death of every process, not that of the machine: nobody waits for the disk.
  void tell(const CampaignLive& live) override;
  void end(std::int64_t campaign) override;
  /// A campaign whose process does not run any more is stale; one of another machine is, once it has told nothing for
  /// a minute.
  std::vector<LiveRow> all() override;

 private:
  Store& store_;
};

}  // namespace harness::store
