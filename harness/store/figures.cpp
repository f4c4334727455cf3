#include "harness/store/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/embedded.h"
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

Figure read_figure(Store& store, const EmbeddedText& text, std::int64_t campaign) {
  const std::string whole = text.text;
  const std::size_t line = whole.find('\n');
  Figure figure{figure_name(text), whole.substr(3, line - 3), with_number(whole.substr(line + 1), campaign)};
  while (figure.sql.ends_with('\n')) figure.sql.pop_back();
  Statement query(store.connection(), whole.c_str(), campaign);
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

}  // namespace

CampaignFigures figures(Store& store, std::int64_t campaign) {
  check_names(store, {.campaign = campaign});
  const Read read(store.connection());
  CampaignFigures found{campaign, "", store.connection().path(), {}};
  for (const EmbeddedText& text : kFigures) found.figures.push_back(read_figure(store, text, campaign));
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
