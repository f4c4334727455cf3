#include <fmt/format.h>

#include <algorithm>

#include "harness/report/campaign_report.h"
#include "harness/report/out.h"
#include "harness/report/view.h"

// The report of a campaign as Markdown, for a terminal, and as JSON, which the page draws.
namespace harness::report {
namespace {

Table cards_table(const CampaignReport& report) {
  Table table{{"", "", ""}, {}};
  for (const ReportCard& card : report.cards) table.rows.push_back({card.label, card.value, card.note});
  return table;
}

/// So many rows of a section at most, and how many are left.
std::pair<Table, std::size_t> first_rows(const ReportSection& section, std::size_t most) {
  Table shown = section.table;
  const std::size_t left = shown.rows.size() - std::min(shown.rows.size(), most);
  shown.rows.resize(shown.rows.size() - left);
  return {std::move(shown), section.more_rows + left};
}

/// Sources may be long; a report stays below a megabyte.
json listings_json(const ReportSection& section) {
  constexpr std::size_t kMostBytes = 60'000, kMostBytesOfAll = 400'000;
  std::size_t bytes = 0;
  json all = json::array();
  for (const auto& [title, text] : section.listings) {
    const bool fits = text.size() <= kMostBytes && bytes + text.size() <= kMostBytesOfAll;
    if (fits) bytes += text.size();
    all.push_back(
        {{"title", title},
         {"text", fits ? text : "It is too long for this page: harness show ITERATION --resolved prints it."}});
  }
  return all;
}

}  // namespace

std::string campaign_markdown(const CampaignReport& report) {
  constexpr std::size_t kMostRows = 12;
  std::string text =
      fmt::format("## {}\n\n{}\n\n**{}**\n\n", clean(report.title), clean(report.subtitle), clean(report.verdict));
  text += markdown(cards_table(report)) + "\n";
  for (const std::string& caution : report.cautions) text += fmt::format("> {}\n", clean(caution));
  if (!report.cautions.empty()) text += "\n";
  for (const ReportSection& section : report.sections) {
    if (section.table.rows.empty() && section.lines.empty()) continue;
    const bool first = section.id == "bests";
    text += first ? fmt::format("### {}\n\n", section.title)
                  : fmt::format("<details><summary>{}</summary>\n\n", clean(section.title));
    if (!section.lead.empty()) text += clean(section.lead) + "\n\n";
    const auto [shown, more] = first_rows(section, kMostRows);
    if (!shown.rows.empty()) text += markdown(shown) + (more > 0 ? fmt::format("\n{} more rows.\n", more) : "") + "\n";
    if (!section.lines.empty()) {
      text += "```\n";
      for (const std::string& line : section.lines) text += clean(line) + "\n";
      text += "```\n\n";
    }
    if (!first) text += "</details>\n\n";
  }
  return text + clean(report.footer) + "\n";
}

std::string campaign_text(const CampaignReport& report, std::optional<std::size_t> width) {
  constexpr std::size_t kMostRows = 10;
  std::string text =
      fmt::format("{}\n{}\n\n{}\n\n", clean(report.title), clean(report.subtitle), clean(report.verdict));
  const std::string aligned_cards = aligned(cards_table(report));
  text += aligned_cards.substr(aligned_cards.find('\n') + 1);
  for (const std::string& caution : report.cautions) text += "! " + clean(caution) + "\n";
  for (const ReportSection& section : report.sections) {
    if (section.table.rows.empty() || section.id == "environment" || section.id == "lessons") continue;
    const auto [shown, more] = first_rows(section, kMostRows);
    View view;
    for (std::size_t c = 0; c < shown.columns.size(); ++c)
      view.push_back(table_column(
          shown, c, static_cast<int>(c),
          shown.columns[c] == "configuration" || shown.columns[c] == "why" || shown.columns[c] == "message"));
    text += fmt::format("\n{}\n{}", section.title, aligned(choose(view, row_numbers(shown), {{}, false, width}).table));
    if (more > 0) text += fmt::format("{} more rows\n", more);
  }
  return text;
}

json campaign_json(const CampaignReport& report) {
  json cards = json::array(), sections = json::array();
  for (const ReportCard& card : report.cards)
    cards.push_back({{"label", card.label}, {"value", cell_json(card.value)}, {"note", cell_json(card.note)}});
  for (const ReportSection& section : report.sections) {
    json& object = sections.emplace_back(table_json(section.table));
    object.update({{"id", section.id},
                   {"title", section.title},
                   {"lead", section.lead},
                   {"more_rows", section.more_rows},
                   {"lines", section.lines},
                   {"sql", section.sql},
                   {"charts", json::array()}});
    for (const Chart& chart : section.charts) object["charts"].push_back(chart_json(chart));
    if (!section.listings.empty()) object["listings"] = listings_json(section);
  }
  return {{"title", report.title},       {"subtitle", report.subtitle}, {"verdict", report.verdict}, {"cards", cards},
          {"cautions", report.cautions}, {"sections", sections},        {"footer", report.footer}};
}

}  // namespace harness::report
