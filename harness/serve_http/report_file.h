#pragma once
#include <cstdint>
#include <string>

#include "harness/core/page_record.h"
#include "harness/report/campaign_report.h"

namespace harness::http {

struct ReportSource {
  std::int64_t campaign = 0;
  std::string store, program;  // as the page's foot names them
  double query_seconds = 30;   // of each table
};

/// The page of one campaign as one file with its data inside: no network, opens from file://, less than 1 MB. Where no
/// script runs, it shows `made` as text.
std::string report_file(PageRecord& pages, const report::CampaignReport& made, const ReportSource& source);

/// The Content-Security-Policy of that file: its own script and styles alone.
std::string report_policy();

}  // namespace harness::http
