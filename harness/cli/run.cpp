#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/report_file.h"
#include "harness/core/error.h"
#include "harness/report/events.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"
#include "harness/report/terminal.h"
#include "harness/report/wrap.h"
#include "harness/service/campaign_run.h"
#include "harness/system/awake_clock.h"
#include "harness/system/interrupt.h"
#include "harness/system/machine_state.h"
#include "harness/system/resource_limits.h"

namespace harness {
namespace {

constexpr int kPlannedDecisions = 10;  // of a dry run

struct RunArguments {
  CampaignAsked asked;
  WorkloadWords words;
  std::string budget, goal, variants, name, resume, report;
  double max_cost = 0, usd_per_hour = 0;
  std::string proposer_variables, proposer_timeout;
  std::vector<std::string> proposers, token_prices;
  std::int64_t at_once = 0;
  bool dry_run = false, json = false, quiet = false, verbose = false;
};

/// "3,15" or "3,15,0.3": US dollars for a million tokens in, out and cached; cached ones cost as others where it is not
/// said.
TokenPrice parse_token_price(const std::string& text) {
  std::vector<double> prices;
  for (const std::string& part : split_commas(text)) {
    const Value value = parse_value(part);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* number = std::get_if<double>(&value);
    const double price = whole != nullptr ? static_cast<double>(*whole) : number != nullptr ? *number : -1;
    if (!(price >= 0)) break;
    prices.push_back(price);
  }
  if (prices.size() != split_commas(text).size() || prices.size() < 2 || prices.size() > 3)
    throw bad_input(
        fmt::format("--token-price: '{}' is not IN,OUT or IN,OUT,CACHED, US dollars a million tokens", text));
  return {prices[0], prices[1], prices.size() == 3 ? prices[2] : prices[0]};
}

/// Each with its price: that of its place among --token-price, the only one of these, or what the lists of prices say.
std::vector<AskedProposer> asked_proposers(const RunArguments& arguments, Shell& shell) {
  const std::vector<std::string>&specs = arguments.proposers, &prices = arguments.token_prices;
  if (prices.size() > 1 && prices.size() != specs.size())
    throw bad_input(
        fmt::format("--token-price is given {} times and --proposer {} times; give it once for all, or once for each",
                    prices.size(), specs.size()));
  std::vector<AskedProposer> asked;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (std::ranges::any_of(
            asked, [&](const AskedProposer& other) { return proposer_name(other.spec) == proposer_name(specs[i]); }))
      throw bad_input(fmt::format("two proposers are called '{}'; write 'NAME={}' for one of them",
                                  proposer_name(specs[i]), unnamed(specs[i])));
    asked.push_back({specs[i], prices.empty() ? shell.rooms.token_price(shell.places(), specs[i])
                                              : parse_token_price(prices.size() == 1 ? prices[0] : prices[i])});
  }
  return asked;
}

void fill_proposer(RunArguments& arguments, Shell& shell) {
  CampaignOptions& options = arguments.asked.options;
  arguments.asked.proposer_variables = split_commas(arguments.proposer_variables);
  for (const std::string& each : arguments.asked.proposer_variables)
    if (each.find('=') != std::string::npos)
      throw bad_input(
          fmt::format("--proposer-env: '{}' is no name of a variable; a value is taken from the environment",
                      each.substr(0, each.find('='))));
  if (!arguments.proposer_timeout.empty()) options.proposer_timeout_s = parse_duration(arguments.proposer_timeout);
  if (arguments.at_once > 0) options.proposals_at_once = arguments.at_once;
  const std::vector<AskedProposer> asked = asked_proposers(arguments, shell);
  if (asked.empty()) {
    if (!arguments.token_prices.empty()) options.token_price = parse_token_price(arguments.token_prices.front());
    return;
  }
  options.proposer = asked.front().spec;
  options.token_price = asked.front().price;
  options.further_proposers.assign(asked.begin() + 1, asked.end());
  const auto unpriced = std::ranges::find_if(asked, [](const AskedProposer& each) { return !each.price; });
  if (options.max_cost_usd && unpriced != asked.end())
    throw bad_input(
        fmt::format("--max-cost counts tokens before they are spent; give --token-price IN,OUT with --proposer '{}', "
                    "or list the model in proposers/prices.json",
                    unpriced->spec));
}

void fill_options(RunArguments& arguments, Shell& shell) {
  CampaignOptions& options = arguments.asked.options;
  if (!arguments.budget.empty()) options.budget_s = parse_duration(arguments.budget);
  if (!arguments.goal.empty()) {
    const Goal goal = parse_goal(arguments.goal);
    options.goal_speedup = goal.speedup;
    options.goal_of_floor = goal.of_floor;
  }
  if (!arguments.name.empty()) options.name = arguments.name;
  options.workloads = asked_words(arguments.words, options.kernels, arguments.asked.device, shell);
  if (!arguments.variants.empty()) options.variants = split_commas(arguments.variants);
  if (arguments.usd_per_hour > 0) options.usd_per_hour = arguments.usd_per_hour;
  if (arguments.max_cost > 0) options.max_cost_usd = arguments.max_cost;
  fill_proposer(arguments, shell);
}

/// What the machine does beside this campaign. Before it starts nothing here is ours; later our own processes keep at
/// most every core busy.
std::function<std::string()> watched_machine() {
  return [before = machine_state(), own_load = 0.0]() mutable {
    const MachineState now = machine_state();
    std::string complaint = complaint_of(now, before, own_load);
    own_load = now.cores + 1.0;
    return complaint;
  };
}

std::unique_ptr<Display> make_display(const RunArguments& arguments) {
  if (arguments.json) return std::make_unique<report::JsonDisplay>();
  const bool terminal = isatty(2) != 0;
  report::TerminalOptions options;
  options.live = terminal;
  options.color = terminal && std::getenv("NO_COLOR") == nullptr;
  options.quiet = arguments.quiet;
  options.verbose = arguments.verbose;
  options.complaint = watched_machine();
  return std::make_unique<report::TerminalDisplay>(options);
}

int exit_status(const CampaignSummary& summary, const CampaignOptions& options) {
  if (summary.reason == EndReason::script_error) return 2;
  if (summary.reason == EndReason::device_lost || summary.reason == EndReason::store_error) return 3;
  if (summary.reason == EndReason::interrupted) return 130;
  const bool passed = std::any_of(summary.best.begin(), summary.best.end(),
                                  [](const BestRow& row) { return row.state.best_ns.has_value(); });
  const bool goal_missed = (options.goal_speedup || options.goal_of_floor) && summary.reason != EndReason::goal;
  return passed && !goal_missed ? 0 : 1;
}

void print_dry_run(const DryRun& plan, bool as_json) {
  if (as_json) report::out_json(report::plan_json(plan));
  else report::tell("{}", report::plan_text(plan));
}

int run(RunArguments arguments, Shell& shell) {
  if (!arguments.asked.fleet.empty() && arguments.asked.device != "auto")
    throw bad_input("--fleet names the devices of its nodes; give no --device with it");
  require_descriptors();
  watch_for_stops();
  fill_options(arguments, shell);
  const auto display = make_display(arguments);
  if (arguments.dry_run) {
    print_dry_run(plan_campaign(arguments.asked, shell, *display, kPlannedDecisions), arguments.json);
    return 0;
  }
  const auto [summary, options] = run_campaign(arguments.asked, shell, *display);
  if (!arguments.report.empty()) write_report_file(shell, summary.campaign, arguments.report);
  if (summary.reason == EndReason::interrupted)
    report::err("harness: stopped; everything that ended is saved, go on with: harness run --resume {}\n",
                summary.campaign);
  if (summary.reason == EndReason::script_error || summary.reason == EndReason::device_lost ||
      summary.reason == EndReason::store_error)
    report::err("harness: {}\n", summary.message);
  return exit_status(summary, options);
}

}  // namespace

void define_run(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<RunArguments>();
  CampaignOptions& options = arguments->asked.options;
  app.add_option("kernel", options.kernels,
                 "Kernels to optimize (default, with a budget: every one, the most promising first)")
      ->type_name("KERNEL");
  app.add_option("--budget", arguments->budget, "Wall time, confirmation of the winners included: 90s, 30m, 1h30m");
  app.add_option("--max-cost", arguments->max_cost, "US dollars; needs --usd-per-hour")->check(CLI::PositiveNumber);
  app.add_option("--usd-per-hour", arguments->usd_per_hour, "The device's price (default: $HARNESS_USD_PER_HOUR)")
      ->check(CLI::PositiveNumber);
  app.add_option("--goal", arguments->goal,
                 "End early once every workload has this speedup over its baseline (2x) or share of its floor (90%)");
  app.add_option("--objective", options.objective,
                 "each: the fastest configuration of every workload; single: one for all workloads of a kernel")
      ->capture_default_str()
      ->check(CLI::IsMember({"each", "single"}));
  app.add_option("--device", arguments->asked.device, shell.rooms.device_words + "; several: cuda:0,cuda:1 or 'cuda:*'")
      ->capture_default_str();
  app.add_option("--fleet", arguments->asked.fleet,
                 "The devices of a fleet file, here and on other machines (see harness fleet)")
      ->type_name("FILE");
  add_times_options(app, arguments->asked.times);
  add_workload_options(app, arguments->words);
  app.add_option("--variant", arguments->variants, "Only these variants, separated by commas");
  app.add_option("--strategy", options.strategy, "Chooses the arm: a name or a file")->capture_default_str();
  app.add_option("--search", options.search, "Chooses the configuration: a name or a file")->capture_default_str();
  app.add_option(
         "--proposer", arguments->proposers,
         "Who proposes variants: 'command:PROGRAM ARGS' (one JSON request in, one reply out), "
         "'session:PROGRAM ARGS' (the same, and it stays), or 'openai:MODEL[@URL] OPTIONS' (an endpoint); given "
         "several times, who brings most for a dollar is asked most; 'NAME=SPEC' names one")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  app.add_option("--proposer-env", arguments->proposer_variables,
                 "Environment variables that the proposer gets, by name, separated by commas (a key: its value is "
                 "never stored or shown)")
      ->type_name("NAMES");
  app.add_option("--proposals-at-once", arguments->at_once, "Requests under way at most (default: 4)")
      ->check(CLI::Range(1, 64));
  app.add_option("--proposer-timeout", arguments->proposer_timeout, "Of one request (default: 5m)");
  app.add_option("--token-price", arguments->token_prices,
                 "US dollars for a million tokens, IN,OUT or IN,OUT,CACHED, where the proposer names no price "
                 "(default: proposers/prices.json); for all, or once for each --proposer")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "Of strategies and searches; input draws are always fresh")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--store-copy", arguments->asked.store_copy,
                 "A folder on shared storage: a snapshot of the store every minute and at the end")
      ->type_name("DIR");
  app.add_option("--name", arguments->name, "A name for the campaign");
  app.add_option("--report", arguments->report,
                 "Write its report when it has ended: a page for FILE.html, else Markdown")
      ->type_name("FILE");
  auto* resume =
      app.add_option("--resume", arguments->resume,
                     "Go on with a campaign as it was begun (default: the newest that was cut short); --budget adds "
                     "time, --max-cost, --goal and --usd-per-hour replace, other flags are ignored")
          ->expected(0, 1)
          ->type_name("[CAMPAIGN]");
  app.add_option("--profile", options.profile,
                 "Profile baselines, new bests and winners: auto (where the device has counters), on, off")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "on", "off"}));
  app.add_option("--predict", options.predict,
                 "Let searches on a GPU that nothing is known of begin with what counting predicts: auto, off")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "off"}));
  app.add_flag("--controls", options.controls,
               "When a best is confirmed, try options of the compiler on it that change its machine code alone");
  app.add_flag("--dry-run", arguments->dry_run,
               "Print the arms, what each rule says and what would be decided first; evaluate nothing");
  app.add_flag("--json", arguments->json, "One JSON object a line");
  app.add_flag("-q,--quiet", arguments->quiet, "Only the closing table");
  app.add_flag("-v,--verbose", arguments->verbose, "The whole reason of each pivot");
  add_shared_options(app, shell);
  action = [arguments, resume, &shell] {
    if (resume->count() > 0) arguments->asked.resume = arguments->resume;
    return run(*arguments, shell);
  };
}

}  // namespace harness
