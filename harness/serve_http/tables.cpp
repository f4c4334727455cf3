#include "harness/serve_http/tables.h"

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

}  // namespace

json table_json(const PageTable& table) {
  return {{"title", table.title},
          {"sql", table.sql},
          {"columns", table.answer.columns},
          {"rows", table.answer.rows},
          {"truncated", table.answer.truncated}};
}

json tables_json(PageRecord& pages, const std::vector<const char*>& names, const PageWords& words,
                 const SqlLimits& limits) {
  json tables = json::object();
  for (const char* name : names) tables[name] = table_json(pages.table(name, words, limits));
  return tables;
}

std::string table_csv(const SqlAnswer& answer) {
  std::string text;
  for (const std::string& column : answer.columns) text += (text.empty() ? "" : ",") + csv_field(column);
  text += "\r\n";
  for (const json& row : answer.rows) {
    for (std::size_t at = 0; at < row.size(); ++at) text += (at == 0 ? "" : ",") + csv_field(row[at]);
    text += "\r\n";
  }
  return text;
}

}  // namespace harness::http
