#include "harness/service/campaign_view.h"

#include <fmt/format.h>

#include <ctime>
#include <set>

#include "harness/core/error.h"
#include "harness/service/show_source.h"

namespace harness {
namespace {

/// The winners' resolved sources, each candidate once; why not, where the plugins here cannot resolve one.
std::vector<report::WinnerSource> winner_sources(const CampaignFigures& figures, Archive& archive, Shell& shell) {
  constexpr std::size_t kMostSources = 12;
  std::vector<report::WinnerSource> sources;
  std::set<std::string> seen;
  const Figure& bests = figures.of("workloads");
  for (const json& row : bests.rows) {
    const std::string candidate = bests.at(row, "variant").dump() + bests.at(row, "config").dump();
    if (sources.size() == kMostSources || !seen.insert(candidate).second) continue;
    report::WinnerSource source;
    source.iteration = bests.at(row, "iteration").get<std::int64_t>();
    source.title = fmt::format("{} on {} (iteration {})", report::text(report::cell(bests.at(row, "variant"))),
                               report::text(report::cell(bests.at(row, "workload"))), source.iteration);
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

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc));
}

}  // namespace

report::CampaignReport campaign_view(Shell& shell, Archive& archive, const CampaignFigures& figures,
                                     const ViewChoices& choices) {
  report::ReportExtras extras;
  extras.program = fmt::format("harness {} ({})", shell.rooms.program.number, shell.rooms.program.revision);
  if (choices.dated) extras.made = today();
  extras.store = shell.db;
  extras.lesson = archive.history().lesson(figures.campaign);
  if (choices.sources) extras.sources = winner_sources(figures, archive, shell);
  return report::make_campaign_report(figures, extras);
}

}  // namespace harness
