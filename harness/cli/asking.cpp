#include "harness/cli/asking.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "harness/core/error.h"
#include "harness/core/name_list.h"
#include "harness/report/out.h"

namespace harness {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// A list of the names that an enum has, each checked.
template <typename Enum>
std::string each_named(const std::string& list) {
  std::string names;
  for (const std::string& word : listed_names(list))
    names += (names.empty() ? "" : ",") + std::string(name(named<Enum>(word)));
  return names;
}

/// "2026-11-22" and what may follow it, in UTC as everything that is shown.
std::optional<double> parse_date(const std::string& text) {
  for (const char* form : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    std::tm parts{};
    const char* end = strptime(text.c_str(), form, &parts);
    if (end != nullptr && *end == '\0') return static_cast<double>(timegm(&parts));
  }
  return std::nullopt;
}

void print_csv(const report::View& view, const json& rows, const Asking& asking) {
  report::Table table;
  if (!asking.columns.empty()) {
    table = report::choose(view, rows, {split_commas(asking.columns), true, {}}).table;
  } else if (!rows.empty()) {
    for (const auto& [key, value] : rows.front().items()) table.columns.push_back(key);
    table = report::from_rows(table.columns, rows);
    for (auto& row : table.rows)
      for (report::Cell& cell : row)
        if (report::text(cell) == "-") cell = {};
  }
  report::out("{}", report::csv(table));
}

}  // namespace

double parse_since(const std::string& text, double now_unix) {
  if (const auto date = parse_date(text)) return *date;
  if (text.size() >= 2) {
    const char unit = text.back();
    const double seconds = unit == 'w' ? 604800 : unit == 'd' ? 86400 : unit == 'h' ? 3600 : unit == 'm' ? 60 : 0;
    char* end = nullptr;
    const double count = std::strtod(text.c_str(), &end);
    if (seconds > 0 && end == text.c_str() + text.size() - 1 && count > 0 && count < 1e6)
      return now_unix - count * seconds;
  }
  throw bad_input(fmt::format("'{}' is no time; write --since 2d, 12h, 30m or 2026-11-22", text));
}

std::shared_ptr<Asking> add_asking(CLI::App& app, Shell& shell) {
  auto asking = std::make_shared<Asking>();
  add_db_option(app, shell);
  app.add_flag("--json", asking->json, "JSON instead of a table");
  return asking;
}

void add_filter_options(CLI::App& app, const std::shared_ptr<Asking>& asking, std::int64_t limit, bool kernel) {
  asking->limit = limit;
  app.add_option("--campaign", asking->campaign, fmt::format("Only this campaign: {}", kCampaignWords));
  if (kernel) app.add_option("--kernel", asking->kernel, "Only these kernels: A,B and A* also here and below");
  app.add_option("--workload", asking->workload, "Only these workloads: a,b or 'seed*'");
  app.add_option("--variant", asking->variant, "Only these variants");
  app.add_option("--technique", asking->technique, "Only these techniques");
  app.add_option("--device", asking->device,
                 "Only these devices, as harness devices calls them, or their names: \"NVIDIA H200\"");
  app.add_option("--outcome", asking->outcome, "Only these outcomes: passed, wrong_answer, ...");
  app.add_option("--verdict", asking->verdict, "Only these verdicts: faster, slower, same, against the incumbent");
  app.add_option("--since", asking->since, "Only what ended since then: 2d, 12h, 30m ago, or 2026-11-22 (UTC)");
  app.add_option("--sort", asking->sort, "By this column of the view (see --json), -KEY: the largest first");
  auto* at_most = app.add_option("--limit", asking->limit, "At most this many")->check(CLI::Range(1, 1000000));
  if (limit > 0) at_most->capture_default_str();
}

void add_table_options(CLI::App& app, const std::shared_ptr<Asking>& asking) {
  app.add_option("--columns", asking->columns, "These columns, separated by commas: headings, or keys of --json");
  app.add_flag("--wide", asking->wide, "All columns, however wide");
  app.add_option("--format", asking->format, "table, csv, json or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "csv", "json", "markdown"}));
}

HistoryFilter filter_of(const Asking& asking, History& history) {
  HistoryFilter filter;
  if (!asking.campaign.empty()) filter.campaign = history.campaign_called(asking.campaign);
  filter.kernel = given(asking.kernel);
  filter.workload = given(asking.workload);
  filter.variant = given(asking.variant);
  filter.technique = given(asking.technique);
  filter.device = given(asking.device);
  filter.outcome = given(each_named<OutcomeKind>(asking.outcome));
  filter.verdict = given(each_named<Comparison>(asking.verdict));
  if (!asking.since.empty()) filter.since_unix = parse_since(asking.since, static_cast<double>(std::time(nullptr)));
  filter.sort = given(asking.sort);
  filter.limit = asking.limit;
  return filter;
}

void print_rows(const report::View& view, const json& rows, const Asking& asking) {
  if (asking.json || asking.format == "json") return report::out_json(rows);
  if (asking.format == "csv") return print_csv(view, rows, asking);
  const report::ViewChoice choice{split_commas(asking.columns), asking.wide,
                                  asking.format == "table" ? report::terminal_columns() : std::nullopt};
  const report::ChosenTable chosen = report::choose(view, rows, choice);
  const auto width = asking.wide ? std::nullopt : report::terminal_columns();
  report::out("{}",
              (asking.format == "markdown" ? report::markdown(chosen.table) : report::aligned(chosen.table, width)));
  if (!chosen.left_out.empty())
    report::err("no room for {}; --wide shows all, --columns A,B chooses\n", fmt::join(chosen.left_out, ", "));
}

void print_answer(const SqlAnswer& answer, const std::string& format) {
  if (format == "json") {
    json objects = json::array();
    for (const json& row : answer.rows) {
      json& object = objects.emplace_back(json::object());
      for (std::size_t i = 0; i < answer.columns.size(); ++i) object[answer.columns[i]] = row[i];
    }
    return report::out_json(objects);
  }
  report::Table table{answer.columns, {}};
  for (const json& row : answer.rows) {
    auto& cells = table.rows.emplace_back();
    for (const json& value : row)
      cells.push_back(value.is_null() && format == "csv" ? report::Cell() : report::cell(value));
  }
  const std::string text = format == "csv"        ? report::csv(table)
                           : format == "markdown" ? report::markdown(table)
                                                  : report::aligned(table);
  report::out("{}", text);
}

report::WorkOf work_here(Shell& shell) {
  std::shared_ptr<Catalog> catalog;
  try {
    catalog = shell.rooms.catalog(shell.places());
  } catch (const Error&) {
    return {};
  }
  return [catalog](const std::string& kernel, const std::string& workload) -> std::optional<Work> {
    try {
      return catalog->plugin(kernel).problem(workload).work;
    } catch (const Error&) {  // the plugin is not here, or has no such workload any more
      return std::nullopt;
    }
  };
}

}  // namespace harness
