#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/asking.h"
#include "harness/cli/proposals.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/suggest.h"
#include "harness/report/compared_cards.h"
#include "harness/report/format.h"
#include "harness/report/out.h"

// history, best, cost, campaigns, compare, recommend: tables of what is recorded.
namespace harness {
namespace {

bool for_programs(const Asking& asking) {
  return asking.json || asking.format == "json" || asking.format == "csv";
}

/// The sentence under a table; nothing where a program reads it.
void add_note(const Asking& asking, const std::string& sentence) {
  if (!for_programs(asking) && asking.format == "table" && !sentence.empty()) report::out("%s\n", sentence.c_str());
}

bool is_predicted(const json& row) {
  const json device = row.value("device", json());
  return device.is_string() && !predicted_gpu(device).empty();
}

bool any_emulated(const json& rows) {
  return std::ranges::any_of(
      rows, [](const json& row) { return row.value("emulation", json()) == true && !is_predicted(row); });
}

bool print_empty(const json& rows, const Asking& asking, const char* sentence) {
  if (!rows.empty() || for_programs(asking)) return false;
  report::out("%s\n", sentence);
  return true;
}

constexpr const char* kEmulatedNote = "emulated times are a CPU's: they rank nothing on a GPU";
constexpr const char* kPredictedNote = "predicted times are what a model expects of a GPU: nothing was measured";

int print_history(const Asking& asking, Shell& shell) {
  const json rows = open_to_read(shell)->history().iterations(filter_of(asking));
  if (print_empty(rows, asking, "nothing is recorded that fits")) return 0;
  print_rows(report::iteration_view(), rows, asking);
  if (static_cast<std::int64_t>(rows.size()) == asking.limit)
    add_note(asking, fmt::format("the first {} that fit; --limit shows more", asking.limit));
  if (any_emulated(rows)) add_note(asking, kEmulatedNote);
  if (std::ranges::any_of(rows, is_predicted)) add_note(asking, kPredictedNote);
  return 0;
}

int print_best(const Asking& asking, Shell& shell) {
  const json rows = open_to_read(shell)->history().best(filter_of(asking));
  if (print_empty(rows, asking, "nothing has passed that fits; what was imported without --as-evidence does not count"))
    return 0;
  print_rows(report::best_view(for_programs(asking) ? report::WorkOf{} : work_here(shell)), rows, asking);
  const bool unconfirmed =
      std::any_of(rows.begin(), rows.end(), [](const json& row) { return !row.value("confirmed", false); });
  if (unconfirmed) add_note(asking, "not confirmed: passed all gates, but was not timed again in a fresh process");
  if (any_emulated(rows)) add_note(asking, kEmulatedNote);
  if (std::ranges::any_of(rows, is_predicted)) add_note(asking, kPredictedNote);
  return 0;
}

CostBy cost_by(const std::string& word) {
  return word == "technique"  ? CostBy::technique
         : word == "stage"    ? CostBy::stage
         : word == "campaign" ? CostBy::campaign
                              : CostBy::device;
}

int print_cost(const Asking& asking, const std::string& by, Shell& shell) {
  json rows = open_to_read(shell)->history().cost(cost_by(by), filter_of(asking));
  if (print_empty(rows, asking, "nothing has been spent that fits")) return 0;
  const json totals = report::cost_totals(rows);
  if (!for_programs(asking)) {
    json last = totals;
    last["total"] = true;
    last[by] = "total";
    if (by == "technique") last["kernel"] = "";
    if (by == "campaign") last["device_name"] = "";
    rows.push_back(std::move(last));
  }
  print_rows(report::cost_view(totals), rows, asking);
  const auto unpriced = report::number_in(totals, "unpriced_s");
  if (unpriced && *unpriced > 0)
    add_note(asking, fmt::format("the price of {} is not known: they are in no cost", report::seconds(*unpriced)));
  if (by == "stage") add_note(asking, "seconds are summed over processes: more than the clock shows");
  return 0;
}

int print_campaigns(const Asking& asking, Shell& shell) {
  const json rows = open_to_read(shell)->history().campaigns(filter_of(asking));
  if (print_empty(rows, asking, "no campaign is recorded that fits")) return 0;
  print_rows(report::campaign_view(), rows, asking);
  add_note(asking,
           "score: geometric mean of the workloads' speedups over their baselines; next: harness report CAMPAIGN");
  return 0;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 18 && text.find_first_not_of("0123456789") == std::string::npos;
}

/// A campaign's number or name, or a device's name.
ComparedSide side_of(const std::string& text, RecordLookups& record) {
  if (is_number(text)) return {std::stoll(text), ""};
  std::vector<std::string> names;
  for (const CampaignName& campaign : record.campaign_names()) {
    if (campaign.name == text) return {campaign.id, ""};
    if (campaign.device_name == text) return {std::nullopt, text};
    if (campaign.name) names.push_back(*campaign.name);
    names.push_back(campaign.device_name);
  }
  throw bad_input(fmt::format("no campaign and no device '{}' is recorded{}", text, did_you_mean(text, names)));
}

void print_facts(const json& answer) {
  report::Table table{{"", "a", "b"}, {}};
  for (const json& row : answer.at("environment")) {
    const std::string a = report::field(row, "a"), b = report::field(row, "b");
    table.rows.push_back({report::field(row, "what") + (a == b ? "" : " *"), a, b});
  }
  const auto cost = [&](const char* side) -> const json& { return answer.at("cost").at(side); };
  const auto add = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != "-" || b != "-") table.rows.push_back({what, a, b});
  };
  add("iterations", report::field(cost("a"), "iterations"), report::field(cost("b"), "iterations"));
  const auto spent = [&](const char* side) {
    const auto s = report::number_in(cost(side), "spent_s");
    return s ? report::seconds(*s) : "-";
  };
  add("spent", spent("a"), spent("b"));
  const auto usd = [&](const char* side) {
    const auto value = report::number_in(cost(side), "cost_usd");
    return value ? report::money(value) : "-";
  };
  add("cost", usd("a"), usd("b"));
  report::out("%s", report::aligned(table).c_str());
}

void print_only(const json& places, const char* side) {
  if (places.empty()) return;
  std::string text;
  for (const json& place : places)
    text += (text.empty() ? "" : ", ") + report::field(place, "kernel") + " " + report::field(place, "workload");
  report::out("only %s has %s\n", side, report::bounded(text, 2000).c_str());
}

int print_comparison(const std::string& a, const std::string& b, const Asking& asking, Shell& shell) {
  const auto archive = open_to_read(shell);
  History& history = archive->history();
  const json answer = history.compare(side_of(a, history), side_of(b, history));
  if (asking.json || asking.format == "json") {
    report::out_json(answer);
    return 0;
  }
  const json& rows = answer.at("workloads");
  if (!for_programs(asking)) print_facts(answer);
  if (rows.empty()) report::out("the two have no workload in common\n");
  else {
    if (!for_programs(asking)) report::out("\n");
    print_rows(report::compare_view(), rows, asking);
  }
  if (for_programs(asking)) return 0;
  if (const auto score = report::number_in(answer, "score"))
    report::out("geometric mean: b is %s as fast as a\n", report::ratio(score).c_str());
  print_only(answer.at("only_a"), "a");
  print_only(answer.at("only_b"), "b");
  print_compared_cards(answer);
  return 0;
}

std::string slowdown(const json& row, const char* key) {
  const auto value = report::number_in(row, key);
  return value ? fmt::format("{:.3f}x", *value) : "-";
}

report::View single_view(std::size_t workloads) {
  return {
      {"variant", 0, [](const json& row) { return report::field(row, "variant"); }},
      {"configuration", 1, [](const json& row) { return report::config_field(row); }, false, true},
      {"workloads", 2,
       [workloads](const json& row) { return fmt::format("{} of {}", report::field(row, "workloads"), workloads); }},
      {"slower, mean", 0, [](const json& row) { return slowdown(row, "geomean"); }},
      {"worst", 0, [](const json& row) { return slowdown(row, "worst"); }},
      {"where", 3, [](const json& row) { return report::field(row, "worst_workload"); }}};
}

report::View dispatch_view() {
  return {{"workload", 0, [](const json& row) { return report::field(row, "workload"); }},
          {"use", 0, [](const json& row) { return report::field(row, "variant"); }},
          {"configuration", 1, [](const json& row) { return report::config_field(row); }, false, true},
          {"regret", 0, [](const json& row) { return slowdown(row, "regret"); }}};
}

int print_recommendation(const Asking& asking, Shell& shell) {
  const HistoryFilter filter = filter_of(asking);
  const json answer = open_to_read(shell)->history().recommend(filter);
  if (asking.json) {
    report::out_json(answer);
    return 0;
  }
  const auto workloads = answer.at("workloads").size();
  report::out("%s on %s: %zu measured workloads, %s candidates that passed%s\n\n",
              report::field(answer, "kernel").c_str(), report::field(answer, "device").c_str(), workloads,
              report::field(answer, "candidates").c_str(),
              answer.value("emulation", false) ? "; EMULATED times, which rank nothing on a GPU" : "");
  report::out("one for all: how many times slower than the best of each workload\n");
  print_rows(single_view(workloads), answer.at("single"), asking);
  report::Table table{{"candidates", "slower, mean", "worst"}, {}};
  for (const json& each : answer.at("dispatch"))
    table.rows.push_back({report::field(each, "candidates"), slowdown(each, "geomean"), slowdown(each, "worst")});
  report::out("\na table of several\n%s", report::aligned(table).c_str());
  if (answer.at("dispatch").empty()) return 0;
  report::out("\nthe table of %s\n", report::field(answer.at("dispatch").back(), "candidates").c_str());
  print_rows(dispatch_view(), answer.at("dispatch").back().at("table"), asking);
  return 0;
}

}  // namespace

void define_history(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  add_filter_options(app, asking, 20);
  add_table_options(app, asking);
  auto proposals = std::make_shared<bool>(false);
  app.add_flag("--proposals", *proposals,
               "What a proposer was asked and what came of it, instead of iterations; of the filters --campaign and "
               "--limit count");
  action = [asking, proposals, &shell] {
    if (!*proposals) return print_history(*asking, shell);
    const HistoryFilter filter = filter_of(*asking);
    return print_proposals(*open_to_read(shell), filter.campaign, filter.limit, asking->json ? "json" : asking->format);
  };
}

void define_best(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  app.add_option("kernel,--kernel", asking->kernel, "Only this kernel")->type_name("KERNEL");
  add_filter_options(app, asking, -1, false);
  add_table_options(app, asking);
  app.footer("With --campaign, --variant, --technique, --verdict or --since: the best among those that fit.");
  action = [asking, &shell] { return print_best(*asking, shell); };
}

void define_cost(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  auto by = std::make_shared<std::string>("technique");
  app.add_option("--by", *by, "technique, stage, campaign or device")
      ->capture_default_str()
      ->check(CLI::IsMember({"technique", "stage", "campaign", "device"}));
  add_filter_options(app, asking, -1);
  add_table_options(app, asking);
  app.footer(
      "Stages: decide; prepare (compiling ahead, beside all else); build (waiting for a compiler); gates; timing;\n"
      "idle (waiting for the device, or for something to decide); other.");
  action = [asking, by, &shell] { return print_cost(*asking, *by, shell); };
}

void define_campaigns(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  add_filter_options(app, asking, 50);
  add_table_options(app, asking);
  action = [asking, &shell] { return print_campaigns(*asking, shell); };
}

void define_compare(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  auto sides = std::make_shared<std::pair<std::string, std::string>>();
  app.add_option("a", sides->first, "A campaign's number or name, or a device's name")->required()->type_name("A");
  app.add_option("b", sides->second, "Another")->required()->type_name("B");
  add_table_options(app, asking);
  action = [asking, sides, &shell] { return print_comparison(sides->first, sides->second, *asking, shell); };
}

void define_recommend(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  app.add_option("kernel", asking->kernel, "The kernel")->required()->type_name("KERNEL");
  app.add_option("--device", asking->device,
                 "A device or its name (default: the one with the most measured workloads)");
  app.add_option("--campaign", asking->campaign, "Only what this campaign measured")->check(CLI::PositiveNumber);
  asking->limit = -1;
  action = [asking, &shell] { return print_recommendation(*asking, shell); };
}

}  // namespace harness
