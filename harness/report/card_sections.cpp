#include "harness/report/card_sections.h"

#include <fmt/format.h>

#include "harness/core/value.h"
#include "harness/report/format.h"
#include "harness/report/out.h"

namespace harness::report {
namespace {

/// The cells of one row of a figure.
struct Cells {
  const Figure& figure;
  const json& row;

  std::string text(const char* column) const { return clean(bounded(cell(figure.at(row, column)), 200)); }
  std::optional<double> number(const char* column) const {
    const json& value = figure.at(row, column);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
  }
  double sum(const char* column) const { return number(column).value_or(0); }
};

/// 1.1 -> "+10.0 %": so much longer than on the anchor card.
std::string longer(std::optional<double> over_anchor) {
  return over_anchor ? fmt::format("{:+.1f} %", 100 * (*over_anchor - 1)) : "-";
}

std::string interval_of(const Cells& cells) {
  const auto lo = cells.number("speedup_lo"), hi = cells.number("speedup_hi");
  return lo && hi ? fmt::format("{} to {}", ratio(lo), ratio(hi)) : "-";
}

ReportSection section_of(const Figure& figure, const char* id, const char* title, const char* lead) {
  ReportSection section;
  section.id = id;
  section.title = title;
  section.lead = lead;
  section.sql = figure.sql;
  return section;
}

ReportSection what_each_did(const Figure& figure) {
  ReportSection section = section_of(
      figure, "cards", "What each card did",
      "Times beside the anchor: how much longer this card took than the workload's anchor card (that of its baseline), "
      "by the incumbents that were timed on it; then the first and the second half of these pairs. Halves that differ "
      "show a card that drifts.");
  section.table.columns = {
      "node", "card",  "evaluations",       "passed",     "lost",       "doubted", "anchor of", "time",
      "cost", "pairs", "beside the anchor", "first half", "second half"};
  for (const json& row : figure.rows) {
    const Cells cells{figure, row};
    section.table.rows.push_back(
        {cells.text("node"), cells.text("card"), cells.text("evaluations"), cells.text("passed"), cells.text("lost"),
         cells.text("doubted"), cells.text("anchor_of"), seconds(cells.sum("seconds")),
         cells.number("usd") ? money(cells.number("usd")) : "-", cells.text("pairs"),
         longer(cells.number("over_anchor")), longer(cells.number("at_first")), longer(cells.number("at_last"))});
  }
  return section;
}

ReportSection on_several(const Figure& figure) {
  ReportSection section =
      section_of(figure, "across-cards", "The same candidate on several cards",
                 "A winner is confirmed on one card and then on another. Times of two cards are not compared; their "
                 "speedups are.");
  section.table.columns = {"kernel",  "workload", "variant", "configuration", "node",
                           "purpose", "time",     "speedup", "95 %",          "iteration"};
  for (const json& row : figure.rows) {
    const Cells cells{figure, row};
    const json config = parse_json_if_valid(cells.text("config"));
    section.table.rows.push_back({cells.text("kernel"), cells.text("workload"), cells.text("variant"),
                                  config.is_object() ? clean(to_text(config_from_json(config))) : cells.text("config"),
                                  cells.text("node"), cells.text("purpose"), nanoseconds(cells.number("time_ns")),
                                  ratio(cells.number("speedup")), interval_of(cells), cells.text("iteration")});
  }
  return section;
}

ReportSection over_time(const Figure& figure) {
  ReportSection section = section_of(
      figure, "calibrations", "Calibrations of the cards over time",
      "A card copies memory and computes when it joins, every so often and when something was odd. Drift is that of "
      "the rate that changed most beside its first calibration. A card that was suspect twice got no more work.");
  section.table.columns = {"node", "card",        "after", "occasion", "verdict", "drift", "copy",
                           "loop", "SM / memory", "C",     "throttle", "XID",     "why"};
  for (const json& row : figure.rows) {
    const Cells cells{figure, row};
    const auto rate = [&](const char* column) { return fmt::format("{:.4g} G/s", cells.sum(column) * 1e-9); };
    const auto drift = cells.number("drift");
    section.table.rows.push_back(
        {cells.text("node"), cells.text("card"), seconds(cells.sum("after_s")), cells.text("occasion"),
         cells.text("verdict"), drift ? fmt::format("{:+.2f} %", 100 * *drift) : "-", rate("bytes_per_s"),
         rate("operations_per_s"), cells.text("sm_clock_mhz") + " / " + cells.text("memory_clock_mhz"),
         cells.text("temperature_celsius"), cells.text("throttle_reasons"), cells.text("xids"), cells.text("why")});
  }
  return section;
}

}  // namespace

std::vector<ReportSection> card_sections(const CampaignFigures& figures) {
  std::vector<ReportSection> sections;
  const Figure& cards = figures.of("cards");
  if (cards.rows.size() < 2) return sections;
  sections.push_back(what_each_did(cards));
  const Figure& several = figures.of("across_cards");
  if (!several.rows.empty()) sections.push_back(on_several(several));
  const Figure& checks = figures.of("card_checks");
  if (!checks.rows.empty()) sections.push_back(over_time(checks));
  return sections;
}

}  // namespace harness::report
