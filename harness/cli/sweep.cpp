#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/cli/asking.h"
#include "harness/cli/task_line.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/service/asked_evaluation.h"
#include "harness/system/awake_clock.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

// sweep: one variant over growing sizes. It says how cost grows with the problem, which is never a speedup.
namespace harness {
namespace {

struct SweepArguments {
  EvaluationAsked asked;
  std::string over, base;
  bool json = false;
};

/// The values of "B=1,2,4,...,64": after an ellipsis the step, or the factor, of the two before it goes on up to the
/// last one.
std::vector<std::string> swept_values(const std::string& text) {
  constexpr std::size_t kMostValues = 64;
  std::vector<std::string> values;
  const std::vector<std::string> parts = split_commas(text);
  const auto integer = [&](const std::string& part) {
    const Value value = parse_value(part);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
    throw bad_input(fmt::format("'{}' cannot go on from '{}', which is no whole number", "...", part));
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != "...") {
      values.push_back(parts[i]);
      continue;
    }
    if (values.size() < 2 || i + 1 != parts.size() - 1)
      throw bad_input(fmt::format("'...' in '{}' stands after two values and before the last one: 1,2,...,64", text));
    const std::int64_t a = integer(values[values.size() - 2]), b = integer(values.back()), end = integer(parts[i + 1]);
    if (b <= a || a <= 0) throw bad_input(fmt::format("the values of '{}' must grow for '...' to go on", text));
    const bool by_factor = b % a == 0 && b / a > 1;
    for (std::int64_t next = by_factor ? b * (b / a) : b + (b - a); next < end && values.size() < kMostValues;
         next = by_factor ? next * (b / a) : next + (b - a))
      values.push_back(std::to_string(next));
  }
  if (values.empty() || values.size() > kMostValues)
    throw bad_input(fmt::format("a sweep has 1 to {} values; '{}' has {}", kMostValues, text, values.size()));
  return values;
}

/// "B=4 Sq=512 causal=false": the base with one size changed.
std::string shape_text(const Workload& base, const std::string& name, const std::string& value) {
  std::string text = name + "=" + value;
  for (const auto& [size, own] : base.values)
    if (size != name) text += fmt::format(" {}={}", size, to_text(own));
  return text;
}

void check_size(const KernelInfo& kernel, const Workload& base, const std::string& variant, const std::string& name) {
  if (base.values.contains(name)) return;
  std::vector<std::string> sizes;
  for (const auto& [size, value] : base.values) sizes.push_back(size);
  for (const VariantInfo& each : kernel.variants)
    if (each.name == variant && std::ranges::any_of(each.parameters, [&](const auto& p) { return p.name == name; }))
      throw bad_input(
          fmt::format("'{}' is a parameter of {}, and a sweep goes over sizes ({}); for one value of it: -p", name,
                      variant, fmt::join(sizes, ", ")));
  const std::string end = did_you_mean(name, sizes);
  throw bad_input(fmt::format("kernel '{}' has no size '{}'{}", kernel.name, name,
                              end.empty() ? fmt::format("; it has {}", fmt::join(sizes, ", ")) : end));
}

double flops_of(const Work& work) {
  double sum = 0;
  for (const auto& [type, count] : work.flops) sum += count;
  return sum;
}

/// Of all launches of a plan: the largest grid. A grid that the device cuts (Launch::resident) is its limit.
json blocks_of(const Plan& plan) {
  std::int64_t most = 0;
  for (const Step& step : plan.steps)
    if (const auto* launch = std::get_if<Launch>(&step); launch != nullptr && launch->resident == 0)
      most = std::max(most, std::int64_t{launch->grid.x} * launch->grid.y * launch->grid.z);
  return most > 0 ? json(most) : json();
}

json row_of(const EvaluatedPoint& point, const std::string& value, const DeviceInfo& device) {
  const Work& work = point.realized.problem.work;
  const double flops = flops_of(work);
  const json blocks = blocks_of(point.realized.plan);
  json row{{"value", value},
           {"workload", point.attempt.workload},
           {"outcome", outcome_name(point.evaluation.outcome)},
           {"iteration", point.iteration > 0 ? json(point.iteration) : json()},
           {"config", config_to_json(point.realized.candidate.config)},
           {"flops", flops},
           {"bytes", work.bytes},
           {"emulation", device.emulation},
           {"predicted_for", text_or_null(device.predicts)},
           {"blocks", blocks},
           {"blocks_per_multiprocessor", nullptr},
           {"time_ns", nullptr},
           {"time_ci95_ns", nullptr},
           {"of_floor", nullptr},
           {"ns_per_mflop", nullptr},
           {"ns_per_mb", nullptr},
           {"error", error_json(point.evaluation.outcome)}};
  if (blocks.is_number() && device.multiprocessors > 0 && !device.emulation)
    row["blocks_per_multiprocessor"] = blocks.get<double>() / device.multiprocessors;
  const Timing* timing = timing_of(point.evaluation.outcome);
  if (timing == nullptr) return row;
  row["time_ns"] = timing->time_ns;
  row["time_ci95_ns"] = {timing->time_lo_ns, timing->time_hi_ns};
  if (timing->floor_ns) row["of_floor"] = *timing->floor_ns / timing->time_ns;
  if (flops > 0) row["ns_per_mflop"] = timing->time_ns / (flops / 1e6);
  if (work.bytes > 0) row["ns_per_mb"] = timing->time_ns / (work.bytes / 1e6);
  return row;
}

/// A bar as long as the share of the largest.
std::string drawn_bar(std::optional<double> value, double largest, std::size_t cells) {
  if (!value || !(largest > 0)) return "";
  const double full = *value / largest * static_cast<double>(cells);
  std::string bar;
  for (std::size_t i = 0; i < static_cast<std::size_t>(full); ++i) bar += "\u2588";
  static constexpr const char* kParts[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
  return bar + kParts[static_cast<std::size_t>((full - std::floor(full)) * 8)];
}

void print_sweep(const json& rows, const std::string& size) {
  const bool by_flops = std::ranges::any_of(
      rows, [](const json& row) { return row.at("flops").get<double>() > row.at("bytes").get<double>(); });
  const char* key = by_flops ? "ns_per_mflop" : "ns_per_mb";
  const std::string predicted =
      rows.at(0).at("predicted_for").is_null() ? "" : rows.at(0).at("predicted_for").get<std::string>();
  const bool emulated = predicted.empty() && rows.at(0).at("emulation") == true;
  double largest = 0;
  for (const json& row : rows) largest = std::max(largest, report::number_in(row, key).value_or(0));
  const auto number = [](const char* name, int rank, const char* of, report::Unit unit, int digits) {
    return report::ViewColumn{name, rank, [=](const json& row) {
                                return report::Quantity{report::number_in(row, of), unit, digits};
                              }};
  };
  report::View view{{size, 0, [](const json& row) { return report::field(row, "value"); }},
                    {!predicted.empty() ? "predicted"
                     : emulated         ? "emulated"
                                        : "time",
                     0,
                     [](const json& row) {
                       const report::Quantity time{report::number_in(row, "time_ns"), report::Unit::ns};
                       return time.value ? report::Cell(time) : report::Cell(report::field(row, "outcome"));
                     }},
                    number("of floor", 2, "of_floor", report::Unit::share, -1),
                    {"blocks", 3, [](const json& row) { return report::field(row, "blocks"); }},
                    number("a multiprocessor", 1, "blocks_per_multiprocessor", report::Unit::number, 2),
                    {by_flops ? "ns a MFLOP" : "ns a MB", 0,
                     [key](const json& row) {
                       const auto cost = report::number_in(row, key);
                       return cost ? fmt::format("{:.4g}", *cost) : "-";
                     }},
                    {"cost of a unit of work", 1,
                     [key, largest](const json& row) { return drawn_bar(report::number_in(row, key), largest, 30); }}};
  const auto chosen = report::choose(view, rows, {{}, false, report::terminal_columns()});
  report::out("{}", report::aligned(chosen.table));
  report::tell("a scaling study: the problems differ, so no ratio of these times is a speedup{}\n",
               !predicted.empty() ? fmt::format("; predicted for {}, not measured", predicted).c_str()
               : emulated         ? "; emulated times rank nothing on a GPU"
                                  : "");
}

int sweep(SweepArguments arguments, Shell& shell) {
  const auto equals = arguments.over.find('=');
  if (equals == std::string::npos || equals == 0)
    throw bad_input(fmt::format("'{}' is no sweep; write --over SIZE=VALUE,VALUE,...", arguments.over));
  const std::string size = arguments.over.substr(0, equals);
  const std::vector<std::string> values = swept_values(arguments.over.substr(equals + 1));
  Places places = shell.places();
  const auto catalog = shell.rooms.catalog(places);
  const KernelInfo& kernel = catalog->kernel(arguments.asked.words.kernel);
  const Workload& base = arguments.base.empty() ? kernel.workloads.front() : workload_of(kernel, arguments.base);
  check_size(kernel, base, arguments.asked.words.variant, size);
  for (const std::string& value : values) arguments.asked.workloads.push_back(shape_text(base, size, value));
  const DeviceInfo device = choose_device(arguments.asked.device, arguments.asked.times, shell.rooms.devices(places));
  json rows = json::array();
  const TaskLine line(arguments.json, &places);
  const auto ended = [&](const EvaluatedPoint& point) {
    line.hide();
    rows.push_back(row_of(point, values[std::min(rows.size(), values.size() - 1)], device));
    if (!arguments.json)
      report::err("{}={}  {}\n", size, report::field(rows.back(), "value"), report::field(rows.back(), "outcome"));
  };
  require_descriptors();
  watch_for_stops();
  const auto passed =
      evaluate_asked(arguments.asked, places, shell, {[&line](const std::string& task) { line.begin(task); }, ended});
  if (arguments.json) report::out_json(rows);
  else if (!rows.empty()) print_sweep(rows, size);
  if (!passed) return 130;
  return *passed ? 0 : 1;
}

}  // namespace

void define_sweep(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<SweepArguments>();
  app.add_option("kernel", arguments->asked.words.kernel, "The kernel")->required();
  app.add_option("variant", arguments->asked.words.variant, "The variant")->required();
  app.add_option("--over", arguments->over, "A size and its values: B=1,2,4, or B=1,2,...,64")
      ->required()
      ->type_name("NAME=V,V,...");
  app.add_option("--workload", arguments->base,
                 "Where the other sizes come from (default: the kernel's first workload)");
  add_parameter_option(app, arguments->asked.words);
  app.add_option("--device", arguments->asked.device, shell.rooms.device_words)->capture_default_str();
  add_times_options(app, arguments->asked.times);
  app.add_flag("--no-record", arguments->asked.no_record, "Write nothing to the store");
  app.add_flag("--json", arguments->json, "One array of objects");
  add_shared_options(app, shell);
  action = [arguments, &shell] { return sweep(*arguments, shell); };
}

}  // namespace harness
