#pragma once
#include "harness/core/agent_session.h"
#include "harness/store/store.h"

namespace harness::store {

/// The real AgentSessions: tables agent_job and agent_note, and campaigns whose options say {"session": true}.
class StoredSessions : public AgentSessions {
 public:
  explicit StoredSessions(Store& store) : store_(store) {}

  AgentSession open_session(const CampaignRecord& record, const json& judge) override;
  AgentSession session(std::int64_t campaign) override;
  std::optional<std::int64_t> add_job(const AgentJob& job, std::int64_t most) override;
  AgentJob job(std::int64_t id) override;
  std::optional<AgentJob> answered_job(const std::string& key) override;
  std::vector<AgentJob> jobs(std::int64_t campaign, std::int64_t limit) override;
  void cancel_job(std::int64_t id, std::int64_t campaign) override;
  bool sign_job(std::int64_t id) override;
  void begin_job(std::int64_t id) override;
  void end_job(std::int64_t id, JobState state, const json& answer, bool lasting) override;
  std::int64_t add_note(std::int64_t campaign, const AgentNote& note) override;
  std::vector<AgentNote> notes(const std::string& kernel, std::int64_t limit) override;
  json similar_attempts(const AttemptLikeness& likeness) override;
  SqlAnswer agent_query(const std::string& sql) override;
  std::vector<AgentView> agent_views() override;
  SqlAnswer ranked_iterations(std::int64_t campaign) override;
  std::string mistake_of(std::int64_t iteration) override;
  std::string chain_head() override;

 private:
  void settle_lost_jobs(std::int64_t campaign);

  Store& store_;
};

}  // namespace harness::store
