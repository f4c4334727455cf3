#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <memory>
#include <thread>

#include "harness/campaign/every_kernel.h"
#include "harness/campaign/loop.h"
#include "harness/cli/command.h"
#include "harness/cli/report_file.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/predict/counting_predictor.h"
#include "harness/report/events.h"
#include "harness/report/live_row.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"
#include "harness/report/readers.h"
#include "harness/report/terminal.h"
#include "harness/report/wrap.h"
#include "harness/service/fleet_nodes.h"
#include "harness/system/awake_clock.h"
#include "harness/system/cache_limit.h"
#include "harness/system/driver_release.h"
#include "harness/system/interrupt.h"
#include "harness/system/machine_state.h"
#include "harness/system/resource_limits.h"

namespace harness {
namespace {

constexpr int kPlannedDecisions = 10;  // of a dry run

class AwakeClock : public Clock {
 public:
  double seconds() override { return awake_seconds(); }
  std::int64_t unix_seconds() override { return SystemClock().unix_seconds(); }
};

struct RunArguments {
  CampaignOptions options;
  AskedTimes times;
  std::string budget, goal, device = "auto", fleet, workloads, variants, name, resume, report;
  double max_cost = 0, usd_per_hour = 0;
  std::string proposer, proposer_variables, proposer_timeout, token_price, store_copy;
  std::int64_t at_once = 0;
  bool resuming = false, dry_run = false, json = false, quiet = false, verbose = false;
};

json nodes_of(Fleet& fleet) {
  json nodes = json::array();
  for (const FleetDevice& device : fleet.devices())
    nodes.push_back({{"node", device.node},
                     {"device", device.info.device},
                     {"uuid", device.uuid},
                     {"driver_release", device.driver_release},
                     {"used", device.alive}});
  return nodes;
}

/// Absolute, with colons between them: a report says with which folders a campaign is begun again.
std::string folder_list(const std::vector<std::string>& folders) {
  std::string list;
  for (const std::string& folder : folders)
    list += (list.empty() ? "" : ":") + std::filesystem::absolute(folder).lexically_normal().string();
  return list;
}

json environment_of(const Shell& shell, const DeviceInfo& device, Fleet* fleet) {
  const ProgramVersion& program = shell.rooms.program;
  utsname host{};
  uname(&host);
  json facts = {{"harness", program.number},
                {"revision", program.revision},
                {"host", host.nodename},
                {"system", std::string(host.sysname) + " " + host.release},
                {"driver_release", device.emulation ? json() : driver_release()},
                {"device", device}};
  if (!shell.more_kernels.empty()) facts["kernels_folders"] = folder_list(shell.more_kernels);
  if (!shell.more_strategies.empty()) facts["strategies_folders"] = folder_list(shell.more_strategies);
  if (fleet == nullptr) return facts;
  facts["nodes"] = nodes_of(*fleet);
  facts["devices"] = fleet->devices().size();
  return facts;
}

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

void fill_proposer(RunArguments& arguments) {
  CampaignOptions& options = arguments.options;
  if (!arguments.proposer.empty()) options.proposer = arguments.proposer;
  if (!arguments.proposer_timeout.empty()) options.proposer_timeout_s = parse_duration(arguments.proposer_timeout);
  if (arguments.at_once > 0) options.proposals_at_once = arguments.at_once;
  if (!arguments.token_price.empty()) options.token_price = parse_token_price(arguments.token_price);
  if (options.proposer && options.max_cost_usd && !options.token_price)
    throw bad_input("--max-cost counts tokens before they are spent; give --token-price IN,OUT with --proposer");
}

void fill_options(RunArguments& arguments) {
  CampaignOptions& options = arguments.options;
  if (!arguments.budget.empty()) options.budget_s = parse_duration(arguments.budget);
  if (!arguments.goal.empty()) {
    const Goal goal = parse_goal(arguments.goal);
    options.goal_speedup = goal.speedup;
    options.goal_of_floor = goal.of_floor;
  }
  if (!arguments.name.empty()) options.name = arguments.name;
  if (!arguments.workloads.empty()) options.workloads = split_commas(arguments.workloads);
  if (!arguments.variants.empty()) options.variants = split_commas(arguments.variants);
  const char* price = std::getenv("HARNESS_USD_PER_HOUR");
  if (arguments.usd_per_hour > 0) options.usd_per_hour = arguments.usd_per_hour;
  else if (price != nullptr) {
    const Value value = parse_value(price);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) options.usd_per_hour = static_cast<double>(*whole);
    else if (const auto* number = std::get_if<double>(&value)) options.usd_per_hour = *number;
    else throw bad_input(fmt::format("HARNESS_USD_PER_HOUR is '{}', which is not a number", price));
    if (!std::isfinite(*options.usd_per_hour) || *options.usd_per_hour < 0)
      throw bad_input(fmt::format("HARNESS_USD_PER_HOUR is '{}'; a price is 0 or more", price));
  }
  if (arguments.max_cost > 0) options.max_cost_usd = arguments.max_cost;
  fill_proposer(arguments);
  if (options.max_cost_usd && !options.usd_per_hour && !options.token_price)
    throw bad_input("--max-cost needs the device's price; give --usd-per-hour or set HARNESS_USD_PER_HOUR");
}

std::int64_t campaign_to_resume(const RunArguments& arguments, InterruptedCampaigns& campaigns, History& history) {
  if (arguments.resume.empty() || arguments.resume == "latest") {
    if (const auto latest = campaigns.latest_resumable()) return *latest;
    throw bad_input("no campaign in this store was cut short; name one to go on with: --resume CAMPAIGN --budget 10m");
  }
  return history.campaign_called(arguments.resume);
}

// A resumed campaign does what it was begun to do; --budget adds time to what it has spent.
void restore_options(RunArguments& arguments, CampaignReader& reader, std::int64_t campaign) {
  const CampaignRecord record = reader.campaign(campaign);
  if (record.strategy.empty())
    throw bad_input(fmt::format("campaign {} is a single eval; use harness eval again", campaign));
  const CampaignOptions given = arguments.options;
  arguments.options = record.options.get<CampaignOptions>();
  if (arguments.device.find_first_of(",*") == std::string::npos) arguments.device = record.device;
  // Its times stay what they were: "cpu:H200" says so itself.
  if (arguments.times.gpu.empty()) arguments.times.gpu = predicted_gpu(record.device);
  arguments.times.emulated = arguments.times.gpu.empty();
  if (given.budget_s) arguments.options.budget_s = reader.spent_seconds(campaign) + *given.budget_s;
  if (given.max_cost_usd) arguments.options.max_cost_usd = given.max_cost_usd;
  if (given.usd_per_hour) arguments.options.usd_per_hour = given.usd_per_hour;
  if (given.goal_speedup || given.goal_of_floor) {
    arguments.options.goal_speedup = given.goal_speedup;
    arguments.options.goal_of_floor = given.goal_of_floor;
  }
}

void refuse_another_device(const CampaignRecord& record, const DeviceInfo& device, std::int64_t campaign) {
  if (record.device_name != device.name)
    throw bad_input(
        fmt::format("campaign {} ran on {}, and {} is a {}: their times are not compared; start a new campaign",
                    campaign, record.device_name, device.device, device.name));
}

/// A campaign of several devices that goes on with one, because its fleet is not named again.
void note_missing_fleet(const CampaignRecord& record, const RunArguments& arguments) {
  const json nodes = record.environment.is_object() ? record.environment.value("nodes", json()) : json();
  const bool several = arguments.device.find_first_of(",*") != std::string::npos;
  if (several || !nodes.is_array() || nodes.size() < 2) return;
  report::err("harness: the campaign had %zu devices, and goes on with one; --fleet FILE names them again\n",
              nodes.size());
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

/// Snapshots of the store in another folder, every minute and at the end.
class StoreCopies {
 public:
  StoreCopies(Archive& archive, std::string folder) : archive_(archive), folder_(std::move(folder)) {}
  void when_due() {
    if (!folder_.empty() && awake_seconds() - last_s_ >= kEveryS) now();
  }
  // A folder that cannot be written ends no campaign.
  void now() {
    if (folder_.empty()) return;
    last_s_ = awake_seconds();
    try {
      archive_.copy_to(folder_);
    } catch (const Error& error) {
      report::err("harness: %s\n", error.what());
    }
  }

 private:
  static constexpr double kEveryS = 60;
  Archive& archive_;
  std::string folder_;
  double last_s_ = awake_seconds();
};

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
  else report::tell("%s", report::plan_text(plan).c_str());
}

// The hour that scripts are told is that of the place where the campaign is started.
void note_zone(CampaignOptions& options) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  if (localtime_r(&now, &local) == nullptr) return;
  options.utc_offset_s = static_cast<int>(local.tm_gmtoff);
  options.zone = local.tm_zone;
}

/// The device's own counters; without them what counts, where that was asked for.
Profiler* profiler_of(Evaluator& evaluator, Profiler* counting) {
  return evaluator.profiler() != nullptr ? evaluator.profiler() : counting;
}

/// What predicts for this GPU on the cpu device; nothing where no model or no such device is here, or it is not wanted.
/// It has a quarter of the cores, and a quarter of the budget but no more than a minute: the first evaluations are
/// what it is for.
std::unique_ptr<Predictor> predictor_for(const DeviceInfo& device, const CampaignOptions& options, const Places& places,
                                         Shell& shell) {
  constexpr double kMostS = 60, kShare = 0.25, kLeastEachS = 6;
  constexpr unsigned kShareOfCores = 4;
  const GpuFacts* const gpu = gpu_of_device(device.name);
  if (device.emulation || gpu == nullptr || options.predict == "off") return nullptr;
  const std::optional<DeviceInfo> counts = device_that_counts(shell.rooms.devices(places));
  if (!counts) return nullptr;
  CountingPredictorOptions made;
  made.device = *counts;
  made.gpu = gpu->name;
  made.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency() / kShareOfCores));
  made.most_s = options.budget_s ? std::min(kMostS, kShare * *options.budget_s) : kMostS;
  made.most_each_s = std::max(kLeastEachS, made.most_s / 4);
  made.stop = interrupted;
  made.profiler = [&shell, places, emulation = *counts](std::function<bool()> stop) {
    return shell.rooms.profiler(places, emulation, std::move(stop));
  };
  return std::make_unique<CountingPredictor>(std::move(made));
}

void take_every_kernel(CampaignOptions& options, Catalog& catalog, ScriptLibrary& scripts, const DeviceInfo& device) {
  KernelsToTry found = every_kernel(catalog, scripts, options, device);
  for (const std::string& note : found.notes) report::err("harness: %s\n", note.c_str());
  options.kernels = std::move(found.kernels);
}

/// Nothing: one device of this process.
std::unique_ptr<fleet::NodeFleet> fleet_of(const RunArguments& arguments, Shell& shell, FirstCalibration first) {
  std::vector<NodeSpec> nodes = fleet_nodes(arguments.fleet, arguments.device, shell);
  if (nodes.empty()) return nullptr;
  for (NodeSpec& node : nodes)
    if (!node.usd_per_hour) node.usd_per_hour = arguments.options.usd_per_hour;
  return start_fleet(std::move(nodes), shell, std::move(first), predicted_for(arguments.times));
}

int run(RunArguments arguments, Shell& shell) {
  if (!arguments.fleet.empty() && arguments.device != "auto")
    throw bad_input("--fleet names the devices of its nodes; give no --device with it");
  require_descriptors();
  watch_for_stops();
  fill_options(arguments);
  note_zone(arguments.options);
  Places places = shell.places();
  if (arguments.resuming && (arguments.dry_run || !arguments.options.kernels.empty()))
    throw bad_input("--resume goes on with a campaign as it was begun; give no kernels and no --dry-run with it");
  std::unique_ptr<Archive> archive;
  std::optional<std::int64_t> resume;
  if (arguments.resuming) {
    archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
    archive->ledger().settle_lost_time();  // before the budget is added to what was spent
    resume = campaign_to_resume(arguments, archive->ledger(), archive->history());
    restore_options(arguments, archive->ledger(), *resume);
  }
  catch_interrupts();
  if (resume && arguments.fleet.empty()) note_missing_fleet(archive->ledger().campaign(*resume), arguments);
  const double waiting = awake_seconds();
  const auto fleet = fleet_of(arguments, shell, [&archive](const FleetDevice& card, const std::string& method) {
    return archive->ledger().first_calibration(card.uuid, card.driver_release, method);  // asked when work is prepared
  });
  if (fleet) leave_uncharged(awake_seconds() - waiting);  // nodes may have waited in a queue
  if (fleet && !arguments.times.gpu.empty()) predicting(fleet->evaluator().device(), find_gpu(arguments.times.gpu));
  const DeviceInfo device = fleet ? fleet->evaluator().device()
                                  : choose_device(arguments.device, arguments.times, shell.rooms.devices(places));
  const auto catalog = shell.rooms.catalog(places);
  const auto scripts = shell.rooms.scripts(places);
  if (resume) refuse_another_device(archive->ledger().campaign(*resume), device, *resume);
  if (!resume) {  // what cannot run is refused before a store is made
    if (arguments.options.kernels.empty()) {
      if (!arguments.options.budget_s && !arguments.options.max_cost_usd)
        throw bad_input(
            "name a kernel, or give a --budget for all of them: harness run --budget 30m; see harness kernels");
      take_every_kernel(arguments.options, *catalog, *scripts, device);
    }
    make_arms(*catalog, *scripts, arguments.options, device);
    if (arguments.options.proposer)
      shell.rooms.proposer(places, *arguments.options.proposer, split_commas(arguments.proposer_variables));
    scripts->strategy(arguments.options.strategy);
    const bool nothing_yet = arguments.dry_run && !std::filesystem::exists(shell.store_path());
    archive = shell.rooms.archive(nothing_yet ? ":memory:" : shell.store_path(), ArchiveAccess::write);
  }
  if (fleet) fleet->prepare_for(*catalog, arguments.options.kernels);
  // The readers of the campaign's events outlive the evaluator, which tells them what it does.
  const auto display = make_display(arguments);
  report::LiveRowWriter row([&shell] { return open_live(shell); });
  report::Readers readers({display.get(), &row});
  places.on_phase = [&readers](const EvaluationPhase& phase) { readers.phase(phase); };
  const auto own = fleet ? nullptr : shell.rooms.evaluator(places, device, arguments.options.usd_per_hour, interrupted);
  Evaluator& evaluator = fleet ? fleet->evaluator() : *own;
  const auto playbook = shell.rooms.playbook(places);
  const auto diagnoser = shell.rooms.diagnoser(places);
  const auto counting = arguments.options.profile == "on" && evaluator.profiler() == nullptr
                            ? shell.rooms.profiler(places, device, interrupted)
                            : nullptr;
  const auto proposer = arguments.options.proposer ? shell.rooms.proposer(places, *arguments.options.proposer,
                                                                          split_commas(arguments.proposer_variables))
                                                   : nullptr;
  const auto predictor =
      fleet || resume || arguments.dry_run ? nullptr : predictor_for(device, arguments.options, places, shell);
  StoreCopies copies(*archive, arguments.store_copy);
  AwakeClock clock;
  Campaign campaign({*catalog, *scripts, evaluator, archive->ledger(), readers, clock, interrupted,
                     environment_of(shell, device, fleet.get()), playbook.get(), awake_seconds() - awake_at_start(),
                     proposer.get(), profiler_of(evaluator, counting.get()), diagnoser.get(), fleet.get(),
                     predictor.get(), [&copies] { copies.when_due(); }},
                    arguments.options, resume);
  if (arguments.dry_run) {
    print_dry_run(campaign.dry_run(kPlannedDecisions), arguments.json);
    return 0;
  }
  const CampaignSummary summary = campaign.run();
  copies.now();
  keep_cache_small(places.cache_folder);
  if (!arguments.report.empty()) write_report_file(shell, *archive, summary.campaign, arguments.report);
  if (summary.reason == EndReason::interrupted)
    report::err("harness: stopped; everything that ended is saved, go on with: harness run --resume %lld\n",
                static_cast<long long>(summary.campaign));
  if (summary.reason == EndReason::script_error || summary.reason == EndReason::device_lost ||
      summary.reason == EndReason::store_error)
    report::err("harness: %s\n", summary.message.c_str());
  return exit_status(summary, arguments.options);
}

}  // namespace

void define_run(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<RunArguments>();
  CampaignOptions& options = arguments->options;
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
  app.add_option("--device", arguments->device, shell.rooms.device_words + "; several: cuda:0,cuda:1 or 'cuda:*'")
      ->capture_default_str();
  app.add_option("--fleet", arguments->fleet,
                 "The devices of a fleet file, here and on other machines (see harness fleet)")
      ->type_name("FILE");
  add_times_options(app, arguments->times);
  app.add_option(
      "--workload", arguments->workloads,
      "Workloads, sets, or shapes of your own (\"B=4 Sq=3000\"; the rest as in the first workload), separated "
      "by commas (default: the set 'default')");
  app.add_option("--variant", arguments->variants, "Only these variants, separated by commas");
  app.add_option("--strategy", options.strategy, "Chooses the arm: a name or a file")->capture_default_str();
  app.add_option("--search", options.search, "Chooses the configuration: a name or a file")->capture_default_str();
  app.add_option("--proposer", arguments->proposer,
                 "Who proposes variants: 'command:PROGRAM ARGS' (one JSON request in, one JSON reply out), or "
                 "'openai:MODEL[@URL]' (chat completions)")
      ->type_name("SPEC");
  app.add_option("--proposer-env", arguments->proposer_variables,
                 "Environment variables that the proposer gets, by name, separated by commas (a key: its value is "
                 "never stored or shown)")
      ->type_name("NAMES");
  app.add_option("--proposals-at-once", arguments->at_once, "Requests under way at most (default: 4)")
      ->check(CLI::Range(1, 64));
  app.add_option("--proposer-timeout", arguments->proposer_timeout, "Of one request (default: 5m)");
  app.add_option("--token-price", arguments->token_price,
                 "US dollars for a million tokens, IN,OUT or IN,OUT,CACHED, where the proposer names no price");
  app.add_option("--seed", options.seed, "Of strategies and searches; input draws are always fresh")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--store-copy", arguments->store_copy,
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
  app.add_flag("--dry-run", arguments->dry_run,
               "Print the arms, what each rule says and what would be decided first; evaluate nothing");
  app.add_flag("--json", arguments->json, "One JSON object a line");
  app.add_flag("-q,--quiet", arguments->quiet, "Only the closing table");
  app.add_flag("-v,--verbose", arguments->verbose, "The whole reason of each pivot");
  add_db_option(app, shell);
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, resume, &shell] {
    arguments->resuming = resume->count() > 0;
    return run(*arguments, shell);
  };
}

}  // namespace harness
