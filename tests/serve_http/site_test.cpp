#include "harness/serve_http/site.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/playbook.h"
#include "harness/core/strategy.h"
#include "harness/serve_http/assets.h"
#include "harness/serve_http/tables.h"
#include "tests/serve_http/served.h"

using namespace harness;
using namespace harness::http;
using namespace harness::http::test;

namespace {

/// The address of a page with a word for each of its places.
std::string address_of(const Page& page) {
  std::string path = page.pattern;
  const std::pair<const char*, const char*> places[] = {
      {":campaign", "1"}, {":iteration", "3"}, {":kernel", "attention"}, {":pattern", "17"}, {":number", "1"}};
  for (const auto& [name, value] : places)
    if (const std::size_t at = path.find(name); at != std::string::npos)
      path.replace(at, std::string(name).size(), value);
  return path;
}

bool needs_plugins(const Page& page) {
  return page.detail == Detail::digest || page.detail == Detail::patterns || page.detail == Detail::pattern ||
         page.detail == Detail::report;
}

struct NoPages : Playbook {
  std::vector<Pattern> patterns() override { return {}; }
  Pattern pattern(const std::string&) override { throw bad_input("there is no page"); }
  std::vector<AppliedPattern> applying(const Snapshot&) override { return {}; }
};

struct OnePage : Playbook {
  static Pattern page() {
    Pattern page;
    page.id = 17;
    page.name = page.title = "vector-loads";
    return page;
  }
  std::vector<Pattern> patterns() override { return {page()}; }
  Pattern pattern(const std::string&) override { return page(); }
  std::vector<AppliedPattern> applying(const Snapshot&) override { return {}; }
};

struct OneActingRule : ScriptLibrary {
  std::unique_ptr<Strategy> strategy(const std::string&) override { return nullptr; }
  std::unique_ptr<Search> search(const std::string&, const ArmSpace&, std::uint64_t) override { return nullptr; }
  std::vector<json> list() override { return {{{"name", "time-overrun"}, {"kind", "rule"}, {"pattern", 17}}}; }
  json check(const std::string&) override { return {}; }
};

struct OneRule : Diagnoser {
  std::vector<DiagnosisRule> rules() override { return {}; }
  std::optional<Diagnosis> diagnose(const Profile& profile) override {
    return Diagnosis{"memory-bound", "memory works near its peak for " + profile.device, ""};
  }
};

std::vector<std::int64_t> column(const json& table, const std::string& name) {
  const std::vector<std::string> names = table.at("columns");
  const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  std::vector<std::int64_t> values;
  for (const json& row : table.at("rows")) values.push_back(row.at(at));
  return values;
}

}  // namespace

TEST_CASE("every page answers: with campaigns, and in an empty store") {
  for (const int campaigns : {0, 2}) {
    Served served(campaigns, 10);
    Site site(served.shell, {});
    for (const Page& page : pages()) {
      if (needs_plugins(page)) continue;
      if (campaigns == 0 && page.detail == Detail::iteration) continue;
      const std::string path = address_of(page);
      INFO(path << " in a store of " << campaigns);
      const PageWords words{{"a", "1"}, {"b", "2"}, {"sql", "SELECT 1 AS one"}};
      if (campaigns == 0 && page.detail != Detail::none && page.detail != Detail::answer) continue;
      const json found = answered(site, path + ".json", words);
      CHECK(found.value("error", "") == "");
      CHECK(found.at("status") == 200);
      for (const char* table : page.tables) CHECK(found.at("tables").at(table).at("columns").size() > 0);
      if (!page.tables.empty()) CHECK(site.answer(ask(path + ".csv", words)).status == 200);
      const Answer shown = site.answer(ask(path));
      CHECK(shown.status == (page.shown ? 200 : 404));
    }
  }
}

TEST_CASE(
    "an attempt's digest is what agents are told: of what passed, with its profile, against what was best before") {
  Served served;
  std::int64_t first = 0, second = 0, failed = 0;
  {
    const auto store = served.write();
    const std::int64_t campaign = store->begin_campaign(a_campaign());
    Passed passed;
    passed.timing.time_ns = 4000;
    first = store::test::record(*store, an_attempt(campaign, 1), an_evaluation(passed));
    passed.timing.time_ns = 2000;
    second = store::test::record(*store, an_attempt(campaign, 2), an_evaluation(passed));
    store->record_profile(second, {.source = ProfileSource::counted, .device = "H200"});
    failed = store::test::record(*store, an_attempt(campaign, 3), an_evaluation(CompileError{"no"}));
  }
  served.rooms.catalog = [](const Places&) -> std::unique_ptr<Catalog> { throw bad_input("no plugin is here"); };
  served.rooms.playbook = [](const Places&) { return std::make_unique<NoPages>(); };
  served.rooms.diagnoser = [](const Places&) { return std::make_unique<OneRule>(); };
  Site site(served.shell, {});
  const auto digest = [&](std::int64_t iteration) {
    const json answer = answered(site, fmt::format("/attempt/{}/digest.json", iteration));
    CHECK(answer.value("error", "") == "");
    return answer.at("digest").get<std::string>();
  };
  CHECK(digest(first) == "Time: 4 us.");
  CHECK_THAT(digest(second), Catch::Contains("Time: 2 us.") &&
                                 Catch::Contains(fmt::format("(iteration {}): 2.00x", first)) &&
                                 Catch::Contains("1. memory works near its peak for H200"));
  CHECK(digest(failed).empty());
}

TEST_CASE("the queries of a page are statements that harness query answers alike") {
  Served served;
  Site site(served.shell, {});
  const auto record = store::open_page_record(served.path, SqlReach::everything);
  for (const char* path : {"/campaigns.json", "/campaign/1.json", "/attempts.json", "/kernel/attention.json"}) {
    const json found = answered(site, path);
    for (const auto& [name, table] : found.at("tables").items()) {
      INFO(path << " " << name);
      CHECK(record->query(table.at("sql"), {}).rows == table.at("rows"));
    }
  }
  CHECK_THAT(site.answer(ask("/campaign/1.sql")).body, Catch::Contains("-- workloads: The best of every workload"));
}

TEST_CASE("what a page computes besides its tables is CSV, and what it is made of is SQL that harness query answers") {
  Served served;
  Site site(served.shell, {});
  const auto record = store::open_page_record(served.path, SqlReach::everything);
  const PageWords sides{{"a", "1"}, {"b", "2"}}, attempts{{"a", "#1"}, {"b", "#2"}};
  const auto lines = [&](const std::string& path, const PageWords& words) {
    const Answer answer = site.answer(ask(path, words));
    INFO(answer.body);
    CHECK(answer.status == 200);
    return std::ranges::count(answer.body, '\n');
  };
  const auto rows_behind = [&](const std::string& path, const PageWords& words) {
    const std::string text = site.answer(ask(path, words)).body;
    INFO(text);
    REQUIRE(text.starts_with("-- "));
    return record->query(text.substr(text.find('\n') + 1, text.find(";\n") - text.find('\n') - 1), {}).rows;
  };
  const json compared = answered(site, "/compare.json", sides).at("comparison");
  CHECK(lines("/compare.csv", sides) == static_cast<long>(compared.at("workloads").size()) + 1);
  CHECK(rows_behind("/compare.sql", sides).size() ==
        2 * compared.at("workloads").size() + compared.at("only_a").size() + compared.at("only_b").size());
  CHECK(site.answer(ask("/compare.csv")).status == 400);
  CHECK(answered(site, "/compare.json", attempts).at("difference").at("a").at("iteration") == 1);
  CHECK(lines("/compare.csv", attempts) > 1);
  CHECK(rows_behind("/compare.sql", attempts).size() == 2);

  {
    const auto store = served.write();
    const std::int64_t campaign = store->begin_campaign(a_campaign());
    for (const bool named : {true, false}) {
      Decision decision = a_decision(named ? "tiling" : "split-kv");
      if (named) decision.patterns = {17};
      else decision.rule = "time-overrun";
      AttemptRecord attempt = an_attempt(campaign, named ? 1 : 2, named ? "tiling" : "split-kv");
      attempt.decision = store->record_decision(campaign, decision, {}, {"roi", "h"}, 1700000000, 0.01);
      store::test::record(*store, attempt, store::test::passed(100));
    }
  }
  served.rooms.playbook = [](const Places&) { return std::make_unique<OnePage>(); };
  served.rooms.scripts = [](const Places&) { return std::make_unique<OneActingRule>(); };
  const std::size_t applied = answered(site, "/playbook/17.json").at("pattern").at("applications").size();
  CHECK(lines("/playbook/17.csv", {}) == static_cast<long>(applied) + 1);
  CHECK(lines("/playbook.csv", {}) == 2);
  CHECK(applied > 0);
  CHECK(rows_behind("/playbook/vector-loads.sql", {}).size() == 2);
  CHECK(rows_behind("/playbook.sql", {}).size() == 1);
}

TEST_CASE("pages of attempts, one behind the other, have every row once in every order") {
  Served served;
  Site site(served.shell, {});
  for (const std::string sort :
       {"-iteration", "iteration", "time_ns", "-speedup", "variant", "-ended_unix", "outcome"}) {
    INFO(sort);
    std::vector<std::int64_t> seen;
    PageWords words{{"sort", sort}, {"limit", "7"}};
    const std::string key = sort.starts_with("-") ? sort.substr(1) : sort;
    for (int page = 0; page < 40; ++page) {
      const json table = answered(site, "/attempts.json", words).at("tables").at("attempts");
      const std::vector<std::int64_t> numbers = column(table, "iteration");
      if (numbers.empty()) break;
      seen.insert(seen.end(), numbers.begin(), numbers.end());
      const std::vector<std::string> names = table.at("columns");
      const json& last =
          table.at("rows").back().at(static_cast<std::size_t>(std::ranges::find(names, key) - names.begin()));
      words["after"] = std::to_string(numbers.back());
      words["after_value"] = last.is_string() ? last.get<std::string>() : last.dump();
    }
    const auto record = store::open_page_record(served.path, SqlReach::everything);
    const std::string condition = key == "time_ns" || key == "speedup" ? key + " IS NOT NULL" : "1";
    const json count = record->query("SELECT count(*) FROM iteration WHERE " + condition, {}).rows[0][0];
    CHECK(json(seen.size()) == count);
    CHECK(std::set(seen.begin(), seen.end()).size() == seen.size());
  }
}

TEST_CASE("filters hold together, and what looks like SQL is a name that nothing has") {
  Served served;
  Site site(served.shell, {});
  const auto numbers = [&](const PageWords& words) {
    return column(answered(site, "/attempts.json", words).at("tables").at("attempts"), "iteration");
  };
  const auto record = store::open_page_record(served.path, SqlReach::everything);
  const auto counted = [&](const std::string& where) {
    return record->query("SELECT count(*) FROM v_iterations WHERE " + where, {}).rows[0][0].get<std::size_t>();
  };
  CHECK(numbers({{"campaign", "1"}, {"outcome", "passed"}}).size() == counted("campaign = 1 AND outcome = 'passed'"));
  CHECK(numbers({{"outcome", "passed,wrong_answer"}, {"workload", "s1*"}}).size() ==
        counted("outcome IN ('passed', 'wrong_answer') AND workload = 's128'"));
  CHECK(numbers({{"text", "BLOCK\":3"}}).size() == counted("config LIKE '%BLOCK\":3%'"));
  for (const char* hostile : {"' OR 1 --", "x'); DROP TABLE iteration; --", "%", "\"", "\\"}) {
    INFO(hostile);
    CHECK(numbers({{"variant", hostile}}).empty());
    CHECK(numbers({{"device", hostile}}).empty());
  }
  CHECK(answered(site, "/attempts.json", {{"sort", "seeds"}}).at("status") == 400);
  CHECK_THAT(answered(site, "/attempts.json", {{"sort", "tim_ns"}}).at("error").get<std::string>(),
             Catch::Contains("time_ns"));
  CHECK(answered(site, "/attempts.json", {{"limit", "-1"}}).at("status") == 400);
  CHECK(answered(site, "/attempts.json", {{"variant", std::string("a\0b", 3)}}).at("status") == 400);
}

TEST_CASE("campaigns are filtered by words in any order, and what happened last in one is told") {
  Served served(0, 0);
  std::int64_t campaign = 0;
  {
    const auto store = served.write();
    CampaignRecord record = a_campaign();
    record.name = "a \"night\" of tries";
    campaign = store->begin_campaign(record);
    Passed passed;
    store::test::record(*store, an_attempt(campaign, 1), an_evaluation(passed));
    store::test::record(*store, an_attempt(campaign, 2), an_evaluation(Rejected{"guards", "wrote past its output"}));
    store->end_campaign(campaign, EndReason::budget, 10, 0.1);
    store->end_campaign(store->begin_campaign(a_campaign()), EndReason::strategy, 10, 0.1);
  }
  Site site(served.shell, {});
  const auto of = [&](const std::string& text) {
    const json found = answered(site, "/campaigns.json", {{"text", text}});
    CHECK(found.at("status") == 200);
    return column(found.at("tables").at("campaigns"), "campaign");
  };
  const auto only = std::vector<std::int64_t>{campaign};
  CHECK(of("").size() == 2);
  CHECK(of("budget \"NIGHT\"") == only);
  CHECK(of("tries budget  night") == only);
  CHECK(of(std::to_string(campaign) + " tries") == only);
  for (const char* none : {"tries strategy", "' OR 1 --", "\",\"", "\\", "\n"}) CHECK(of(none).empty());
  const json events = answered(site, fmt::format("/campaign/{}.json", campaign)).at("tables").at("events");
  std::set<std::string> told;
  for (const json& row : events.at("rows")) told.insert(row.at(1));
  CHECK(told == std::set<std::string>{"new best", "rejected"});
  CHECK_THAT(events.dump(), Catch::Contains("guards: wrote past its output"));
}

TEST_CASE("a question that takes too long, or writes, is refused with a sentence") {
  Served served;
  Site site(served.shell, {.query_seconds = 0.05});
  const json long_one =
      answered(site, "/answer.json",
               {{"sql", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}});
  CHECK(long_one.at("status") == 400);
  CHECK_THAT(long_one.at("error").get<std::string>(), Catch::Contains("took longer than 0.05 s"));
  CHECK(answered(site, "/answer.json", {{"sql", "DELETE FROM iteration"}}).at("status") == 400);
  std::string blobs = "SELECT zeroblob(30000000) || 'x'";
  for (int more = 0; more < 20; ++more) blobs += ", zeroblob(30000000) || 'x'";
  Site patient(served.shell, {});
  const json large = answered(patient, "/answer.json", {{"sql", blobs}});
  CHECK(large.at("status") == 400);
  CHECK_THAT(large.at("error").get<std::string>(), Catch::Contains("it takes more memory than there is for it"));
  CHECK(answered(patient, "/campaigns.json").at("status") == 200);
  CHECK(answered(site, "/answer.json", {{"sql", "SELECT 1"}}).at("answer").at("rows") == json{{1}});
}

TEST_CASE("a crowd waits for few connections to the store, each of which comes back, also where a question fails") {
  const Served served(0, 0);
  std::atomic<int> opened{0}, lent{0}, most{0};
  Readers readers({served.path,
                   [&] {
                     ++opened;
                     return store::open_page_record(served.path, SqlReach::everything);
                   },
                   {}});
  std::vector<std::thread> crowd;
  for (int one = 0; one < 40; ++one)
    crowd.emplace_back([&] {
      for (const char* sql : {"SELECT 1", "SELECT nothing"}) try {
          Readers::Lease lease(readers);
          const int now = ++lent;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          --lent;
          lease.pages().query(sql, {});
        } catch (const Error&) {
          if (sql == std::string("SELECT 1")) opened = 1000;
        }
    });
  for (std::thread& one : crowd) one.join();
  CHECK(most <= 8);
  CHECK(most > 1);
  CHECK(opened < 80);
}

TEST_CASE("only GET is answered, only under its own name, and nowhere but below it") {
  Served served;
  Site site(served.shell, {});
  Asked asked = ask("/campaigns.json");
  asked.asker.host = "evil.com";
  CHECK(site.answer(asked).status == 421);
  asked = ask("/campaigns.json");
  asked.asker.origin = "http://evil.com";
  CHECK(site.answer(asked).status == 403);
  asked = ask("/campaigns.json");
  asked.method = "POST";
  CHECK(site.answer(asked).status == 405);
  for (const char* path : {"/../etc/passwd", "/assets/../site.cpp", "/assets/", "/assets/app.js/x", "//", "/campaign/",
                           "/campaign/1/2/3.json", "/nothing.json"}) {
    INFO(path);
    CHECK(site.answer(ask(path)).status == 404);
  }
  CHECK(answered(site, "/attempt/none.json").at("status") == 400);
  CHECK(answered(site, "/attempt/999999.json").at("status") == 400);
}

TEST_CASE("with a token nothing is shown to who does not know it") {
  Served served;
  Site site(served.shell, {.host = "0.0.0.0", .token = "0123456789abcdef"});
  CHECK(site.answer(ask("/campaigns.json")).status == 401);
  CHECK(site.answer(ask("/live.json")).status == 401);
  const Answer door = site.answer(ask("/campaigns"));
  CHECK(door.status == 401);
  CHECK_THAT(door.body, Catch::Contains("<form method=\"post\" action=\"/login\">"));
  CHECK(site.answer(ask("/assets/style.css")).status == 200);
  Asked asked = ask("/campaigns.json");
  asked.authorization = "Bearer 0123456789abcdef";
  CHECK(site.answer(asked).status == 200);
  asked.authorization = "Bearer 0123456789abcdeX";
  CHECK(site.answer(asked).status == 401);

  asked = ask("/login", {{"token", "wrong, and long enough"}});
  asked.method = "POST";
  CHECK(site.answer(asked).status == 403);
  asked.words["token"] = "0123456789abcdef";
  const Answer welcome = site.answer(asked);
  CHECK(welcome.status == 303);
  std::string given;
  for (const auto& [name, value] : welcome.headers)
    if (name == "Set-Cookie") given = value.substr(0, value.find(';'));
  CHECK_THAT(given, !Catch::Contains("0123456789abcdef"));
  asked = ask("/campaigns.json");
  asked.cookie = given;
  CHECK(site.answer(asked).status == 200);
}

TEST_CASE("a session's page shows agents nothing that they must not know") {
  Served served;
  Site site(served.shell, {.agents = true});
  for (const Page& page : agent_pages()) {
    if (page.tables.empty()) continue;
    const Answer answer = site.answer(ask(address_of(page) + ".json"));
    INFO(page.pattern << " " << answer.body);
    CHECK(answer.status == 200);
    for (const char* secret : {"\"seeds\"", "tolerance", "18446744073709551615", "1e-4 of 1e-2", "\"confirmed\""})
      CHECK_THAT(answer.body, !Catch::Contains(secret));
  }
  for (const char* sql : {"SELECT seeds FROM iteration", "SELECT * FROM v_iterations", "SELECT detail FROM gate_result",
                          "SELECT * FROM argument_error", "SELECT * FROM admission"}) {
    INFO(sql);
    CHECK(answered(site, "/answer.json", {{"sql", sql}}).at("status") == 400);
  }
  for (const char* path : {"/devices.json", "/attempts.json", "/kernel/attention.json", "/difference.json",
                           "/campaign/1/report.html", "/campaign/1/proposals.json"}) {
    INFO(path);
    CHECK(site.answer(ask(path)).status == 404);
  }
}

TEST_CASE("agents see live that a campaign goes on, and not that a winner is confirmed") {
  Served served(1, 4);
  std::int64_t campaign = 0;
  {
    const auto store = served.write();
    campaign = store->begin_campaign(a_campaign());
    AttemptRecord attempt = store::test::an_attempt(campaign, 7);
    attempt.purpose = Purpose::confirm;
    store::test::record(*store, attempt, store::test::an_evaluation(CompileError{"x"}));
  }
  const auto told = [&] {
    Site site(served.shell, {.agents = true});  // a new one is never behind
    return json::parse(site.answer(ask("/live.json")).body);
  };
  const json before = told();
  REQUIRE(before.at("live").size() == 1);
  CHECK(before["live"][0]["campaign"] == campaign);
  CHECK_FALSE(before["live"][0].contains("phase"));
  const json all = answered(*std::make_unique<Site>(served.shell, SiteOptions{}), "/live.json");
  CHECK(all["newest"]["iteration"] == before["newest"]["iteration"].get<std::int64_t>() + 1);
  store::test::record(*served.write(), store::test::an_attempt(campaign, 8),
                      store::test::an_evaluation(CompileError{"y"}));
  CHECK(told()["newest"]["iteration"] > before["newest"]["iteration"]);
}

TEST_CASE("hostile names and messages come out of the store as they are, as JSON and as CSV") {
  Served served(1, 1);
  const std::string hostile = "</script><script>alert(1)</script>\"'&\n\x1b[31m";
  {
    const auto store = served.write();
    AttemptRecord attempt = store::test::an_attempt(1, 7);
    attempt.candidate.variant = hostile;
    Evaluation evaluation = store::test::an_evaluation(CompileError{hostile});
    evaluation.source_text = hostile;
    store::test::record(*store, attempt, evaluation);
  }
  Site site(served.shell, {});
  const json found = answered(site, "/attempt/2.json");
  CHECK(found.at("iteration").at("variant") == hostile);
  CHECK(found.at("iteration").at("source") == hostile);
  const Answer csv = site.answer(ask("/attempts.csv"));
  CHECK_THAT(csv.body, Catch::Contains("\"</script><script>alert(1)</script>\"\"'&\n\x1b[31m\""));
  CHECK(csv.type.starts_with("application/csv"));
}

TEST_CASE("a store that is replaced is opened anew; one that is gone or damaged is told, and found again") {
  Served served(1, 5);
  Site site(served.shell, {});
  CHECK(answered(site, "/campaigns.json").at("tables").at("campaigns").at("rows").size() == 1);
  std::filesystem::rename(served.path, served.path + ".away");
  const json gone = answered(site, "/campaigns.json");
  CHECK(gone.at("status") == 503);
  CHECK_THAT(gone.at("error").get<std::string>(), Catch::Contains("there is no store"));
  std::ofstream(served.path) << std::string(4096, 'x');
  CHECK(answered(site, "/campaigns.json").at("status") != 200);
  CHECK(json::parse(site.answer(ask("/live.json")).body).contains("error"));
  std::filesystem::remove(served.path);
  store::test::random_history(*served.write(), 2, 3, 2);
  CHECK(answered(site, "/campaigns.json").at("tables").at("campaigns").at("rows").size() == 3);
}

TEST_CASE("a store that is moved to a newer schema while it is served is told on every page, and found again") {
  Served served(1, 5);
  Site site(served.shell, {});
  const char* const kPaths[] = {"/campaigns.json", "/campaign/1.json", "/attempt/1.json", "/attempts.json"};
  const auto all_say = [&](const char* sentence) {
    for (const char* path : kPaths) {
      const json told = answered(site, path);
      CHECK(told.at("status") == 503);
      CHECK_THAT(told.value("error", ""), Catch::Contains(sentence));
      CHECK(site.answer(ask("/campaigns")).status == 200);
    }
  };
  for (const char* path : kPaths) CHECK(answered(site, path).at("status") == 200);  // connections are open
  const auto writer = served.write();
  auto& other = writer->connection().database();
  const int version = other.execAndGet("PRAGMA user_version");
  other.exec("PRAGMA user_version = " + std::to_string(version + 1));
  all_say("and this harness knows version");
  other.exec("PRAGMA user_version = " + std::to_string(version));
  for (const char* path : kPaths) CHECK(answered(site, path).at("status") == 200);
}

TEST_CASE("CSV is that of RFC 4180") {
  SqlAnswer answer;
  answer.columns = {"a", "b,c"};
  answer.rows = json::array({{1, "x"}, {nullptr, "say \"so\""}, {2.5, "two\nlines"}});
  CHECK(table_csv(answer) == "a,\"b,c\"\r\n1,x\r\n,\"say \"\"so\"\"\"\r\n2.5,\"two\nlines\"\r\n");
}

TEST_CASE("the page asks nobody but its server, and fits into 200 kB") {
  std::size_t bytes = 0;
  for (const char* name : {"page.html", "app.js", "style.css", "icon.svg"}) {
    const auto asset = find_asset(name);
    REQUIRE(asset);
    bytes += asset->text.size();
    for (const char* elsewhere : {"https://", "//cdn", "innerHTML", "document.write", "eval("}) {
      INFO(name << " has " << elsewhere);
      CHECK(asset->text.find(elsewhere) == std::string_view::npos);
    }
  }
  CHECK(bytes < 200'000);
}
