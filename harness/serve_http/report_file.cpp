#include "harness/serve_http/report_file.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/printable.h"
#include "harness/serve_http/assets.h"
#include "harness/serve_http/guard.h"
#include "harness/serve_http/pages.h"
#include "harness/serve_http/tables.h"

namespace harness::http {
namespace {

constexpr std::int64_t kKeptRows = 2000, kAttemptsOfAnEnd = 20;
constexpr std::size_t kMostEnds = 24;

std::string_view built(std::string_view name) {
  return find_asset(name)->text;
}

/// A text inside <pre>.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text, Lines::many))
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return safe;
}

/// JSON inside <script>: no "<" that could end it.
std::string embedded(const json& object) {
  std::string safe;
  for (const char c : object.dump(-1, ' ', false, json::error_handler_t::replace))
    safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string word_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

/// Without rows where reading them takes too long: the other tables are shown.
json kept_table(PageRecord& pages, const char* name, const PageWords& words, const SqlLimits& limits) {
  try {
    return table_json(pages.table(name, words, limits));
  } catch (const Error& error) {
    return {
        {"title", error.what()}, {"sql", ""}, {"columns", json::array()}, {"rows", json::array()}, {"truncated", true}};
  }
}

/// Some attempts of each way in which attempts ended: a page without a store behind it filters these.
json some_attempts(PageRecord& pages, std::int64_t campaign, const json& found_ends, const SqlLimits& limits) {
  const json& ends = found_ends.at("rows");
  json table;
  for (std::size_t at = 0; at < std::min(ends.size(), kMostEnds); ++at) {
    PageWords words{{"campaign", std::to_string(campaign)},
                    {"limit", std::to_string(kAttemptsOfAnEnd)},
                    {"outcome", word_of(ends[at].at(0))}};
    if (const std::string kind = word_of(ends[at].at(1)); !kind.empty()) words["class"] = kind;
    json some = kept_table(pages, "attempts", words, limits);
    if (table.is_null()) table = std::move(some);
    else
      for (json& row : some["rows"]) table["rows"].push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string report_policy() {
  return fmt::format("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{}'",
                     script_digest(built("app.js")));
}

std::string report_file(PageRecord& pages, const report::CampaignReport& made, const ReportSource& source) {
  const std::string path = fmt::format("/campaign/{}", source.campaign);
  const SqlLimits limits{.seconds = source.query_seconds, .rows = kKeptRows, .bytes = 1 << 20};
  const auto page = find_page(path, false);
  json tables = json::object();
  PageWords words = page->words;
  words["most"] = "200";  // decisions
  for (const char* name : page->page->tables) tables[name] = kept_table(pages, name, words, limits);
  json kept{{"path", path},
            {"title", made.title},
            {"page",
             {{"page", page->page->pattern},
              {"store", source.store},
              {"program", source.program},
              {"agents", false},
              {"report", report::campaign_json(made)}}}};
  kept["attempts"] = some_attempts(pages, source.campaign, tables.at("ends"), limits);
  kept["page"]["tables"] = std::move(tables);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n"
      "<title>{}</title>\n<style>{}</style></head>\n<body><noscript><pre>{}</pre></noscript>\n"
      "<script type=\"application/json\" id=\"kept\">{}</script>\n<script>{}</script></body></html>\n",
      report_policy(), escaped(made.title), built("style.css"), escaped(report::campaign_markdown(made)),
      embedded(kept), built("app.js"));
}

}  // namespace harness::http
