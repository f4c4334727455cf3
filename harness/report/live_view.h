#pragma once
#include <string>
#include <vector>

#include "harness/core/campaign_live.h"

// `harness campaigns --live`: what the campaigns of a store do now.
namespace harness::report {

/// An array of objects, ages in seconds (_s) at `now_unix`; the keys are those of docs/campaigns.md.
json live_rows_json(const std::vector<LiveRow>& rows, double now_unix);
/// A line a campaign: what it does and for how long, the budget burnt, the best so far. "" without one.
std::string live_rows_text(const std::vector<LiveRow>& rows, double now_unix);

}  // namespace harness::report
