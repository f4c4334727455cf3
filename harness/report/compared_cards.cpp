#include "harness/report/compared_cards.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/report/view.h"

namespace harness {
namespace {

std::string percent(const json& row, const char* key) {
  const auto ratio = report::number_in(row, key);
  return ratio ? fmt::format("{:+.2f} %", 100 * *ratio) : "-";
}

std::string over_anchor(const json& row) {
  const auto ratio = report::number_in(row, "over_anchor");
  return ratio ? fmt::format("{:+.1f} %", 100 * (*ratio - 1)) : "-";
}

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
    table.rows.push_back({report::field(card, "node"), report::field(card, "card"), report::field(card, "evaluations"),
                          report::field(card, "passed"), report::field(card, "lost"), report::field(card, "doubted"),
                          over_anchor(card), std::to_string(of.times), percent(of.newest, "drift"),
                          fmt::format("{:+.2f} %", 100 * of.largest), report::field(of.newest, "verdict")});
  }
  report::out("\n%s", report::aligned(table).c_str());
}

void print_across(const std::string& side, const json& rows) {
  if (rows.empty()) return;
  report::Table table{{side, "workload", "variant", "node", "purpose", "time", "speedup", "iteration"}, {}};
  for (const json& row : rows)
    table.rows.push_back({report::field(row, "kernel"), report::field(row, "workload"), report::field(row, "variant"),
                          report::field(row, "node"), report::field(row, "purpose"),
                          report::nanoseconds(report::number_in(row, "time_ns")),
                          report::ratio(report::number_in(row, "speedup")), report::field(row, "iteration")});
  report::out("\nthe same candidate on several cards:\n%s", report::aligned(table).c_str());
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
