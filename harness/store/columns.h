#pragma once
#include <chrono>

#include "harness/core/iteration_json.h"
#include "harness/store/statement.h"

// Rows in and out, inside whatever transaction the caller holds: the one place where values become columns. Store,
// import and the benchmark write through it.
namespace harness::store {

/// Seconds since 1970 of the wall clock, as rows hold them.
inline double now_unix() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t insert_campaign(Connection& connection, const CampaignRecord& record, const std::string& uuid,
                             double started_unix);
CampaignRecord read_campaign(Connection& connection, std::int64_t id);  // unknown: Error(bad_input)

std::int64_t insert_decision(Connection& connection, std::int64_t campaign, const DecisionRecord& record,
                             const ScriptIdentity& script, double decide_s);

/// The id of this candidate with these hashes, added when it is new.
std::int64_t intern_candidate(Connection& connection, const Candidate& candidate, const std::string& contract_hash,
                              const std::string& source_hash);
std::int64_t insert_attempt(Connection& connection, const AttemptRecord& record, double begun_unix);

/// Adds a text under its SHA-256, which it returns; `sql` is one of the two below.
std::string intern_text(Connection& connection, const char* sql, const std::string& text);
inline constexpr const char* kAddSource = "INSERT OR IGNORE INTO source VALUES (?, ?)";
inline constexpr const char* kAddLog = "INSERT OR IGNORE INTO build_log VALUES (?, ?)";

/// Adds the iteration of `attempt` with its gates, errors and samples; triggers keep the sums. `candidate` 0: the
/// attempt's. Texts must be interned before: only their keys are stored.
std::int64_t insert_iteration(Connection& connection, std::int64_t attempt, std::int64_t candidate,
                              const IterationRow& row);

struct RecordedIteration {
  IterationIdentity identity;
  IterationRow row;
  std::int64_t attempt = 0;
};
enum class Texts { none, log, all };
/// Unknown: Error(bad_input).
RecordedIteration read_iteration(Connection& connection, std::int64_t id, Texts texts);

/// Adds the proposal and its texts; returns its id. `record.campaign` and `decision` are of this store, and so is
/// `twin_iteration`.
std::int64_t insert_proposal(Connection& connection, const ProposalRecord& record);
/// Of one campaign, ascending.
std::vector<ProposalRecord> read_proposals(Connection& connection, std::int64_t campaign);

/// Adds what was found of an iteration of this store.
void insert_profile(Connection& connection, std::int64_t iteration, const Profile& profile);
/// Of one campaign, in the order in which they were made.
std::vector<ProfileRecord> read_profiles(Connection& connection, std::int64_t campaign);
/// The last one of an iteration.
std::optional<Profile> read_profile(Connection& connection, std::int64_t iteration);

/// Adds to what the campaign spent outside its evaluations. Without a price, `usd` stays unknown.
void add_charge(Connection& connection, std::int64_t campaign, const std::string& stage, const std::string& day,
                double seconds, const std::optional<double>& usd);

}  // namespace harness::store
