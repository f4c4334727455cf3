#include <ctime>

#include "harness/core/json.h"
#include "harness/store/columns.h"
#include "harness/store/store.h"

// What earlier campaigns and sessions found that stands in no folder: winners, failures, notes.
namespace harness::store {
namespace {

/// Of iterations i, candidates c, campaigns p and attempts a: variants that were proposed (q) or edited.
constexpr const char* kUnfiled =
    "FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign "
    "JOIN attempt a ON a.id = i.attempt LEFT JOIN proposal q ON q.campaign = i.campaign AND q.kernel = i.kernel "
    "AND q.variant = c.variant AND q.outcome = 'accepted' "
    "WHERE i.kernel = ?1 AND c.contract_hash IN (SELECT value FROM json_each(?2)) AND p.device_name = ?3 "
    "AND i.campaign < ?4 AND p.evidence = 1 AND i.purpose <> 'rival' AND (q.id IS NOT NULL OR a.parent IS NOT NULL) ";

ProposalRecord proposal_of(const Statement& query, int from) {
  ProposalRecord record;
  record.campaign = query.integer(from);
  record.variant = query.text(from + 1);
  record.arm = {query.text(from + 2), query.text(from + 3), query.text(from + 4)};
  for (const json& parent : query.parsed(from + 5))
    if (parent.is_string()) record.parents.push_back(parent);
  record.source = query.text(from + 6);
  record.manifest = query.text(from + 7);
  record.normal_hash = query.text(from + 8);
  record.hypothesis = query.text(from + 9);
  record.label = query.maybe_text(from + 10);
  record.usage.model = query.maybe_text(from + 11);
  return record;
}

}  // namespace

std::vector<RecordedWinner> Store::recorded_winners(const TwinQuery& asked, int limit) {
  std::vector<RecordedWinner> winners;
  // A bare column beside max() is that of the row which has the maximum.
  const std::string text =
      "SELECT i.id, i.workload, c.config, max(i.speedup), i.campaign, c.variant, i.kernel, i.workload, c.technique, "
      "coalesce(q.parents, json_array(c.variant)), coalesce((SELECT text FROM source WHERE hash = iif(a.parent IS "
      "NULL, "
      "NULL, i.source)), (SELECT text FROM proposal_text WHERE hash = q.source), ''), "
      "coalesce((SELECT text FROM proposal_text WHERE hash = q.manifest), ''), "
      "iif(a.parent IS NULL, q.normal_hash, ''), coalesce(q.hypothesis, a.label, ''), coalesce(q.label, a.label), "
      "q.model " +
      std::string(kUnfiled) +
      "AND i.outcome = 'passed' AND i.speedup IS NOT NULL GROUP BY i.workload, i.campaign, c.variant, c.source_hash "
      "ORDER BY 4 DESC, i.id LIMIT ?5";
  Statement query(connection_, text.c_str(), asked.kernel, json_text(asked.contract_hashes), asked.device_name,
                  asked.before_campaign, limit);
  while (query.next())
    winners.push_back(
        {query.integer(0), query.text(1), config_from_json(query.parsed(2)), query.real(3), proposal_of(query, 4)});
  return winners;
}

std::vector<RecordedFailure> Store::recorded_failures(const TwinQuery& asked, int limit) {
  std::vector<RecordedFailure> failures;
  const std::string text =
      "SELECT i.campaign, max(i.id), c.variant, coalesce(q.hypothesis, a.label, ''), i.outcome, "
      "coalesce(i.error_message, ''), i.fingerprint " +
      std::string(kUnfiled) +
      "AND i.outcome IN ('compile_error', 'launch_error', 'wrong_answer', 'rejected', 'crashed', 'timed_out', "
      "'out_of_memory') "
      "GROUP BY i.outcome, iif(i.fingerprint <> '', i.fingerprint, substr(i.error_message, 1, 80)) "
      "ORDER BY 2 DESC LIMIT ?5";
  Statement query(connection_, text.c_str(), asked.kernel, json_text(asked.contract_hashes), asked.device_name,
                  asked.before_campaign, limit);
  while (query.next())
    failures.push_back({query.integer(0), query.integer(1), query.text(2), query.text(3), query.text(4), query.text(5),
                        query.text(6)});
  return failures;
}

std::vector<std::string> Store::recorded_notes(const std::string& kernel, int limit) {
  std::vector<std::string> notes;
  Statement query(connection_, "SELECT text FROM agent_note WHERE kernel IN (?1, '') ORDER BY id DESC LIMIT ?2", kernel,
                  limit);
  while (query.next()) notes.push_back(query.text(0));
  return notes;
}

void Store::record_note(std::int64_t campaign, const std::string& kernel, const std::string& text) {
  Write write(connection_);
  Statement(connection_,
            "INSERT INTO agent_note (campaign, iteration, kernel, text, noted_unix) VALUES (?, NULL, ?, ?, ?)",
            campaign, kernel, text, static_cast<double>(std::time(nullptr)))
      .run();
  write.commit();
}

}  // namespace harness::store
