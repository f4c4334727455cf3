#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/options.h"
#include "harness/core/display.h"
#include "harness/service/arguments.h"
#include "harness/service/shell.h"
#include "harness/system/interrupt.h"

namespace harness {

/// A campaign as it is asked for, by a command line or a page.
struct CampaignAsked {
  CampaignOptions options;
  AskedTimes times;
  std::string device = "auto", fleet;  // --device, or --fleet FILE in its place
  std::vector<std::string> proposer_variables;
  std::optional<std::string> resume;  // this campaign, or "" or "latest"
  std::string store_copy;             // a folder that gets a snapshot of the store every minute; "" none
  std::function<bool()> stop = interrupted;
};

struct EndedCampaign {
  CampaignSummary summary;
  CampaignOptions options;  // of a resumed campaign: its own
};

/// Runs it to its end. What cannot run is refused before a store is made: Error(bad_input). Where no price of the
/// device is given, $HARNESS_USD_PER_HOUR counts.
EndedCampaign run_campaign(CampaignAsked asked, Shell& shell, Display& display);
/// What its strategy would do first, at most so many decisions; nothing is evaluated or recorded.
DryRun plan_campaign(CampaignAsked asked, Shell& shell, Display& display, int decisions);

}  // namespace harness
