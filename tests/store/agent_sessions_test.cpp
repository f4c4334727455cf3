#include "harness/store/agent_sessions.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/store/chain.h"
#include "harness/store/integrity.h"
#include "harness/store/read_only_sql.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

CampaignRecord a_session(std::optional<double> budget_s, const std::string& name = "night") {
  CampaignRecord record = a_campaign();
  record.strategy.clear();
  record.name = name;
  record.budget_s = budget_s;
  record.max_cost_usd.reset();
  return record;
}

AgentJob a_job(std::int64_t campaign, const std::string& key = "k") {
  AgentJob job;
  job.campaign = campaign;
  job.kind = "evaluate";
  job.request = {{"kernel", "softmax"}};
  job.key = key;
  return job;
}

struct Fixture {
  Folder folder;
  std::string path = folder / "x.db";
  std::unique_ptr<Store> store = Store::open(path, Mode::read_write);
  StoredSessions sessions{*store};
};

int in_child_process(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a session is one campaign for all who name it, and its limits only fall") {
  const json judge = {{"program", "p"}};
  const AgentSession first = sessions.open_session(a_session(100), judge);
  CHECK(first.left_s() == 100);
  CHECK(first.judge == judge);
  const auto other = Store::open(path, Mode::read_write);
  StoredSessions there{*other};
  CHECK(there.open_session(a_session(900), {{"program", "q"}}).campaign == first.campaign);
  CHECK(there.session(first.campaign).budget_s == 100);
  CHECK(there.session(first.campaign).judge == judge);
  CHECK(there.open_session(a_session(40), judge).budget_s == 40);
  CHECK(sessions.session(first.campaign).budget_s == 40);
  CHECK(sessions.open_session(a_session({}), judge).budget_s == 40);
  CHECK(sessions.open_session(a_session({}, "day"), judge).campaign != first.campaign);
  CampaignRecord elsewhere = a_session(40);
  elsewhere.device = "cuda:7";
  CHECK_THROWS_WITH(sessions.open_session(elsewhere, judge), Catch::Contains("--session"));
}

TEST_CASE_METHOD(Fixture, "a job is signed once, charged once, and its answer is found by its key") {
  const std::int64_t session = sessions.open_session(a_session(100), {}).campaign;
  const std::int64_t id = *sessions.add_job(a_job(session), 8);
  CHECK(sessions.job(id).state == JobState::waiting);
  CHECK(sessions.sign_job(id));
  CHECK_FALSE(sessions.sign_job(id));
  sessions.begin_job(id);
  CHECK(sessions.job(id).state == JobState::running);
  store->connection().database().exec("UPDATE agent_job SET begun_unix = begun_unix - 7");  // seven seconds ago
  CHECK(sessions.session(session).spent_s >= 7);
  record(*store, an_attempt(session), passed(100));
  CHECK_FALSE(sessions.answered_job("k"));
  sessions.end_job(id, JobState::done, {{"ok", true}}, true);
  CHECK(sessions.answered_job("k")->answer["ok"] == true);
  CHECK_FALSE(sessions.answered_job("other"));
  const double spent = sessions.session(session).spent_s;
  CHECK(spent >= 7);
  CHECK(spent < 8);
  CHECK(value(*store, "SELECT owner FROM campaign WHERE name = 'night'") == nullptr);
  CHECK_THROWS_WITH(sessions.job(99), Catch::Contains("no job 99"));
}

TEST_CASE_METHOD(Fixture, "a job that was never begun can be cancelled, and is not signed any more") {
  const std::int64_t session = sessions.open_session(a_session(100), {}).campaign;
  const std::int64_t id = *sessions.add_job(a_job(session), 8);
  sessions.cancel_job(id, session);
  CHECK(sessions.job(id).state == JobState::interrupted);
  CHECK_FALSE(sessions.sign_job(id));
}

TEST_CASE_METHOD(Fixture, "a session has no more open jobs than it may, and another one has its own") {
  const std::int64_t session = sessions.open_session(a_session(100), {}).campaign;
  const std::int64_t other = sessions.open_session(a_session(100, "day"), {}).campaign;
  const std::int64_t first = *sessions.add_job(a_job(session), 2);
  REQUIRE(sessions.add_job(a_job(session), 2));
  CHECK_FALSE(sessions.add_job(a_job(session), 2));
  CHECK(sessions.add_job(a_job(other), 2));
  sessions.cancel_job(first, session);
  CHECK(sessions.add_job(a_job(session), 2));
  CHECK_FALSE(sessions.add_job(a_job(session), 2));
  // What no process signed within a minute could not begin.
  store->connection().database().exec("UPDATE agent_job SET asked_unix = asked_unix - 100");
  CHECK(sessions.add_job(a_job(session), 2));
}

TEST_CASE_METHOD(Fixture, "a session stops its own jobs, and no other's") {
  const std::int64_t session = sessions.open_session(a_session(100), {}).campaign;
  const std::int64_t other = sessions.open_session(a_session(100, "day"), {}).campaign;
  const std::int64_t id = *sessions.add_job(a_job(session), 8);
  CHECK_THROWS_WITH(sessions.cancel_job(id, other), Catch::Contains("started by the session 'night'"));
  CHECK(sessions.job(id).state == JobState::waiting);
  CHECK_FALSE(sessions.job(id).cancelled);
  CHECK_THROWS_WITH(sessions.cancel_job(99, session), Catch::Contains("no job 99"));
}

TEST_CASE_METHOD(Fixture, "a job whose process was killed is lost, and what it spent stays spent") {
  const std::int64_t session = sessions.open_session(a_session(100), {}).campaign;
  const std::int64_t id = *sessions.add_job(a_job(session), 8);
  in_child_process([&] {
    const auto own = Store::open(path, Mode::read_write);
    StoredSessions there{*own};
    there.sign_job(id);
    there.begin_job(id);
    usleep(120'000);
    _exit(9);  // ends nothing
  });
  CHECK(sessions.job(id).state == JobState::lost);
  CHECK(sessions.session(session).spent_s > 0.05);
  CHECK(sessions.session(session).spent_s < 50);
}

TEST_CASE_METHOD(Fixture, "agents read the views that are theirs, whatever a statement calls itself") {
  random_history(*store, 3, 2, 12);
  CHECK(sessions.agent_query("SELECT count(*) FROM agent_iterations").rows[0][0] == 24);
  CHECK(sessions.agent_query("SELECT g.name FROM agent_gates g JOIN agent_iterations i USING (iteration) LIMIT 1")
            .columns.size() == 1);
  CHECK(sessions.agent_query("WITH a AS (SELECT outcome FROM agent_iterations) SELECT count(*) FROM a").rows[0][0] ==
        24);
  CHECK(sessions.agent_query("SELECT value FROM json_each('[1,2]')").rows.size() == 2);
  // Times of three kinds have three columns.
  const std::string timed = "SELECT count(time_ns), count(predicted_ns), count(emulated_ns) FROM agent_iterations";
  const json measured = sessions.agent_query(timed).rows[0];
  CHECK((measured[0] > 0 && measured[1] == 0 && measured[2] == 0));
  store->connection().database().exec("UPDATE iteration SET emulation = 1");
  CHECK(json(sessions.agent_query(timed).rows[0]) == json{0, 0, measured[0]});
  store->connection().database().exec("UPDATE campaign SET device_name = 'H200, predicted, not measured'");
  CHECK(json(sessions.agent_query(timed).rows[0]) == json{0, measured[0], 0});
  for (const char* sql :
       {"SELECT seeds FROM iteration", "SELECT count(id) FROM iteration", "SELECT * FROM v_iterations",
        "WITH agent_iterations AS (SELECT * FROM iteration) SELECT seeds FROM agent_iterations",
        "SELECT * FROM (SELECT detail AS agent_detail FROM gate_result) agent_gates", "SELECT * FROM main.agent_gates",
        "SELECT answer FROM agent_job", "SELECT text FROM agent_note", "SELECT tolerances FROM admission",
        "SELECT sql FROM sqlite_schema", "SELECT name FROM sqlite_temp_schema", "PRAGMA table_info(iteration)",
        "SELECT * FROM pragma_table_info('iteration')", "DELETE FROM iteration", "ATTACH 'x' AS y"}) {
    INFO(sql);
    CHECK_THROWS_AS(sessions.agent_query(sql), Error);
  }
}

TEST_CASE_METHOD(Fixture, "similar attempts: the same mistake, the same technique, the nearest configuration") {
  const std::int64_t campaign = store->begin_campaign(a_campaign());
  AttemptRecord near = an_attempt(campaign), far = near;
  near.candidate.config = {{"BLOCK", std::int64_t{64}}, {"VEC", std::int64_t{4}}};
  far.candidate.config = {{"BLOCK", std::int64_t{64}}, {"VEC", std::int64_t{1}}};
  const std::int64_t one = record(*store, near, passed(100));
  const std::int64_t two = record(*store, far, wrong());
  AttemptLikeness likeness;
  likeness.kernel = near.candidate.kernel;
  CHECK(sessions.similar_attempts(likeness)["attempts"][0]["iteration"] == two);  // the newest
  likeness.config = near.candidate.config;
  CHECK(sessions.similar_attempts(likeness)["attempts"][0]["iteration"] == one);
  likeness.config.clear();
  likeness.fingerprint = value(*store, "SELECT fingerprint FROM iteration WHERE fingerprint <> ''").get<std::string>();
  const json same = sessions.similar_attempts(likeness);
  CHECK(same["attempts"].size() == 1);
  CHECK(same["techniques"][0]["attempts"] == 2);
}

TEST_CASE_METHOD(Fixture, "notes are read with those about every kernel, the newest first") {
  const std::int64_t session = sessions.open_session(a_session(100), {}).campaign;
  for (const char* kernel : {"softmax", "", "attention"})
    sessions.add_note(session, {0, {}, kernel, std::string("on ") + kernel, 0});
  const auto notes = sessions.notes("softmax", 10);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].text == "on ");
  CHECK(notes[1].text == "on softmax");
}

TEST_CASE_METHOD(Fixture, "whoever changes, takes away or adds a row breaks the chain") {
  random_history(*store, 5, 2, 8);
  CHECK(integrity(*store).empty());
  CHECK(sessions.chain_head().size() == 64);
  const auto broken_by = [&](const char* sql) {
    SQLite::Database& database = store->connection().database();
    SQLite::Transaction undone(database);
    database.exec(std::string("PRAGMA defer_foreign_keys = ON; ") + sql);
    return broken_links(store->connection());
  };
  CHECK_THAT(broken_by("UPDATE iteration SET time_ns = 1 WHERE id = 3").front(), Catch::Contains("iteration 3"));
  CHECK_FALSE(broken_by("UPDATE gate_result SET passed = 1 - passed WHERE iteration = 4").empty());
  CHECK_FALSE(broken_by("UPDATE iteration_link SET hash = 'x' WHERE iteration = 5").empty());
  CHECK_FALSE(broken_by("DELETE FROM iteration_link WHERE iteration = 6").empty());
  CHECK_THAT(broken_by("INSERT INTO attempt (id, campaign, decision, candidate, workload, ask, purpose, begun_unix, "
                       "budget_left_s, label, "
                       "parent) SELECT 900, campaign, decision, candidate, workload, ask, purpose, "
                       "begun_unix, budget_left_s, label, parent FROM attempt WHERE id = 1;"
                       "CREATE TEMP TABLE copy AS SELECT * FROM iteration WHERE id = 1; "
                       "UPDATE copy SET id = 900, attempt = 900; INSERT INTO iteration SELECT * FROM copy")
                 .front(),
             Catch::Contains("iteration 900 has no link"));
  CHECK(broken_links(store->connection()).empty());
}
