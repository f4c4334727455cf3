#include "harness/report/profile_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"

namespace harness::report {
namespace {

// What is shown beside each other, in this order; the dozen is what rules ask for most.
constexpr const char* kShownBeside[] = {"timed_ns",
                                        "time_ns",
                                        "predicted_ns",
                                        "floor_ns",
                                        "occupancy_share",
                                        "waves",
                                        "tail_share",
                                        "registers",
                                        "spill_bytes",
                                        "dram_bytes",
                                        "dram_share",
                                        "l2_hit_share",
                                        "global_load_sectors",
                                        "global_store_sectors",
                                        "shared_wavefronts",
                                        "shared_conflicts",
                                        "active_lanes",
                                        "instructions",
                                        "issue_share",
                                        "tensor_share",
                                        "stall_long_scoreboard",
                                        "stall_short_scoreboard",
                                        "stall_barrier"};

Cell number_cell(const ProfileMetric& metric, std::optional<double> value) {
  if (!value || metric.unit == "ns" || metric.unit == "share")
    return Quantity{value, metric.unit == "ns" ? Unit::ns : Unit::share};
  return fmt::format("{:.4g}", *value);
}

/// "1.8x" of the first; of shares the points between them.
std::string against_first(const ProfileMetric& metric, std::optional<double> first, std::optional<double> other) {
  if (!first || !other) return "";
  if (metric.unit == "share") return fmt::format(" ({:+.0f})", 100 * (*first - *other));
  if (*other == 0 || *first == *other) return "";
  return fmt::format(" ({})", ratio(*first / *other));
}

std::vector<Cell> number_row(const ProfileMetric& metric, const std::vector<ProfileColumn>& columns) {
  std::vector<Cell> row{std::string(metric.name)};
  const auto first = columns.front().profile.number(metric.name);
  for (const ProfileColumn& column : columns) {
    const auto value = column.profile.number(metric.name);
    row.push_back(
        Cell::of(number_cell(metric, value), &column == &columns.front() ? "" : against_first(metric, first, value)));
  }
  return row;
}

}  // namespace

std::string profile_columns(const std::vector<ProfileColumn>& columns) {
  if (columns.empty()) return "";
  Table table{{"number"}, {}};
  for (const ProfileColumn& column : columns) table.columns.push_back(column.title);
  for (const char* name : kShownBeside) {
    const ProfileMetric* const metric = find_profile_metric(name);
    const auto known = [&](const ProfileColumn& column) { return column.profile.number(name).has_value(); };
    if (metric != nullptr && std::ranges::any_of(columns, known)) table.rows.push_back(number_row(*metric, columns));
  }
  std::string text;
  for (const ProfileColumn& column : columns)
    text += fmt::format("{:10}{} ({})\n", column.title, clean(column.what), name(column.profile.source));
  text += aligned(table);
  if (columns.size() > 1)
    text += "in brackets: the candidate's number over this one; of shares the points between them\n";
  for (const ProfileColumn& column : columns)
    text +=
        fmt::format("{:10}{}\n", column.title,
                    column.profile.diagnosis ? clean(column.profile.diagnosis->text) +
                                                   (column.profile.diagnosis->page.empty()
                                                        ? ""
                                                        : fmt::format(" (playbook {})", column.profile.diagnosis->page))
                                             : "no rule says what limits it");
  for (const ProfileColumn& column : columns)
    if (!column.profile.why.empty()) {
      text += fmt::format("why {}: {}\n", name(column.profile.source), clean(column.profile.why));
      break;
    }
  return text;
}

}  // namespace harness::report
