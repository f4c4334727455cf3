#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "harness/cli/asking.h"
#include "harness/cli/report_file.h"
#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/serve_http/report_file.h"
#include "harness/service/campaign_view.h"

// report: one campaign as a page, as Markdown, or on the terminal.
namespace harness {
namespace {

struct ReportArguments {
  std::string campaign, html, markdown;
  bool no_date = false, no_sources = false, json = false;
};

/// All of it or nothing: a report that is half written is not found by its name. "-" is standard output.
void write_whole(const std::string& file, const std::string& text) {
  if (file == "-") return report::out("{}", text);
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
  return campaign_view(shell, archive, figures, {!arguments.no_date, !arguments.html.empty() && !arguments.no_sources});
}

void write_files(const ReportArguments& arguments, std::int64_t campaign, const report::CampaignReport& made,
                 Shell& shell) {
  if (!arguments.html.empty()) {
    const auto pages = shell.rooms.page_record(shell.store_path(), SqlReach::everything);
    write_whole(arguments.html,
                http::report_file(*pages, made, {campaign, shell.store_path(), shell.rooms.program.number}));
  }
  if (!arguments.markdown.empty()) write_whole(arguments.markdown, report::campaign_markdown(made));
  for (const std::string& file : {arguments.html, arguments.markdown})
    if (!file.empty() && file != "-") report::err("written to {}\n", file);
}

int write_report(const ReportArguments& arguments, Shell& shell) {
  const auto archive = open_to_read(shell);
  const CampaignFigures figures = archive->history().figures(archive->history().campaign_called(arguments.campaign));
  const report::CampaignReport made = make_report(arguments, figures, *archive, shell);
  if (arguments.json) {
    json object = figures_json(figures);
    object["view"] = report::campaign_json(made);
    report::out_json(object);
    return 0;
  }
  write_files(arguments, figures.campaign, made, shell);
  if (arguments.html.empty() && arguments.markdown.empty())
    report::tell("{}", report::campaign_text(made, report::terminal_columns()));
  return 0;
}

}  // namespace

void write_report_file(Shell& shell, std::int64_t campaign, const std::string& file) {
  const auto archive = open_to_read(shell);
  ReportArguments arguments;
  (file.ends_with(".html") ? arguments.html : arguments.markdown) = file;
  write_files(arguments, campaign, make_report(arguments, archive->history().figures(campaign), *archive, shell),
              shell);
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
