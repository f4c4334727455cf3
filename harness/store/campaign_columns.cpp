#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/store/columns.h"

namespace harness::store {
namespace {

/// JSON text whatever its strings hold.
std::string dumped(const json& j) {
  return json_text(j);
}

}  // namespace

std::int64_t insert_campaign(Connection& connection, const CampaignRecord& record, const std::string& uuid,
                             double started_unix) {
  Statement(
      connection,
      "INSERT INTO campaign (uuid, name, device, device_name, strategy, strategy_hash, search, seed, budget_s, "
      "max_cost_usd, usd_per_hour, kernels, options, started_unix) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      uuid, record.name, record.device, record.device_name, record.strategy, record.strategy_hash, record.search,
      static_cast<std::int64_t>(record.seed), record.budget_s, record.max_cost_usd, record.usd_per_hour,
      dumped(record.kernels), dumped(record.options), started_unix)
      .run();
  const std::int64_t id = connection.database().getLastInsertRowid();
  Statement(connection, "INSERT INTO environment VALUES (?, ?)", id, dumped(record.environment)).run();
  return id;
}

CampaignRecord read_campaign(Connection& connection, std::int64_t id) {
  Statement query(
      connection,
      "SELECT name, device, device_name, strategy, strategy_hash, search, seed, budget_s, max_cost_usd, "
      "usd_per_hour, kernels, options, facts FROM campaign LEFT JOIN environment ON campaign = id WHERE id = ?",
      id);
  if (!query.next()) {
    throw bad_input(fmt::format("there is no campaign {} in the store {}; `harness history` lists what there is", id,
                                connection.path()));
  }
  CampaignRecord record;
  record.name = query.maybe_text(0);
  record.device = query.text(1);
  record.device_name = query.text(2);
  record.strategy = query.text(3);
  record.strategy_hash = query.text(4);
  record.search = query.text(5);
  record.seed = static_cast<std::uint64_t>(query.integer(6));
  record.budget_s = query.maybe_real(7);
  record.max_cost_usd = query.maybe_real(8);
  record.usd_per_hour = query.maybe_real(9);
  for (const json& kernel : query.parsed(10))
    if (kernel.is_string()) record.kernels.push_back(kernel);
  record.options = query.parsed(11);
  record.environment = query.parsed(12);
  return record;
}

std::int64_t insert_decision(Connection& connection, std::int64_t campaign, const DecisionRecord& record,
                             const ScriptIdentity& script, double decide_s) {
  const Decision& decision = record.decision;
  const auto from = [&record](std::string ArmId::*part) {
    return record.from ? std::optional((*record.from).*part) : std::nullopt;
  };
  Statement(
      connection,
      "INSERT INTO decision (campaign, action, kernel, workload, technique, from_kernel, from_workload, "
      "from_technique, "
      "why, rule, reason, predict_speedup_lo, predict_speedup_hi, predict_evaluations, numbers, script, script_hash, "
      "now_unix, decide_s, predict_probability, predict_minutes_lo, predict_minutes_hi, rule_numbers, patterns) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      campaign, name(decision.action), decision.arm.kernel, decision.arm.workload, decision.arm.technique,
      from(&ArmId::kernel), from(&ArmId::workload), from(&ArmId::technique), decision.why, decision.rule,
      decision.reason ? std::optional(name(*decision.reason)) : std::nullopt, decision.predict.speedup_lo,
      decision.predict.speedup_hi, decision.predict.evaluations, dumped(decision.table), script.name, script.hash,
      record.now_unix, decide_s, decision.predict.probability, decision.predict.minutes_lo, decision.predict.minutes_hi,
      decision.rule_numbers.is_null() ? std::nullopt : std::optional(dumped(decision.rule_numbers)),
      dumped(decision.patterns))
      .run();
  return connection.database().getLastInsertRowid();
}

std::int64_t intern_candidate(Connection& connection, const Candidate& candidate, const std::string& contract_hash,
                              const std::string& source_hash) {
  const std::string config = dumped(config_to_json(candidate.config));
  {
    Statement known(connection,
                    "SELECT id FROM candidate WHERE kernel = ? AND variant = ? AND technique = ? AND config = ? AND "
                    "contract_hash = ? AND source_hash = ?",
                    candidate.kernel, candidate.variant, candidate.technique, config, contract_hash, source_hash);
    if (known.next()) return known.integer(0);
  }
  Statement(
      connection,
      "INSERT INTO candidate (kernel, variant, technique, config, contract_hash, source_hash) VALUES (?, ?, ?, ?, ?, "
      "?)",
      candidate.kernel, candidate.variant, candidate.technique, config, contract_hash, source_hash)
      .run();
  return connection.database().getLastInsertRowid();
}

namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::int64_t insert_attempt(Connection& connection, const AttemptRecord& record, double begun_unix) {
  const std::int64_t candidate =
      intern_candidate(connection, record.candidate, record.contract_hash, record.source_hash);
  Statement(
      connection,
      "INSERT INTO attempt (campaign, decision, candidate, workload, ask, purpose, begun_unix, budget_left_s, label, "
      "parent, node, device_uuid, after_iteration) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      record.campaign, record.decision > 0 ? std::optional(record.decision) : std::nullopt, candidate, record.workload,
      record.ask, name(record.purpose), begun_unix, record.budget_left_s, record.label, record.parent,
      given(record.node), given(record.device_uuid), record.after)
      .run();
  return connection.database().getLastInsertRowid();
}

void add_charge(Connection& connection, std::int64_t campaign, const std::string& stage, const std::string& day,
                double seconds, const std::optional<double>& usd) {
  Statement(connection,
            "INSERT INTO charge VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds, "
            "usd = usd + excluded.usd",
            campaign, stage, day, seconds, usd)
      .run();
}

}  // namespace harness::store
