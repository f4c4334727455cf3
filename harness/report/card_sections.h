#pragma once
#include <vector>

#include "harness/core/campaign_figures.h"
#include "harness/report/report_model.h"

namespace harness::report {

/// Of a campaign of several devices: what each did and how its times stand beside the anchor's, and the candidates that
/// were timed on more than one of them. None where there was one device.
std::vector<ReportSection> card_sections(const CampaignFigures& figures);

}  // namespace harness::report
