#include "harness/serve_http/tables.h"

#include <algorithm>

namespace harness::http {
namespace {

std::string csv_field(const json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_head(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + csv_field(column);
  return text + "\r\n";
}

void add_csv_row(std::string& text, const json& row) {
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (at > 0) text += ',';
    text += csv_field(row[at]);
  }
  text += "\r\n";
}

void put_flat(json& row, const std::string& name, const json& value) {
  if (!value.is_object() || name.ends_with("config")) {  // a configuration is one value, as in every table
    row[name] = value;
    return;
  }
  for (const auto& [inner, content] : value.items()) put_flat(row, name.empty() ? inner : name + "_" + inner, content);
}

}  // namespace

void add_rows(json& rows, const json& computed) {
  for (const auto& [name, value] : computed.items()) {
    json row = json::object();
    if (computed.is_object()) row["name"] = name;
    put_flat(row, "", value);
    rows.push_back(std::move(row));
  }
}

SqlAnswer table_of(const json& rows) {
  SqlAnswer table;
  for (const json& row : rows)
    for (const auto& [name, value] : row.items())
      if (std::ranges::find(table.columns, name) == table.columns.end()) table.columns.push_back(name);
  for (const json& row : rows) {
    json values = json::array();
    for (const std::string& name : table.columns) values.push_back(row.value(name, json()));
    table.rows.push_back(std::move(values));
  }
  return table;
}

json table_json(PageTable table) {
  json object{{"title", table.title},
              {"sql", table.sql},
              {"columns", table.answer.columns},
              {"truncated", table.answer.truncated}};
  object["rows"] = std::move(table.answer.rows);
  return object;
}

json tables_json(PageRecord& pages, const std::vector<const char*>& names, const PageWords& words,
                 const SqlLimits& limits) {
  json tables = json::object();
  for (const char* name : names) tables[name] = table_json(pages.table(name, words, limits));
  return tables;
}

std::string table_csv(const SqlAnswer& answer) {
  std::string text = csv_head(answer.columns);
  for (const json& row : answer.rows) add_csv_row(text, row);
  return text;
}

std::string query_csv(PageRecord& pages, const std::string& sql, const SqlLimits& limits) {
  std::string text;
  const SqlAnswer head = pages.query(sql, limits, [&](const json& row) { add_csv_row(text, row); });
  text.insert(0, csv_head(head.columns));
  return text;
}

}  // namespace harness::http
