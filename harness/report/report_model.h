#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/core/campaign_figures.h"
#include "harness/report/chart.h"
#include "harness/report/table.h"

// What a report of one campaign says, without a form: its writers give it one.
namespace harness::report {

struct ReportSection {
  std::string id, title;
  std::string lead;  // what it says, one or two sentences
  std::vector<Chart> charts;
  Table table;
  std::size_t more_rows = 0;                                  // of the table, that are not shown
  std::string sql;                                            // the query that made it; "" none
  std::vector<std::string> lines;                             // commands, sentences
  std::vector<std::pair<std::string, std::string>> listings;  // title and text: sources
};

/// Of a figure: its query is shown with it.
inline ReportSection section_of(std::string id, const Figure& figure, std::string title, std::string lead) {
  return {std::move(id), std::move(title), std::move(lead), {}, {}, 0, figure.sql, {}, {}};
}

struct ReportCard {
  std::string label;
  Cell value, note;
};

struct CampaignReport {
  std::string title, subtitle;
  std::string verdict;                // one sentence: what came of it
  std::vector<ReportCard> cards;      // score, bests, cost...
  std::vector<std::string> cautions;  // what was not checked, what is emulated, what is not confirmed
  std::vector<ReportSection> sections;
  std::string footer;
  bool emulation = false;
};

}  // namespace harness::report
