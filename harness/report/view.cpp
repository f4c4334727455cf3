#include "harness/report/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/suggest.h"
#include "harness/core/value.h"
#include "harness/report/format.h"
#include "harness/report/out.h"

namespace harness::report {
namespace {

constexpr std::size_t kLongestField = 4000;
constexpr int kSameEverywhere = 20;  // ranks that a column gives way sooner where all of its cells are alike

/// The beginning and the end of a text, with an ellipsis between them: names differ at either.
std::string cut(const std::string& text, std::size_t columns) {
  const std::size_t whole = display_width(text);
  if (whole <= columns) return text;
  const std::size_t end = (columns - 1) / 3;
  return cut_columns(text, 0, columns - 1 - end) + "\u2026" + cut_columns(text, whole - end, end);
}

/// The least width, from `shortest` on, at which cells that differ still do.
std::size_t distinct_width(const std::vector<std::string>& cells, std::size_t shortest, std::size_t widest) {
  const std::set<std::string> whole(cells.begin(), cells.end());
  for (std::size_t width = shortest; width < widest; ++width) {
    std::set<std::string> shown;
    for (const std::string& cell : whole) shown.insert(cut(cell, width));
    if (shown.size() == whole.size()) return width;
  }
  return widest;
}

bool is_blank(const std::string& cell) {
  return cell.empty() || cell == "-";
}

struct Shown {
  const ViewColumn* column = nullptr;
  std::vector<std::string> cells;
  std::size_t width = 0;
  bool asked = false;
  std::size_t shortest = 0;
  int rank = 0;
};

std::size_t natural_width(const Shown& column) {
  std::size_t width = display_width(column.column->name);
  for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

Shown laid_out(const ViewColumn& column, const json& rows, bool asked) {
  Shown made{&column, {}, 0, asked, 0, column.rank};
  for (const json& row : rows) made.cells.push_back(clean(text(column.cell(row))));
  made.width = natural_width(made);
  made.shortest = !column.elastic   ? made.width
                  : column.distinct ? distinct_width(made.cells, column.shortest, made.width)
                                    : std::min(column.shortest, made.width);
  const bool alike = made.cells.size() > 1 && std::ranges::all_of(made.cells, [&](const std::string& cell) {
                       return cell == made.cells.front();
                     });
  if (alike && made.rank > 0) made.rank += kSameEverywhere;
  return made;
}

std::size_t total_width(const std::vector<Shown>& columns) {
  std::size_t total = columns.empty() ? 0 : 2 * (columns.size() - 1);
  for (const Shown& each : columns) total += each.width;
  return total;
}

/// Takes so many characters from elastic columns, from the widest first. False: they cannot give that much.
bool shrink(std::vector<Shown>& columns, std::size_t over) {
  while (over > 0) {
    Shown* widest = nullptr;
    for (Shown& each : columns)
      if (each.width > each.shortest && (widest == nullptr || each.width > widest->width)) widest = &each;
    if (widest == nullptr) return false;
    --widest->width;
    --over;
  }
  return true;
}

/// Cuts elastic columns, then lets columns go, until the rest fits.
std::vector<std::string> fit(std::vector<Shown>& columns, std::size_t width) {
  std::vector<std::string> gone;
  while (total_width(columns) > width) {
    if (shrink(columns, total_width(columns) - width)) break;
    const auto least =
        std::ranges::max_element(columns, [](const Shown& a, const Shown& b) { return a.rank < b.rank; });
    if (least == columns.end() || least->rank == 0 || least->asked) break;
    gone.push_back(least->column->name);
    columns.erase(least);
    for (Shown& each : columns) each.width = natural_width(each);  // there may be room again for what was cut
  }
  for (Shown& each : columns)
    for (std::string& cell : each.cells) cell = cut(cell, each.width);
  return gone;
}

Table table_of(const std::vector<Shown>& columns, std::size_t rows) {
  Table table;
  for (const Shown& each : columns) table.columns.push_back(cut(each.column->name, each.width));
  for (std::size_t i = 0; i < rows; ++i) {
    auto& cells = table.rows.emplace_back();
    for (const Shown& each : columns) cells.push_back(each.cells[i]);
  }
  return table;
}

/// A number as such, words harmless and of bounded length.
Cell value_cell(const json& row, const char* key) {
  const json value = value_in(row, key);
  return value.is_number() ? cell(value) : Cell(field(row, key));
}

std::string folded(std::string name) {
  for (char& c : name) c = c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// The view's column of this name, or a new one for a key of the rows.
ViewColumn named_column(const View& view, const json& rows, const std::string& name) {
  std::vector<std::string> known;
  for (const ViewColumn& column : view) {
    if (folded(column.name) == folded(name)) return column;
    known.push_back(column.name);
  }
  if (!rows.empty() && rows.front().is_object())
    for (const auto& [key, value] : rows.front().items()) {
      if (key == name) return {key, 0, [key = key](const json& row) { return value_cell(row, key.c_str()); }};
      known.push_back(key);
    }
  const std::string end = did_you_mean(name, known);
  throw bad_input(fmt::format("there is no column '{}'{}", name,
                              end.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : end));
}

bool is_emulated(const json& row) {
  const json value = row.value("emulation", json());
  return value == true || value == 1;
}

/// Whose time it is: a GPU's, that of a CPU which ran the kernel, or what a model expects of a GPU.
enum class TimeKind { measured, emulated, predicted };
TimeKind kind_of_time(const json& row) {
  if (!is_emulated(row)) return TimeKind::measured;
  return predicted_gpu(field(row, "device")).empty() ? TimeKind::emulated : TimeKind::predicted;
}

Quantity quantity(const json& row, const char* key, Unit unit) {
  return {number_in(row, key), unit};
}

ViewColumn numbers(const char* name, int rank, const char* key, Unit unit, bool on_request = false) {
  return {name, rank, [=](const json& row) { return quantity(row, key, unit); }, on_request};
}

/// A time or a speedup in the column of its kind.
ViewColumn of_kind(std::string name, int rank, TimeKind kind, const char* key, Unit unit) {
  return {std::move(name), rank,
          [=](const json& row) { return kind_of_time(row) == kind ? Cell(quantity(row, key, unit)) : Cell(); }};
}

ViewColumn interval_column() {
  return {"interval", 10,
          [](const json& row) { return range(number_in(row, "time_lo_ns"), number_in(row, "time_hi_ns"), Unit::ns); },
          true};
}

ViewColumn plain(const char* name, int rank, const char* key, bool on_request = false, bool elastic = false) {
  return {name, rank, [key](const json& row) { return value_cell(row, key); }, on_request, elastic};
}

/// A name that may be cut, but stays apart from the others.
ViewColumn name_column(const char* name, int rank, const char* key) {
  ViewColumn column = plain(name, rank, key, false, true);
  column.distinct = true;
  return column;
}

/// A time and its speedup over the baseline, in columns of their kind. `rank`: of the speedup of measured times.
void add_times(View& view, int rank = 1) {
  for (const auto& [kind, word] :
       {std::pair{TimeKind::measured, ""}, {TimeKind::emulated, "emulated"}, {TimeKind::predicted, "predicted"}}) {
    const bool measured = kind == TimeKind::measured;
    view.push_back(of_kind(measured ? "time" : word, 0, kind, "time_ns", Unit::ns));
    view.push_back(of_kind(measured ? "speedup" : fmt::format("{} speedup", word), measured ? rank : 3, kind, "speedup",
                           Unit::ratio));
  }
}

std::string variant_cell(const json& row) {
  return field(row, "variant") + (row.value("parent", json()).is_string() ? " (edited)" : "");
}

/// Half a configuration says nothing: it goes rather than being cut too far.
ViewColumn config_column(int rank) {
  constexpr std::size_t kShortestConfig = 24;
  return {"configuration", rank, [](const json& row) { return config_field(row); }, false, true, kShortestConfig};
}

/// A predicted time is not timed again: it is counted a second time.
std::string confirmed_cell(const json& row) {
  if (!row.value("confirmed", false)) return "no";
  return kind_of_time(row) == TimeKind::predicted ? "counted twice" : "yes";
}

}  // namespace

json value_in(const json& row, const char* key) {
  return row.is_object() ? row.value(key, json()) : json();
}

std::string field(const json& row, const char* key) {
  return clean(bounded(text(cell(value_in(row, key))), kLongestField));
}

std::optional<double> number_in(const json& row, const char* key) {
  const json value = value_in(row, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string config_field(const json& row, const char* key) {
  const json config = row.value(key, json());
  return clean(bounded(config.is_object() ? to_text(config_from_json(config)) : text(cell(config)), kLongestField));
}

std::string date(const json& text) {
  return text.is_string() ? clean(text.get<std::string>().substr(0, 16)) : "-";
}

std::string rate(const std::optional<Work>& work, std::optional<double> time_ns) {
  if (!work || !time_ns || !(*time_ns > 0)) return "-";
  double flops = 0;
  for (const auto& [type, count] : work->flops) flops += count;
  // What is bound by bytes is told by them: fewer than one operation a byte.
  if (flops > work->bytes) return fmt::format("{:.3g} TFLOP/s", flops / *time_ns / 1e3);
  return work->bytes > 0 ? fmt::format("{:.3g} TB/s", work->bytes / *time_ns / 1e3) : "-";
}

ChosenTable choose(const View& view, const json& rows, const ViewChoice& choice) {
  std::vector<ViewColumn> asked;
  for (const std::string& name : choice.columns) asked.push_back(named_column(view, rows, name));
  const View& from = asked.empty() ? view : asked;
  std::vector<Shown> columns;
  for (const ViewColumn& column : from) {
    if (asked.empty() && column.on_request && !choice.wide) continue;
    Shown made = laid_out(column, rows, !asked.empty());
    if (asked.empty() && !rows.empty() && std::ranges::all_of(made.cells, is_blank)) continue;
    columns.push_back(std::move(made));
  }
  ChosenTable chosen;
  if (choice.width && !choice.wide) chosen.left_out = fit(columns, *choice.width);
  chosen.table = table_of(columns, rows.size());
  return chosen;
}

ViewColumn table_column(const Table& table, std::size_t column, int rank, bool elastic, bool distinct) {
  const auto cell = [&table, column](const json& row) { return table.rows[row.get<std::size_t>()][column]; };
  return {table.columns[column], rank, cell, false, elastic, 16, distinct};
}

json row_numbers(const Table& table) {
  json rows = json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) rows.push_back(i);
  return rows;
}

View iteration_view() {
  View view{
      plain("iteration", 0, "iteration"),
      {"campaign", 6,
       [](const json& row) { return field(row, "campaign") + (row.value("imported", false) ? " imported" : ""); }},
      {"ended", 5, [](const json& row) { return date(row.value("ended", json())); }},
      plain("device", 9, "device"),
      plain("kernel", 4, "kernel"),
      name_column("workload", 2, "workload"),
      {"variant", 1, variant_cell},
      config_column(3),
      plain("outcome", 0, "outcome")};
  add_times(view);
  view.push_back(numbers("of floor", 7, "of_floor", Unit::share));
  view.push_back(numbers("of limit", 10, "of_limit", Unit::share, true));
  view.push_back(plain("verdict", 8, "verdict"));
  view.push_back(plain("technique", 10, "technique", true));
  view.push_back(plain("device name", 10, "device_name", true));
  view.push_back(interval_column());
  view.push_back(plain("registers", 10, "registers", true));
  view.push_back({"took", 10,
                  [](const json& row) {
                    const auto seconds = number_in(row, "wall_s");
                    return seconds ? fmt::format("{:.2f} s", *seconds) : "-";
                  },
                  true});
  view.push_back(plain("limited by", 10, "rule", true));
  view.push_back(plain("diagnosis", 10, "diagnosis", true, true));
  view.push_back(plain("label", 2, "label", false, true));
  return view;
}

View best_view(const WorkOf& work) {
  View view{plain("kernel", 1, "kernel"),
            name_column("workload", 0, "workload"),
            name_column("device", 6, "device_name"),
            {"variant", 1, variant_cell},
            config_column(4)};
  add_times(view, 5);
  view.push_back({"rate", 6, [work](const json& row) {
                    return is_emulated(row) || !work
                               ? "-"
                               : rate(work(field(row, "kernel"), field(row, "workload")), number_in(row, "time_ns"));
                  }});
  view.push_back(numbers("of limit", 2, "of_limit", Unit::share));
  view.push_back(numbers("of floor", 5, "of_floor", Unit::share));
  view.push_back({"confirmed", 3, confirmed_cell});
  view.push_back(plain("iteration", 2, "iteration"));
  view.push_back({"date", 8, [](const json& row) { return date(row.value("ended", json())); }});
  ViewColumn rival = name_column("rival", 3, "rival_variant");
  rival.cell = [named = rival.cell](const json& row) {
    return number_in(row, "rival_deterministic").value_or(1) == 0 ? Cell::of(named(row), ", not deterministic")
                                                                  : named(row);
  };
  view.push_back(std::move(rival));
  view.push_back(numbers("its time", 7, "rival_ns", Unit::ns));
  view.push_back({"of its speed", 1,
                  [](const json& row) { return ratio_of(number_in(row, "rival_ns"), number_in(row, "time_ns")); }});
  // No ratio: an outside program times in its own way.
  view.push_back({"outside, by its own measure", 9, [](const json& row) {
                    const Quantity theirs = quantity(row, "outside_ns", Unit::ns);
                    return theirs.value ? Cell::of(theirs, " ", field(row, "outside_program")) : Cell(theirs);
                  }});
  view.push_back(interval_column());
  view.push_back(numbers("baseline", 10, "baseline_ns", Unit::ns, true));
  view.push_back(numbers("floor", 10, "floor_ns", Unit::ns, true));
  view.push_back(numbers("limit", 10, "limit_ns", Unit::ns, true));
  view.push_back(plain("technique", 10, "technique", true));
  view.push_back(plain("campaign", 9, "campaign", true));
  view.push_back(plain("label", 6, "label", false, true));
  return view;
}

View campaign_view() {
  return {{"campaign", 0,
           [](const json& row) { return field(row, "campaign") + (row.value("imported", false) ? " imported" : ""); }},
          plain("name", 3, "name", false, true),
          {"begun", 2, [](const json& row) { return date(row.value("begun", json())); }},
          plain("device", 4, "device_name", false, true),
          {"kernels", 5,
           [](const json& row) {
             std::string names;
             for (const json& kernel : row.value("kernels", json::array()))
               names += (names.empty() ? "" : " ") + text(cell(kernel));
             return names;
           },
           false, true},
          plain("strategy", 6, "strategy"),
          {"ended by", 3,
           [](const json& row) { return row.value("reason", json()).is_null() ? "not ended" : field(row, "reason"); }},
          of_kind("score", 0, TimeKind::measured, "score", Unit::ratio),
          of_kind("emulated score", 0, TimeKind::emulated, "score", Unit::ratio),
          of_kind("predicted score", 0, TimeKind::predicted, "score", Unit::ratio),
          plain("iterations", 1, "iterations"),
          {"spent", 1,
           [](const json& row) {
             return Quantity{number_in(row, "spent_s").value_or(0), Unit::s};
           }},
          numbers("cost", 2, "cost_usd", Unit::usd),
          plain("driver", 8, "driver"),
          plain("revision", 9, "revision", true)};
}

json cost_totals(const json& rows) {
  json totals = json::object();
  for (const char* key : {"seconds", "usd", "unpriced_s", "iterations", "passed"}) {
    double sum = 0;
    bool any = false;
    for (const json& row : rows)
      if (const auto value = number_in(row, key)) sum += *value, any = true;
    totals[key] = !any ? json()
                  : key == std::string("iterations") || key == std::string("passed")
                      ? json(static_cast<std::int64_t>(sum))
                      : json(sum);
  }
  return totals;
}

View cost_view(const json& totals) {
  const auto part = [totals](const char* key) {
    return [totals, key](const json& row) {
      const auto value = number_in(row, key), all = number_in(totals, key);
      return Quantity{value && all && *all > 0 ? std::optional(*value / *all) : std::nullopt, Unit::share};
    };
  };
  const auto outside = [](const char* key) {
    return [key](const json& row) {
      return row.contains(key) && row[key].is_null() && !row.contains("total") ? "(no evaluation)" : field(row, key);
    };
  };
  return {
      {"technique", 0, outside("technique")},
      plain("kernel", 2, "kernel"),
      plain("stage", 0, "stage"),
      plain("campaign", 0, "campaign"),
      plain("name", 3, "name", false, true),
      {"device", 1,
       [](const json& row) { return row.contains("device_name") ? field(row, "device_name") : field(row, "device"); },
       false, true},
      plain("iterations", 1, "iterations"),
      plain("passed", 4, "passed"),
      numbers("best speedup", 5, "best_speedup", Unit::ratio),
      {"time", 0,
       [](const json& row) {
         return Quantity{number_in(row, "seconds").value_or(0), Unit::s};
       }},
      {"of time", 1, part("seconds")},
      numbers("cost", 0, "usd", Unit::usd),
      {"of cost", 3, part("usd")}};
}

View proposer_view() {
  return {name_column("proposer", 0, "proposer"),
          plain("spec", 9, "spec", true, true),
          plain("campaigns", 5, "campaigns"),
          plain("asked", 0, "asked"),
          plain("accepted", 3, "accepted"),
          plain("passed", 4, "passed"),
          plain("best", 1, "became_best"),
          numbers("gain", 0, "gain", Unit::ratio),
          plain("tokens in", 6, "tokens_in"),
          plain("tokens out", 6, "tokens_out"),
          numbers("cost", 0, "usd", Unit::usd),
          numbers("of cost", 2, "of_usd", Unit::share),
          numbers("waited", 5, "waited_s", Unit::s),
          numbers("device", 2, "device_s", Unit::s),
          numbers("device's cost", 7, "device_usd", Unit::usd),
          numbers("log-gain a dollar", 1, "log_gain_per_usd", Unit::number)};
}

View compare_view() {
  const auto candidate = [](const char* variant, const char* config) {
    return [variant, config](const json& row) { return field(row, variant) + " " + config_field(row, config); };
  };
  return {plain("kernel", 4, "kernel"),
          name_column("workload", 0, "workload"),
          numbers("a", 0, "a_ns", Unit::ns),
          numbers("b", 0, "b_ns", Unit::ns),
          {"b / a", 0,
           [](const json& row) {
             return Quantity{number_in(row, "ratio"), Unit::number, 3};
           }},
          {"95 %", 3,
           [](const json& row) {
             const json ends = row.value("ratio_ci95", json());
             return ends.is_array() && ends.size() == 2
                        ? range(ends[0].get<double>(), ends[1].get<double>(), Unit::number, 3)
                        : Cell(Quantity{});
           }},
          {"b is", 0, [](const json& row) { return field(row, "verdict"); }},
          {"note", 1,
           [](const json& row) -> std::string {
             if (!row.value("same_contract", true)) return "contract differs";
             return row.value("times", "measured") == "measured" ? "" : field(row, "times");
           }},
          {"a's best", 6, candidate("a_variant", "a_config"), false, true},
          {"b's best", 5, candidate("b_variant", "b_config"), false, true}};
}

}  // namespace harness::report
