#pragma once
#include "harness/core/campaign_figures.h"
#include "harness/store/store.h"

namespace harness::store {

/// The figures of a campaign's report: tables of store/pages/, as the page shows them, at most 2,000 rows each. They
/// are read in one transaction, so that they agree. One that takes longer than `most_s` is left out, and says so.
/// Unknown campaigns: Error(bad_input).
CampaignFigures figures(Store& store, std::int64_t campaign, double most_s = 20);

/// One of them as a list of objects, in whatever transaction the caller holds. `name`: one of figure_names().
json figure_objects(Store& store, const std::string& name, std::int64_t campaign);

/// Their names, in the order of a report.
std::vector<std::string> figure_names();

}  // namespace harness::store
