#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/task_line.h"
#include "harness/core/error.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/awake_clock.h"
#include "harness/system/files.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"
#include "harness/tune/run.h"

// tune: which configuration runs where over a grid of shapes, with what that is expected to lose, and what it lost.
namespace harness {
namespace {

struct TuneArguments {
  tune::TuneAsked asked;
  WorkloadWords words;
  std::string budget, file;
  bool refresh = false, stale = false, json = false, quiet = false;
};

std::string percent_or_none(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "not measured";
}

void print_entries(const tune::Table& table) {
  report::Table rows{{"at", "variant", "configuration", "time", "baseline", "may lose", "all gates"}, {}};
  const tune::Grid grid = tune::parse_grid(table.grid);
  for (const tune::Entry& entry : table.entries)
    rows.rows.push_back({grid.words(entry.at), entry.candidate.variant, to_text(entry.candidate.config),
                         entry.time_ns ? report::nanoseconds(*entry.time_ns) : "expected",
                         entry.original_ns ? report::nanoseconds(*entry.original_ns) : "-",
                         percent_or_none(entry.expected_regret),
                         entry.original ? "-"
                         : entry.proved ? "yes"
                                        : "no"});
  report::out("{}", report::aligned(rows));
}

void print_table(const tune::Table& table, const std::string& file) {
  print_entries(table);
  for (const tune::HeldOut& point : table.held_out)
    report::tell("held out  {}: {} in {}, the fastest is {} in {}: {} lost\n", point.shape, point.candidate.variant,
                 report::nanoseconds(point.time_ns), point.fastest.variant, report::nanoseconds(point.fastest_ns),
                 percent_or_none(point.regret()));
  report::tell("\n{} cells, {} configurations, {} times {}\n", table.entries.size(), table.candidates, table.measured,
               table.times);
  report::tell("expected to lose {} in the mean; beside the grid, at {} points: {} in the mean, {} at most\n",
               percent_or_none(table.expected_regret()), table.held_out.size(),
               percent_or_none(table.measured_regret()), percent_or_none(table.largest_regret()));
  report::tell("next: harness tune {} --refresh   or   harness package {} -o DIR\n", file, table.kernel);
}

tune::TuneWatch watching(const TaskLine& line, bool silent) {
  return {[&line](const std::string& task) { line.begin(task); },
          [&line, silent](const std::string& told) {
            line.hide();
            if (!silent) report::err("{}\n", report::clean(told));
          }};
}

void write_table(const tune::Table& table, const std::string& file) {
  write_file(file, tune::table_json(table).dump(1) + "\n");
}

int end_tune(const TuneArguments& arguments, const tune::Table& table, const std::string& file) {
  if (arguments.json) report::out_json(tune::table_json(table));
  else print_table(table, file);
  if (interrupted()) return 130;
  return table.entries.empty() ? 1 : 0;
}

bool is_table_file(const std::string& name) {
  return name.ends_with(".json");
}

tune::Table table_of_file(const std::string& file) {
  const auto text = read_file_if_any(file);
  if (!text) throw bad_input(fmt::format("there is no table '{}'; harness tune KERNEL --grid ... makes one", file));
  return tune::read_table(parse_json_if_valid(*text), file);
}

/// Entries that something has changed for, the cheapest first; with --refresh they are measured again.
int refresh_table(const TuneArguments& arguments, Shell& shell) {
  const std::string& file = arguments.asked.kernel;
  tune::Table table = table_of_file(file);
  const std::vector<tune::Stale> stale = tune::stale_entries(table, shell);
  if (!arguments.refresh) {
    json rows = json::array();
    for (const tune::Stale& each : stale)
      rows.push_back({{"shape", table.entries[each.entry].shape}, {"why", each.why}});
    if (arguments.json) report::out_json({{"table", file}, {"entries", table.entries.size()}, {"stale", rows}});
    else {
      for (const tune::Stale& each : stale)
        report::tell("{}: {}\n", table.entries[each.entry].shape,
                     report::clean(fmt::format("{}", fmt::join(each.why, "; "))));
      report::tell("{} of {} entries are stale\n", stale.size(), table.entries.size());
    }
    return stale.empty() ? 0 : 1;
  }
  const TaskLine line(arguments.json || arguments.quiet, nullptr);
  const std::size_t measured = tune::refresh(table, arguments.asked.budget_s, shell, watching(line, arguments.quiet));
  line.hide();
  report::err("measured again: {} of {} stale entries\n", measured, stale.size());
  write_table(table, file);
  return end_tune(arguments, table, file);
}

int make_table(TuneArguments& arguments, Shell& shell) {
  if (arguments.asked.grid.empty())
    throw bad_input("tune: give --grid \"Sk=512..32768,B=1..256\"; or a table, to see what is stale of it");
  const std::vector<std::string> words =
      asked_words(arguments.words, {arguments.asked.kernel}, arguments.asked.device, shell);
  if (words.size() > 1 || (!words.empty() && words.front().find('=') == std::string::npos))
    throw bad_input(fmt::format("tune: the sizes beside the grid are one shape, not {}; name one --phase, or sizes",
                                words.size() > 1 ? fmt::format("{} of them", words.size()) : words.front()));
  if (!words.empty()) arguments.asked.others = words.front();
  const std::string file = arguments.file.empty() ? arguments.asked.kernel + ".tune.json" : arguments.file;
  const TaskLine line(arguments.json || arguments.quiet, nullptr);
  const tune::Table table = tune::tune_grid(arguments.asked, shell, watching(line, arguments.quiet));
  line.hide();
  if (!table.entries.empty()) write_table(table, file);  // stopped before there was one: what is there stays
  return end_tune(arguments, table, file);
}

int run_tune(TuneArguments& arguments, Shell& shell) {
  require_descriptors();
  watch_for_stops();
  if (!arguments.budget.empty()) arguments.asked.budget_s = parse_duration(arguments.budget);
  return is_table_file(arguments.asked.kernel) ? refresh_table(arguments, shell) : make_table(arguments, shell);
}

}  // namespace

void define_tune(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TuneArguments>();
  tune::TuneAsked& asked = arguments->asked;
  app.add_option("kernel", asked.kernel, "The kernel; or a table that tune wrote (NAME.json): what of it is stale")
      ->required()
      ->type_name("KERNEL");
  app.add_option("--grid", asked.grid,
                 "Sizes: \"Sk=512..32768,B=1..256\" doubles them, \"N=1,3,8\" lists them, "
                 "\"Sq=Sk=64..4096\" are equal")
      ->type_name("GRID");
  app.add_option("--budget", arguments->budget, "Wall time, all included: 90s, 30m, 2h (default: 10m)");
  app.add_flag("--refresh", arguments->refresh, "With a table: measure its stale entries again, the cheapest first");
  app.add_option("-o,--output", arguments->file, "The table's file (default: KERNEL.tune.json)")->type_name("FILE");
  app.add_option("--regret", asked.regret, "Leave cells that are expected to lose less than this share")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_workload_options(app, arguments->words);
  app.add_option("--device", asked.device, shell.rooms.device_words)->capture_default_str();
  add_times_options(app, asked.times);
  app.add_option("--usd-per-hour", asked.usd_per_hour, "The device's price")->check(CLI::PositiveNumber);
  app.add_option("--seed", asked.seed, "Of the search, and of the points that are held out")->capture_default_str();
  app.add_flag("--json", arguments->json, "The table as one JSON object");
  app.add_flag("-q,--quiet", arguments->quiet, "Only the table");
  add_shared_options(app, shell);
  action = [arguments, &shell] { return run_tune(*arguments, shell); };
}

}  // namespace harness
