#include <fmt/format.h>

#include <algorithm>

#include "harness/report/campaign_report.h"
#include "harness/report/out.h"
#include "harness/report/view.h"

// The report of a campaign as HTML, as Markdown, and for a terminal.
namespace harness::report {
namespace {

constexpr const char* kStyle =
#include "embedded/harness/report/page.css.in"
    ;

/// Sources may be long; a report stays below a megabyte.
constexpr std::size_t kMostSourceBytes = 60'000, kMostSourcesBytes = 400'000;

std::string table_html(const Table& table) {
  std::vector<bool> right;
  for (std::size_t c = 0; c < table.columns.size(); ++c) right.push_back(numeric_column(table, c));
  std::string page = "<div class=\"scroll\"><table><thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    page += fmt::format("<th scope=\"col\"{}>{}</th>", right[c] ? " class=\"n\"" : "", html(table.columns[c]));
  page += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    page += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = text(row[c]);
      page += fmt::format("<td{}>{}</td>",
                          right[c]           ? " class=\"n\""
                          : cell.size() > 40 ? " class=\"long\""
                                             : "",
                          html(cell));
    }
    page += "</tr>\n";
  }
  return page + "</tbody></table></div>\n";
}

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

std::string more_note(const ReportSection& section) {
  return section.more_rows > 0 ? fmt::format("{} more rows: the query has them.", section.more_rows) : "";
}

std::string section_html(const ReportSection& section, std::size_t& source_bytes) {
  std::string text = fmt::format("<section id=\"{}\"><h2>{}</h2>\n", html(section.id), html(section.title));
  if (!section.lead.empty()) text += fmt::format("<p class=\"lead\">{}</p>\n", html(section.lead));
  if (!section.charts.empty()) {
    text += "<div class=\"charts\">";
    for (const Chart& chart : section.charts)
      text += std::visit([](const auto& each) { return svg(each); }, chart) + "\n";
    text += "</div>\n";
  }
  if (!section.table.rows.empty()) {
    const std::string note = more_note(section);
    const std::string table =
        table_html(section.table) + (note.empty() ? "" : "<p class=\"lead\">" + html(note) + "</p>\n");
    text += section.charts.empty() ? table
                                   : "<details class=\"data\"><summary>The table</summary>" + table + "</details>\n";
  }
  if (!section.lines.empty()) {
    text += "<pre>";
    for (const std::string& line : section.lines) text += html(line) + "\n";
    text += "</pre>\n";
  }
  for (const auto& [title, listing] : section.listings) {
    const bool fits = listing.size() <= kMostSourceBytes && source_bytes + listing.size() <= kMostSourcesBytes;
    if (fits) source_bytes += listing.size();
    text += fmt::format(
        "<details class=\"source\"><summary>{}</summary><pre>{}</pre></details>\n", html(title),
        fits ? html(listing) : "It is too long for this page: harness show ITERATION --resolved prints it.");
  }
  if (!section.sql.empty())
    text +=
        fmt::format("<details class=\"sql\"><summary>The query</summary><pre>{}</pre></details>\n", html(section.sql));
  return text + "</section>\n";
}

}  // namespace

std::string campaign_html(const CampaignReport& report) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<meta name=\"color-scheme\" content=\"light dark\">"
      "<title>{}</title>\n<style>{}</style></head>\n<body><header><h1>{}</h1><p>{}</p>\n<p class=\"verdict\">{}</p>\n",
      html(report.title), kStyle, html(report.title), html(report.subtitle), html(report.verdict));
  text += "<div class=\"cards\">";
  for (const ReportCard& card : report.cards)
    text += fmt::format("<div class=\"card\"><span>{}</span><b>{}</b><small>{}</small></div>", html(card.label),
                        html(report::text(card.value)), html(report::text(card.note)));
  text += "</div>\n";
  if (!report.cautions.empty()) {
    text += "<div class=\"cautions\"><ul>";
    for (const std::string& caution : report.cautions) text += "<li>" + html(caution) + "</li>";
    text += "</ul></div>\n";
  }
  text += "<nav aria-label=\"Sections\">";
  for (const ReportSection& section : report.sections)
    text += fmt::format("<a href=\"#{}\">{}</a> ", html(section.id), html(section.title));
  text += "</nav></header>\n<main>\n";
  std::size_t source_bytes = 0;
  for (const ReportSection& section : report.sections) text += section_html(section, source_bytes);
  return text + fmt::format("</main>\n<footer>{}</footer></body></html>\n", html(report.footer));
}

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
                   {"lines", section.lines}});
  }
  return {{"title", report.title}, {"subtitle", report.subtitle}, {"verdict", report.verdict},
          {"cards", cards},        {"cautions", report.cautions}, {"sections", sections}};
}

}  // namespace harness::report
