#include "harness/store/agent_sessions.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/store/chain.h"
#include "harness/store/columns.h"
#include "harness/store/owner.h"
#include "harness/store/read_only_sql.h"
#include "harness/store/statement.h"

namespace harness::store {
namespace {

constexpr const char* kJob =
    "SELECT id, campaign, kind, request, key, state, answer, cancelled, asked_unix, begun_unix, ended_unix, owner "
    "FROM agent_job WHERE id = ?";
constexpr const char* kAnsweredJob =
    "SELECT id, campaign, kind, request, key, state, answer, cancelled, asked_unix, begun_unix, ended_unix, owner "
    "FROM agent_job WHERE key = ? AND lasting = 1 ORDER BY id DESC LIMIT 1";
constexpr const char* kJobs =
    "SELECT id, campaign, kind, request, key, state, answer, cancelled, asked_unix, begun_unix, ended_unix, owner "
    "FROM agent_job WHERE campaign = ? ORDER BY id DESC LIMIT ?";

AgentJob read_job(const Statement& query) {
  AgentJob job;
  job.id = query.integer(0);
  job.campaign = query.integer(1);
  job.kind = query.text(2);
  job.request = query.parsed(3);
  job.key = query.text(4);
  job.state = named<JobState>(query.text(5));
  job.answer = query.parsed(6);
  job.cancelled = query.flag(7);
  job.asked_unix = query.real(8);
  job.begun_unix = query.maybe_real(9);
  job.ended_unix = query.maybe_real(10);
  job.owner = query.text(11);
  return job;
}

std::int64_t session_of_name(Connection& connection, const std::string& name) {
  Statement query(connection,
                  "SELECT id FROM campaign WHERE name = ? AND imported = 0 AND json_extract(options, '$.session') = 1 "
                  "ORDER BY id LIMIT 1",
                  name);
  return query.next() ? query.integer(0) : 0;
}

double number_of(Connection& connection, const char* sql, std::int64_t id, double now) {
  Statement query(connection, sql, id, now);
  return query.next() ? query.real(0) : 0;
}

/// What the campaign spent, with what its running jobs have spent since they began.
double spent_with_running(Connection& connection, std::int64_t campaign, double now) {
  return number_of(connection,
                   "SELECT max(p.spent_s, coalesce((SELECT max(spent_before + ?2 - begun_unix) FROM agent_job "
                   "WHERE campaign = p.id AND state = 'running'), 0)) FROM campaign p WHERE p.id = ?1",
                   campaign, now);
}

/// What a running job has spent that nothing has charged to its campaign yet.
double unaccounted_s(Connection& connection, std::int64_t job, double now) {
  return number_of(connection,
                   "SELECT j.spent_before + ?2 - j.begun_unix - p.spent_s FROM agent_job j JOIN campaign p "
                   "ON p.id = j.campaign WHERE j.id = ?1",
                   job, now);
}

void lower_limits(Connection& connection, std::int64_t campaign, const CampaignRecord& record) {
  Statement(connection,
            "UPDATE campaign SET budget_s = min(coalesce(budget_s, ?2), coalesce(?2, budget_s)), "
            "max_cost_usd = min(coalesce(max_cost_usd, ?3), coalesce(?3, max_cost_usd)) WHERE id = ?1",
            campaign, record.budget_s, record.max_cost_usd)
      .run();
}

}  // namespace

AgentSession StoredSessions::open_session(const CampaignRecord& record, const json& judge) {
  Connection& connection = store_.connection();
  std::int64_t id = 0;
  {
    Write write(connection, Durability::machine);
    id = session_of_name(connection, record.name.value());
    if (id == 0) {
      CampaignRecord begun = record;
      begun.options = {{"eval", true}, {"session", true}, {"judge", judge}};
      id = insert_campaign(connection, begun, new_uuid(), now_unix());
    } else lower_limits(connection, id, record);
    write.commit();
  }
  AgentSession opened = session(id);
  if (opened.device != record.device)
    throw bad_input(fmt::format("the session '{}' is of device {}, and this server has {}; name another with --session",
                                opened.name, opened.device, record.device));
  return opened;
}

AgentSession StoredSessions::session(std::int64_t campaign) {
  settle_lost_jobs(campaign);
  Connection& connection = store_.connection();
  const CampaignRecord record = read_campaign(connection, campaign);
  AgentSession session{campaign,
                       record.name.value_or(""),
                       record.device,
                       record.budget_s,
                       record.max_cost_usd,
                       spent_with_running(connection, campaign, now_unix()),
                       {},
                       record.options.value("judge", json::object())};
  if (record.usd_per_hour) session.spent_usd = session.spent_s * *record.usd_per_hour / 3600;
  return session;
}

/// A job whose process never signed it is forgotten after a minute: it could not begin.
std::optional<std::int64_t> StoredSessions::add_job(const AgentJob& job, std::int64_t most) {
  settle_lost_jobs(job.campaign);
  Write write(store_.connection(), Durability::machine);
  {
    Statement open(store_.connection(),
                   "SELECT count(*) FROM agent_job WHERE campaign = ? AND state IN ('waiting', 'running') "
                   "AND (owner IS NOT NULL OR asked_unix > ?)",
                   job.campaign, now_unix() - 60);
    if (open.next() && open.integer(0) >= most) return std::nullopt;
  }
  Statement(store_.connection(),
            "INSERT INTO agent_job (campaign, kind, request, key, asked_unix, state) VALUES (?, ?, ?, ?, ?, 'waiting')",
            job.campaign, job.kind, json_text(job.request), job.key, now_unix())
      .run();
  const std::int64_t id = store_.connection().database().getLastInsertRowid();
  write.commit();
  return id;
}

AgentJob StoredSessions::job(std::int64_t id) {
  const auto read = [&]() -> std::optional<AgentJob> {
    Statement query(store_.connection(), kJob, id);
    return query.next() ? std::optional(read_job(query)) : std::nullopt;
  };
  auto found = read();
  if (!found) throw bad_input(fmt::format("there is no job {}; the tool budget lists the newest", id));
  const bool open = found->state == JobState::waiting || found->state == JobState::running;
  if (!open || found->owner.empty() || still_runs(found->owner)) return *found;
  settle_lost_jobs(found->campaign);
  return *read();
}

std::optional<AgentJob> StoredSessions::answered_job(const std::string& key) {
  Statement query(store_.connection(), kAnsweredJob, key);
  return query.next() ? std::optional(read_job(query)) : std::nullopt;
}

std::vector<AgentJob> StoredSessions::jobs(std::int64_t campaign, std::int64_t limit) {
  std::vector<AgentJob> found;
  for (Statement query(store_.connection(), kJobs, campaign, limit); query.next();) found.push_back(read_job(query));
  return found;
}

/// A job that was killed leaves its session charged: the pulse of its process says how long it lived.
void StoredSessions::settle_lost_jobs(std::int64_t campaign) {
  Connection& connection = store_.connection();
  std::vector<std::int64_t> lost;
  {
    Statement query(connection,
                    "SELECT id, owner FROM agent_job WHERE campaign = ? AND state IN ('waiting', 'running') "
                    "AND owner IS NOT NULL",
                    campaign);
    while (query.next())
      if (!still_runs(query.text(1))) lost.push_back(query.integer(0));
  }
  if (lost.empty()) return;
  store_.settle_lost_time();
  Write write(connection);
  for (const std::int64_t id : lost)
    Statement(connection,
              "UPDATE agent_job SET state = 'lost', ended_unix = ?2 WHERE id = ?1 AND state IN ('waiting', 'running')",
              id, now_unix())
        .run();
  write.commit();
}

void StoredSessions::cancel_job(std::int64_t id, std::int64_t campaign) {
  const std::int64_t of = job(id).campaign;
  if (of != campaign)
    throw bad_input(fmt::format("job {} was started by the session '{}', which alone may stop it", id,
                                read_campaign(store_.connection(), of).name.value_or("")));
  Write write(store_.connection());
  Statement(store_.connection(), "UPDATE agent_job SET cancelled = 1 WHERE id = ?", id).run();
  Statement(store_.connection(),
            "UPDATE agent_job SET state = 'interrupted', ended_unix = ?2 WHERE id = ?1 AND state = 'waiting' "
            "AND owner IS NULL",
            id, now_unix())
      .run();
  write.commit();
}

bool StoredSessions::sign_job(std::int64_t id) {
  Write write(store_.connection());
  Statement(store_.connection(),
            "UPDATE agent_job SET owner = ?2 WHERE id = ?1 AND state = 'waiting' AND owner IS NULL", id, this_process())
      .run();
  const bool signed_now = store_.connection().database().getChanges() == 1;
  write.commit();
  return signed_now;
}

void StoredSessions::begin_job(std::int64_t id) {
  const std::int64_t campaign = job(id).campaign;
  Write write(store_.connection(), Durability::machine);
  store_.claim(campaign);
  Statement(store_.connection(),
            "UPDATE agent_job SET state = 'running', begun_unix = ?2, "
            "spent_before = (SELECT spent_s FROM campaign WHERE id = campaign) WHERE id = ?1",
            id, now_unix())
      .run();
  write.commit();
}

void StoredSessions::end_job(std::int64_t id, JobState state, const json& answer, bool lasting) {
  Connection& connection = store_.connection();
  const AgentJob ended = job(id);
  if (ended.begun_unix) store_.charge(ended.campaign, "job", unaccounted_s(connection, id, now_unix()));
  Write write(connection);
  Statement(connection, "UPDATE agent_job SET state = ?2, answer = ?3, lasting = ?4, ended_unix = ?5 WHERE id = ?1", id,
            name(state), json_text(answer), lasting, now_unix())
      .run();
  write.commit();
  if (ended.begun_unix)
    store_.end_campaign(ended.campaign, EndReason::exhausted, store_.spent_seconds(ended.campaign), std::nullopt);
}

std::int64_t StoredSessions::add_note(std::int64_t campaign, const AgentNote& note) {
  Write write(store_.connection());
  Statement(store_.connection(),
            "INSERT INTO agent_note (campaign, iteration, kernel, text, noted_unix) VALUES (?, ?, ?, ?, ?)", campaign,
            note.iteration, note.kernel, note.text, now_unix())
      .run();
  const std::int64_t id = store_.connection().database().getLastInsertRowid();
  write.commit();
  return id;
}

std::vector<AgentNote> StoredSessions::notes(const std::string& kernel, std::int64_t limit) {
  std::vector<AgentNote> found;
  Statement query(store_.connection(),
                  "SELECT id, iteration, kernel, text, noted_unix FROM agent_note WHERE kernel IN (?1, '') "
                  "ORDER BY id DESC LIMIT ?2",
                  kernel, limit);
  while (query.next())
    found.push_back({query.integer(0), query.maybe_integer(1), query.text(2), query.text(3), query.real(4)});
  return found;
}

SqlAnswer StoredSessions::agent_query(const std::string& sql) {
  SqlLimits limits;
  limits.seconds = 5;
  limits.rows = 200;
  limits.bytes = 1024 * 1024;
  limits.reach = SqlReach::agent_views;
  return read_only_sql(store_.connection().path(), sql, limits);
}

std::vector<AgentView> StoredSessions::agent_views() {
  std::vector<AgentView> views;
  Statement query(store_.connection(),
                  "SELECT m.name, group_concat(c.name, ', ') FROM sqlite_schema m, pragma_table_info(m.name) c "
                  "WHERE m.type = 'view' AND m.name GLOB 'agent_*' GROUP BY m.name ORDER BY m.name");
  while (query.next()) views.push_back({query.text(0), query.text(1)});
  return views;
}

SqlAnswer StoredSessions::ranked_iterations(std::int64_t campaign) {
  return agent_query(fmt::format(
      "SELECT iteration, kernel, workload, variant, outcome, speedup, time_ns, predicted_ns, emulated_ns, label "
      "FROM agent_iterations WHERE campaign = {} ORDER BY speedup DESC NULLS LAST, iteration LIMIT 200",
      campaign));
}

std::string StoredSessions::mistake_of(std::int64_t iteration) {
  Statement query(store_.connection(), "SELECT fingerprint FROM agent_iterations WHERE iteration = ?", iteration);
  return query.next() ? query.text(0) : "";
}

std::string StoredSessions::chain_head() {
  return store::chain_head(store_.connection());
}

}  // namespace harness::store
