#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/serve_http/site.h"
#include "harness/serve_http/tables.h"
#include "harness/service/pattern_records.h"

// A page's CSV and its SQL. What a page computes besides its tables has both, too: its rows, and what they are made of.
namespace harness::http {
namespace {

constexpr std::int64_t kCsvRows = 200'000;

std::string asked_word(const PageWords& words, const char* name) {
  const auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

void side_words(PageWords& words, const std::string& name, const ComparedSide& side) {
  words[name + "_campaign"] = side.campaign ? std::to_string(*side.campaign) : "0";
  words[name + "_device"] = side.campaign ? "" : side.device_name;
}

}  // namespace

Answer Site::csv(const AskedPage& asked, const PageWords& words) {
  const auto answer = [](const SqlAnswer& rows) {
    return Answer{200, "application/csv; charset=utf-8", table_csv(rows), {}};
  };
  Readers::Lease reader(readers_);
  const auto streamed = [&](const std::string& sql) {
    return Answer{200, "application/csv; charset=utf-8", query_csv(reader.pages(), sql, limits(kCsvRows)), {}};
  };
  if (asked.page->detail == Detail::answer) return streamed(asked_word(words, "sql"));
  std::string chosen = asked_word(words, "table");
  if (chosen.empty() && !asked.page->listed.empty()) {
    const json detail = detail_json(asked, words, reader);
    if (!detail.is_object()) throw bad_input("name two sides: ?a=1&b=2");
    json rows = json::array();
    for (const char* part : asked.page->listed) add_rows(rows, detail.at(json::json_pointer(part)));
    return answer(table_of(rows));
  }
  if (chosen.empty() && !asked.page->tables.empty()) chosen = asked.page->tables.front();
  for (const auto& names : {asked.page->tables, asked.page->behind})
    for (const char* name : names)
      if (chosen == name)
        return streamed(reader.pages().table(name, words_behind(asked.page->detail, words, reader), limits(0)).sql);
  throw bad_input("this page has no such table");
}

Answer Site::sql(const AskedPage& asked, PageWords words) {
  Readers::Lease reader(readers_);
  words = words_behind(asked.page->detail, std::move(words), reader);
  std::string text;
  for (const auto& names : {asked.page->tables, asked.page->behind})
    for (const char* name : names) {
      const PageTable table = reader.pages().table(name, words, limits(0));
      text += fmt::format("-- {}: {}\n{};\n\n", name, table.title, table.sql);
    }
  if (text.empty()) throw bad_input("this page has no table; ask for its .json");
  return {200, "text/plain; charset=utf-8", text, {}};
}

/// What the queries behind a page need besides the words of its address.
PageWords Site::words_behind(Detail detail, PageWords words, Readers::Lease& reader) {
  if (detail == Detail::comparison) {
    const std::string a = asked_word(words, "a"), b = asked_word(words, "b");
    if (a.empty() || b.empty()) throw bad_input("name two sides: ?a=1&b=2");
    const auto [left, right] = reader.archive().history().compared_sides(a, b);
    side_words(words, "a", left);
    side_words(words, "b", right);
  } else if (detail == Detail::patterns || detail == Detail::pattern) {
    const std::lock_guard lock(plugins_);
    const auto records = pattern_records_here(shell_, detail == Detail::pattern ? asked_word(words, "pattern") : "");
    json rules = json::object();
    for (const report::PatternRecord& record : records)
      for (const std::string& rule : record.rules) rules[rule] = record.pattern.id;
    words["rules"] = rules.dump();
    if (detail == Detail::pattern) words["pattern"] = std::to_string(records.front().pattern.id);
  }
  return words;
}

}  // namespace harness::http
