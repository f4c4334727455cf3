#include "harness/store/store.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdio>

#include "harness/core/error.h"
#include "harness/store/chain.h"
#include "harness/store/columns.h"
#include "harness/store/owner.h"
#include "harness/system/awake_clock.h"

namespace harness::store {
namespace {

/// From the last beat of a pulse to the end of its process: half a beat on average, and a few milliseconds of dying.
constexpr double kAfterLastBeatS = 0.01;
// Whoever opens a store waits at a prompt, for the connection's patience; a night's record outwaits a backup.
constexpr int kWriterPatienceMs = 60'000;

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(now_unix())));
}

void add_spending(Connection& connection, std::int64_t campaign, double wall_s, const std::optional<double>& usd) {
  Statement(
      connection,
      "UPDATE campaign SET spent_s = spent_s + ?2, cost_usd = iif(?3 IS NULL, cost_usd, coalesce(cost_usd, 0) + ?3) "
      "WHERE id = ?1",
      campaign, wall_s, usd)
      .run();
}

/// Wall seconds outside an evaluation, which the device waits through.
void charge_wall(Connection& connection, std::int64_t campaign, const std::string& stage, double seconds,
                 double wall_s) {
  Statement query(connection, "SELECT usd_per_hour * ?2 / 3600 FROM campaign WHERE id = ?1", campaign, seconds);
  const std::optional<double> usd = query.next() ? query.maybe_real(0) : std::nullopt;
  add_charge(connection, campaign, stage, today(), seconds, usd);
  add_spending(connection, campaign, wall_s, usd);
}

/// Seconds of single devices, of which several work at once.
bool is_of_devices(const std::string& stage) {
  return stage == "idle" || stage == "calibration";
}

void charge_beside(Connection& connection, std::int64_t campaign, const std::string& stage, double seconds) {
  Statement query(connection, "SELECT usd_per_hour * 0 FROM campaign WHERE id = ?", campaign);
  const std::optional<double> usd = query.next() ? query.maybe_real(0) : std::nullopt;
  add_charge(connection, campaign, stage, today(), seconds, usd);
}

struct BegunCandidate {
  AttemptRecord record;  // campaign and hashes only
  std::int64_t candidate = 0;
};

BegunCandidate begun_candidate(Connection& connection, std::int64_t attempt) {
  Statement query(connection,
                  "SELECT a.campaign, c.id, c.kernel, c.variant, c.technique, c.config, c.contract_hash, c.source_hash "
                  "FROM attempt a JOIN candidate c ON c.id = a.candidate WHERE a.id = ?",
                  attempt);
  if (!query.next()) throw bad_input(fmt::format("there is no attempt {} in the store {}", attempt, connection.path()));
  BegunCandidate found;
  found.record.campaign = query.integer(0);
  found.candidate = query.integer(1);
  found.record.candidate = {query.text(2), query.text(3), query.text(4), config_from_json(query.parsed(5))};
  found.record.contract_hash = query.text(6);
  found.record.source_hash = query.text(7);
  return found;
}

/// The candidate that was really built: its sources may have been edited since the attempt began.
std::int64_t candidate_built(Connection& connection, const BegunCandidate& begun, const Evaluation& evaluation) {
  const std::string contract = contract_hash_of(begun.record, evaluation);
  const std::string source = source_hash_of(begun.record, evaluation);
  if (contract == begun.record.contract_hash && source == begun.record.source_hash) return begun.candidate;
  return intern_candidate(connection, begun.record.candidate, contract, source);
}

}  // namespace

std::unique_ptr<Store> Store::open(const std::string& path, Mode mode) {
  return std::make_unique<Store>(Connection::open(path, mode));
}

std::unique_ptr<Store> Store::in_memory() {
  return std::make_unique<Store>(Connection::in_memory());
}

/// A campaign that goes on is running again: it has no end, and belongs to the process that writes to it.
void Store::claim(std::int64_t campaign) {
  if (claimed_.contains(campaign)) return;
  Statement(connection_,
            "UPDATE campaign SET owner = ?2 || ' ' || spent_s || ' ' || ?3, ended_unix = NULL, reason = NULL "
            "WHERE id = ?1",
            campaign, this_process(), lived_before_)
      .run();
  if (connection_.database().getChanges() == 0) {
    throw bad_input(fmt::format("there is no campaign {} in the store {}", campaign, connection_.path()));
  }
  connection_.database().setBusyTimeout(kWriterPatienceMs);
  keep_pulse();
}

void Store::keep_pulse() {
  if (pulse_ || connection_.file().empty()) return;
  watch_for_stops();
  pulse_ = std::make_unique<Pulse>(pulse_path(connection_.file(), this_process()));
}

void Store::settle_lost_time() {
  Write write(connection_);
  std::vector<std::pair<std::int64_t, std::string>> ended;
  std::vector<double> spent;
  Statement query(connection_, "SELECT id, owner, spent_s FROM campaign WHERE owner IS NOT NULL AND imported = 0");
  while (query.next())
    if (!still_runs(query.text(1))) {
      ended.emplace_back(query.integer(0), query.text(1));
      spent.push_back(query.real(2));
    }
  std::vector<std::string> pulses;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const Owner owner = parse_owner(ended[i].second);
    pulses.push_back(pulse_path(connection_.file(), owner.process));
    const std::optional<double> lived = last_pulse(pulses.back());
    if (lived) {
      const double lost = *lived + kAfterLastBeatS - owner.lived_s - (spent[i] - owner.spent_s);
      if (lost > 0) charge_wall(connection_, ended[i].first, "lost", lost, lost);
    }
    Statement(connection_, "UPDATE campaign SET owner = NULL WHERE id = ?", ended[i].first).run();
  }
  write.commit();
  for (const std::string& pulse : pulses) remove(pulse.c_str());
}

std::int64_t Store::begin_campaign(const CampaignRecord& record) {
  settle_lost_time();
  Write write(connection_, Durability::machine);
  const std::int64_t id = insert_campaign(connection_, record, new_uuid(), now_unix());
  claim(id);
  write.commit();
  claimed_.insert(id);
  note_devices(id, record);
  return id;
}

void Store::note_devices(std::int64_t campaign, const CampaignRecord& record) {
  const json devices = record.environment.is_object() ? record.environment.value("devices", json()) : json();
  if (devices.is_number() && devices.get<double>() > 1) devices_[campaign] = devices.get<double>();
}

/// What a device's seconds count of a campaign's wall seconds, where several work at once.
double Store::wall_of(std::int64_t campaign, double device_seconds) const {
  const auto several = devices_.find(campaign);
  return several == devices_.end() ? device_seconds : device_seconds / several->second;
}

/// Of a writer on another machine nobody here can tell whether it lives: for a minute after it last wrote it counts as
/// alive. A machine that was started again is no other one.
double Store::lease_left(std::int64_t campaign) {
  Statement query(
      connection_,
      "SELECT max(p.started_unix, coalesce((SELECT max(a.begun_unix) FROM attempt a WHERE a.campaign = p.id), 0), "
      "coalesce((SELECT max(i.ended_unix) FROM iteration i WHERE i.campaign = p.id), 0)), p.ended_unix, "
      "(SELECT facts FROM environment e WHERE e.campaign = p.id) FROM campaign p WHERE p.id = ?",
      campaign);
  if (!query.next() || !query.null(1) || query.null(2)) return 0;
  const json host = query.parsed(2).value("host", json());
  utsname own{};
  uname(&own);
  if (!host.is_string() || host == own.nodename) return 0;
  constexpr double kLeaseS = 60;
  return std::max(0.0, kLeaseS - (now_unix() - query.real(0)));
}

void Store::resume_campaign(std::int64_t campaign, const CampaignRecord& record) {
  settle_lost_time();
  Write write(connection_, Durability::machine);
  Statement query(connection_, "SELECT imported, strategy, owner FROM campaign WHERE id = ?", campaign);
  const bool known = query.next();
  const auto refuse = [&](const std::string& why) {
    throw bad_input(fmt::format("campaign {} cannot be resumed: {}", campaign, why));
  };
  if (!known) refuse("there is none of this number; see harness history");
  if (query.integer(0) != 0) refuse("it was imported; run it anew with harness run");
  if (query.text(1).empty()) refuse("it is a single eval; use harness eval again");
  if (const std::string owner = query.text(2); !parse_owner(owner).is_this_process() && still_runs(owner))
    refuse("another process is running it; wait for that or stop it");
  if (const double left = lease_left(campaign); left > 0)
    refuse(fmt::format("another machine wrote to it a moment ago; where that has ended, wait {:.0f} s more", left));
  Statement(connection_,
            "UPDATE campaign SET budget_s = ?2, max_cost_usd = ?3, usd_per_hour = ?4, options = ?5 WHERE id = ?1",
            campaign, record.budget_s, record.max_cost_usd, record.usd_per_hour, json_text(record.options))
      .run();
  claim(campaign);
  write.commit();
  claimed_.insert(campaign);
  note_devices(campaign, record);
}

void Store::keep_options(std::int64_t campaign, const json& options) {
  Write write(connection_, Durability::process);
  Statement(connection_, "UPDATE campaign SET options = ?2 WHERE id = ?1", campaign, json_text(options)).run();
  write.commit();
}

void Store::end_campaign(std::int64_t campaign, EndReason reason, double spent_s, std::optional<double> usd) {
  Write write(connection_, Durability::machine);
  Statement(
      connection_,
      "UPDATE campaign SET ended_unix = ?2, reason = ?3, spent_s = ?4, cost_usd = coalesce(?5, cost_usd), owner = NULL "
      "WHERE id = ?1",
      campaign, now_unix(), name(reason), spent_s, usd)
      .run();
  write.commit();
  claimed_.erase(campaign);
  if (claimed_.empty()) pulse_.reset();
  lived_before_ = awake_seconds() - awake_at_start();
}

std::int64_t Store::record_decision(std::int64_t campaign, const Decision& decision, const std::optional<ArmId>& from,
                                    const ScriptIdentity& script, std::int64_t now_unix, double decide_s) {
  Write write(connection_);
  claim(campaign);
  const std::int64_t id = insert_decision(connection_, campaign,
                                          {.decision = decision, .from = from, .now_unix = now_unix}, script, decide_s);
  if (decide_s > 0) charge_wall(connection_, campaign, "decide", decide_s, decide_s);
  write.commit();
  claimed_.insert(campaign);
  return id;
}

std::int64_t Store::begin_attempt(const AttemptRecord& record) {
  Write write(connection_, Durability::machine);
  claim(record.campaign);
  const std::int64_t id = insert_attempt(connection_, record, now_unix());
  Statement(connection_, "INSERT INTO attempt_boot VALUES (?, ?)", id, this_boot()).run();
  write.commit();
  claimed_.insert(record.campaign);
  return id;
}

std::int64_t Store::end_attempt(std::int64_t attempt, const Evaluation& evaluation, bool confirmed) {
  IterationRow row = row_of(evaluation, confirmed, now_unix());
  Write write(connection_);
  const BegunCandidate attempted = begun_candidate(connection_, attempt);
  if (row.source) row.source_key = intern_text(connection_, kAddSource, *row.source);
  if (row.log) row.log_key = intern_text(connection_, kAddLog, *row.log);
  const std::int64_t candidate = candidate_built(connection_, attempted, evaluation);
  const std::int64_t id = insert_iteration(connection_, attempt, candidate, row);
  add_link(connection_, id);
  add_spending(connection_, attempted.record.campaign, wall_of(attempted.record.campaign, row.cost.wall_s),
               row.cost.usd);
  write.commit();
  return id;
}

std::int64_t Store::record_proposal(const ProposalRecord& record) {
  Write write(connection_);
  claim(record.campaign);
  const std::int64_t id = insert_proposal(connection_, record);
  if (record.usage.usd) {
    add_charge(connection_, record.campaign, "model", today(), 0, record.usage.usd);
    add_spending(connection_, record.campaign, 0, record.usage.usd);
  }
  write.commit();
  claimed_.insert(record.campaign);
  return id;
}

std::vector<ProposalRecord> Store::proposals(std::int64_t campaign) {
  return read_proposals(connection_, campaign);
}

void Store::record_profile(std::int64_t iteration, const Profile& profile) {
  Write write(connection_);
  insert_profile(connection_, iteration, profile);
  write.commit();
}

std::vector<ProfileRecord> Store::profiles(std::int64_t campaign) {
  return read_profiles(connection_, campaign);
}

void Store::charge(std::int64_t campaign, const std::string& stage, double seconds) {
  if (seconds <= 0) return;
  Write write(connection_);
  if (stage == "prepare") charge_beside(connection_, campaign, stage, seconds);
  else charge_wall(connection_, campaign, stage, seconds, is_of_devices(stage) ? wall_of(campaign, seconds) : seconds);
  write.commit();
}

}  // namespace harness::store
