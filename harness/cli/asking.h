#pragma once
#include <memory>
#include <string>

#include "harness/cli/command.h"
#include "harness/report/view.h"
#include "harness/report/wrap.h"

// What the commands that ask the record share: filters, columns, formats.
namespace harness {

struct Asking {
  std::int64_t limit = 0;
  std::string campaign, kernel, workload, variant, technique, device, outcome, verdict, since, sort, columns,
      format = "table";
  bool wide = false, json = false;
};

/// --db and --json.
std::shared_ptr<Asking> add_asking(CLI::App& app, Shell& shell);
/// The filters of CLI.md. `limit`: the usual one; negative: none.
void add_filter_options(CLI::App& app, const std::shared_ptr<Asking>& asking, std::int64_t limit, bool kernel = true);
/// --columns, --wide and --format.
void add_table_options(CLI::App& app, const std::shared_ptr<Asking>& asking);

/// A campaign may be a number, a name or "latest": the record knows which one that is.
HistoryFilter filter_of(const Asking& asking, History& history);
/// For an option or argument that names a campaign.
inline constexpr const char* kCampaignWords = "its number, its name, or latest";
/// Rows as they were asked for: JSON and CSV hold what the record holds, tables are for people.
void print_rows(const report::View& view, const json& rows, const Asking& asking);

/// Columns and rows as they are: "json", "csv", "markdown" or "table".
void print_answer(const SqlAnswer& answer, const std::string& format);

/// "2d", "12h", "30m", "2026-11-22", "2026-11-22 14:05": seconds since 1970. Throws Error(bad_input).
double parse_since(const std::string& text, double now_unix);

/// What the plugins here say of a workload's work; nothing where they do not have it.
report::WorkOf work_here(Shell& shell);

}  // namespace harness
