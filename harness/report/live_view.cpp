#include "harness/report/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/format.h"
#include "harness/report/table.h"

namespace harness::report {
namespace {

/// Seconds since then; of a stale row, until it was last heard of.
double age_s(const LiveRow& row, double since_unix, double now_unix) {
  const double until = row.state == Liveness::running ? now_unix : row.live.told_unix;
  return std::max(0.0, until - since_unix);
}

json flights_json(const LiveRow& row, double now_unix) {
  json flights = json::array();
  for (const LiveFlight& flight : row.live.flights) {
    json object = flight;
    object.erase("begun_unix");
    object["node"] = text_or_null(flight.node);
    object["age_s"] = age_s(row, flight.begun_unix, now_unix);
    flights.push_back(std::move(object));
  }
  return flights;
}

/// The geometric mean over the workloads that have a best.
std::optional<double> mean_speedup(const std::vector<LiveBest>& bests) {
  double logs = 0;
  std::size_t count = 0;
  for (const LiveBest& best : bests) {
    if (!(best.speedup > 0)) continue;
    logs += std::log(best.speedup);
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(std::exp(logs / static_cast<double>(count)));
}

/// "build for 12 s (given up after 60 s): softmax 20_online BLOCK=128 on r4096"
std::string doing_text(const LiveRow& row, double now_unix) {
  const CampaignLive& live = row.live;
  std::string text = fmt::format("{} for {}", live.phase.empty() ? "at work" : clean(live.phase),
                                 seconds(age_s(row, live.phase_unix, now_unix)));
  if (live.phase_deadline_unix)
    text += fmt::format(" (given up after {})", seconds(*live.phase_deadline_unix - live.phase_unix));
  if (!live.doing.empty()) text += ": " + clean(live.doing);
  if (live.flights.size() > 1) text += fmt::format(" and {} more under way", live.flights.size() - 1);
  return text;
}

/// "1m20s of 5m00s, $0.10 of $2.50"
std::string budget_text(const LiveRow& row, double now_unix) {
  const CampaignLive& live = row.live;
  std::string text = seconds(row.spent_s(now_unix));
  if (live.budget_s) text += " of " + seconds(*live.budget_s);
  if (live.spent_usd) text += ", " + money(live.spent_usd);
  if (live.max_cost_usd) text += " of " + money(live.max_cost_usd);
  return text;
}

std::string best_text(const CampaignLive& live) {
  const auto mean = mean_speedup(live.best);
  if (!mean) return "no best yet";
  return live.workloads == 1
             ? fmt::format("best {}", ratio(mean))
             : fmt::format("best {} on {} of {} workloads", ratio(mean), live.best.size(), live.workloads);
}

std::string campaign_line(const LiveRow& row, double now_unix) {
  const CampaignLive& live = row.live;
  std::string line = fmt::format("campaign {}{} on {}: ", live.campaign,
                                 row.name.empty() ? "" : fmt::format(" ({})", clean(row.name)), clean(row.device));
  if (row.state == Liveness::stale)
    line += fmt::format("killed, last heard of {} ago at: ", seconds(std::max(0.0, now_unix - live.told_unix)));
  return line + fmt::format("{}; {}; {} iteration{}; {}\n", doing_text(row, now_unix), budget_text(row, now_unix),
                            live.iterations, live.iterations == 1 ? "" : "s", best_text(live));
}

}  // namespace

json live_rows_json(const std::vector<LiveRow>& rows, double now_unix) {
  json objects = json::array();
  for (const LiveRow& row : rows) {
    const CampaignLive& live = row.live;
    const auto deadline_s =
        live.phase_deadline_unix ? std::optional(*live.phase_deadline_unix - live.phase_unix) : std::nullopt;
    objects.push_back({{"campaign", live.campaign},
                       {"name", text_or_null(row.name)},
                       {"state", row.state},
                       {"device", row.device},
                       {"device_name", row.device_name},
                       {"kernels", row.kernels},
                       {"phase", text_or_null(live.phase)},
                       {"phase_s", age_s(row, live.phase_unix, now_unix)},
                       {"phase_deadline_s", deadline_s},
                       {"doing", text_or_null(live.doing)},
                       {"doing_s", age_s(row, live.doing_unix, now_unix)},
                       {"in_flight", flights_json(row, now_unix)},
                       {"spent_s", row.spent_s(now_unix)},
                       {"budget_s", live.budget_s},
                       {"spent_usd", live.spent_usd},
                       {"max_cost_usd", live.max_cost_usd},
                       {"iterations", live.iterations},
                       {"outcomes", live.outcomes},
                       {"workloads", live.workloads},
                       {"best", live.best},
                       {"speedup", mean_speedup(live.best)},
                       {"decision", live.decision},
                       {"last", live.last},
                       {"told_s", std::max(0.0, now_unix - live.told_unix)}});
  }
  return objects;
}

std::string live_rows_text(const std::vector<LiveRow>& rows, double now_unix) {
  std::string text;
  for (const LiveRow& row : rows) text += campaign_line(row, now_unix);
  return text;
}

}  // namespace harness::report
