#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "harness/cli/asking.h"
#include "harness/cli/report_file.h"
#include "harness/core/error.h"
#include "harness/report/campaign_report.h"
#include "harness/report/out.h"
#include "harness/service/show_source.h"

// report: one campaign as a page, as Markdown, or on the terminal.
namespace harness {
namespace {

struct ReportArguments {
  std::string campaign, html, markdown;
  bool no_date = false, no_sources = false, json = false;
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

/// All of it or nothing: a report that is half written is not found by its name. "-" is standard output.
void write_whole(const std::string& file, const std::string& text) {
  if (file == "-") return report::out("%s", text.c_str());
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

report::CampaignReport make_report(const ReportArguments& arguments, const CampaignFigures& figures, Archive& archive,
                                   Shell& shell) {
  report::ReportExtras extras;
  extras.program = fmt::format("harness {} ({})", shell.rooms.program.number, shell.rooms.program.revision);
  if (!arguments.no_date) extras.made = today();
  extras.store = shell.db;
  extras.lesson = archive.history().lesson(figures.campaign);
  if (!arguments.html.empty() && !arguments.no_sources) extras.sources = winner_sources(figures, archive, shell);
  return report::make_campaign_report(figures, extras);
}

void write_files(const ReportArguments& arguments, const report::CampaignReport& made) {
  if (!arguments.html.empty()) write_whole(arguments.html, report::campaign_html(made));
  if (!arguments.markdown.empty()) write_whole(arguments.markdown, report::campaign_markdown(made));
  for (const std::string& file : {arguments.html, arguments.markdown})
    if (!file.empty() && file != "-") report::err("written to %s\n", file.c_str());
}

int write_report(const ReportArguments& arguments, Shell& shell) {
  const auto archive = open_to_read(shell);
  const CampaignFigures figures = archive->history().figures(archive->history().campaign_called(arguments.campaign));
  if (arguments.json) {
    report::out_json(figures_json(figures));
    return 0;
  }
  const report::CampaignReport made = make_report(arguments, figures, *archive, shell);
  write_files(arguments, made);
  if (arguments.html.empty() && arguments.markdown.empty())
    report::tell("%s", report::campaign_text(made, report::terminal_columns()).c_str());
  return 0;
}

}  // namespace

void write_report_file(Shell& shell, Archive& archive, std::int64_t campaign, const std::string& file) {
  ReportArguments arguments;
  (file.ends_with(".html") ? arguments.html : arguments.markdown) = file;
  write_files(arguments, make_report(arguments, archive.history().figures(campaign), archive, shell));
}

void define_report(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ReportArguments>();
  app.add_option("campaign", arguments->campaign, "Its number, its name, or latest (harness campaigns lists them)")
      ->required()
      ->type_name("CAMPAIGN");
  app.add_option("--html", arguments->html,
                 "One page that needs nothing else: charts, tables, sources; - is standard output")
      ->type_name("FILE");
  app.add_option("--markdown", arguments->markdown, "For a pull request or a mail; - is standard output")
      ->type_name("FILE");
  app.add_flag("--no-date", arguments->no_date,
               "Leave out when it was made: two reports of one campaign are then alike");
  app.add_flag("--no-sources", arguments->no_sources, "Leave out the winners' sources");
  app.add_flag("--json", arguments->json, "The figures with their queries, as one object");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return write_report(*arguments, shell); };
}

}  // namespace harness
