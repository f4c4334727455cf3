#include "harness/service/campaign_run.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "harness/campaign/every_kernel.h"
#include "harness/campaign/loop.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/predict/counting_predictor.h"
#include "harness/report/live_row.h"
#include "harness/report/readers.h"
#include "harness/service/first_kernel.h"
#include "harness/service/fleet_nodes.h"
#include "harness/service/proposer_tools.h"
#include "harness/system/awake_clock.h"
#include "harness/system/cache_limit.h"
#include "harness/system/driver_release.h"

namespace harness {
namespace {

class AwakeClock : public Clock {
 public:
  double seconds() override { return awake_seconds(); }
  std::int64_t unix_seconds() override { return SystemClock().unix_seconds(); }
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

bool names_several(const std::string& device) {
  return device.find_first_of(",*") != std::string::npos;
}

std::int64_t campaign_to_resume(const std::string& asked, Archive& archive) {
  if (!asked.empty() && asked != "latest") return archive.history().campaign_called(asked);
  if (const auto latest = archive.ledger().latest_resumable()) return *latest;
  throw bad_input("no campaign in this store was cut short; name one to go on with: --resume CAMPAIGN --budget 10m");
}

// A resumed campaign does what it was begun to do; --budget adds time to what it has spent.
void restore_options(CampaignAsked& asked, CampaignReader& reader, std::int64_t campaign) {
  const CampaignRecord record = reader.campaign(campaign);
  if (record.strategy.empty())
    throw bad_input(fmt::format("campaign {} is a single eval; use harness eval again", campaign));
  const CampaignOptions given = asked.options;
  asked.options = record.options.get<CampaignOptions>();
  if (!names_several(asked.device)) asked.device = record.device;
  // Its times stay what they were: "cpu:H200" says so itself.
  if (asked.times.gpu.empty()) asked.times.gpu = predicted_gpu(record.device);
  asked.times.emulated = asked.times.gpu.empty();
  if (given.budget_s) asked.options.budget_s = reader.spent_seconds(campaign) + *given.budget_s;
  if (given.max_cost_usd) asked.options.max_cost_usd = given.max_cost_usd;
  if (given.usd_per_hour) asked.options.usd_per_hour = given.usd_per_hour;
  if (given.goal_speedup || given.goal_of_floor) {
    asked.options.goal_speedup = given.goal_speedup;
    asked.options.goal_of_floor = given.goal_of_floor;
  }
}

void refuse_another_device(const CampaignRecord& record, const DeviceInfo& device, std::int64_t campaign) {
  if (record.device_name != device.name)
    throw bad_input(
        fmt::format("campaign {} ran on {}, and {} is a {}: their times are not compared; start a new campaign",
                    campaign, record.device_name, device.device, device.name));
}

/// A campaign of several devices that goes on with one, because its fleet is not named again.
void note_missing_fleet(const CampaignRecord& record, const CampaignAsked& asked, const Shell& shell) {
  const json nodes = record.environment.is_object() ? record.environment.value("nodes", json()) : json();
  if (names_several(asked.device) || !nodes.is_array() || nodes.size() < 2) return;
  shell.note(
      fmt::format("the campaign had {} devices, and goes on with one; --fleet FILE names them again", nodes.size()));
}

void note_price(CampaignOptions& options) {
  const char* const price = std::getenv("HARNESS_USD_PER_HOUR");
  if (!options.usd_per_hour && price != nullptr) {
    const Value value = parse_value(price);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) options.usd_per_hour = static_cast<double>(*whole);
    else if (const auto* number = std::get_if<double>(&value)) options.usd_per_hour = *number;
    else throw bad_input(fmt::format("HARNESS_USD_PER_HOUR is '{}', which is not a number", price));
    if (!std::isfinite(*options.usd_per_hour) || *options.usd_per_hour < 0)
      throw bad_input(fmt::format("HARNESS_USD_PER_HOUR is '{}'; a price is 0 or more", price));
  }
  if (options.max_cost_usd && !options.usd_per_hour && !options.token_price && options.further_proposers.empty())
    throw bad_input("--max-cost needs the device's price; give --usd-per-hour or set HARNESS_USD_PER_HOUR");
}

// The hour that scripts are told is that of the place where the campaign is started.
void note_zone(CampaignOptions& options) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  if (localtime_r(&now, &local) == nullptr) return;
  options.utc_offset_s = static_cast<int>(local.tm_gmtoff);
  options.zone = local.tm_zone;
}

/// What predicts for this GPU on the cpu device; nothing where no model or no such device is here, or it is not wanted.
/// It has a quarter of the cores, and a quarter of the budget but no more than a minute: the first evaluations are what
/// it is for.
std::unique_ptr<Predictor> predictor_for(const DeviceInfo& device, const CampaignOptions& options, const Places& places,
                                         const std::function<bool()>& stop, Shell& shell) {
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
  made.stop = stop;
  Places free_cores = places;
  free_cores.beside = true;
  made.profiler = [&shell, places = std::move(free_cores), emulation = *counts](std::function<bool()> stop) {
    return shell.rooms.profiler(places, emulation, std::move(stop));
  };
  return std::make_unique<CountingPredictor>(std::move(made));
}

/// Refuses what cannot run. Without a kernel every one is taken.
void check_options(CampaignOptions& options, Catalog& catalog, ScriptLibrary& scripts, const DeviceInfo& device,
                   const Shell& shell) {
  if (options.kernels.empty()) {
    if (!options.budget_s && !options.max_cost_usd)
      throw bad_input(
          "name a kernel, or give a --budget for all of them: harness run --budget 30m; see harness kernels");
    KernelsToTry every = every_kernel(catalog, scripts, options, device);
    for (const std::string& note : every.notes) shell.note(note);
    options.kernels = std::move(every.kernels);
  }
  make_arms(catalog, scripts, options, device);
  scripts.strategy(options.strategy);
}

/// Nothing: one device of this process. Nodes may wait in a queue: that time is not charged.
std::unique_ptr<fleet::NodeFleet> fleet_of(const CampaignAsked& asked, Shell& shell, FirstCalibration first) {
  const double begun_s = awake_seconds();
  std::vector<NodeSpec> nodes = fleet_nodes(asked.fleet, asked.device, shell);
  if (nodes.empty()) return nullptr;
  for (NodeSpec& node : nodes)
    if (!node.usd_per_hour) node.usd_per_hour = asked.options.usd_per_hour;
  auto fleet = start_fleet(std::move(nodes), shell, std::move(first), predicted_for(asked.times));
  leave_uncharged(awake_seconds() - begun_s);
  if (!asked.times.gpu.empty()) predicting(fleet->evaluator().device(), find_gpu(asked.times.gpu));
  return fleet;
}

/// Snapshots of the store in another folder, every minute while something happens, and at the end.
class StoreCopies : public Display {
 public:
  StoreCopies(Archive& archive, std::string folder, const Shell& shell)
      : archive_(archive), folder_(std::move(folder)), shell_(shell) {}
  void started(const CampaignStarted&) override {}
  void iteration(const IterationEnded&) override { when_due(); }
  void pivoted(const Pivoted&) override {}
  void progress(const Progress&) override { when_due(); }
  void finished(const CampaignSummary&) override { now(); }

 private:
  void when_due() {
    constexpr double kEveryS = 60;
    if (awake_seconds() - last_s_ >= kEveryS) now();
  }
  // A folder that cannot be written ends no campaign.
  void now() {
    if (folder_.empty()) return;
    last_s_ = awake_seconds();
    try {
      archive_.copy_to(folder_);
    } catch (const Error& error) {
      shell_.note(error.what());
    }
  }

  Archive& archive_;
  std::string folder_;
  const Shell& shell_;
  double last_s_ = awake_seconds();
};

/// What a campaign is asked of and stands on, opened in this order.
struct Opened {
  CampaignAsked asked;
  Shell& shell;
  bool only_planned;
  Places places = shell.places();
  std::unique_ptr<Archive> archive = {};
  std::optional<std::int64_t> resume = {};
  std::unique_ptr<fleet::NodeFleet> fleet = {};
  DeviceInfo device = {};
  std::unique_ptr<Catalog> catalog = {};
  std::unique_ptr<ScriptLibrary> scripts = {};

  std::vector<std::unique_ptr<Proposer>> proposers() const {
    std::vector<std::unique_ptr<Proposer>> all;
    for (const AskedProposer& each : proposers_of(asked.options)) {
      std::vector<std::string> variables = asked.proposer_variables;
      if (!fleet && !only_planned)
        variables.push_back(tools_variable(each, asked.options.budget_s, device.device, places, shell));
      all.push_back(shell.rooms.proposer(places, each.spec, variables));
    }
    return all;
  }
  void open();

 private:
  void write_first();
  void open_resumed();
  void open_device();
};

void Opened::open_resumed() {
  if (only_planned || !asked.options.kernels.empty())
    throw bad_input("--resume goes on with a campaign as it was begun; give no kernels and no --dry-run with it");
  archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  archive->ledger().settle_lost_time();  // before the budget is added to what was spent
  resume = campaign_to_resume(*asked.resume, *archive);
  restore_options(asked, archive->ledger(), *resume);
  if (asked.fleet.empty()) note_missing_fleet(archive->ledger().campaign(*resume), asked, shell);
}

void Opened::open_device() {
  fleet = fleet_of(asked, shell, [this](const FleetDevice& card, const std::string& method) {
    return archive->ledger().first_calibration(card.uuid, card.driver_release, method);  // asked when work is prepared
  });
  device = fleet ? fleet->evaluator().device() : choose_device(asked.device, asked.times, shell.rooms.devices(places));
  if (resume) refuse_another_device(archive->ledger().campaign(*resume), device, *resume);
}

/// Of the kernels that were named: where all are meant, one that cannot run is told of and left.
void Opened::write_first() {
  if (asked.options.kernels.empty()) return;
  const auto writers = proposers();
  write_first_kernels(
      asked.options.kernels,
      {writers.empty() ? nullptr : writers.front().get(), asked.options.proposer_timeout_s, asked.device}, shell);
}

void Opened::open() {
  note_price(asked.options);
  note_zone(asked.options);
  if (asked.resume) open_resumed();
  catch_interrupts();
  open_device();
  if (!resume && !only_planned) write_first();
  catalog = shell.rooms.catalog(places);
  scripts = shell.rooms.scripts(places);
  if (!resume) {
    check_options(asked.options, *catalog, *scripts, device, shell);
    proposers();  // throws where one is none
    const bool nothing_yet = only_planned && !std::filesystem::exists(shell.store_path());
    archive = shell.rooms.archive(nothing_yet ? ":memory:" : shell.store_path(), ArchiveAccess::write);
  }
  if (fleet) fleet->prepare_for(*catalog, asked.options.kernels);
}

/// On the cpu device a profile costs what an evaluation does: it is made on request, and where a proposer reads it.
bool counts_profiles(const CampaignOptions& options, const DeviceInfo& device) {
  return options.profile == "on" || (options.profile == "auto" && options.proposer && !device.predicts.empty());
}

/// Makes the campaign of all this, and does with it what is asked.
template <typename Use>
auto with_campaign(CampaignAsked asked, bool only_planned, Shell& shell, Display& display, Use use) {
  Opened opened{std::move(asked), shell, only_planned};
  opened.open();
  const CampaignOptions& options = opened.asked.options;
  Places& places = opened.places;
  const auto& fleet = opened.fleet;
  const DeviceInfo& device = opened.device;
  const std::function<bool()>& stop = opened.asked.stop;
  // The readers of the campaign's events outlive the evaluator, which tells them what it does.
  report::LiveRowWriter row([&shell] { return open_live(shell); });
  StoreCopies copies(*opened.archive, opened.asked.store_copy, shell);
  report::Readers readers({&display, &row, &copies});
  places.on_phase = [&readers](const EvaluationPhase& phase) { readers.phase(phase); };
  const auto own = fleet ? nullptr : shell.rooms.evaluator(places, device, options.usd_per_hour, stop);
  Evaluator& evaluator = fleet ? fleet->evaluator() : *own;
  const auto playbook = shell.rooms.playbook(places);
  const auto diagnoser = shell.rooms.diagnoser(places);
  // The device's own counters; without them what counts, where that was asked for.
  const auto counting = counts_profiles(options, device) && evaluator.profiler() == nullptr
                            ? shell.rooms.profiler(places, device, stop)
                            : nullptr;
  const auto proposers = opened.proposers();
  std::vector<Proposer*> asked_ones;
  for (const auto& each : proposers) asked_ones.push_back(each.get());
  const auto predictor =
      fleet || opened.resume || only_planned ? nullptr : predictor_for(device, options, places, stop, shell);
  AwakeClock clock;
  Campaign campaign({*opened.catalog, *opened.scripts, evaluator, opened.archive->ledger(), readers, clock, stop,
                     environment_of(shell, device, fleet.get()), playbook.get(), awake_seconds() - awake_at_start(),
                     std::move(asked_ones), evaluator.profiler() != nullptr ? evaluator.profiler() : counting.get(),
                     diagnoser.get(), fleet.get(), predictor.get()},
                    options, opened.resume);
  auto result = use(campaign);
  return std::pair(std::move(result), options);
}

}  // namespace

EndedCampaign run_campaign(CampaignAsked asked, Shell& shell, Display& display) {
  auto [summary, options] =
      with_campaign(std::move(asked), false, shell, display, [](Campaign& campaign) { return campaign.run(); });
  keep_cache_small(shell.places().cache_folder);
  return {std::move(summary), std::move(options)};
}

DryRun plan_campaign(CampaignAsked asked, Shell& shell, Display& display, int decisions) {
  asked.store_copy.clear();
  return with_campaign(std::move(asked), true, shell, display,
                       [decisions](Campaign& campaign) { return campaign.dry_run(decisions); })
      .first;
}

}  // namespace harness
