#include "harness/report/compared_cards.h"

#include <cmath>
#include <map>

#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/report/view.h"

namespace harness {
namespace {

using report::Quantity;
using report::Unit;

/// The newest calibration of each node, and the largest drift of all.
struct Calibrated {
  int times = 0;
  double largest = 0;
  json newest;
};

void print_cards(const std::string& side, const json& cards, const json& checks) {
  std::map<std::string, Calibrated> calibrated;
  for (const json& check : checks) {
    Calibrated& of = calibrated[check.at("node").get<std::string>()];
    ++of.times;
    of.newest = check;
    const double drift = report::number_in(check, "drift").value_or(0);
    if (std::abs(drift) > std::abs(of.largest)) of.largest = drift;
  }
  report::Table table{{side, "card", "evaluations", "passed", "lost", "doubted", "beside the anchor", "calibrations",
                       "newest drift", "largest drift", "verdict"},
                      {}};
  for (const json& card : cards) {
    const Calibrated& of = calibrated[card.at("node").get<std::string>()];
    const auto over_anchor = report::number_in(card, "over_anchor");
    table.rows.push_back({report::field(card, "node"), report::field(card, "card"), report::field(card, "evaluations"),
                          report::field(card, "passed"), report::field(card, "lost"), report::field(card, "doubted"),
                          Quantity{over_anchor ? std::optional(*over_anchor - 1) : std::nullopt, Unit::change},
                          report::cell(of.times), Quantity{report::number_in(of.newest, "drift"), Unit::change, 2},
                          Quantity{of.largest, Unit::change, 2}, report::field(of.newest, "verdict")});
  }
  report::out("\n{}", report::aligned(table));
}

void print_across(const std::string& side, const json& rows) {
  if (rows.empty()) return;
  report::Table table{{side, "workload", "variant", "node", "purpose", "time", "speedup", "iteration"}, {}};
  for (const json& row : rows)
    table.rows.push_back({report::field(row, "kernel"), report::field(row, "workload"), report::field(row, "variant"),
                          report::field(row, "node"), report::field(row, "purpose"),
                          Quantity{report::number_in(row, "time_ns"), Unit::ns},
                          Quantity{report::number_in(row, "speedup"), Unit::ratio}, report::field(row, "iteration")});
  report::out("\nthe same candidate on several cards:\n{}", report::aligned(table));
}

}  // namespace

void print_compared_cards(const json& answer) {
  for (const char* side : {"a", "b"}) {
    const json& cards = answer.at("cards").at(side);
    if (cards.empty()) continue;
    print_cards(side, cards, answer.at("calibrations").at(side));
    print_across(side, answer.at("across_cards").at(side));
  }
}

}  // namespace harness
