#include <algorithm>

#include "harness/core/gates.h"
#include "harness/store/columns.h"
#include "harness/store/store.h"

// What a campaign is told of earlier ones, imports only where they were asked to count. Asked once, at its start; sums
// over campaigns, not over iterations.
namespace harness::store {
namespace {

// The newest: correction factors forget older ones (campaign/calibration.cpp).
constexpr int kPredictions = 2000;

std::vector<Evidence> evidence_in(Statement& query) {
  std::vector<Evidence> rows;
  while (query.next()) {
    rows.push_back({.arm = {query.text(0), query.text(1), query.text(2)},
                    .campaigns = query.integer(3),
                    .evaluations = query.integer(4),
                    .passed = query.integer(5),
                    .spent_s = query.real(6),
                    .best_speedup = query.maybe_real(7)});
  }
  return rows;
}

std::vector<Evidence> arms_before(Connection& connection, const ExperienceQuery& asked) {
  Statement query(
      connection,
      "SELECT r.kernel, r.workload, r.technique, count(DISTINCT r.campaign), sum(r.iterations), sum(r.passed + "
      "r.screened), "
      "sum(r.wall_s), max(r.best_speedup) "
      "FROM rollup_arm r JOIN campaign p ON p.id = r.campaign "
      "WHERE r.campaign < ? AND p.device_name = ? AND p.evidence = 1 AND r.contract_hash IN (SELECT value FROM "
      "json_each(?)) "
      "GROUP BY r.kernel, r.workload, r.technique ORDER BY r.kernel, r.workload, r.technique",
      asked.before_campaign, asked.device_name, json_text(asked.contract_hashes));
  return evidence_in(query);
}

// A family of devices: one name, or one architecture.
constexpr const char* kTechniques = R"sql(
  WITH family AS (
    SELECT p.id FROM campaign p LEFT JOIN environment e ON e.campaign = p.id
    WHERE p.id < ?1 AND p.evidence = 1 AND (p.device_name = ?2 OR (?3 <> '' AND json_extract(e.facts, '$.device.architecture') = ?3))),
  spent AS (
    SELECT kernel, technique, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
    FROM rollup_cost WHERE campaign IN (SELECT id FROM family) GROUP BY kernel, technique)
  SELECT r.kernel, r.technique, count(DISTINCT r.campaign), sum(r.iterations), sum(r.passed + r.screened), sum(r.wall_s),
         max(r.best_speedup), (SELECT CASE WHEN unpriced_s <= 0 THEN usd END FROM spent s
                               WHERE s.kernel = r.kernel AND s.technique = r.technique)
  FROM rollup_arm r
  WHERE r.campaign IN (SELECT id FROM family) AND r.kernel IN (SELECT value FROM json_each(?4))
  GROUP BY r.kernel, r.technique ORDER BY r.kernel, r.technique)sql";

constexpr const char* kElsewhere = R"sql(
  SELECT r.kernel, r.workload, r.technique, count(DISTINCT r.campaign), sum(r.iterations), sum(r.passed + r.screened),
         sum(r.wall_s), max(r.best_speedup)
  FROM rollup_arm r JOIN campaign p ON p.id = r.campaign LEFT JOIN environment e ON e.campaign = p.id
  WHERE r.campaign < ?1 AND p.evidence = 1 AND r.kernel IN (SELECT value FROM json_each(?4))
    AND (p.device_name = ?2 OR (?3 <> '' AND json_extract(e.facts, '$.device.architecture') = ?3))
  GROUP BY r.kernel, r.workload, r.technique ORDER BY r.kernel, r.workload, r.technique)sql";

std::vector<Evidence> elsewhere_before(Connection& connection, const ExperienceQuery& asked) {
  Statement query(connection, kElsewhere, asked.before_campaign, asked.device_name, asked.architecture,
                  json_text(asked.kernels));
  return evidence_in(query);
}

std::vector<TechniqueEvidence> techniques_before(Connection& connection, const ExperienceQuery& asked) {
  std::vector<TechniqueEvidence> rows;
  Statement query(connection, kTechniques, asked.before_campaign, asked.device_name, asked.architecture,
                  json_text(asked.kernels));
  while (query.next()) {
    rows.push_back({.kernel = query.text(0),
                    .technique = query.text(1),
                    .campaigns = query.integer(2),
                    .evaluations = query.integer(3),
                    .passed = query.integer(4),
                    .spent_s = query.real(5),
                    .usd = query.maybe_real(7),
                    .best_speedup = query.maybe_real(6)});
  }
  return rows;
}

// The sums hold the fastest of all campaigns. Where a later one took that place (a resume), the iterations are read.
constexpr const char* kBests = R"sql(
  SELECT i.kernel, i.workload, c.technique, i.time_ns, i.baseline_ns
  FROM rollup_best b
  JOIN iteration i ON i.id = CASE
    WHEN (SELECT campaign FROM iteration WHERE id = b.iteration) < ?1 THEN b.iteration
    ELSE (SELECT e.id FROM iteration e JOIN candidate k ON k.id = e.candidate JOIN campaign p ON p.id = e.campaign
          WHERE e.kernel = b.kernel AND e.workload = b.workload AND e.confirmed = 1 AND e.outcome = 'passed'
            AND e.campaign < ?1 AND p.evidence = 1 AND k.contract_hash = b.contract_hash AND p.device_name = b.device_name
            AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = e.candidate AND r.workload = e.workload
                                                      AND r.device_name = p.device_name)
          ORDER BY e.time_ns, e.id LIMIT 1) END
  JOIN candidate c ON c.id = i.candidate
  WHERE b.confirmed = 1 AND b.device_name = ?2 AND b.contract_hash IN (SELECT value FROM json_each(?3))
  ORDER BY i.kernel, i.workload)sql";

std::vector<EarlierBest> bests_before(Connection& connection, const ExperienceQuery& asked) {
  std::vector<EarlierBest> rows;
  Statement query(connection, kBests, asked.before_campaign, asked.device_name, json_text(asked.contract_hashes));
  while (query.next())
    rows.push_back({query.text(0), query.text(1), query.text(2), query.real(3), query.maybe_real(4)});
  return rows;
}

std::vector<ScoredPrediction> predictions_before(Connection& connection, const ExperienceQuery& asked) {
  std::vector<ScoredPrediction> rows;
  Statement query(connection,
                  "SELECT d.predict_speedup_lo, d.predict_speedup_hi, d.predict_evaluations, d.predict_probability, "
                  "d.predict_minutes_lo, d.predict_minutes_hi, i.outcome, i.speedup, i.wall_s "
                  "FROM decision d JOIN campaign p ON p.id = d.campaign JOIN attempt a ON a.decision = d.id "
                  "JOIN iteration i ON i.attempt = a.id WHERE d.campaign < ? AND p.device_name = ? AND p.evidence = 1 "
                  "AND d.script = ? AND "
                  "a.purpose = 'search' ORDER BY d.id DESC, i.id DESC LIMIT ?",
                  asked.before_campaign, asked.device_name, asked.script, kPredictions);
  while (query.next()) {
    ScoredPrediction scored;
    scored.predict = {query.real(0),       query.real(1),       static_cast<int>(query.integer(2)),
                      query.maybe_real(3), query.maybe_real(4), query.maybe_real(5)};
    scored.outcome = named<OutcomeKind>(query.text(6));
    scored.speedup = query.maybe_real(7);
    scored.wall_s = query.real(8);
    rows.push_back(scored);
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

}  // namespace

UsualSeconds Store::usual_seconds(const std::string& device_name, const std::string& device_key) {
  UsualSeconds usual;
  // What a finalist's gates take follows from which there are: those of another version say nothing of today's.
  Statement evaluations(connection_,
                        "SELECT i.kernel, i.purpose, avg(i.wall_s) FROM iteration i "
                        "JOIN campaign p ON p.id = i.campaign AND p.device_name = ? WHERE i.purpose IN ('baseline', "
                        "'rival', 'confirm', 'search') AND i.outcome <> 'interrupted' "
                        "AND (i.purpose <> 'confirm' OR i.gates_version = ?) GROUP BY i.kernel, i.purpose",
                        device_name, kGatesVersion);
  while (evaluations.next())
    usual.evaluations[{evaluations.text(0), named<Purpose>(evaluations.text(1))}] = evaluations.real(2);
  Statement trials(connection_, "SELECT kernel, seconds FROM admission WHERE device_key = ? ORDER BY decided_unix",
                   device_key);
  while (trials.next()) usual.trials[trials.text(0)] = trials.real(1);
  return usual;
}

Experience Store::experience(const ExperienceQuery& query) {
  return {arms_before(connection_, query), techniques_before(connection_, query), bests_before(connection_, query),
          elsewhere_before(connection_, query), predictions_before(connection_, query)};
}

}  // namespace harness::store
