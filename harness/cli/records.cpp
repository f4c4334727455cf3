#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/cli/asking.h"
#include "harness/cli/command.h"
#include "harness/cli/proposals.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/report/decision_prose.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/report/view.h"
#include "harness/service/show_patch.h"
#include "harness/service/show_source.h"

// show, diff, query: what is recorded, for people and programs.
namespace harness {
namespace {

using report::config_field;
using report::field;
using report::number_in;

// A stranger's store may hold texts of any length; --json shows them whole.
constexpr std::size_t kLongestText = 4'000'000;

void print_table(const report::Table& table) {
  report::out("{}", report::aligned(table));
}

/// Sentences, logs and sources have lines of their own.
std::string long_text(const json& row, const char* key) {
  return report::bounded(report::text(report::cell(report::value_in(row, key))), kLongestText);
}

/// Its name, and whether its source is an edited one (eval --source).
std::string variant_text(const json& row) {
  return field(row, "variant") + (row.value("parent", json()).is_string() ? " (edited)" : "");
}

/// Its number, and whether it is somebody else's word.
std::string campaign_text(const json& row) {
  return field(row, "campaign") + (row.value("imported", false) ? " imported" : "");
}

/// ", of 40 samples"; "" where they are not recorded.
std::string samples_text(const json& row) {
  const json series = report::value_in(report::value_in(row, "samples"), "rotating_ns");
  return series.is_array() && !series.empty() ? fmt::format(", of {} samples", series.size()) : "";
}

/// "5.12 us (5.10 us to 5.14 us)  614 TFLOP/s  62 % of floor ...": what is known of its time, a line.
void print_times(const json& row, const report::WorkOf& work) {
  const auto time = number_in(row, "time_ns");
  if (!time) return;
  const bool emulation = row.value("emulation", false);
  const std::string gpu = predicted_gpu(field(row, "device"));
  std::string line = fmt::format("{} {}",
                                 !gpu.empty() ? "predicted time"
                                 : emulation  ? "emulated time"
                                              : "time",
                                 report::nanoseconds(time));
  if (number_in(row, "time_lo_ns") && number_in(row, "time_hi_ns"))
    line += fmt::format(" ({} to {})", report::nanoseconds(number_in(row, "time_lo_ns")),
                        report::nanoseconds(number_in(row, "time_hi_ns")));
  else if (const json ci = row.value("time_ci95_ns", json()); ci.is_array() && ci.size() == 2 && ci[0].is_number())
    line +=
        fmt::format(" ({} to {})", report::nanoseconds(ci[0].get<double>()), report::nanoseconds(ci[1].get<double>()));
  if (const auto cold = number_in(row, "cold_time_ns")) line += fmt::format(", cold {}", report::nanoseconds(cold));
  if (!emulation && work)
    if (const std::string rate = report::rate(work(field(row, "kernel"), field(row, "workload")), time); rate != "-")
      line += ", " + rate;
  if (const auto floor = number_in(row, "floor_ns"))
    line += fmt::format(", {} of floor ({})", report::share(*floor / *time), report::nanoseconds(floor));
  if (const auto limit = number_in(row, "limit_ns"))
    line += fmt::format(", {} of limit ({})", report::share(*limit / *time), report::nanoseconds(limit));
  report::tell("{}\n", line);
  if (number_in(row, "baseline_ns"))
    report::tell("{} over the baseline ({}){}\n", report::ratio(number_in(row, "speedup")),
                 report::nanoseconds(number_in(row, "baseline_ns")),
                 row.value("verdict", json()).is_string()
                     ? (", " + field(row, "verdict") + " against the best so far").c_str()
                     : "");
  if (!gpu.empty())
    report::tell("predicted for {} by counting, not measured: the range is how far off the model may be{}\n", gpu,
                 row.value("confirmed", false) ? "; counted twice, with the same result" : "");
  else if (emulation) report::tell("emulated on a CPU: it ranks nothing on a GPU\n");
  else if (row.value("time_ci95_ns", json()).is_array())
    report::tell("the range is the 95 % interval of the median of one call{}\n", samples_text(row));
}

/// "registers 128, shared 48.1 KB, no spills".
std::string resources_text(const json& resources) {
  std::string line;
  const auto add = [&](const char* key, const char* what, const char* unit) {
    if (const auto value = number_in(resources, key))
      line += fmt::format("{}{} {:.0f}{}", line.empty() ? "" : ", ", what, *value, unit);
  };
  add("registers", "registers", "");
  add("shared_bytes", "static shared memory", " B");
  add("spill_bytes", "spills", " B");
  return line.empty() ? "not known" : line;
}

/// "cupti: bank conflicts: 94 % ... (dram_share 0.4, ...)".
std::string profile_text(const json& row) {
  const Profile profile = row.get<Profile>();
  const std::string said = profile.diagnosis ? profile.diagnosis->text : "no rule explains it";
  return fmt::format("{}: {}\n           {}", name(profile.source), report::clean(said), in_words(profile.numbers));
}

std::string cost_text(const json& cost) {
  std::string line;
  for (const char* stage : {"decide", "prepare", "build", "gates", "timing", "idle", "wall"})
    if (const auto spent = number_in(cost, (std::string(stage) + "_s").c_str()); spent && *spent > 0)
      line += fmt::format("{}{} {:.2f} s", line.empty() ? "" : ", ", stage, *spent);
  if (const auto usd = number_in(cost, "usd")) line += fmt::format(", ${:.4f}", *usd);
  return line.empty() ? "not known" : line;
}

/// "contract 0a1b2c3d4e5f, source 5f4e3d2c1b0a": enough to see what differs; --json has them whole.
std::string hashes_text(const json& hashes) {
  constexpr std::size_t kShown = 12;
  std::string line;
  for (const char* what : {"contract", "source", "binary"})
    if (const json hash = report::value_in(hashes, what); hash.is_string())
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", what, hash.get<std::string>().substr(0, kShown));
  return line.empty() ? "not known" : line;
}

void print_iteration(const json& row, const report::WorkOf& work) {
  report::tell("iteration {} of campaign {}: {} {} {} on {} ({}): {}\n", field(row, "iteration"), campaign_text(row),
               field(row, "kernel"), variant_text(row), config_field(row), field(row, "workload"), field(row, "device"),
               field(row, "outcome"));
  if (row.value("label", json()).is_string()) report::tell("label {}\n", field(row, "label"));
  if (row.value("parent", json()).is_string())
    report::tell("an edited source, in the place of the variant's own ({})\n", field(row, "parent"));
  print_times(row, work);
  if (number_in(row, "time_ns"))
    for (const json& gate : row.value("gates", json::array()))
      if (const std::string words = reservation(field(gate, "name"), field(gate, "detail")); !words.empty())
        report::tell("{}\n", report::clean(words));
  if (const json rival = row.value("rival", json()); rival.is_object() && number_in(row, "time_ns"))
    report::tell("rival {} {} in iteration {}: {}; this one reaches {} of its speed\n", field(rival, "variant"),
                 config_field(rival), field(rival, "iteration"), report::nanoseconds(number_in(rival, "time_ns")),
                 report::ratio(*number_in(rival, "time_ns") / *number_in(row, "time_ns")));
  if (const json outside = row.value("outside", json()); outside.is_object())
    report::tell("outside {}: {} by its own measure ({}), {}\n", field(outside, "program"),
                 report::nanoseconds(number_in(outside, "time_ns")), field(outside, "method"),
                 field(outside, "measured"));
  if (const json error = row.value("error", json()); error.is_object())
    report::tell("error in {} ({}): {}\n", field(error, "stage"), field(error, "class"), long_text(error, "message"));
  report::Table gates{{"gate", "", "evidence"}, {}};
  for (const json& gate : row.value("gates", json::array()))
    gates.rows.push_back({field(gate, "name"),
                          gate.at("passed").is_null() ? "-"
                          : gate.at("passed")         ? "ok"
                                                      : "FAILED",
                          field(gate, "detail")});
  if (gates.rows.empty()) report::out("no gate is recorded\n");
  else print_table(gates);
  if (const auto version = number_in(row, "gates_version"); !gates.rows.empty() && version.value_or(0) != kGatesVersion)
    report::tell(
        "judged by the gates of {}, not by this program's version {}: harness eval --from {} judges it again\n",
        version ? fmt::format("version {}", *version).c_str() : "a version before 7", kGatesVersion,
        field(row, "iteration"));
  report::tell("resources  {}\ncost       {}\nhashes     {}\n", resources_text(row.value("resources", json())),
               cost_text(row.value("cost", json())), hashes_text(row.value("hashes", json())));
  if (const json profile = row.value("profile", json()); profile.is_object())
    report::tell("profile    {}\n", profile_text(profile));
  if (const json log = row.value("log", json()); log.is_string() && log != "")
    report::out("--- compiler log\n{}\n", long_text(row, "log"));
  if (row.value("source", json()).is_string()) report::out("--- source\n{}", long_text(row, "source"));
}

report::Cell pair_cell(const json& pair, const char* side, const std::string& name) {
  const auto value = number_in(pair, side);
  if (value && name.ends_with("_ns")) return report::Quantity{value, report::Unit::ns};
  if (value && name == "speedup") return report::Quantity{value, report::Unit::ratio};
  const json raw = pair.value(side, json());
  return raw.is_boolean() ? (raw.get<bool>() ? "ok" : "FAILED") : field(pair, side);
}

void print_pairs(const char* title, const json& pairs, const char* key, bool ratios) {
  if (pairs.empty()) return;
  report::Table table{{title, "a", "b"}, {}};
  if (ratios) table.columns.push_back("b / a");
  for (const json& pair : pairs) {
    const std::string name = field(pair, key);
    if (pair.value("a", json()).is_null() && pair.value("b", json()).is_null()) continue;
    table.rows.push_back({name, pair_cell(pair, "a", name), pair_cell(pair, "b", name)});
    if (ratios) table.rows.back().push_back(report::Quantity{number_in(pair, "ratio"), report::Unit::number, 3});
  }
  if (!table.rows.empty()) print_table(table);
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
  return row.value("label", json()).is_string() ? " (" + field(row, "label") + ")" : "";
}

void print_diff(const json& answer) {
  for (const char* side : {"a", "b"})
    report::tell("{}: iteration {}{}: {} {} {} on {}: {}{}\n", side, field(answer[side], "iteration"),
                 answer[side].value("imported", false) ? " (imported)" : "", field(answer[side], "kernel"),
                 variant_text(answer[side]), config_field(answer[side]), field(answer[side], "workload"),
                 field(answer[side], "outcome"), label_text(answer[side]));
  if (!answer.value("comparable", true))
    report::tell("not comparable: kernel, workload, contract or device differ, so the times say nothing\n");
  print_pairs("parameter", answer.value("parameters", json::array()), "name", false);
  print_pairs("time", named_pairs(answer.value("times", json::object())), "name", true);
  print_pairs("resource", named_pairs(answer.value("resources", json::object())), "name", true);
  print_pairs("profile", named_pairs(answer.value("profile", json::object())), "name", true);
  print_pairs("gate", answer.value("gates", json::array()), "name", false);
  if (answer.value("source", json()).is_string()) report::out("{}", long_text(answer, "source"));
}

struct Filter {
  std::int64_t a = 0, b = 0;
  std::string sql, format = "table";
  bool json = false, source = false, resolved = false, standalone = false, patch = false, all_sizes = false;
  std::string file;  // that was adopted
};

/// The views with a line each, and their columns: SQL need not be guessed.
int print_schema(History& history, const std::string& format) {
  const std::vector<ViewDescription> views = history.views();
  if (format != "table") {
    SqlAnswer answer{{"view", "summary", "columns"}, json::array(), false};
    for (const ViewDescription& view : views)
      answer.rows.push_back({view.name, view.summary, fmt::format("{}", fmt::join(view.columns, ", "))});
    print_answer(answer, format);
    return 0;
  }
  for (const ViewDescription& view : views) {
    report::tell("{}  {}\n", view.name, view.summary);
    report::tell("    {}\n", fmt::join(view.columns, ", "));
  }
  report::tell("\ntables and indexes: harness query \"SELECT name, sql FROM sqlite_master\"\n");
  return 0;
}

std::shared_ptr<Filter> with_json(CLI::App& app, Shell& shell) {
  auto filter = std::make_shared<Filter>();
  add_db_option(app, shell);
  app.add_flag("--json", filter->json, "JSON instead of a table");
  return filter;
}

}  // namespace

namespace {

/// The text as it is, for a file; or the iteration with the text and its launches.
int print_written(const Filter& filter, Shell& shell, Archive& archive) {
  if (filter.a == 0)
    throw bad_input("--resolved, --standalone and --patch need an iteration; a decision has no source");
  json row = archive.history().iteration(filter.a, true);
  if (filter.patch) {
    const std::string patch = write_patch(shell, archive, row, filter.file, filter.all_sizes);
    row["patch"] = patch;
    if (filter.json) report::out_json(row);
    else report::out("{}", patch);
    return 0;
  }
  const WrittenSource written =
      write_source(shell, archive, row, filter.resolved ? SourceForm::resolved : SourceForm::standalone);
  if (!filter.json) {
    report::out("{}", written.text);
    return 0;
  }
  row[filter.resolved ? "resolved" : "standalone"] = written.text;
  row["launches"] = written.launches;
  row.update(written.steps);
  report::out_json(row);
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
  auto proposal = std::make_shared<std::int64_t>(0);
  app.add_option("--proposal", *proposal, "A proposal instead (history --proposals): request, reply, source, cost")
      ->type_name("PROPOSAL")
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
  app.add_flag("--all-sizes", filter->all_sizes, "The patch changes every launch, not only those of the sizes measured")
      ->needs(patch);
  action = [filter, proposal, &shell] {
    if (*proposal != 0) return print_proposal(*open_to_read(shell), *proposal, filter->json);
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
      report::out_json(object);
      return 0;
    }
    if (whole) print_iteration(row, work_here(shell));
    if (decision.is_object()) report::tell("{}{}", whole ? "\n" : "", report::decision_prose(decision));
    return 0;
  };
}

void define_diff(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto filter = with_json(app, shell);
  app.add_option("a", filter->a, "An iteration")->required()->type_name("ITERATION");
  app.add_option("b", filter->b, "Another")->required()->type_name("ITERATION");
  action = [filter, &shell] {
    const json answer = open_to_read(shell)->history().diff(filter->a, filter->b);
    if (filter->json) report::out_json(answer);
    else print_diff(answer);
    return 0;
  };
}

void define_query(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto filter = std::make_shared<Filter>();
  auto schema = std::make_shared<bool>(false);
  add_db_option(app, shell);
  auto* sql = app.add_option(
      "sql", filter->sql,
      "One SELECT; the views v_iterations, v_best, v_techniques, v_costs, v_decisions, v_proposals keep their names");
  sql->type_name("SQL");
  app.add_flag("--schema", *schema, "Instead: the views, what each is, and their columns")->excludes(sql);
  app.add_option("--format", filter->format, "table, csv, json or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "csv", "json", "markdown"}));
  action = [filter, schema, &shell] {
    if (*schema) return print_schema(open_to_read(shell)->history(), filter->format);
    if (filter->sql.empty()) throw bad_input("give one SELECT, or --schema for what can be asked");
    print_answer(open_to_read(shell)->history().query(filter->sql), filter->format);
    return 0;
  };
}

}  // namespace harness
