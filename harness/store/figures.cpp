#include "harness/store/figures.h"

#include <sqlite3.h>

#include <chrono>
#include <iterator>

#include "harness/core/error.h"
#include "harness/store/condition.h"
#include "harness/store/page_record.h"

namespace harness::store {
namespace {

/// What a report shows, in its order.
constexpr const char* kFigures[] = {
    "campaign",          "workloads",  "curve",    "spend",     "gains",        "heat",
    "parameters",        "ends",       "failures", "decisions", "calibration",  "predictions",
    "profiles",          "rules",      "rivals",   "unchecked", "card_records", "across_cards",
    "card_calibrations", "environment"};

constexpr std::size_t kMostRows = 2000;  // of a figure: its query gives the rest

Figure described(const char* name, std::int64_t campaign) {
  PageSql asked = page_sql(name, {{"campaign", std::to_string(campaign)}, {"most", std::to_string(kMostRows)}});
  return {name, std::move(asked.title), std::move(asked.sql)};
}

Figure read_figure(Store& store, const char* name, std::int64_t campaign) {
  Figure figure = described(name, campaign);
  Statement query(store.connection(), figure.sql.c_str());
  for (int column = 0; column < query.columns(); ++column) figure.columns.push_back(query.column_name(column));
  while (query.next()) {
    if (figure.rows.size() == kMostRows) {
      figure.truncated = true;
      break;
    }
    json row = json::array();
    for (int column = 0; column < query.columns(); ++column) row.push_back(query.brief(column));
    figure.rows.push_back(std::move(row));
  }
  return figure;
}

/// Ends what a connection reads once the time is over. A store of years has figures that take minutes.
class ReadingDeadline {
 public:
  ReadingDeadline(sqlite3* handle, double seconds)
      : handle_(handle),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
    sqlite3_progress_handler(handle_, 1000, over, this);
  }
  ~ReadingDeadline() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
  ReadingDeadline(const ReadingDeadline&) = delete;
  ReadingDeadline& operator=(const ReadingDeadline&) = delete;
  bool passed() const { return passed_; }

 private:
  using Clock = std::chrono::steady_clock;
  static int over(void* self) {
    auto& deadline = *static_cast<ReadingDeadline*>(self);
    deadline.passed_ = deadline.passed_ || Clock::now() >= deadline.end_;
    return deadline.passed_ ? 1 : 0;
  }

  sqlite3* handle_;
  Clock::time_point end_;
  bool passed_ = false;
};

Figure read_in_time(Store& store, const char* name, std::int64_t campaign, double most_s) {
  const ReadingDeadline deadline(store.connection().database().getHandle(), most_s);
  try {
    return read_figure(store, name, campaign);
  } catch (const Error&) {
    if (!deadline.passed()) throw;
    Figure figure = described(name, campaign);
    figure.left_out = true;
    return figure;
  }
}

}  // namespace

CampaignFigures figures(Store& store, std::int64_t campaign, double most_s) {
  check_names(store, {.campaign = campaign});
  const Read read(store.connection());
  CampaignFigures found{campaign, "", store.connection().path(), {}};
  for (const char* name : kFigures) found.figures.push_back(read_in_time(store, name, campaign, most_s));
  const Figure& of = found.of("campaign");
  if (!of.rows.empty() && of.at(of.rows[0], "uuid").is_string()) found.uuid = of.at(of.rows[0], "uuid");
  return found;
}

json figure_objects(Store& store, const std::string& name, std::int64_t campaign) {
  const Figure figure = read_figure(store, name.c_str(), campaign);
  json objects = json::array();
  for (const json& row : figure.rows) {
    json object = json::object();
    for (std::size_t column = 0; column < figure.columns.size(); ++column)
      object[figure.columns[column]] = row.at(column);
    objects.push_back(std::move(object));
  }
  return objects;
}

std::vector<std::string> figure_names() {
  return {std::begin(kFigures), std::end(kFigures)};
}

}  // namespace harness::store
