#include "harness/tune/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"

namespace harness::tune {
namespace {

constexpr int kTableSchema = 1;

json tools_json(const Tools& tools) {
  return {{"driver", tools.driver},
          {"compiler", tools.compiler},
          {"program", tools.program},
          {"contract", tools.contract},
          {"source", tools.source}};
}

Tools tools_of(const json& from) {
  return {from.at("driver"), from.at("compiler"), from.at("program"), from.at("contract"), from.at("source")};
}

json candidate_json(const Candidate& candidate) {
  return {
      {"variant", candidate.variant}, {"technique", candidate.technique}, {"config", config_to_json(candidate.config)}};
}

Candidate candidate_of(const json& from, const std::string& kernel) {
  return {kernel, from.at("variant"), from.at("technique"), config_from_json(from.at("config"))};
}

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

std::optional<double> number_or_none(const json& from, const char* key) {
  return from.at(key).is_null() ? std::nullopt : std::optional(from.at(key).get<double>());
}

json entry_json(const Entry& entry) {
  json row = candidate_json(entry.candidate);
  row.update({{"at", entry.at},
              {"shape", entry.shape},
              {"cell", entry.cell},
              {"original", entry.original},
              {"time_ns", or_null(entry.time_ns)},
              {"original_ns", or_null(entry.original_ns)},
              {"expected_regret", entry.expected_regret},
              {"evaluate_s", entry.evaluate_s},
              {"proved", entry.proved},
              {"tools", tools_json(entry.tools)}});
  return row;
}

Entry entry_of(const json& row, const std::string& kernel) {
  Entry entry;
  entry.candidate = candidate_of(row, kernel);
  entry.at = row.at("at").get<Point>();
  entry.shape = row.at("shape");
  entry.cell = row.at("cell").get<Cell>();
  entry.original = row.at("original");
  entry.time_ns = number_or_none(row, "time_ns");
  entry.original_ns = number_or_none(row, "original_ns");
  entry.expected_regret = row.at("expected_regret");
  entry.evaluate_s = row.at("evaluate_s");
  entry.proved = row.at("proved");
  entry.tools = tools_of(row.at("tools"));
  return entry;
}

json held_out_json(const HeldOut& point) {
  return {{"shape", point.shape},
          {"chosen", candidate_json(point.candidate)},
          {"fastest", candidate_json(point.fastest)},
          {"time_ns", point.time_ns},
          {"fastest_ns", point.fastest_ns},
          {"regret", point.regret()}};
}

HeldOut held_out_of(const json& row, const std::string& kernel) {
  return {row.at("shape"), candidate_of(row.at("chosen"), kernel), candidate_of(row.at("fastest"), kernel),
          row.at("time_ns"), row.at("fastest_ns")};
}

}  // namespace

double Table::expected_regret() const {
  double sum = 0;
  for (const Entry& entry : entries) sum += entry.expected_regret;
  return entries.empty() ? 0 : sum / static_cast<double>(entries.size());
}

std::optional<double> Table::measured_regret() const {
  if (held_out.empty()) return std::nullopt;
  double sum = 0;
  for (const HeldOut& point : held_out) sum += point.regret();
  return sum / static_cast<double>(held_out.size());
}

std::optional<double> Table::largest_regret() const {
  std::optional<double> largest;
  for (const HeldOut& point : held_out) largest = std::max(largest.value_or(0), point.regret());
  return largest;
}

json table_json(const Table& table) {
  json entries = json::array(), held_out = json::array();
  for (const Entry& entry : table.entries) entries.push_back(entry_json(entry));
  for (const HeldOut& point : table.held_out) held_out.push_back(held_out_json(point));
  return {{"schema", kTableSchema},
          {"kernel", table.kernel},
          {"device", table.device},
          {"device_name", table.device_name},
          {"times", table.times},
          {"grid", table.grid},
          {"others", table.others},
          {"campaign", table.campaign},
          {"candidates", table.candidates},
          {"measured", table.measured},
          {"expected_regret", table.expected_regret()},
          {"measured_regret", or_null(table.measured_regret())},
          {"largest_regret", or_null(table.largest_regret())},
          {"entries", entries},
          {"held_out", held_out},
          {"refused", table.refused}};
}

Table read_table(const json& from, const std::string& file) {
  try {
    if (from.at("schema") != kTableSchema)
      throw bad_input(fmt::format("{}: is a table of another version; make it again with harness tune", file));
    Table table;
    table.kernel = from.at("kernel");
    table.device = from.at("device");
    table.device_name = from.at("device_name");
    table.times = from.at("times");
    table.grid = from.at("grid");
    table.others = from.at("others");
    table.campaign = from.at("campaign");
    table.candidates = from.at("candidates");
    table.measured = from.at("measured");
    for (const json& row : from.at("entries")) table.entries.push_back(entry_of(row, table.kernel));
    for (const json& row : from.at("held_out")) table.held_out.push_back(held_out_of(row, table.kernel));
    table.refused = from.at("refused").get<std::vector<std::string>>();
    const std::size_t axes = parse_grid(table.grid).axes.size();
    for (const Entry& entry : table.entries)
      if (entry.at.size() != axes || entry.cell.size() != axes)
        throw bad_input(fmt::format("{}: the entry '{}' does not fit the grid '{}'", file, entry.shape, table.grid));
    return table;
  } catch (const json::exception& why) {
    throw bad_input(fmt::format("{}: is no table of harness tune: {}", file, why.what()));
  }
}

std::vector<std::string> changes(const Tools& then, const Tools& now) {
  std::vector<std::string> changed;
  const auto compare = [&](const char* what, const std::string& before, const std::string& after, bool hash) {
    if (before == after) return;
    changed.push_back(hash ? fmt::format("the {} changed", what)
                           : fmt::format("{} {} is {} now", what, before.empty() ? "(none)" : before,
                                         after.empty() ? "(none)" : after));
  };
  compare("driver", then.driver, now.driver, false);
  compare("compiler", then.compiler, now.compiler, false);
  compare("harness", then.program, now.program, false);
  compare("contract", then.contract, now.contract, true);
  compare("source", then.source, now.source, true);
  return changed;
}

}  // namespace harness::tune
