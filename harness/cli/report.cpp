#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "harness/cli/asking.h"
#include "harness/core/error.h"
#include "harness/report/campaign_report.h"
#include "harness/report/out.h"
#include "harness/service/show_source.h"

// report: one campaign as a page, as Markdown, or on the terminal.
namespace harness {
namespace {

struct ReportArguments {
  std::int64_t campaign = 0;
  std::string html, markdown;
  bool dated = true, sources = true, json = false;
};

/// The winners' resolved sources, each candidate once; why not, where the plugins here cannot resolve one.
std::vector<report::WinnerSource> winner_sources(const CampaignFigures& figures, Archive& archive, Shell& shell) {
  constexpr std::size_t kMostSources = 12;
  std::vector<report::WinnerSource> sources;
  std::set<std::string> seen;
  const Figure& bests = figures.of("bests");
  for (const json& row : bests.rows) {
    const std::string candidate = bests.at(row, "variant").dump() + bests.at(row, "config").dump();
    if (sources.size() == kMostSources || !seen.insert(candidate).second) continue;
    report::WinnerSource source;
    source.iteration = bests.at(row, "iteration").get<std::int64_t>();
    source.title = fmt::format("{} on {} (iteration {})", report::cell(bests.at(row, "variant")),
                               report::cell(bests.at(row, "workload")), source.iteration);
    try {
      source.text =
          write_source(shell, archive, archive.history().iteration(source.iteration, true), SourceForm::resolved).text;
    } catch (const Error& error) {
      source.missing = error.what();
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

/// All of it or nothing: a report that is half written is not found by its name.
void write_whole(const std::string& file, const std::string& text) {
  const std::string part = file + ".part";
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(part, file, failed);
  if (out && !failed) return;
  std::filesystem::remove(part, failed);
  throw environment_error(
      fmt::format("the report cannot be written to {}; is its folder there, and has it room?", file));
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc));
}

json figures_json(const CampaignFigures& figures) {
  json all = json::object();
  for (const Figure& figure : figures.figures)
    all[figure.name] = {{"title", figure.title},
                        {"sql", figure.sql},
                        {"columns", figure.columns},
                        {"rows", figure.rows},
                        {"truncated", figure.truncated}};
  return {{"campaign", figures.campaign}, {"uuid", figures.uuid}, {"figures", all}};
}

int write_report(const ReportArguments& arguments, Shell& shell) {
  const auto archive = open_to_read(shell);
  const CampaignFigures figures = archive->history().figures(arguments.campaign);
  if (arguments.json) {
    report::out_json(figures_json(figures));
    return 0;
  }
  report::ReportExtras extras;
  extras.program = fmt::format("harness {} ({})", shell.rooms.program.number, shell.rooms.program.revision);
  if (arguments.dated) extras.made = today();
  extras.store = shell.db;
  extras.lesson = archive->history().lesson(arguments.campaign);
  if (!arguments.html.empty() && arguments.sources) extras.sources = winner_sources(figures, *archive, shell);
  const report::CampaignReport made = report::make_campaign_report(figures, extras);
  if (!arguments.html.empty()) write_whole(arguments.html, report::campaign_html(made));
  if (!arguments.markdown.empty()) write_whole(arguments.markdown, report::campaign_markdown(made));
  for (const std::string& file : {arguments.html, arguments.markdown})
    if (!file.empty()) report::err("written to %s\n", file.c_str());
  if (arguments.html.empty() && arguments.markdown.empty())
    report::out("%s", report::campaign_text(made, terminal_columns()).c_str());
  return 0;
}

}  // namespace

void define_report(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ReportArguments>();
  app.add_option("campaign", arguments->campaign, "Its number (harness campaigns)")->required()->type_name("CAMPAIGN");
  app.add_option("--html", arguments->html, "One page that needs nothing else: charts, tables, sources")
      ->type_name("FILE");
  app.add_option("--markdown", arguments->markdown, "For a pull request")->type_name("FILE");
  app.add_flag("!--no-date", arguments->dated,
               "Leave out when it was made: two reports of one campaign are then alike");
  app.add_flag("!--no-sources", arguments->sources, "Leave out the winners' sources");
  app.add_flag("--json", arguments->json, "The figures with their queries, as one object");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return write_report(*arguments, shell); };
}

}  // namespace harness
