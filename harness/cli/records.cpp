#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/show_patch.h"
#include "harness/cli/show_source.h"
#include "harness/core/error.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"
#include "harness/report/table.h"

// history, show, best, diff, cost, query: what is recorded, for people and programs.
namespace harness {
namespace {

// A stranger's store may hold texts of any length; --json shows them whole.
constexpr std::size_t kLongestWord = 4000, kLongestText = 4'000'000;

std::unique_ptr<Archive> open_to_read(const Shell& shell) {
  return shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
}

void print_json(const json& value) {
  report::out_json(value);
}

void print_table(const report::Table& table) {
  report::out("%s", report::aligned(table).c_str());
}

/// A name or a word: one line, whatever the record holds.
std::string text(const json& row, const char* key) {
  return report::clean(report::bounded(report::cell(row.value(key, json())), kLongestWord));
}

/// Sentences, logs and sources have lines of their own.
std::string long_text(const json& row, const char* key) {
  return report::bounded(report::cell(row.value(key, json())), kLongestText);
}

std::optional<double> number(const json& row, const char* key) {
  const json value = row.value(key, json());
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string config_text(const json& row) {
  const json config = row.value("config", json());
  return report::clean(
      report::bounded(config.is_object() ? to_text(config_from_json(config)) : report::cell(config), kLongestWord));
}

/// Its name, and whether its source is an edited one (eval --source).
std::string variant_text(const json& row) {
  return text(row, "variant") + (row.value("parent", json()).is_string() ? " (edited)" : "");
}

bool any_label(const json& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const json& row) { return row.value("label", json()).is_string(); });
}

/// The last column, where any row has a label.
void add_labels(report::Table& table, const json& rows) {
  if (!any_label(rows)) return;
  table.columns.push_back("label");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool labelled = rows[i].value("label", json()).is_string();
    table.rows[i].push_back(labelled ? text(rows[i], "label") : "");
  }
}

/// Its number, and whether it is somebody else's word.
std::string campaign_text(const json& row) {
  return text(row, "campaign") + (row.value("imported", false) ? " imported" : "");
}

report::Table iteration_table(const json& rows) {
  report::Table table{{"iteration", "campaign", "device", "kernel", "workload", "variant", "configuration", "outcome",
                       "time", "speedup"},
                      {}};
  for (const json& row : rows)
    table.rows.push_back({text(row, "iteration"), campaign_text(row), text(row, "device"), text(row, "kernel"),
                          text(row, "workload"), variant_text(row), config_text(row), text(row, "outcome"),
                          report::nanoseconds(number(row, "time_ns")), report::ratio(number(row, "speedup"))});
  add_labels(table, rows);
  return table;
}

report::Table best_table(const json& rows) {
  report::Table table{
      {"kernel", "workload", "device", "variant", "configuration", "time", "speedup", "confirmed", "iteration"}, {}};
  const auto has_rival = [](const json& row) { return number(row, "rival_ns").has_value(); };
  const bool rivals = std::any_of(rows.begin(), rows.end(), has_rival);
  if (rivals) table.columns.insert(table.columns.end(), {"rival", "its time", "of its speed"});
  for (const json& row : rows) {
    table.rows.push_back(
        {text(row, "kernel"), text(row, "workload"), text(row, "device_name"), variant_text(row), config_text(row),
         report::nanoseconds(number(row, "time_ns")), report::ratio(number(row, "speedup")),
         text(row, "confirmed") == "1" || text(row, "confirmed") == "true" ? "yes" : "no", text(row, "iteration")});
    if (!rivals) continue;
    const bool known = has_rival(row);
    for (const std::string& cell :
         {known ? text(row, "rival_variant") : "none", report::nanoseconds(number(row, "rival_ns")),
          known ? report::ratio(*number(row, "rival_ns") / *number(row, "time_ns")) : "-"})
      table.rows.back().push_back(cell);
  }
  add_labels(table, rows);
  return table;
}

report::Table generic_table(const json& rows) {
  std::vector<std::string> columns;
  if (!rows.empty())
    for (const auto& [key, value] : rows.front().items()) columns.push_back(key);
  return report::from_rows(columns, rows);
}

void print_iteration(const json& row) {
  report::out("iteration %s of campaign %s: %s %s %s on %s (%s): %s\n", text(row, "iteration").c_str(),
              campaign_text(row).c_str(), text(row, "kernel").c_str(), variant_text(row).c_str(),
              config_text(row).c_str(), text(row, "workload").c_str(), text(row, "device").c_str(),
              text(row, "outcome").c_str());
  if (row.value("label", json()).is_string()) report::out("label %s\n", text(row, "label").c_str());
  if (row.value("parent", json()).is_string())
    report::out("an edited source, in the place of the variant's own (%s)\n", text(row, "parent").c_str());
  report::out("time %s  cold %s  baseline %s  speedup %s  floor %s  verdict %s\n",
              report::nanoseconds(number(row, "time_ns")).c_str(),
              report::nanoseconds(number(row, "cold_time_ns")).c_str(),
              report::nanoseconds(number(row, "baseline_ns")).c_str(), report::ratio(number(row, "speedup")).c_str(),
              report::nanoseconds(number(row, "floor_ns")).c_str(), text(row, "verdict").c_str());
  if (const json rival = row.value("rival", json()); rival.is_object() && number(row, "time_ns"))
    report::out("rival %s %s in iteration %s: %s; this one reaches %s of its speed\n", text(rival, "variant").c_str(),
                config_text(rival).c_str(), text(rival, "iteration").c_str(),
                report::nanoseconds(number(rival, "time_ns")).c_str(),
                report::ratio(*number(rival, "time_ns") / *number(row, "time_ns")).c_str());
  if (const json error = row.value("error", json()); error.is_object())
    report::out("error in %s (%s): %s\n", text(error, "stage").c_str(), text(error, "class").c_str(),
                long_text(error, "message").c_str());
  report::Table gates{{"gate", "", "evidence"}, {}};
  for (const json& gate : row.value("gates", json::array()))
    gates.rows.push_back({text(gate, "name"),
                          gate.at("passed").is_null() ? "-"
                          : gate.at("passed")         ? "ok"
                                                      : "FAILED",
                          text(gate, "detail")});
  print_table(gates);
  report::out("hashes %s\nresources %s\ncost %s\n", json_text(row.value("hashes", json())).c_str(),
              json_text(row.value("resources", json())).c_str(), json_text(row.value("cost", json())).c_str());
  if (const json log = row.value("log", json()); log.is_string() && log != "")
    report::out("--- compiler log\n%s\n", long_text(row, "log").c_str());
  if (row.value("source", json()).is_string()) report::out("--- source\n%s", long_text(row, "source").c_str());
}

Prediction prediction_of(const json& row) {
  Prediction predict;
  predict.speedup_lo = number(row, "predict_speedup_lo").value_or(1);
  predict.speedup_hi = number(row, "predict_speedup_hi").value_or(1);
  predict.probability = number(row, "predict_probability");
  predict.minutes_lo = number(row, "predict_minutes_lo");
  predict.minutes_hi = number(row, "predict_minutes_hi");
  return predict;
}

void print_decision(const json& row) {
  report::out("\ndecision %s by %s: %s %s%s%s: %s\n", text(row, "decision").c_str(), text(row, "script").c_str(),
              text(row, "action").c_str(), text(row, "technique").c_str(),
              row.at("rule").is_null() ? "" : " by the rule ",
              row.at("rule").is_null() ? "" : text(row, "rule").c_str(), long_text(row, "why").c_str());
  if (text(row, "action") == "try")
    report::out("predicted %s; seen %s\n", report::prediction_text(prediction_of(row)).c_str(),
                report::ratio(number(row, "best_speedup")).c_str());
  if (row.at("rule_numbers").is_object()) report::out("the rule measured %s\n", json_text(row["rule_numbers"]).c_str());
  if (!row.at("patterns").empty()) report::out("patterns of the playbook: %s\n", json_text(row["patterns"]).c_str());
  if (!row.at("table").empty()) report::out("it chose from\n%s", report::numbers_text(row["table"]).c_str());
}

void print_pairs(const char* title, const json& pairs, const char* key) {
  if (pairs.empty()) return;
  report::Table table{{title, "a", "b"}, {}};
  for (const json& pair : pairs) table.rows.push_back({text(pair, key), text(pair, "a"), text(pair, "b")});
  print_table(table);
}

json named_pairs(const json& object) {
  json pairs = json::array();
  for (const auto& [name, sides] : object.items()) {
    json pair = sides;
    pair["name"] = name;
    pairs.push_back(pair);
  }
  return pairs;
}

/// " (my label)", "" without one.
std::string label_text(const json& row) {
  return row.value("label", json()).is_string() ? " (" + text(row, "label") + ")" : "";
}

void print_diff(const json& answer) {
  for (const char* side : {"a", "b"})
    report::out("%s: iteration %s%s: %s %s %s on %s: %s%s\n", side, text(answer[side], "iteration").c_str(),
                answer[side].value("imported", false) ? " (imported)" : "", text(answer[side], "kernel").c_str(),
                variant_text(answer[side]).c_str(), config_text(answer[side]).c_str(),
                text(answer[side], "workload").c_str(), text(answer[side], "outcome").c_str(),
                label_text(answer[side]).c_str());
  if (!answer.value("comparable", true))
    report::out("not comparable: kernel, workload, contract or device differ, so the times say nothing\n");
  print_pairs("parameter", answer.value("parameters", json::array()), "name");
  print_pairs("time", named_pairs(answer.value("times", json::object())), "name");
  print_pairs("resource", named_pairs(answer.value("resources", json::object())), "name");
  print_pairs("gate", answer.value("gates", json::array()), "name");
  if (answer.value("source", json()).is_string()) report::out("%s", long_text(answer, "source").c_str());
}

struct Filter {
  HistoryFilter history;
  std::int64_t campaign = 0, a = 0, b = 0;
  std::string kernel, outcome, workload, by = "technique", sql, format = "table";
  bool json = false, source = false, resolved = false, standalone = false, patch = false;
  std::string file;  // that was adopted
};

void print_answer(const SqlAnswer& answer, const std::string& format) {
  if (format == "json") {
    json objects = json::array();
    for (const json& row : answer.rows) {
      json object = json::object();
      for (std::size_t i = 0; i < answer.columns.size(); ++i) object[answer.columns[i]] = row[i];
      objects.push_back(object);
    }
    return print_json(objects);
  }
  report::Table table{answer.columns, {}};
  for (const json& row : answer.rows) {
    auto& cells = table.rows.emplace_back();
    for (const json& value : row) cells.push_back(value.is_null() && format == "csv" ? "" : report::cell(value));
  }
  const std::string text = format == "csv"        ? report::csv(table)
                           : format == "markdown" ? report::markdown(table)
                                                  : report::aligned(table);
  report::out("%s", text.c_str());
}

std::shared_ptr<Filter> with_json(CLI::App& app, Shell& shell) {
  auto filter = std::make_shared<Filter>();
  add_db_option(app, shell);
  app.add_flag("--json", filter->json, "JSON instead of a table");
  return filter;
}

}  // namespace

void define_history(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto filter = with_json(app, shell);
  app.add_option("--campaign", filter->campaign, "Only this campaign");
  app.add_option("--kernel", filter->kernel, "Only this kernel");
  app.add_option("--outcome", filter->outcome, "Only this outcome")->check(CLI::IsMember(names_of<OutcomeKind>()));
  app.add_option("--limit", filter->history.limit, "At most this many, newest first")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  action = [filter, &shell] {
    if (filter->campaign > 0) filter->history.campaign = filter->campaign;
    if (!filter->kernel.empty()) filter->history.kernel = filter->kernel;
    if (!filter->outcome.empty()) filter->history.outcome = filter->outcome;
    const json rows = open_to_read(shell)->history().iterations(filter->history);
    if (filter->json) print_json(rows);
    else if (rows.empty()) report::out("nothing is recorded that fits\n");
    else print_table(iteration_table(rows));
    return 0;
  };
}

namespace {

/// The text as it is, for a file; or the iteration with the text and its launches.
int print_written(const Filter& filter, Shell& shell, Archive& archive) {
  if (filter.a == 0)
    throw bad_input("--resolved, --standalone and --patch need an iteration; a decision has no source");
  json row = archive.history().iteration(filter.a, true);
  if (filter.patch) {
    const std::string patch = write_patch(shell, archive, row, filter.file);
    row["patch"] = patch;
    if (filter.json) print_json(row);
    else report::out("%s", patch.c_str());
    return 0;
  }
  const WrittenSource written =
      write_source(shell, archive, row, filter.resolved ? SourceForm::resolved : SourceForm::standalone);
  if (!filter.json) {
    report::out("%s", written.text.c_str());
    return 0;
  }
  row[filter.resolved ? "resolved" : "standalone"] = written.text;
  row["launches"] = written.launches;
  row.update(written.steps);
  print_json(row);
  return 0;
}

}  // namespace

void define_show(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto filter = with_json(app, shell);
  auto* iteration = app.add_option("iteration", filter->a, "Its number")->type_name("ITERATION");
  app.add_option("--decision", filter->b,
                 "A decision instead, with the table it chose from (query v_decisions has them)")
      ->type_name("DECISION")
      ->excludes(iteration);
  app.add_flag("--source", filter->source, "Print its source too");
  add_plugin_options(app, shell);
  auto* resolved = app.add_flag("--resolved", filter->resolved,
                                "Its source as one that compiles: configuration, headers and launches in it");
  auto* standalone =
      app.add_flag("--standalone", filter->standalone,
                   "A program for nvcc alone that runs it beside the kernel's baseline: error and time of both")
          ->excludes(resolved);
  auto* patch = app.add_flag("--patch", filter->patch, "A diff of the adopted file, which git apply takes")
                    ->excludes(resolved)
                    ->excludes(standalone);
  app.add_option("--file", filter->file, "Where the adopted file is; default: where it was")
      ->type_name("FILE.cu")
      ->needs(patch);
  action = [filter, &shell] {
    if (filter->a == 0 && filter->b == 0) throw bad_input("name an iteration or --decision N; see harness history");
    const auto archive = open_to_read(shell);
    History& history = archive->history();
    if (filter->resolved || filter->standalone || filter->patch) return print_written(*filter, shell, *archive);
    const bool whole = filter->b == 0;
    const json row = whole ? history.iteration(filter->a, filter->source) : json();
    const json decision = whole ? history.decision_of(filter->a) : history.decision(filter->b);
    if (filter->json) {
      json object = whole ? row : decision;
      if (whole && decision.is_object()) object["decision"]["table"] = decision["table"];
      print_json(object);
      return 0;
    }
    if (whole) print_iteration(row);
    if (decision.is_object()) print_decision(decision);
    return 0;
  };
}

void define_best(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto filter = with_json(app, shell);
  app.add_option("kernel", filter->kernel, "Only this kernel")->type_name("[KERNEL]");
  app.add_option("--workload", filter->workload, "Only this workload");
  action = [filter, &shell] {
    const auto wanted = [](const std::string& name) { return name.empty() ? std::nullopt : std::optional(name); };
    const json rows = open_to_read(shell)->history().best(wanted(filter->kernel), wanted(filter->workload));
    if (filter->json) print_json(rows);
    else if (rows.empty())
      report::out("nothing has passed yet; what was imported without --as-evidence does not count\n");
    else print_table(best_table(rows));
    return 0;
  };
}

void define_diff(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto filter = with_json(app, shell);
  app.add_option("a", filter->a, "An iteration")->required()->type_name("ITERATION");
  app.add_option("b", filter->b, "Another")->required()->type_name("ITERATION");
  action = [filter, &shell] {
    const json answer = open_to_read(shell)->history().diff(filter->a, filter->b);
    if (filter->json) print_json(answer);
    else print_diff(answer);
    return 0;
  };
}

void define_cost(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto filter = with_json(app, shell);
  app.add_option("--by", filter->by, "technique, stage, campaign or device")
      ->capture_default_str()
      ->check(CLI::IsMember({"technique", "stage", "campaign", "device"}));
  app.footer(
      "Stages: decide; prepare (compiling ahead, beside all else); build (waiting for a compiler); gates; timing;\n"
      "idle (waiting for the device, or for something to decide); other.");
  action = [filter, &shell] {
    const auto by = filter->by == "technique"  ? CostBy::technique
                    : filter->by == "stage"    ? CostBy::stage
                    : filter->by == "campaign" ? CostBy::campaign
                                               : CostBy::device;
    const json rows = open_to_read(shell)->history().cost(by);
    if (filter->json) print_json(rows);
    else if (rows.empty()) report::out("nothing has been spent yet\n");
    else print_table(generic_table(rows));
    return 0;
  };
}

void define_query(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto filter = std::make_shared<Filter>();
  add_db_option(app, shell);
  app.add_option("sql", filter->sql,
                 "One SELECT; the views v_iterations, v_best, v_techniques, v_costs, v_decisions keep their names")
      ->required()
      ->type_name("SQL");
  app.add_option("--format", filter->format, "table, csv, json or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "csv", "json", "markdown"}));
  action = [filter, &shell] {
    print_answer(open_to_read(shell)->history().query(filter->sql), filter->format);
    return 0;
  };
}

}  // namespace harness
