#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/history.h"
#include "harness/core/ledger.h"

// What agents draw on (`harness mcp`): a campaign with a name, whose budget every client of it shares, and the jobs
// that they started. All of it lies in the store, so that any later server goes on with it.
namespace harness {

struct AgentSession {
  std::int64_t campaign = 0;  // its number
  std::string name, device;
  std::optional<double> budget_s, max_cost_usd;
  double spent_s = 0;  // wall seconds of the device, with what runs now
  std::optional<double> spent_usd;
  /// What judges, as it was when the session began: {"program": SHA-256, "kernels": {NAME: admission hash}}.
  json judge = json::object();
  std::optional<double> left_s() const;    // at least 0; nothing: no such limit
  std::optional<double> left_usd() const;  // the same
  bool spent() const;                      // a limit is reached
};

/// waiting: nothing has begun it, or it waits for the device. lost: its process ended on the way.
enum class JobState { waiting, running, done, interrupted, lost };

struct AgentJob {
  std::int64_t id = 0, campaign = 0;
  std::string kind;  // evaluate, campaign
  json request = json::object();
  std::string key;  // of what is asked: the same request on the same files has the same
  JobState state = JobState::waiting;
  json answer = nullptr;
  bool cancelled = false;  // somebody asked it to stop
  double asked_unix = 0;
  std::optional<double> begun_unix, ended_unix;
  std::string owner;  // the process that does it
};

/// The name of the campaign that a job of kind "campaign" begins: "job 7".
std::string campaign_name(const AgentJob& job);

struct AgentNote {
  std::int64_t id = 0;
  std::optional<std::int64_t> iteration;
  std::string kernel, text;
  double noted_unix = 0;
};

/// What an attempt is to resemble; all that are given hold together.
struct AttemptLikeness {
  std::string kernel;
  std::optional<std::string> workload, variant, technique, fingerprint, outcome;
  Config config;  // those with the most of these values come first
  std::int64_t limit = 10;
};

/// A view that agents may read.
struct AgentView {
  std::string name, columns;  // with commas between them
};

// Ports to the sessions of a store. Each call is one transaction; any number of processes may use one store.

/// Sessions and their jobs.
class AgentJobs {
 public:
  virtual ~AgentJobs() = default;
  /// The session of that name (`record.name`), begun where there is none. Limits of the record lower those of the
  /// store and never raise them. `judge`: see AgentSession; kept where the session begins.
  /// Throws Error(bad_input) where the session is of another device.
  virtual AgentSession open_session(const CampaignRecord& record, const json& judge) = 0;
  virtual AgentSession session(std::int64_t campaign) = 0;

  /// Nothing: `most` jobs of its session have not ended. Each is a process, whose number a client must not choose.
  virtual std::optional<std::int64_t> add_job(const AgentJob& job, std::int64_t most) = 0;
  /// Unknown: Error(bad_input). A job whose process has ended is told as lost, and what it spent is charged.
  virtual AgentJob job(std::int64_t id) = 0;
  /// The newest job with this key whose answer holds for ever.
  virtual std::optional<AgentJob> answered_job(const std::string& key) = 0;
  virtual std::vector<AgentJob> jobs(std::int64_t campaign, std::int64_t limit) = 0;  // newest first
  /// For the session that started it; for another, and an unknown job: Error(bad_input).
  virtual void cancel_job(std::int64_t id, std::int64_t campaign) = 0;
  /// This process does it from now on; false: another has signed it, or it has ended.
  virtual bool sign_job(std::int64_t id) = 0;
  /// It has the device: from now on its time counts.
  virtual void begin_job(std::int64_t id) = 0;
  /// Charges what its evaluations have not. `lasting`: the same request may be answered by it again.
  virtual void end_job(std::int64_t id, JobState state, const json& answer, bool lasting) = 0;
};

/// What agents may know of the record, and what they write into it.
class AgentKnowledge {
 public:
  virtual ~AgentKnowledge() = default;
  virtual std::int64_t add_note(std::int64_t campaign, const AgentNote& note) = 0;
  virtual std::vector<AgentNote> notes(const std::string& kernel, std::int64_t limit) = 0;  // newest first
  /// {"techniques": what each was worth, "attempts": the nearest, newest first}; looks at the newest 20,000 of a
  /// kernel.
  virtual json similar_attempts(const AttemptLikeness& likeness) = 0;
  /// One SELECT over the views that agents may read (agent_...).
  virtual SqlAnswer agent_query(const std::string& sql) = 0;
  /// What such a statement may read.
  virtual std::vector<AgentView> agent_views() = 0;
  /// A campaign's iterations as agents may know them, the best first, at most 200.
  virtual SqlAnswer ranked_iterations(std::int64_t campaign) = 0;
  /// Of the mistake that an iteration made; "" where it made none, or agents may not know it.
  virtual std::string mistake_of(std::int64_t iteration) = 0;
  /// The hash of the newest link of the record's chain; "" where there is none.
  virtual std::string chain_head() = 0;
};

class AgentSessions : public AgentJobs, public AgentKnowledge {};

HARNESS_ENUM_TEXT(JobState);

}  // namespace harness
