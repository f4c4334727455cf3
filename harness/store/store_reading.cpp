#include <algorithm>
#include <tuple>

#include "harness/store/columns.h"
#include "harness/store/iteration_sql.h"
#include "harness/store/owner.h"
#include "harness/store/store.h"

// The reading half of the Ledger: resume and replay.
namespace harness::store {
namespace {

// What a summary has beside its plain fields, which follow in kSummaryFields.
constexpr const char* kSummary =
    "SELECT i.id, i.campaign, a.ask, c.kernel, c.variant, c.technique, c.config, i.workload, i.outcome, i.purpose, "
    "c.contract_hash, c.source_hash, b.hash, i.verdict, i.wall_s, i.build_s, i.gates_s, i.timing_s, i.usd, a.decision, "
    "a.begun_unix, a.budget_left_s, a.id, a.node, a.device_uuid, a.after_iteration";
constexpr int kSummaryFields = 26;

IterationSummary summary(const Statement& query) {
  IterationSummary row;
  row.iteration = query.integer(0);
  row.campaign = query.integer(1);
  row.ask = query.integer(2);
  row.candidate = {query.text(3), query.text(4), query.text(5), config_from_json(query.parsed(6))};
  row.workload = query.text(7);
  row.outcome = named<OutcomeKind>(query.text(8));
  row.purpose = named<Purpose>(query.text(9));
  row.contract_hash = query.text(10);
  row.source_hash = query.text(11);
  row.binary_hash = query.text(12);
  if (!query.null(13)) row.verdict = named<Comparison>(query.text(13));
  row.wall_s = query.real(14);
  row.build_s = query.real(15);
  row.gates_s = query.real(16);
  row.timing_s = query.real(17);
  row.usd = query.maybe_real(18);
  row.decision = query.integer(19);
  row.begun_unix = query.real(20);
  row.budget_left_s = query.maybe_real(21);
  row.attempt = query.integer(22);
  row.node = query.text(23);
  row.device_uuid = query.text(24);
  row.after = query.maybe_integer(25);
  read_columns(query, kSummaryFields, row);
  return row;
}

DecisionRecord decision(const Statement& query) {
  DecisionRecord record;
  record.id = query.integer(0);
  record.decision.action = named<Action>(query.text(1));
  record.decision.arm = {query.text(2), query.text(3), query.text(4)};
  if (!query.null(5)) record.from = ArmId{query.text(5), query.text(6), query.text(7)};
  record.decision.why = query.text(8);
  record.decision.rule = query.maybe_text(9);
  if (!query.null(10)) record.decision.reason = named<EndReason>(query.text(10));
  record.decision.predict = {query.real(11), query.real(12), static_cast<int>(query.integer(13))};
  record.decision.table = query.parsed(14);
  record.now_unix = query.integer(15);
  record.decision.predict.probability = query.maybe_real(16);
  record.decision.predict.minutes_lo = query.maybe_real(17);
  record.decision.predict.minutes_hi = query.maybe_real(18);
  if (!query.null(19)) record.decision.rule_numbers = query.parsed(19);
  for (const json& pattern : query.parsed(20))
    if (pattern.is_number_integer()) record.decision.patterns.push_back(pattern);
  return record;
}

Orphan orphan(const Statement& query) {
  Orphan found;
  found.attempt = query.integer(0);
  found.record.campaign = query.integer(1);
  found.record.decision = query.integer(2);
  found.record.candidate = {query.text(3), query.text(4), query.text(5), config_from_json(query.parsed(6))};
  found.record.workload = query.text(7);
  found.record.contract_hash = query.text(8);
  found.record.source_hash = query.text(9);
  found.record.ask = query.integer(10);
  found.record.purpose = named<Purpose>(query.text(11));
  found.tries = static_cast<int>(query.integer(12));
  found.machine_went_down = static_cast<int>(query.integer(13));
  return found;
}

}  // namespace

std::optional<std::int64_t> Store::latest_resumable() {
  Statement query(connection_,
                  "SELECT id, owner FROM campaign WHERE imported = 0 AND strategy <> '' AND "
                  "(reason IS NULL OR reason IN ('interrupted', 'device_lost', 'store_error')) ORDER BY id DESC");
  while (query.next()) {
    const std::string owner = query.text(1);
    if ((parse_owner(owner).is_this_process() || !still_runs(owner)) && lease_left(query.integer(0)) == 0)
      return query.integer(0);
  }
  return std::nullopt;
}

CampaignRecord Store::campaign(std::int64_t id) {
  return read_campaign(connection_, id);
}

double Store::spent_seconds(std::int64_t campaign) {
  Statement query(connection_, "SELECT spent_s FROM campaign WHERE id = ?", campaign);
  return query.next() ? query.real(0) : 0;
}

std::vector<IterationSummary> Store::iterations(std::int64_t campaign) {
  std::vector<IterationSummary> rows;
  static const std::string sql =
      kSummary + summary_columns("i.") +
      " FROM iteration i JOIN attempt a ON a.id = i.attempt JOIN candidate c ON c.id = i.candidate "
      "LEFT JOIN binary b ON b.id = i.binary WHERE i.campaign = ? ORDER BY i.id";
  Statement query(connection_, sql.c_str(), campaign);
  while (query.next()) rows.push_back(summary(query));
  return rows;
}

std::vector<DecisionRecord> Store::decisions(std::int64_t campaign) {
  std::vector<DecisionRecord> rows;
  Statement query(
      connection_,
      "SELECT id, action, kernel, workload, technique, from_kernel, from_workload, from_technique, why, rule, reason, "
      "predict_speedup_lo, predict_speedup_hi, predict_evaluations, numbers, now_unix, predict_probability, "
      "predict_minutes_lo, predict_minutes_hi, rule_numbers, patterns "
      "FROM decision WHERE campaign = ? ORDER BY id",
      campaign);
  while (query.next()) rows.push_back(decision(query));
  return rows;
}

std::vector<Orphan> Store::orphans(std::int64_t campaign) {
  std::vector<Orphan> rows;
  // A later attempt at the same thing that ended settles the earlier ones.
  Statement query(
      connection_,
      "SELECT max(a.id), a.campaign, a.decision, c.kernel, c.variant, c.technique, c.config, a.workload, "
      "c.contract_hash, c.source_hash, a.ask, a.purpose, count(*), "
      "count(DISTINCT iif(b.boot <> ?2, b.boot, NULL)) "
      "FROM attempt a JOIN candidate c ON c.id = a.candidate LEFT JOIN attempt_boot b ON b.attempt = a.id "
      "WHERE a.campaign = ?1 AND NOT EXISTS ("
      "  SELECT 1 FROM attempt later JOIN iteration i ON i.attempt = later.id "
      "  WHERE later.campaign = a.campaign AND later.candidate = a.candidate AND later.workload = a.workload "
      "    AND later.ask = a.ask AND later.purpose = a.purpose AND later.id >= a.id) "
      "GROUP BY a.candidate, a.workload, a.ask, a.purpose ORDER BY max(a.id)",
      campaign, this_boot());
  while (query.next()) rows.push_back(orphan(query));
  return rows;
}

std::vector<Begun> Store::begun(std::int64_t campaign) {
  std::vector<Begun> rows;
  Statement query(connection_,
                  "SELECT a.id, c.kernel, c.variant, c.technique, c.config, a.workload, a.ask, a.purpose, a.decision, "
                  "a.node, a.device_uuid, a.after_iteration "
                  "FROM attempt a JOIN candidate c ON c.id = a.candidate "
                  "WHERE a.campaign = ? AND a.after_iteration IS NOT NULL ORDER BY a.id",
                  campaign);
  while (query.next()) {
    Begun& row = rows.emplace_back();
    row.attempt = query.integer(0);
    row.record.campaign = campaign;
    row.record.candidate = {query.text(1), query.text(2), query.text(3), config_from_json(query.parsed(4))};
    row.record.workload = query.text(5);
    row.record.ask = query.integer(6);
    row.record.purpose = named<Purpose>(query.text(7));
    row.record.decision = query.integer(8);
    row.record.node = query.text(9);
    row.record.device_uuid = query.text(10);
    row.record.after = query.integer(11);
  }
  return rows;
}

std::vector<EarlierResult> Store::earlier_results(std::int64_t campaign, const std::string& kernel,
                                                  const std::string& device) {
  std::vector<EarlierResult> rows;
  // Campaigns number their proposals anew: one of an earlier campaign, or an edited source, is the variant of this one
  // that was made of the same texts, if any was.
  Statement query(connection_,
                  "SELECT i.workload, p.device_name, iif(q.id IS NULL AND a.parent IS NULL, c.variant, "
                  "(SELECT o.variant FROM proposal o WHERE o.campaign = ?1 AND o.kernel = c.kernel "
                  "AND o.outcome = 'accepted' AND iif(a.parent IS NULL, o.normal_hash = q.normal_hash, "
                  "o.source = i.source))) AS here, c.config, i.outcome, i.time_ns "
                  "FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign "
                  "JOIN attempt a ON a.id = i.attempt "
                  "LEFT JOIN proposal q ON q.campaign = i.campaign AND q.kernel = c.kernel AND q.variant = c.variant "
                  "AND q.outcome = 'accepted' "
                  "WHERE i.campaign < ?1 AND p.evidence = 1 AND c.kernel = ?2 AND (p.device = 'cpu') = (?3 = 'cpu') "
                  "AND i.outcome NOT IN ('interrupted', 'no_effect') AND here IS NOT NULL "
                  "ORDER BY i.id DESC LIMIT 20000",
                  campaign, kernel, device);
  while (query.next())
    rows.push_back({query.text(0), query.text(1), query.text(2), config_from_json(query.parsed(3)),
                    named<OutcomeKind>(query.text(4)), query.maybe_real(5)});
  return rows;
}

std::vector<FailedGate> Store::failed_gates(std::int64_t campaign) {
  std::vector<FailedGate> rows;
  Statement query(connection_,
                  "SELECT i.id, c.source_hash, g.name FROM iteration i JOIN candidate c ON c.id = i.candidate "
                  "JOIN gate_result g ON g.iteration = i.id "
                  "WHERE i.campaign = ? AND g.checked = 1 AND g.passed = 0 ORDER BY i.id, g.position",
                  campaign);
  while (query.next()) rows.push_back({query.integer(0), query.text(1), query.text(2)});
  return rows;
}

std::int64_t Store::same_binary(std::int64_t campaign, const std::string& workload, const std::string& binary_hash) {
  if (binary_hash.empty()) return 0;
  Statement query(
      connection_,
      "SELECT i.id FROM binary b JOIN iteration i ON i.binary = b.id "
      "WHERE b.hash = ?1 AND i.workload = ?2 AND i.campaign = ?3 "
      "AND i.outcome IN ('passed', 'screened', 'wrong_answer', 'rejected', 'abandoned') ORDER BY i.outcome = 'passed' "
      "DESC, i.id LIMIT 1",
      binary_hash, workload, campaign);
  return query.next() ? query.integer(0) : 0;
}

}  // namespace harness::store
