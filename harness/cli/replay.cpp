#include "harness/replay/replay.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/task_line.h"
#include "harness/core/error.h"
#include "harness/replay/comparison.h"
#include "harness/report/out.h"
#include "harness/report/replay.h"
#include "harness/report/wrap.h"

// replay: what another strategy would have decided and spent on a recorded campaign.
namespace harness {
namespace {

struct ReplayArguments {
  std::string campaign, strategy, search, budget;
  std::int64_t seed = -1;
  bool exact = false, all = false, json = false;
};

constexpr const char* kDefaultStrategy = "roi";

struct Source {
  std::unique_ptr<Archive> archive;
  std::int64_t campaign = 0;
};

// The newest campaign of a file that decided anything.
std::int64_t campaign_of_file(CampaignReader& record, const std::string& file, std::int64_t campaigns) {
  for (std::int64_t id = campaigns; id > 0; --id)
    if (!record.campaign(id).strategy.empty()) return id;
  throw bad_input(fmt::format("'{}' holds no campaign of harness run", file));
}

Source open_source(const ReplayArguments& arguments, const Shell& shell) {
  const Value number = parse_value(arguments.campaign);
  if (const auto* id = std::get_if<std::int64_t>(&number))
    return {shell.rooms.archive(shell.store_path(), ArchiveAccess::read), *id};
  std::error_code none;
  if (!std::filesystem::is_regular_file(arguments.campaign, none)) {
    try {
      auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
      const std::int64_t campaign = archive->history().campaign_called(arguments.campaign);
      return {std::move(archive), campaign};
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      throw bad_input(fmt::format("'{}' is no file, and {}", arguments.campaign, error.what()));
    }
  }
  auto imported = shell.rooms.archive(":memory:", ArchiveAccess::write);
  const ImportReport report = imported->transfer().import_from(arguments.campaign, {.as_evidence = true});
  const std::int64_t campaign = campaign_of_file(imported->ledger(), arguments.campaign, report.campaigns);
  return {std::move(imported), campaign};
}

void print_json_line(const json& object) {
  report::out_json(object);
}

int replay_campaign(const ReplayArguments& arguments, const Shell& shell) {
  const Source source = open_source(arguments, shell);
  const Recording recorded = read_recording(source.archive->ledger(), source.campaign);
  const Places places = shell.places();
  const auto plugins = shell.rooms.catalog(places);
  const auto scripts = shell.rooms.scripts(places);
  ReplayCatalog catalog(*plugins);
  ReplayOptions options;
  options.strategy = arguments.strategy.empty() ? kDefaultStrategy : arguments.strategy;
  if (!arguments.search.empty()) options.search = arguments.search;
  if (arguments.seed >= 0) options.seed = static_cast<std::uint64_t>(arguments.seed);
  if (!arguments.budget.empty()) options.budget_s = parse_duration(arguments.budget);
  options.stand_ins = !arguments.exact;
  const TaskLine line(arguments.json, nullptr);
  line.begin(fmt::format("replaying campaign {}", source.campaign));
  const Replayed replayed = replay(recorded, catalog, *scripts, &source.archive->ledger(), options);
  line.hide();
  const json comparison = comparison_json(recorded, replayed);
  if (arguments.json) print_json_line(comparison);
  else report::tell("{}", report::replay_text(comparison, arguments.all));
  if (replayed.summary.reason != EndReason::script_error) return 0;
  report::err("harness: {}\n", replayed.summary.message);
  return 2;
}

}  // namespace

void define_replay(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ReplayArguments>();
  app.add_option("campaign", arguments->campaign,
                 "Its number or name in the store, latest, or a file that harness export wrote (docs/replay.md)")
      ->required()
      ->type_name("CAMPAIGN");
  app.add_option("--strategy", arguments->strategy, "Who decides this time: a name or a file (default: roi)");
  app.add_option("--search", arguments->search, "Another search than the recorded one: a name or a file");
  app.add_option("--seed", arguments->seed, "Another seed than the recorded one")->check(CLI::NonNegativeNumber);
  app.add_option("--budget", arguments->budget, "Another budget than the recorded one: 90s, 30m, 1h30m");
  app.add_flag(
      "--exact", arguments->exact,
      "End an arm where its search asks for what was never evaluated, instead of giving it the nearest that was");
  app.add_flag("--all", arguments->all, "Show every decision, not only those around where the two part");
  app.add_flag("--json", arguments->json, "JSON instead of a report");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return replay_campaign(*arguments, shell); };
}

}  // namespace harness
