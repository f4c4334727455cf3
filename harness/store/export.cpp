#include <fmt/format.h>
#include <sqlite3.h>

#include <unordered_map>

#include "harness/core/error.h"
#include "harness/core/export_form.h"
#include "harness/core/iteration_fields.h"
#include "harness/store/columns.h"
#include "harness/store/transfer.h"
#include "harness/system/files.h"

namespace harness::store {
namespace {

using Numbers = std::unordered_map<std::int64_t, std::int64_t>;  // id in this store -> number within the campaign

/// Of gates that passed only their names stay, and these only where the time was confirmed.
void leave_out_evidence(IterationRow& row) {
  if (!row.confirmed) std::erase_if(row.gates, [](const GateResult& gate) { return gate.passed && gate.checked; });
  for (GateResult& gate : row.gates)
    if (gate.passed) gate.detail.clear();
}

/// What the trials of its kernels' gates have found, once for each part: what was found here before what was imported.
constexpr const char* kAdmissions =
    "SELECT hash, device_key, kernel, part, found, min(imported) FROM admission_part WHERE kernel IN "
    "(SELECT c.kernel FROM attempt a JOIN candidate c ON c.id = a.candidate WHERE ?1 IS NULL OR a.campaign = ?1) "
    "GROUP BY hash, device_key, part ORDER BY hash, device_key, part";
constexpr const char* kCountAdmissions =
    "SELECT count(*) FROM (SELECT 1 FROM admission_part WHERE kernel IN "
    "(SELECT c.kernel FROM attempt a JOIN candidate c ON c.id = a.candidate WHERE ?1 IS NULL OR a.campaign = ?1) "
    "GROUP BY hash, device_key, part)";

/// What will be written, by type.
ExportCounts counts(Connection& connection, const ExportOptions& options) {
  ExportCounts counts;
  const auto add = [&](const char* type, const char* sql) {
    Statement query(connection, sql, options.campaign);
    if (query.next() && query.integer(0) > 0) counts[type] = query.integer(0);
  };
  add("source",
      "SELECT count(DISTINCT source) FROM iteration i WHERE (?1 IS NULL OR i.campaign = ?1) "
      "AND EXISTS (SELECT 1 FROM source s WHERE s.hash = i.source)");
  if (options.logs)
    add("build_log",
        "SELECT count(DISTINCT build_log) FROM iteration i WHERE (?1 IS NULL OR i.campaign = ?1) "
        "AND EXISTS (SELECT 1 FROM build_log l WHERE l.hash = i.build_log)");
  add("campaign", "SELECT count(*) FROM campaign WHERE ?1 IS NULL OR id = ?1");
  add("decision", "SELECT count(*) FROM decision WHERE ?1 IS NULL OR campaign = ?1");
  add("attempt",
      "SELECT count(*) FROM attempt a JOIN candidate c ON c.id = a.candidate WHERE ?1 IS NULL OR campaign = ?1");
  add("iteration",
      "SELECT count(*) FROM iteration i JOIN attempt a ON a.id = i.attempt WHERE ?1 IS NULL OR i.campaign = ?1");
  if (options.evidence) add("admission_part", kCountAdmissions);
  add("proposal", "SELECT count(*) FROM proposal WHERE ?1 IS NULL OR campaign = ?1");
  add("profile",
      "SELECT count(*) FROM profile f JOIN iteration i ON i.id = f.iteration WHERE ?1 IS NULL OR i.campaign = ?1");
  add("charge", "SELECT count(*) FROM charge WHERE ?1 IS NULL OR campaign = ?1");
  return counts;
}

class Exporter {
 public:
  Exporter(Connection& connection, std::ostream& out, const ExportOptions& options)
      : connection_(connection), out_(out, kExportLines, counts(connection, options)), options_(options) {}

  ExportReport write() {
    write_texts("source",
                "SELECT DISTINCT s.hash, s.text FROM source s JOIN iteration i ON i.source = s.hash "
                "WHERE ?1 IS NULL OR i.campaign = ?1 ORDER BY s.hash");
    if (options_.logs) {
      write_texts("build_log",
                  "SELECT DISTINCT l.hash, l.text FROM build_log l JOIN iteration i ON i.build_log = l.hash "
                  "WHERE ?1 IS NULL OR i.campaign = ?1 ORDER BY l.hash");
    }
    if (options_.evidence) write_admissions();
    std::vector<std::int64_t> ids;
    Statement query(connection_, "SELECT id FROM campaign WHERE ?1 IS NULL OR id = ?1 ORDER BY started_unix, uuid",
                    options_.campaign);
    while (query.next()) ids.push_back(query.integer(0));
    for (const std::int64_t id : ids) write_campaign(id);
    out_.finish();
    return written_;
  }

 private:
  void line(const json& j) { out_.line(j); }

  void write_texts(const char* type, const char* sql) {
    Statement query(connection_, sql, options_.campaign);
    while (query.next()) line({{"type", type}, {"hash", query.text(0)}, {"text", query.text(1)}});
  }

  void write_admissions() {
    Statement query(connection_, kAdmissions, options_.campaign);
    while (query.next())
      line({{"type", "admission_part"},
            {"hash", query.text(0)},
            {"device_key", query.text(1)},
            {"kernel", query.text(2)},
            {"part", query.text(3)},
            {"found", query.parsed(4)}});
  }

  void write_campaign(std::int64_t id) {
    ++written_.campaigns;
    write_head(id);
    const Numbers decisions = write_decisions(id);
    const Numbers attempts = write_attempts(id, decisions);
    write_iterations(id, attempts);
    write_profiles(id);
    write_proposals(id, decisions);
    write_charges(id);
  }

  void write_head(std::int64_t id) {
    const CampaignRecord record = read_campaign(connection_, id);
    Statement query(connection_,
                    "SELECT uuid, started_unix, ended_unix, reason, spent_s, cost_usd FROM campaign WHERE id = ?", id);
    query.next();
    line({{"type", "campaign"},
          {"uuid", query.text(0)},
          {"name", record.name},
          {"device", record.device},
          {"device_name", record.device_name},
          {"strategy", record.strategy},
          {"strategy_hash", record.strategy_hash},
          {"search", record.search},
          {"seed", record.seed},
          {"budget_s", record.budget_s},
          {"max_cost_usd", record.max_cost_usd},
          {"usd_per_hour", record.usd_per_hour},
          {"kernels", record.kernels},
          {"options", record.options},
          {"environment", record.environment},
          {"started_unix", query.real(1)},
          {"ended_unix", query.maybe_real(2)},
          {"reason", query.maybe_text(3)},
          {"spent_s", query.real(4)},
          {"cost_usd", query.maybe_real(5)}});
  }

  Numbers write_decisions(std::int64_t campaign) {
    Numbers numbers;
    Statement query(
        connection_,
        "SELECT id, action, kernel, workload, technique, from_kernel, from_workload, from_technique, why, rule, "
        "reason, predict_speedup_lo, predict_speedup_hi, predict_evaluations, numbers, script, script_hash, "
        "now_unix, decide_s, predict_probability, predict_minutes_lo, predict_minutes_hi, rule_numbers, patterns "
        "FROM decision WHERE campaign = ? ORDER BY id",
        campaign);
    while (query.next()) {
      numbers.emplace(query.integer(0), numbers.size() + 1);
      json j = {{"type", "decision"}};
      for (int column = 1; column < query.columns(); ++column) {
        const std::string name = query.column_name(column);
        const bool is_json = name == "numbers" || name == "patterns" || (name == "rule_numbers" && !query.null(column));
        j[name] = is_json ? query.parsed(column) : query.value(column);
      }
      line(j);
    }
    return numbers;
  }

  Numbers write_attempts(std::int64_t campaign, const Numbers& decisions) {
    Numbers numbers;
    Statement query(
        connection_,
        "SELECT a.id, a.decision, c.kernel, c.variant, c.technique, c.config, c.contract_hash, c.source_hash, "
        "a.workload, a.ask, a.purpose, a.begun_unix, a.budget_left_s, a.label, a.parent, a.node, a.device_uuid "
        "FROM attempt a JOIN candidate c ON c.id = a.candidate WHERE a.campaign = ? ORDER BY a.id",
        campaign);
    while (query.next()) {
      numbers.emplace(query.integer(0), numbers.size() + 1);
      const auto decision = decisions.find(query.integer(1));
      line({{"type", "attempt"},
            {"decision", decision == decisions.end() ? json(nullptr) : json(decision->second)},
            {"kernel", query.text(2)},
            {"variant", query.text(3)},
            {"technique", query.text(4)},
            {"config", query.parsed(5)},
            {"contract_hash", query.text(6)},
            {"source_hash", query.text(7)},
            {"workload", query.text(8)},
            {"ask", query.integer(9)},
            {"purpose", query.text(10)},
            {"begun_unix", query.real(11)},
            {"budget_left_s", query.value(12)},
            {"label", query.maybe_text(13)},
            {"parent", query.maybe_text(14)},
            {"node", query.maybe_text(15)},
            {"device_uuid", query.maybe_text(16)}});
    }
    return numbers;
  }

  void write_iterations(std::int64_t campaign, const Numbers& attempts) {
    Statement query(connection_,
                    "SELECT i.id, i.candidate <> a.candidate FROM iteration i JOIN attempt a ON a.id = i.attempt "
                    "WHERE i.campaign = ? ORDER BY i.id",
                    campaign);
    while (query.next()) {
      RecordedIteration found = read_iteration(connection_, query.integer(0), Texts::none);
      if (!options_.samples) found.row.samples.clear();
      if (!options_.logs) found.row.log_key.reset();
      if (!options_.evidence) leave_out_evidence(found.row);
      json j = exported(found.row);
      j["type"] = "iteration";
      ++written_.iterations;
      j["attempt"] = attempts.at(found.attempt);
      j["same_as"] = same_as(found.row.same_as);
      j["edited"] = nullptr;  // hashes, where the sources were edited after the attempt began
      if (query.flag(1)) {
        j["edited"] = {{"contract_hash", found.identity.contract_hash}, {"source_hash", found.identity.source_hash}};
      }
      line(j);
    }
  }

  void write_proposals(std::int64_t campaign, const Numbers& decisions) {
    for (const ProposalRecord& record : read_proposals(connection_, campaign)) {
      json j = record;
      j["type"] = "proposal";
      const auto decision = decisions.find(record.decision);
      j["decision"] = decision == decisions.end() ? json(nullptr) : json(decision->second);
      j["twin_iteration"] = record.twin_iteration ? same_as(record.twin_iteration) : json(nullptr);
      line(j);
    }
  }

  void write_profiles(std::int64_t campaign) {
    for (const ProfileRecord& record : read_profiles(connection_, campaign)) {
      json j = record.profile;
      j["type"] = "profile";
      j["iteration"] = same_as(record.iteration).at("iteration");
      line(j);
    }
  }

  json same_as(const std::optional<std::int64_t>& iteration) {
    if (!iteration) return nullptr;
    Statement query(connection_,
                    "SELECT p.uuid, (SELECT count(*) FROM iteration e WHERE e.campaign = i.campaign AND e.id <= i.id) "
                    "FROM iteration i JOIN campaign p ON p.id = i.campaign WHERE i.id = ?",
                    *iteration);
    if (!query.next()) return nullptr;
    return {{"campaign", query.text(0)}, {"iteration", query.integer(1)}};
  }

  void write_charges(std::int64_t campaign) {
    Statement query(connection_, "SELECT stage, day, seconds, usd FROM charge WHERE campaign = ? ORDER BY stage, day",
                    campaign);
    while (query.next()) {
      line({{"type", "charge"},
            {"stage", query.text(0)},
            {"day", query.text(1)},
            {"seconds", query.real(2)},
            {"usd", query.maybe_real(3)}});
    }
  }

  Connection& connection_;
  ExportWriter out_;
  const ExportOptions& options_;
  ExportReport written_;
};

}  // namespace

ExportReport export_store(Store& store, std::ostream& out, const ExportOptions& options) {
  if (options.campaign) read_campaign(store.connection(), *options.campaign);
  Read read(store.connection());
  return Exporter(store.connection(), out, options).write();
}

ExportReport export_store(Store& store, const std::string& file, const ExportOptions& options) {
  NewFile out(file);
  const ExportReport written = export_store(store, out.stream(), options);
  out.commit();
  return written;
}

}  // namespace harness::store
