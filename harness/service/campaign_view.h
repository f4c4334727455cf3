#pragma once
#include "harness/core/campaign_figures.h"
#include "harness/report/campaign_report.h"
#include "harness/service/shell.h"

namespace harness {

struct ViewChoices {
  bool dated = true;     // says when it was made; two views of one campaign then differ
  bool sources = false;  // with the winners' sources, as far as the plugins here can put them together
};

/// The report of one campaign, for a page, a pull request or a terminal.
report::CampaignReport campaign_view(Shell& shell, Archive& archive, const CampaignFigures& figures,
                                     const ViewChoices& choices);

}  // namespace harness
