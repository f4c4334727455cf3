#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/campaign_figures.h"
#include "harness/core/campaign_lesson.h"
#include "harness/report/report_model.h"

// The report of one campaign: a view model of plain values, made of a store's figures, and its writers.
namespace harness::report {

/// A winner's source, resolved so that it compiles; or why it cannot be shown.
struct WinnerSource {
  std::int64_t iteration = 0;
  std::string title, text, missing;
};

/// What a report needs besides the figures.
struct ReportExtras {
  std::string program;  // "harness 0.1.0 (b39b0af)"
  std::string made;     // date and time; "" leaves it out, so that two reports are alike
  std::string store;    // how commands name it: "--db FILE"; "" the default one
  CampaignLesson lesson;
  std::vector<WinnerSource> sources;
};

CampaignReport make_campaign_report(const CampaignFigures& figures, const ReportExtras& extras);

/// For a pull request: tables, at most 12 rows each.
std::string campaign_markdown(const CampaignReport& report);
/// For programs, and for the page (serve_http/report_file.h), which draws all of it.
json campaign_json(const CampaignReport& report);
/// For a terminal of so many columns (absent: no limit): the verdict and the most important tables.
std::string campaign_text(const CampaignReport& report, std::optional<std::size_t> width);

}  // namespace harness::report
