#include "harness/serve_http/report_file.h"

#include <catch2/catch.hpp>

#include "tests/serve_http/served.h"

using namespace harness;
using namespace harness::http;
using namespace harness::http::test;

namespace {

std::string made_file(Served& served, std::int64_t campaign, const report::ReportExtras& extras) {
  const auto archive = store::open_archive(served.path, ArchiveAccess::read);
  const auto pages = store::open_page_record(served.path, SqlReach::everything);
  return report_file(*pages, report::make_campaign_report(archive->history().figures(campaign), extras),
                     {campaign, served.path, "0.1.0"});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

/// What stands in the file as data.
json kept_in(const std::string& file) {
  const std::string begin = "id=\"kept\">";
  const std::size_t at = file.find(begin) + begin.size();
  return json::parse(file.substr(at, file.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("a report is the page of its campaign in one file, with its data inside") {
  Served served;
  const std::string file = made_file(served, 1, {.program = "harness 1"});
  CHECK(file.size() < 1'000'000);
  const json kept = kept_in(file);
  Site site(served.shell, {});
  const json asked = answered(site, "/campaign/1.json");
  for (const auto& [name, table] : asked.at("tables").items()) {
    INFO(name);
    CHECK(kept.at("page").at("tables").at(name).at("rows") == table.at("rows"));
  }
  CHECK(kept.at("page").at("report").at("verdict") != "");
  CHECK(kept.at("attempts").at("rows").size() > 5);
  CHECK_THAT(file, Catch::Contains("<noscript><pre>## Campaign 1"));
}

TEST_CASE("what a record holds cannot leave its place in a report") {
  Served served;
  const std::string hostile = "</script><script>alert(1)</script><!--\x1b[2J\" onload=x";
  std::int64_t campaign = 0;
  {
    const auto store = served.write();
    campaign = store->begin_campaign(a_campaign());
    AttemptRecord attempt = an_attempt(campaign, 1);
    attempt.candidate.variant = hostile;
    Evaluation evaluation = an_evaluation(CompileError{hostile});
    store::test::record(*store, attempt, evaluation);
    store->end_campaign(campaign, EndReason::budget, 100, 0.1);
  }
  const std::string file = made_file(served, campaign, {.sources = {{1, hostile, hostile, ""}}});
  CHECK(count(file, "<script") == 2);
  CHECK(count(file, "</script") == 2);
  CHECK(file.find("<!--") == std::string::npos);
  CHECK(file.find('\x1b') == std::string::npos);
  CHECK(kept_in(file).at("attempts").at("rows").at(0).at(4) == hostile);
  for (const char* leaving : {" src=", "url(", "@import"}) CHECK(file.find(leaving) == std::string::npos);
}

TEST_CASE("a campaign without an attempt is a report, too") {
  Served served(0, 0);
  served.write()->begin_campaign(a_campaign());
  const json kept = kept_in(made_file(served, 1, {}));
  CHECK(kept.at("page").at("report").at("verdict") == "Nothing has passed all gates.");
  CHECK(kept.at("attempts").is_null());
}
