#include "harness/report/campaign_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/core/gpu.h"
#include "harness/core/prediction_range.h"
#include "harness/core/quote.h"
#include "harness/report/card_sections.h"
#include "harness/report/figure_row.h"

namespace harness::report {
namespace {

constexpr std::size_t kMostRowsShown = 60;
constexpr std::size_t kMostRanges = 80;

template <typename F>
void for_rows(const Figure& figure, F each) {
  for (const json& row : figure.rows) each(FigureRow(figure, row));
}

/// Kernel and workload; the workload alone where there is one kernel.
std::string place(const FigureRow& row, bool several) {
  return several ? row.text("kernel") + " " + row.text("workload") : row.text("workload");
}

struct Known {
  const CampaignFigures& figures;
  const ReportExtras& extras;
  FigureRow head;
  bool emulation = false, several_kernels = false;
  std::map<std::string, std::string> variants;  // iteration of a new best by decision

  const Figure& of(const char* name) const { return figures.of(name); }
};

/// The heading of a column of times, and a sentence on those that no GPU took.
std::string time_word(const Known& known) {
  if (!known.emulation) return "time";
  return predicted_gpu(known.head.text("device")).empty() ? "emulated" : "predicted";
}
bool is_predicted(const Known& known) {
  return known.emulation && !predicted_gpu(known.head.text("device")).empty();
}

/// A predicted time is not timed again in a fresh process: it is counted a second time.
std::string confirmed_word(const Known& known) {
  return is_predicted(known) ? "counted twice" : "confirmed";
}

/// The range of a time; of a prediction that was recorded without one, the model's.
Cell range_of(const Known& known, const FigureRow& row) {
  auto lo = row.number("time_lo_ns"), hi = row.number("time_hi_ns");
  const auto time = row.number("time_ns");
  if (lo && hi && is_predicted(known) && time && *lo == *hi) {
    lo = *time / kPredictedRange;
    hi = *time * kPredictedRange;
  }
  return range(lo, hi, Unit::ns);
}

std::string not_measured(const Known& known) {
  const std::string gpu = predicted_gpu(known.head.text("device"));
  return gpu.empty() ? "All times are emulated on a CPU. They rank nothing on a GPU."
                     : fmt::format("All times are what a model of the {} expects. Nothing was measured.", gpu);
}

/// A long table is cut: the query has the rest.
void add_section(CampaignReport& report, ReportSection section) {
  auto& rows = section.table.rows;
  section.more_rows = rows.size() - std::min(rows.size(), kMostRowsShown);
  rows.resize(rows.size() - section.more_rows);
  report.sections.push_back(std::move(section));
}

/// A workload of the campaign without a best.
struct MissingBest {
  std::string place;
  bool tried = false;
};

/// In the order in which the campaign planned them; records from before that was kept have none.
std::vector<MissingBest> missing_bests(const Known& known) {
  using Key = std::pair<std::string, std::string>;
  std::set<Key> tried, passed;
  for_rows(known.of("heat"), [&](const FigureRow& row) { tried.emplace(row.text("kernel"), row.text("workload")); });
  for_rows(known.of("workloads"),
           [&](const FigureRow& row) { passed.emplace(row.text("kernel"), row.text("workload")); });
  const json options = parse_json_if_valid(known.head.whole_text("options"));
  const json planned = options.is_object() ? options.value("planned", json::array()) : json::array();
  std::vector<MissingBest> missing;
  for (const json& workload : planned) {
    const Key key{clean(workload.value("kernel", "")), clean(workload.value("workload", ""))};
    if (passed.contains(key)) continue;
    missing.push_back({known.several_kernels ? key.first + " " + key.second : key.second, tried.contains(key)});
  }
  return missing;
}

const char* yes_or_no(bool value) {
  return value ? "yes" : "no";
}

/// Whether every speedup is over PyTorch, as the problem's owner wrote it.
bool is_over_eager(const Known& known) {
  bool all = !known.of("workloads").rows.empty();
  for_rows(known.of("workloads"),
           [&](const FigureRow& row) { all = all && row.text("baseline_technique") == "torch"; });
  return all;
}

ReportSection bests_section(const Known& known) {
  const Figure& figure = known.of("workloads");
  const bool eager = is_over_eager(known);
  ReportSection section = section_of(
      "bests", figure, "What is fastest",
      known.emulation ? not_measured(known) : "Each time is the median of one call; the range is its 95 % interval.");
  section.table.columns = {"workload",
                           time_word(known),
                           eager ? "over eager" : "speedup",
                           "of floor",
                           "rival",
                           "of its speed",
                           confirmed_word(known),
                           "variant",
                           "configuration",
                           is_predicted(known) ? "range of the model" : "95 %",
                           eager ? "eager" : "baseline",
                           "registers",
                           "spills",
                           "iteration"};
  constexpr std::size_t kVariantColumn = 7;
  bool outside = false;
  for_rows(figure, [&](const FigureRow& row) { outside = outside || row.has("outside_ns"); });
  if (outside) section.table.columns.push_back("outside program, by its own measure");
  bool finalists = false;
  for_rows(figure, [&](const FigureRow& row) { finalists = finalists || row.has("batch_invariant"); });
  if (finalists) {
    section.table.columns.push_back("a row has the same bits in any batch");
    section.table.columns.push_back("another configuration gives the same bits");
  }
  for_rows(figure, [&](const FigureRow& row) {
    section.table.rows.push_back({place(row, known.several_kernels), row.of("time_ns", Unit::ns),
                                  row.of("speedup", Unit::ratio), row.of("of_floor", Unit::share),
                                  row.of("rival_ns", Unit::ns), ratio_of(row.number("rival_ns"), row.number("time_ns")),
                                  yes_or_no(row.flag("confirmed")), row.text("variant"), row.config(),
                                  range_of(known, row), row.of("baseline_ns", Unit::ns), row.value("registers"),
                                  row.value("spill_bytes"), row.value("iteration")});
    if (outside)
      section.table.rows.back().push_back(
          row.has("outside_ns") ? Cell::of(row.text("outside_program"), " ", row.of("outside_ns", Unit::ns))
                                : Cell(Quantity{}));
    for (const char* fact : {"batch_invariant", "configurations_agree"})
      if (finalists) section.table.rows.back().push_back(bounded(row.text(fact), 160));
  });
  for (const MissingBest& workload : missing_bests(known)) {
    std::vector<Cell>& cells = section.table.rows.emplace_back(section.table.columns.size(), Quantity{});
    cells[0] = workload.place;
    cells[kVariantColumn] = missing_best(workload.tried);
  }
  return section;
}

ReportSection staircase_section(const Known& known) {
  const Figure& figure = known.of("curve");
  ReportSection section = section_of("staircase", figure, "How it got there",
                                     "The best time of each workload over the campaign's time and money.");
  for_rows(figure, [&](const FigureRow& row) {
    section.table.rows.push_back({place(row, known.several_kernels), row.spent("seconds"), row.usd("usd"),
                                  row.of("time_ns", Unit::ns), row.of("speedup", Unit::ratio), row.text("variant"),
                                  row.config(), row.value("iteration")});
  });
  section.table.columns = {"workload", "after",   "spent",         time_word(known),
                           "speedup",  "variant", "configuration", "iteration"};
  return section;
}

ReportSection spend_section(const Known& known) {
  const Figure& figure = known.of("spend");
  ReportSection section =
      section_of("spend", figure, "Where time and money went",
                 "Seconds by stage, summed over processes: work in parallel counts each time. Waiting "
                 "is the stage idle.");
  const std::vector<std::string> usual{"timing", "gates", "build", "prepare", "decide", "idle", "other", "lost"};
  std::vector<std::string> stages;
  std::map<std::string, std::map<std::string, double>> by_technique;
  std::map<std::string, double> totals, usd;
  std::set<std::string> present;
  double all = 0;
  for_rows(figure, [&](const FigureRow& row) {
    const std::string technique = row.has("technique") ? row.text("technique") : "(no evaluation)";
    by_technique[technique][row.text("stage")] += row.sum("seconds");
    present.insert(row.text("stage"));
    totals[technique] += row.sum("seconds");
    usd[technique] += row.sum("usd");
    all += row.sum("seconds");
  });
  for (const std::string& stage : usual)
    if (present.erase(stage) > 0) stages.push_back(stage);
  stages.insert(stages.end(), present.begin(), present.end());  // stages of another version
  std::vector<std::string> order;
  for (const auto& [technique, s] : totals) order.push_back(technique);
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) { return totals[a] > totals[b]; });
  BarChart chart{"Seconds by technique and stage", " s", stages, {}};
  section.table.columns = {"technique"};
  for (const std::string& stage : stages) section.table.columns.push_back(stage);
  section.table.columns.insert(section.table.columns.end(), {"all", "of time", "cost"});
  for (const std::string& technique : order) {
    const Quantity spent{totals[technique], Unit::s}, cost{usd[technique], Unit::usd};
    const bool priced = known.head.has("usd_per_hour");
    BarChart::Bar bar{technique, {}, Cell::of(spent, ", ", priced ? Cell(cost) : Cell("no price"))};
    std::vector<Cell> cells{technique};
    for (const std::string& stage : stages) {
      bar.values.push_back(by_technique[technique][stage]);
      cells.emplace_back(bar.values.back() > 0 ? Quantity{bar.values.back(), Unit::s, 1} : Quantity{});
    }
    cells.insert(cells.end(),
                 {spent, Quantity{all > 0 ? totals[technique] / all : 0, Unit::share}, priced ? cost : Quantity{}});
    section.table.rows.push_back(std::move(cells));
    if (chart.bars.size() < 20) chart.bars.push_back(std::move(bar));
  }
  if (!chart.bars.empty()) section.charts.emplace_back(std::move(chart));
  return section;
}

ReportSection techniques_section(const Known& known) {
  const Figure& figure = known.of("gains");
  ReportSection section = section_of(
      "techniques", figure, "What each technique brought",
      "Gain: by what factor its evaluations lowered the best times when they were made, a geometric mean over the "
      "workloads it was tried on. Halvings per dollar: the same as halvings of a best time, over what it cost.");
  section.table.columns = {"technique",    "evaluations", "passed",         "slower", "workloads",
                           "best speedup", "gain",        "halvings per $", "time",   "cost"};
  if (known.several_kernels) section.table.columns.insert(section.table.columns.begin(), "kernel");
  for_rows(figure, [&](const FigureRow& row) {
    const bool rival = row.flag("rival");
    std::vector<Cell> cells{row.text("technique") + (rival ? " (rival)" : ""),
                            row.value("iterations"),
                            row.value("passed"),
                            row.value("slower"),
                            row.value("workloads"),
                            row.of("best_speedup", Unit::ratio),
                            rival ? Quantity{} : Quantity{row.sum("gain"), Unit::ratio},
                            rival ? Quantity{} : row.of("halvings_per_usd", Unit::rough),
                            row.spent("seconds"),
                            row.usd("usd")};
    if (known.several_kernels) cells.insert(cells.begin(), row.text("kernel"));
    section.table.rows.push_back(std::move(cells));
  });
  return section;
}

ReportSection heat_section(const Known& known) {
  const Figure& figure = known.of("heat");
  ReportSection section = section_of("heat", figure, "Workloads and variants",
                                     "How many times slower the best configuration of each variant is than the best of "
                                     "ours on that workload: 1.00 is the best. \"slower\": all were given up as "
                                     "clearly slower. An empty cell was not tried.");
  HeatMap map{"Slowdown by variant and workload", {}, {}, {}};
  const auto index_of = [](std::vector<std::string>& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    names.push_back(name);
    return names.size() - 1;
  };
  struct At {
    std::size_t row, column;
    HeatMap::Square cell;
  };
  std::vector<At> found;
  for_rows(figure, [&](const FigureRow& row) {
    const std::string variant = row.text("variant") + (row.flag("rival") ? " (rival)" : "");
    const std::string where = place(row, known.several_kernels);
    HeatMap::Square cell{row.number("slowdown"), true,
                         row.sum("slower") > 0 && row.sum("slower") == row.sum("iterations"),
                         Cell::of(variant + " on " + where + ": ", row.of("time_ns", Unit::ns), ", ",
                                  row.value("iterations"), " evaluations")};
    found.push_back({index_of(map.rows, known.several_kernels ? row.text("kernel") + " " + variant : variant),
                     index_of(map.columns, where), std::move(cell)});
  });
  map.cells.assign(map.rows.size(), std::vector<HeatMap::Square>(map.columns.size()));
  for (At& each : found) map.cells[each.row][each.column] = std::move(each.cell);
  section.table.columns = {"variant"};
  section.table.columns.insert(section.table.columns.end(), map.columns.begin(), map.columns.end());
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    std::vector<Cell> cells{map.rows[r]};
    for (const HeatMap::Square& cell : map.cells[r])
      cells.push_back(cell.slowdown      ? Cell(Quantity{cell.slowdown, Unit::ratio, 2})
                      : !cell.tried      ? Cell()
                      : cell.only_slower ? "slower"
                                         : "none passed");
    section.table.rows.push_back(std::move(cells));
  }
  constexpr std::size_t kMostColumns = 40, kMostHeatRows = 60;
  if (map.columns.size() <= kMostColumns && map.rows.size() <= kMostHeatRows && !map.rows.empty())
    section.charts.emplace_back(std::move(map));
  return section;
}

ReportSection parameters_section(const Known& known) {
  const Figure& figure = known.of("parameters");
  ReportSection section = section_of(
      "parameters", figure, "Effects of parameters",
      "Times over the best of the same variant and workload, a geometric mean for each value: 1.00x would be the best "
      "everywhere. A search tries good values more often, so this is no experiment of its own; the widest spreads "
      "first.");
  section.table.columns = {"variant", "parameter", "value", "evaluations", "slower, mean", "best", "worst"};
  BarChart chart{"Mean slowdown above the best, by value", "x", {"above the best"}, {}};
  std::set<std::string> drawn;
  for_rows(figure, [&](const FigureRow& row) {
    if (row.sum("value_count") < 2) return;
    const auto slowdown = [&](const char* column) { return Quantity{row.sum(column), Unit::ratio, 2}; };
    section.table.rows.push_back({row.text("variant"), row.text("parameter"), row.value("value"),
                                  row.value("iterations"), slowdown("geomean"), slowdown("best"), slowdown("worst")});
    const std::string name = row.text("variant") + " " + row.text("parameter");
    constexpr std::size_t kMostDrawn = 5;
    if (drawn.size() < kMostDrawn || drawn.contains(name)) {
      drawn.insert(name);
      chart.bars.push_back({name + "=" + row.text("value"),
                            {row.sum("geomean") - 1},
                            Cell::of(slowdown("geomean"), " in ", row.value("iterations"))});
    }
  });
  if (!chart.bars.empty()) section.charts.emplace_back(std::move(chart));
  return section;
}

ReportSection failures_section(const Known& known) {
  const Figure& figure = known.of("failures");
  ReportSection section =
      section_of("failures", figure, "What failed",
                 figure.rows.empty() ? "Nothing failed."
                                     : "One row for each fingerprint of a wrong answer or class of an "
                                       "error, with its first example.");
  section.table.columns = {"outcome", "fingerprint or class", "how often", "variants", "example", "of", "message"};
  for_rows(figure, [&](const FigureRow& row) {
    section.table.rows.push_back(
        {row.text("outcome"), dash_if_empty(row.text("fingerprint")), row.value("iterations"), row.value("variants"),
         row.value("example"), row.text("variant") + " on " + row.text("workload"), bounded(row.text("message"), 300)});
  });
  return section;
}

Cell predicted(const FigureRow& row) {
  const auto lo = row.number("predict_speedup_lo"), hi = row.number("predict_speedup_hi");
  return lo && hi && *lo < *hi ? range(lo, hi, Unit::ratio) : Cell(Quantity{});
}

ReportSection decisions_section(const Known& known) {
  Figure figure = known.of("decisions");
  std::reverse(figure.rows.begin(), figure.rows.end());  // the newest stands first; here it is told from the beginning
  ReportSection section = section_of("decisions", figure, "Decisions, and what came of them", "");
  std::set<std::string> led_to_best;
  for_rows(known.of("curve"), [&](const FigureRow& row) {
    if (row.text("purpose") == "search" && row.has("decision")) led_to_best.insert(row.text("decision"));
  });
  section.table.columns = {"decision", "turned to", "from", "rule", "predicted", "seen", "evaluations", "why"};
  std::size_t without = 0;
  for_rows(figure, [&](const FigureRow& row) {
    if (!led_to_best.contains(row.text("decision")) && row.text("action") == "try") {
      ++without;
      return;
    }
    section.table.rows.push_back(
        {row.value("decision"), row.text("technique") + " on " + row.text("workload"),
         row.has("from_technique") ? row.text("from_technique") + " on " + row.text("from_workload") : "-",
         row.text("rule"), predicted(row), row.of("best_speedup", Unit::ratio), row.value("iterations"),
         bounded(row.text("why"), 300)});
  });
  section.lead = fmt::format("Of {} turns to another arm these led to a new best or were no try; {} others did not. ",
                             figure.rows.size(), without);
  for_rows(known.of("calibration"), [&](const FigureRow& row) {
    section.lead += fmt::format(
        "{} of {} predicted speedups lay in their 90 % ranges ({}); passing was predicted for {} and seen for {}.",
        std::lround(row.sum("speedups") * row.sum("speedup_share_held")), row.text("speedups"),
        share(row.number("speedup_share_held")), share(row.number("passed_predicted")),
        share(row.number("passed_seen")));
  });
  return section;
}

ReportSection predictions_section(const Known& known) {
  const Figure& predictions = known.of("predictions");
  ReportSection section = section_of("predictions", predictions, "Predictions beside what was seen", "");
  section.lead =
      predictions.rows.empty() ? "No predicted range was put to the test." : "A bar is a predicted 90 % range.";
  section.table.columns = {"decision", "technique", "workload", "predicted", "seen", "held", "iteration"};
  for_rows(predictions, [&](const FigureRow& row) {
    section.table.rows.push_back({row.value("decision"), row.text("technique"), row.text("workload"), predicted(row),
                                  row.of("speedup", Unit::ratio), yes_or_no(row.flag("speedup_held")),
                                  row.value("iteration")});
  });
  RangeChart chart{"Predicted ranges of speedups, and what was seen",
                   "in the order of the decisions; a cross lies outside its range",
                   {}};
  const std::size_t every = std::max<std::size_t>(1, (predictions.rows.size() + kMostRanges - 1) / kMostRanges);
  for (std::size_t i = 0; i < predictions.rows.size(); i += every) {
    const FigureRow row(predictions, predictions.rows[i]);
    chart.ranges.push_back({row.sum("predict_speedup_lo"), row.sum("predict_speedup_hi"), row.sum("speedup"),
                            Cell::of(fmt::format("decision {}: {} on {}, predicted ", row.text("decision"),
                                                 row.text("technique"), row.text("workload")),
                                     predicted(row), ", seen ", row.of("speedup", Unit::ratio))});
  }
  if (every > 1) chart.unit += fmt::format("; every {}th is drawn", every);
  if (!chart.ranges.empty()) section.charts.emplace_back(std::move(chart));
  return section;
}

constexpr const char* kShownMetrics[] = {
    "occupancy_share", "waves",        "dram_share",       "l2_hit_share",  "tensor_share",
    "issue_share",     "active_lanes", "shared_conflicts", "least_sectors", "global_load_sectors",
    "spill_bytes",     "registers"};

/// "0.82 (0.31)": of the winner, and of the baseline where that was profiled.
Cell beside_baseline(const FigureRow& row) {
  const Quantity ours{row.sum("value"), Unit::rough};
  return row.has("baseline") ? Cell::of(ours, " (", row.of("baseline", Unit::rough), ")") : Cell(ours);
}

/// A row a workload: what limits its winner, and its counters beside those of the baseline, of those that some have.
ReportSection profile_section(const Known& known) {
  const Figure& figure = known.of("profiles");
  ReportSection section = section_of("profile", figure, "Why the winners are fast", "");
  section.table.columns = {"workload", "source", "what limits it", "page"};
  std::vector<std::map<std::string, Cell>> counters;  // of each row, by metric
  std::string last;
  for_rows(figure, [&](const FigureRow& row) {
    const std::string where = place(row, known.several_kernels);
    if (counters.empty() || where != last) {
      section.table.rows.push_back(
          {where, row.text("source"), dash_if_empty(row.text("diagnosis")), dash_if_empty(row.text("page"))});
      counters.emplace_back();
    }
    last = where;
    counters.back()[row.text("metric")] = beside_baseline(row);
  });
  for (const char* metric : kShownMetrics) {
    if (std::ranges::none_of(counters, [&](const auto& values) { return values.contains(metric); })) continue;
    section.table.columns.emplace_back(metric);
    for (std::size_t i = 0; i < counters.size(); ++i)
      section.table.rows[i].push_back(counters[i].contains(metric) ? counters[i].at(metric) : Cell(Quantity{}));
  }
  section.lead =
      figure.rows.empty()
          ? "No profile of these winners is recorded. Counting one needs no GPU: harness profile --from ITERATION "
            "--device cpu."
          : "Counters of the winners; in brackets those of their baselines.";
  return section;
}

ReportSection lessons_section(const Known& known) {
  ReportSection section = section_of("lessons", known.of("rules"), "Lessons for the playbook",
                                     "What this campaign adds to what is known of techniques and rules.");
  for (const TechniqueLesson& each : known.extras.lesson.techniques) {
    if (!each.best_speedup || !each.gain_lo || !each.gain_hi) continue;
    const bool wins = *each.gain_hi > 1;
    section.lines.push_back(
        fmt::format("{}: {} {} of the other techniques' best on its {} workloads ({} to {}), passing {} of {} times.",
                    clean(each.technique), wins ? "up to" : "never more than", ratio(each.gain_hi), each.workloads,
                    ratio(each.gain_lo), ratio(each.gain_hi), each.passed, each.evaluations));
  }
  section.table.columns = {"rule", "action", "decisions", "first", "why, the first time"};
  for_rows(known.of("rules"), [&](const FigureRow& row) {
    section.table.rows.push_back({row.text("rule"), row.text("action"), row.value("decisions"), row.value("first"),
                                  bounded(row.text("why"), 300)});
  });
  section.lines.push_back(
      fmt::format("A page from it: harness new pattern NAME --campaign {}", known.figures.campaign));
  return section;
}

ReportSection environment_section(const Known& known) {
  const Figure& figure = known.of("environment");
  ReportSection section = section_of("environment", figure, "Where it ran", "");
  section.table.columns = {"fact", "value"};
  for_rows(figure, [&](const FigureRow& row) { section.table.rows.push_back({row.text("fact"), row.value("value")}); });
  return section;
}

/// A fact of the environment by its name; "": it has none.
std::string fact(const Known& known, const char* name) {
  std::string value;
  for_rows(known.of("environment"), [&](const FigureRow& row) {
    if (row.text("fact") == name) value = row.text("value");
  });
  return value;
}

/// " --strategies DIR" for each of the folders that a campaign was begun with.
std::string folder_options(const Known& known, const char* option, const char* name) {
  std::string words, list = fact(known, name);
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    words += fmt::format(" {} {}", option, shell_word(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return words;
}

std::string run_command(const Known& known) {
  const json options = parse_json_if_valid(known.head.text("options"));
  std::string line = "harness run";
  const auto words = [&](const char* key) {
    std::string all;
    if (options.is_object())
      for (const json& each : options.value(key, json::array()))
        if (each.is_string()) all += (all.empty() ? "" : ",") + each.get<std::string>();
    return all;
  };
  const json kernels = parse_json_if_valid(known.head.text("kernels"));
  if (kernels.is_array())
    for (const json& kernel : kernels)
      if (kernel.is_string()) line += " " + shell_word(kernel.get<std::string>());
  if (const std::string workloads = words("workloads"); !workloads.empty())
    line += " --workload " + shell_word(workloads);
  if (const std::string variants = words("variants"); !variants.empty()) line += " --variant " + shell_word(variants);
  line += fmt::format(" --device {} --strategy {} --search {} --seed {}", shell_word(known.head.text("device")),
                      shell_word(known.head.text("strategy")), shell_word(known.head.text("search")),
                      known.head.text("seed"));
  if (const auto budget = known.head.number("budget_s")) line += fmt::format(" --budget {:.0f}s", *budget);
  if (const auto price = known.head.number("usd_per_hour")) line += fmt::format(" --usd-per-hour {:g}", *price);
  line += folder_options(known, "--kernels", "kernels_folders");
  line += folder_options(known, "--strategies", "strategies_folders");
  return line;
}

ReportSection reproduce_section(const Known& known) {
  ReportSection section{"reproduce", "Do it again", "In a checkout of the revision above.", {}, {}, 0, "", {}, {}};
  const std::string db = known.extras.store.empty() ? "" : " --db " + shell_word(known.extras.store);
  section.lines.push_back(run_command(known));
  for_rows(known.of("workloads"), [&](const FigureRow& row) {
    if (section.lines.size() < 8)
      section.lines.push_back(fmt::format("harness eval --from {}{}", row.text("iteration"), db));
  });
  section.lines.push_back(fmt::format("harness history --campaign {}{}", known.figures.campaign, db));
  section.lines.push_back(fmt::format("harness export campaign.jsonl --campaign {}{}", known.figures.campaign, db));
  return section;
}

ReportSection sources_section(const Known& known) {
  ReportSection section{"sources", "The winners' sources", "", {}, {}, 0, "", {}, {}};
  for (const WinnerSource& each : known.extras.sources) {
    if (each.text.empty()) section.lines.push_back(fmt::format("{}: {}", each.title, each.missing));
    else section.listings.emplace_back(each.title, each.text);
  }
  section.lead = section.listings.empty() ? "None can be shown here."
                                          : "Configuration, headers and launches are in them: each compiles alone.";
  return section;
}

struct Totals {
  int workloads = 0, not_tried = 0;  // of the campaign
  int bests = 0, confirmed = 0, ahead = 0, rivals = 0;
  std::optional<double> score;
};

Totals totals_of(const Known& known) {
  Totals totals;
  for_rows(known.of("workloads"), [&](const FigureRow& row) {
    ++totals.bests;
    totals.confirmed += row.flag("confirmed") ? 1 : 0;
    if (row.has("rival_ns")) {
      ++totals.rivals;
      totals.ahead += row.sum("rival_ns") > row.sum("time_ns") ? 1 : 0;
    }
  });
  const std::vector<MissingBest> missing = missing_bests(known);
  totals.workloads = totals.bests + static_cast<int>(missing.size());
  totals.not_tried = static_cast<int>(std::ranges::count(missing, false, &MissingBest::tried));
  if (known.head.has("score")) totals.score = known.head.sum("score");
  return totals;
}

/// "2 of 3"
Cell part_of(int count, int all) {
  return Cell::of(Quantity{static_cast<double>(count)}, " of ", Quantity{static_cast<double>(all)});
}

/// By outcome, the most frequent first.
std::vector<std::pair<std::string, double>> outcome_counts(const Figure& ends) {
  std::vector<std::pair<std::string, double>> counts;
  for_rows(ends, [&](const FigureRow& row) {
    const auto known = std::ranges::find(counts, row.text("outcome"), &std::pair<std::string, double>::first);
    if (known == counts.end()) counts.emplace_back(row.text("outcome"), row.sum("iterations"));
    else known->second += row.sum("iterations");
  });
  std::ranges::stable_sort(counts, std::greater(), &std::pair<std::string, double>::second);
  return counts;
}

void add_cards(CampaignReport& report, const Known& known, const Totals& totals) {
  const FigureRow& head = known.head;
  report.cards.push_back({known.emulation ? time_word(known) + " score" : "score", Quantity{totals.score, Unit::ratio},
                          std::string("geometric mean of the speedups over ") +
                              (is_over_eager(known) ? "eager PyTorch" : "the baselines") +
                              score_coverage(static_cast<std::size_t>(totals.workloads - totals.not_tried),
                                             static_cast<std::size_t>(totals.workloads))});
  report.cards.push_back(
      {confirmed_word(known), part_of(totals.confirmed, totals.workloads),
       is_predicted(known) ? "bests whose second count gave the same" : "bests timed again in a fresh process"});
  if (totals.rivals > 0)
    report.cards.push_back(
        {"ahead of the rival", part_of(totals.ahead, totals.rivals), "workloads on which ours is faster"});
  report.cards.push_back(
      {"time", head.spent("spent_s"), head.has("budget_s") ? Cell::of("of ", head.spent("budget_s")) : "no budget"});
  report.cards.push_back(
      {"cost", head.of("cost_usd", Unit::usd),
       head.has("usd_per_hour") ? Cell(fmt::format("${:g} an hour", head.sum("usd_per_hour"))) : "no price was given"});
  Cell outcomes;
  for (const auto& [outcome, count] : outcome_counts(known.of("ends")))
    outcomes = Cell::of(outcomes, outcomes == Cell() ? "" : ", ", Quantity{count, Unit::count}, " " + outcome);
  report.cards.push_back({"evaluations", head.value("iterations"), outcomes});
}

void add_cautions(CampaignReport& report, const Known& known, const Totals& totals) {
  if (known.emulation) report.cautions.push_back(not_measured(known));
  if (totals.confirmed < totals.bests)
    report.cautions.push_back(
        fmt::format("{} of {} bests were not {}: they are not confirmed.", totals.bests - totals.confirmed,
                    totals.bests, is_predicted(known) ? "counted a second time" : "timed again in a fresh process"));
  for_rows(known.of("unchecked"), [&](const FigureRow& row) {
    report.cautions.push_back(fmt::format("Not checked on {} of the bests: {}{}.", row.text("bests"), row.text("gate"),
                                          row.text("why").empty() ? "" : " (" + bounded(row.text("why"), 200) + ")"));
  });
  for (const Figure& figure : known.figures.figures)
    if (figure.left_out)
      report.cautions.push_back(fmt::format(
          "Left out, because reading it takes too long: {} (harness query has its statement).", figure.title));
  if (known.head.flag("imported"))
    report.cautions.push_back(known.head.flag("evidence")
                                  ? "It was imported, and counts as evidence here."
                                  : "It was imported: nobody measured it here, and it counts for nothing.");
  if (!known.head.has("ended")) report.cautions.emplace_back("It has not ended: it runs, or was killed.");
}

std::string verdict_of(const Known& known, const Totals& totals) {
  if (totals.bests == 0) return "Nothing has passed all gates.";
  std::string text = fmt::format("{} of {} workload{} {} a {} best", totals.confirmed, totals.workloads,
                                 totals.workloads == 1 ? "" : "s", totals.confirmed == 1 ? "has" : "have",
                                 is_predicted(known) ? "predicted and twice counted" : "confirmed");
  if (totals.not_tried > 0)
    text += fmt::format(" ({} {} not tried)", totals.not_tried, totals.not_tried == 1 ? "was" : "were");
  if (totals.score)
    text += fmt::format(", {} as fast as the baselines{}", ratio(totals.score),
                        known.emulation ? " (" + time_word(known) + ")" : "");
  if (totals.rivals > 0) text += fmt::format(", and ahead of the rival on {} of {}", totals.ahead, totals.rivals);
  return text + ".";
}

}  // namespace

CampaignReport make_campaign_report(const CampaignFigures& figures, const ReportExtras& extras) {
  static const json kNoRow = json::array();
  const Figure& head = figures.of("campaign");
  Known known{figures, extras, FigureRow(head, head.rows.empty() ? kNoRow : head.rows.front()), false, false, {}};
  known.emulation = known.head.flag("emulation");
  const json kernels = parse_json_if_valid(known.head.text("kernels"));
  known.several_kernels = kernels.is_array() && kernels.size() > 1;
  const Totals totals = totals_of(known);
  CampaignReport report;
  report.emulation = known.emulation;
  report.title =
      fmt::format("Campaign {}{}", figures.campaign, known.head.has("name") ? ": " + known.head.text("name") : "");
  std::string names;
  if (kernels.is_array())
    for (const json& kernel : kernels) names += (names.empty() ? "" : ", ") + clean(text(cell(kernel)));
  report.subtitle = fmt::format("{} on {} ({}), begun {}, ended by {}; strategy {}, search {}", names,
                                known.head.text("device_name"), known.head.text("device"), known.head.text("begun"),
                                known.head.has("reason") ? known.head.text("reason") : "nothing yet",
                                known.head.text("strategy"), known.head.text("search"));
  report.verdict = verdict_of(known, totals);
  add_cards(report, known, totals);
  add_cautions(report, known, totals);
  const auto add = [&](std::initializer_list<ReportSection (*)(const Known&)> makers) {
    for (const auto make : makers) add_section(report, make(known));
  };
  add({bests_section, staircase_section, spend_section, techniques_section, heat_section, parameters_section,
       failures_section, decisions_section, predictions_section, profile_section, lessons_section});
  for (ReportSection& section : card_sections(figures)) add_section(report, std::move(section));
  add({environment_section, reproduce_section, sources_section});
  report.footer = fmt::format("{}; campaign {}{}", extras.program, figures.uuid,
                              extras.made.empty() ? "" : "; made " + extras.made);
  return report;
}

}  // namespace harness::report
