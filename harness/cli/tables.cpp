#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/asking.h"
#include "harness/cli/live.h"
#include "harness/cli/proposals.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
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
  if (!for_programs(asking) && asking.format == "table" && !sentence.empty()) report::tell("{}\n", sentence);
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
  report::tell("{}\n", sentence);
  return true;
}

constexpr const char* kEmulatedNote = "emulated times are a CPU's: they rank nothing on a GPU";
constexpr const char* kPredictedNote = "predicted times are what a model expects of a GPU: nothing was measured";

int print_history(const Asking& asking, Shell& shell) {
  const auto archive = open_to_read(shell);
  const json rows = archive->history().iterations(filter_of(asking, archive->history()));
  if (print_empty(rows, asking, "nothing is recorded that fits")) return 0;
  print_rows(report::iteration_view(), rows, asking);
  if (static_cast<std::int64_t>(rows.size()) == asking.limit)
    add_note(asking, fmt::format("the first {} that fit; --limit shows more", asking.limit));
  if (any_emulated(rows)) add_note(asking, kEmulatedNote);
  if (std::ranges::any_of(rows, is_predicted)) add_note(asking, kPredictedNote);
  return 0;
}

int print_best(const Asking& asking, Shell& shell) {
  const auto archive = open_to_read(shell);
  const json rows = archive->history().best(filter_of(asking, archive->history()));
  if (print_empty(rows, asking, "nothing has passed that fits; what was imported without --as-evidence does not count"))
    return 0;
  print_rows(report::best_view(for_programs(asking) ? report::WorkOf{} : work_here(shell)), rows, asking);
  const auto unconfirmed = [&](bool predicted) {
    return std::ranges::any_of(rows, [predicted](const json& row) {
      return !row.value("confirmed", false) && is_predicted(row) == predicted;
    });
  };
  if (unconfirmed(false))
    add_note(asking, "not confirmed: passed all gates, but was not timed again in a fresh process");
  if (unconfirmed(true)) add_note(asking, "not confirmed: passed all gates, but was not counted a second time");
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
  const auto archive = open_to_read(shell);
  HistoryFilter filter = filter_of(asking, archive->history());
  filter.limit = -1;  // totals and shares are those of all that fits, however many rows are shown
  json rows = archive->history().cost(cost_by(by), filter);
  if (print_empty(rows, asking, "nothing has been spent that fits")) return 0;
  const json totals = report::cost_totals(rows);
  const std::size_t fitting = rows.size();
  if (asking.limit >= 0 && rows.size() > static_cast<std::size_t>(asking.limit))
    rows.erase(rows.begin() + asking.limit, rows.end());
  const std::size_t listed = rows.size();
  if (!for_programs(asking)) {
    json last = totals;
    last["total"] = true;
    last[by] = "total";
    if (by == "technique") last["kernel"] = "";
    if (by == "campaign") last["device_name"] = "";
    rows.push_back(std::move(last));
  }
  print_rows(report::cost_view(totals), rows, asking);
  if (listed < fitting)
    add_note(asking, fmt::format("{} of {} rows; the total and the shares are of all", listed, fitting));
  const auto unpriced = report::number_in(totals, "unpriced_s");
  if (unpriced && *unpriced > 0)
    add_note(asking, fmt::format("the price of {} is not known: they are in no cost", report::seconds(*unpriced)));
  if (by == "stage") add_note(asking, "seconds are summed over processes: more than the clock shows");
  return 0;
}

int print_campaigns(const Asking& asking, Shell& shell) {
  const auto archive = open_to_read(shell);
  const json rows = archive->history().campaigns(filter_of(asking, archive->history()));
  if (print_empty(rows, asking, "no campaign is recorded that fits")) return 0;
  print_rows(report::campaign_view(), rows, asking);
  add_note(asking,
           "score: geometric mean of the workloads' speedups over their baselines; single evaluations (harness eval) "
           "are in harness history; next: harness report CAMPAIGN");
  return 0;
}

void print_facts(const json& answer) {
  report::Table table{{"", "a", "b"}, {}};
  for (const json& row : answer.at("environment")) {
    const std::string a = report::field(row, "a"), b = report::field(row, "b");
    table.rows.push_back({report::field(row, "what") + (a == b ? "" : " *"), a, b});
  }
  for (const auto& [what, key, unit] : {std::tuple{"iterations", "iterations", report::Unit::count},
                                        {"spent", "spent_s", report::Unit::s},
                                        {"cost", "cost_usd", report::Unit::usd}}) {
    const auto a = report::number_in(answer.at("cost").at("a"), key),
               b = report::number_in(answer.at("cost").at("b"), key);
    const auto cell = [unit = unit](std::optional<double> value) {
      return value ? report::Quantity{value, unit} : report::Quantity{};
    };
    if (a || b) table.rows.push_back({what, cell(a), cell(b)});
  }
  report::out("{}", report::aligned(table));
}

void print_only(const json& places, const char* side) {
  if (places.empty()) return;
  std::string text;
  for (const json& place : places)
    text += (text.empty() ? "" : ", ") + report::field(place, "kernel") + " " + report::field(place, "workload");
  report::tell("only {} has {}\n", side, report::bounded(text, 2000));
}

bool any_slower(const json& answer) {
  return std::ranges::any_of(answer.at("workloads"),
                             [](const json& row) { return row.value("verdict", json()) == "slower"; });
}

void print_compared(const json& answer, const Asking& asking) {
  if (asking.json || asking.format == "json") return report::out_json(answer);
  const json& rows = answer.at("workloads");
  if (!for_programs(asking)) print_facts(answer);
  if (rows.empty()) report::out("the two have no workload in common\n");
  else {
    if (!for_programs(asking)) report::out("\n");
    print_rows(report::compare_view(), rows, asking);
  }
  if (for_programs(asking)) return;
  if (const auto score = report::number_in(answer, "score"))
    report::out("geometric mean: b is {} as fast as a\n", report::ratio(score));
  print_only(answer.at("only_a"), "a");
  print_only(answer.at("only_b"), "b");
  print_compared_cards(answer);
}

struct ComparedWords {
  std::string a, b;
  bool previous = false;
};

int print_comparison(const ComparedWords& words, const Asking& asking, Shell& shell) {
  const auto archive = open_to_read(shell);
  History& history = archive->history();
  if (!words.previous) {
    if (words.b.empty()) throw bad_input("name another campaign or device, or say --previous");
    const auto [a, b] = history.compared_sides(words.a, words.b);
    print_compared(history.compare(a, b), asking);
    return 0;
  }
  const std::int64_t campaign = history.campaign_called(words.a);
  const auto before = history.campaign_before(campaign);
  if (!before) {
    report::err("campaign {} is the first of its name: there is nothing to compare it with\n", campaign);
    return 0;
  }
  const json answer = history.compare({*before, ""}, {campaign, ""});
  print_compared(answer, asking);
  return any_slower(answer) ? 1 : 0;
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
  const auto archive = open_to_read(shell);
  const json answer = archive->history().recommend(filter_of(asking, archive->history()));
  if (asking.json) {
    report::out_json(answer);
    return 0;
  }
  const auto workloads = answer.at("workloads").size();
  const std::string times = report::field(answer, "times");
  report::tell("{} on {}: {} workloads, {} candidates that passed{}\n\n", report::field(answer, "kernel"),
               report::field(answer, "device"), workloads, report::field(answer, "candidates"),
               times == "measured"    ? ""
               : times == "predicted" ? "; PREDICTED times: nothing was measured"
                                      : "; EMULATED times, which rank nothing on a GPU");
  report::out("one for all: how many times slower than the best of each workload\n");
  print_rows(single_view(workloads), answer.at("single"), asking);
  report::Table table{{"candidates", "slower, mean", "worst"}, {}};
  for (const json& each : answer.at("dispatch"))
    table.rows.push_back({report::field(each, "candidates"), slowdown(each, "geomean"), slowdown(each, "worst")});
  report::out("\na table of several\n{}", report::aligned(table));
  if (answer.at("dispatch").empty()) return 0;
  report::out("\nthe table of {}\n", report::field(answer.at("dispatch").back(), "candidates"));
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
  auto proposers = std::make_shared<bool>(false);
  app.add_flag("--proposers", *proposers, "What each proposer cost and brought; of the filters --campaign counts");
  auto episodes = std::make_shared<bool>(false);
  app.add_flag("--episodes", *episodes, "The same as JSON lines to train on: request, reply, verdict, reward");
  action = [asking, proposals, proposers, episodes, &shell] {
    if (!*proposals && !*proposers && !*episodes) return print_history(*asking, shell);
    const auto archive = open_to_read(shell);
    const HistoryFilter filter = filter_of(*asking, archive->history());
    if (*proposers) return print_proposers(*archive, filter.campaign, *asking);
    if (*episodes) return print_episodes(*archive, filter.campaign, filter.limit);
    return print_proposals(*archive, filter.campaign, filter.limit, asking->json ? "json" : asking->format);
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
  auto live = std::make_shared<bool>(false);
  app.add_flag("--live", *live,
               "Those that are under way, in any process: what each does now, its budget and its best; no filters");
  action = [asking, live, &shell] {
    return *live ? print_live(asking->json || asking->format == "json", shell) : print_campaigns(*asking, shell);
  };
}

void define_compare(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  auto words = std::make_shared<ComparedWords>();
  app.add_option("a", words->a, "A campaign's number or name, latest, or a device's name")->required()->type_name("A");
  auto* other = app.add_option("b", words->b, "Another; the same name twice: its last two campaigns")->type_name("B");
  app.add_flag("--previous", words->previous,
               "Beside the last campaign before it of the same name; status 1 where a workload is slower now")
      ->excludes(other);
  add_table_options(app, asking);
  action = [asking, words, &shell] { return print_comparison(*words, *asking, shell); };
}

void define_recommend(CLI::App& app, Shell& shell, std::function<int()>& action) {
  const auto asking = add_asking(app, shell);
  app.add_option("kernel", asking->kernel, "The kernel")->required()->type_name("KERNEL");
  app.add_option("--device", asking->device,
                 "A device or its name (default: the one with the most measured workloads)");
  app.add_option("--campaign", asking->campaign, fmt::format("Only what this campaign measured: {}", kCampaignWords));
  asking->limit = -1;
  action = [asking, &shell] { return print_recommendation(*asking, shell); };
}

}  // namespace harness
