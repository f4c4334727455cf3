#include "harness/report/card_sections.h"

#include "harness/report/figure_row.h"

namespace harness::report {
namespace {

/// 1.1 -> "+10.0 %": so much longer than on the anchor card.
Quantity longer(std::optional<double> over_anchor) {
  return {over_anchor ? std::optional(*over_anchor - 1) : std::nullopt, Unit::change};
}

ReportSection what_each_did(const Figure& figure) {
  ReportSection section = section_of(
      "cards", figure, "What each card did",
      "Times beside the anchor: how much longer this card took than the workload's anchor card (that of its baseline), "
      "by the incumbents that were timed on it; then the first and the second half of these pairs. Halves that differ "
      "show a card that drifts.");
  section.table.columns = {
      "node", "card",  "evaluations",       "passed",     "lost",       "doubted", "anchor of", "time",
      "cost", "pairs", "beside the anchor", "first half", "second half"};
  for (const json& row : figure.rows) {
    const FigureRow cells(figure, row);
    section.table.rows.push_back({cells.text("node"), cells.text("card"), cells.value("evaluations"),
                                  cells.value("passed"), cells.value("lost"), cells.value("doubted"),
                                  cells.value("anchor_of"), cells.spent("seconds"), cells.usd("usd"),
                                  cells.value("pairs"), longer(cells.number("over_anchor")),
                                  longer(cells.number("at_first")), longer(cells.number("at_last"))});
  }
  return section;
}

ReportSection on_several(const Figure& figure) {
  ReportSection section =
      section_of("across-cards", figure, "The same candidate on several cards",
                 "A winner is confirmed on one card and then on another. Times of two cards are not compared; their "
                 "speedups are.");
  section.table.columns = {"kernel",  "workload", "variant", "configuration", "node",
                           "purpose", "time",     "speedup", "95 %",          "iteration"};
  for (const json& row : figure.rows) {
    const FigureRow cells(figure, row);
    section.table.rows.push_back(
        {cells.text("kernel"), cells.text("workload"), cells.text("variant"), cells.config(), cells.text("node"),
         cells.text("purpose"), cells.of("time_ns", Unit::ns), cells.of("speedup", Unit::ratio),
         range(cells.number("speedup_lo"), cells.number("speedup_hi"), Unit::ratio), cells.value("iteration")});
  }
  return section;
}

ReportSection over_time(const Figure& figure) {
  ReportSection section = section_of(
      "calibrations", figure, "Calibrations of the cards over time",
      "A card copies memory and computes when it joins, every so often and when something was odd. Drift is that of "
      "the rate that changed most beside its first calibration. A card that was suspect twice got no more work.");
  section.table.columns = {"node", "card",        "after", "occasion", "verdict", "drift", "copy",
                           "loop", "SM / memory", "C",     "throttle", "XID",     "why"};
  for (const json& row : figure.rows) {
    const FigureRow cells(figure, row);
    const auto rate = [&](const char* column) { return Quantity{cells.sum(column), Unit::per_s}; };
    section.table.rows.push_back(
        {cells.text("node"), cells.text("card"), cells.spent("after_s"), cells.text("occasion"), cells.text("verdict"),
         cells.of("drift", Unit::change, 2), rate("bytes_per_s"), rate("operations_per_s"),
         Cell::of(cells.value("sm_clock_mhz"), " / ", cells.value("memory_clock_mhz")),
         cells.value("temperature_celsius"), cells.text("throttle_reasons"), cells.text("xids"), cells.text("why")});
  }
  return section;
}

}  // namespace

std::vector<ReportSection> card_sections(const CampaignFigures& figures) {
  std::vector<ReportSection> sections;
  const Figure& cards = figures.of("card_records");
  if (cards.rows.size() < 2) return sections;
  sections.push_back(what_each_did(cards));
  const Figure& several = figures.of("across_cards");
  if (!several.rows.empty()) sections.push_back(on_several(several));
  const Figure& checks = figures.of("card_calibrations");
  if (!checks.rows.empty()) sections.push_back(over_time(checks));
  return sections;
}

}  // namespace harness::report
