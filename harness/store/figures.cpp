#include "harness/store/figures.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>

#include "harness/core/embedded.h"
#include "harness/core/error.h"
#include "harness/store/condition.h"

namespace harness::store {
namespace {

/// "-- the title", then one SELECT with ?1 for the campaign. The file is NAME.sql.
constexpr EmbeddedText kFigures[] = {
#include "embedded/harness/store/figures.table"
};

std::string figure_name(const EmbeddedText& file) {
  return std::string(file.name.substr(0, file.name.rfind('.')));
}

constexpr std::size_t kMostRows = 2000;  // of a figure: its query gives the rest

/// The same query for a person: the campaign's number stands in it.
std::string with_number(std::string sql, std::int64_t campaign) {
  const std::string parameter = "?1", number = std::to_string(campaign);
  for (std::size_t at = 0; (at = sql.find(parameter, at)) != std::string::npos; at += number.size())
    sql.replace(at, parameter.size(), number);
  return sql;
}

Figure described(const EmbeddedText& text, std::int64_t campaign) {
  const std::string whole = text.text;
  const std::size_t line = whole.find('\n');
  Figure figure{figure_name(text), whole.substr(3, line - 3), with_number(whole.substr(line + 1), campaign)};
  while (figure.sql.ends_with('\n')) figure.sql.pop_back();
  return figure;
}

Figure read_figure(Store& store, const EmbeddedText& text, std::int64_t campaign) {
  Figure figure = described(text, campaign);
  Statement query(store.connection(), text.text, campaign);
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

Figure read_in_time(Store& store, const EmbeddedText& text, std::int64_t campaign, double most_s) {
  const ReadingDeadline deadline(store.connection().database().getHandle(), most_s);
  try {
    return read_figure(store, text, campaign);
  } catch (const Error&) {
    if (!deadline.passed()) throw;
    Figure figure = described(text, campaign);
    figure.left_out = true;
    return figure;
  }
}

}  // namespace

CampaignFigures figures(Store& store, std::int64_t campaign, double most_s) {
  check_names(store, {.campaign = campaign});
  const Read read(store.connection());
  CampaignFigures found{campaign, "", store.connection().path(), {}};
  for (const EmbeddedText& text : kFigures) found.figures.push_back(read_in_time(store, text, campaign, most_s));
  const Figure& of = found.of("campaign");
  if (!of.rows.empty() && of.at(of.rows[0], "uuid").is_string()) found.uuid = of.at(of.rows[0], "uuid");
  return found;
}

json figure_objects(Store& store, const std::string& name, std::int64_t campaign) {
  const auto* text = std::ranges::find(kFigures, name, figure_name);
  const Figure figure = read_figure(store, *text, campaign);
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
  std::vector<std::string> names;
  for (const EmbeddedText& text : kFigures) names.push_back(figure_name(text));
  return names;
}

}  // namespace harness::store
