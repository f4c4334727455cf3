#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "harness/core/contradictions.h"
#include "harness/core/error.h"
#include "harness/core/export_form.h"
#include "harness/core/hash.h"
#include "harness/core/iteration_fields.h"
#include "harness/store/columns.h"
#include "harness/store/stored_json.h"
#include "harness/store/transfer.h"

namespace harness::store {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024 * 1024;

std::string text_of(const json& j, const char* key) {
  return j.at(key).get<std::string>();
}

template <typename T>
std::optional<T> maybe(const json& j, const char* key) {
  return j.at(key).get<std::optional<T>>();
}

class Importer {
 public:
  Importer(Connection& connection, const ImportOptions& options) : connection_(connection), options_(options) {}

  void take(const json& j) {
    const std::string type = text_of(j, "type");
    if (type == "source") take_text(j, kAddSource);
    else if (type == "build_log") take_text(j, kAddLog);
    else if (type == "admission_part") take_admission_part(j);
    else if (type == "campaign") take_campaign(j);
    else if (!known(type)) throw bad_input(fmt::format("unknown type \"{}\"", type));
    else if (!started_) throw bad_input(fmt::format("\"{}\" before the first campaign", type));
    else if (campaign_) take_part(type, j);
  }

  /// All lines were taken.
  const ImportReport& finish() {
    finish_campaign();
    return report_;
  }

 private:
  static bool known(const std::string& type) {
    return type == "decision" || type == "attempt" || type == "iteration" || type == "charge" || type == "proposal" ||
           type == "profile";
  }

  void take_part(const std::string& type, const json& j) {
    if (type == "decision") take_decision(j);
    else if (type == "attempt") take_attempt(j);
    else if (type == "iteration") take_iteration(j);
    else if (type == "proposal") take_proposal(j);
    else if (type == "profile") insert_profile(connection_, numbered(iterations_, j.at("iteration"), "iteration"), j);
    else take_charge(j);
  }

  void take_text(const json& j, const char* sql) {
    const std::string text = text_of(j, "text");
    if (sha256_hex(text) != text_of(j, "hash")) throw bad_input("the hash is not that of the text");
    intern_text(connection_, sql, text);
  }

  /// It counts only where a person says so, and is spot-checked then.
  void take_admission_part(const json& j) {
    Statement(connection_,
              "INSERT INTO admission_part (hash, device_key, kernel, part, found, imported, evidence) "
              "VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6) ON CONFLICT DO UPDATE SET found = excluded.found, "
              "evidence = excluded.evidence WHERE excluded.evidence >= evidence",
              text_of(j, "hash"), text_of(j, "device_key"), text_of(j, "kernel"), text_of(j, "part"),
              json_text(j.at("found")), options_.as_evidence)
        .run();
  }

  void take_campaign(const json& j) {
    finish_campaign();
    started_ = true;
    campaign_.reset();
    const std::string uuid = text_of(j, "uuid");
    if (uuid.empty()) throw bad_input("\"uuid\" is empty");
    if (Statement known(connection_, "SELECT id, evidence FROM campaign WHERE uuid = ?", uuid); known.next()) {
      ++report_.skipped;
      const bool counts_now = options_.as_evidence && !known.flag(1);
      const std::int64_t id = known.integer(0);
      if (counts_now && is_believed(id)) count_as_evidence(id);
      return;
    }
    CampaignRecord record;
    record.name = maybe<std::string>(j, "name");
    record.device = text_of(j, "device");
    record.device_name = text_of(j, "device_name");
    record.strategy = text_of(j, "strategy");
    record.strategy_hash = text_of(j, "strategy_hash");
    record.search = text_of(j, "search");
    record.seed = j.at("seed").get<std::uint64_t>();
    record.budget_s = maybe<double>(j, "budget_s");
    record.max_cost_usd = maybe<double>(j, "max_cost_usd");
    record.usd_per_hour = maybe<double>(j, "usd_per_hour");
    record.kernels = j.at("kernels").get<std::vector<std::string>>();
    record.options = j.at("options");
    record.environment = j.at("environment");
    campaign_ = insert_campaign(connection_, record, uuid, j.at("started_unix").get<double>());
    Statement(connection_,
              "UPDATE campaign SET ended_unix = ?2, reason = ?3, spent_s = ?4, cost_usd = ?5, imported = 1, evidence = "
              "0 WHERE id = ?1",
              *campaign_, maybe<double>(j, "ended_unix"), maybe<std::string>(j, "reason"),
              j.at("spent_s").get<double>(), maybe<double>(j, "cost_usd"))
        .run();
    uuid_ = uuid;
    decisions_.clear();
    attempts_.clear();
    iterations_.clear();
    ++report_.campaigns;
  }

  /// A trigger then adds its iterations to the bests.
  void count_as_evidence(std::int64_t campaign) {
    Statement(connection_, "UPDATE campaign SET evidence = 1 WHERE id = ?", campaign).run();
    ++report_.evidence;
  }

  /// Holds its rows, as they are in this store now, against themselves.
  bool is_believed(std::int64_t campaign) {
    std::vector<std::int64_t> ids;
    {
      Statement query(connection_, "SELECT id FROM iteration WHERE campaign = ? ORDER BY id", campaign);
      while (query.next()) ids.push_back(query.integer(0));
    }
    std::string first;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const RecordedIteration iteration = read_iteration(connection_, ids[i], Texts::none);
      count(iteration.row);
      const std::vector<std::string> found = contradictions(iteration.row);
      if (found.empty()) continue;
      if (++wrong == 1)
        first = fmt::format("its iteration {} ({} on {}) cannot be so: {}", i + 1, iteration.identity.candidate.variant,
                            iteration.identity.workload, found.front());
    }
    if (wrong == 0) return true;
    Statement name(connection_, "SELECT coalesce(name, uuid) FROM campaign WHERE id = ?", campaign);
    name.next();
    report_.not_believed.push_back(fmt::format("campaign {} ({}) is not believed: {}{}", campaign, name.text(0), first,
                                               wrong > 1 ? fmt::format(" (and {} more)", wrong - 1) : ""));
    return false;
  }

  void count(const IterationRow& row) {
    const Supported by = supported(row);
    report_.checks.times += row.time_ns ? 1 : 0;
    report_.checks.samples += by.samples ? 1 : 0;
    report_.checks.gates += row.time_ns && by.gates ? 1 : 0;
    report_.checks.floors += by.floor ? 1 : 0;
  }

  void finish_campaign() {
    if (campaign_ && is_believed(*campaign_) && options_.as_evidence) count_as_evidence(*campaign_);
    campaign_.reset();
  }

  void take_decision(const json& j) {
    DecisionRecord record;
    Decision& decision = record.decision;
    decision.action = named<Action>(text_of(j, "action"));
    decision.arm = {text_of(j, "kernel"), text_of(j, "workload"), text_of(j, "technique")};
    decision.why = text_of(j, "why");
    decision.rule = maybe<std::string>(j, "rule");
    decision.reason = maybe<EndReason>(j, "reason");
    decision.predict = {j.at("predict_speedup_lo").get<double>(), j.at("predict_speedup_hi").get<double>(),
                        j.at("predict_evaluations").get<int>()};
    decision.table = j.at("numbers");
    take_version_4(j, decision);
    if (!j.at("from_kernel").is_null()) {
      record.from = ArmId{text_of(j, "from_kernel"), text_of(j, "from_workload"), text_of(j, "from_technique")};
    }
    record.now_unix = j.at("now_unix").get<std::int64_t>();
    decisions_.push_back(insert_decision(connection_, *campaign_, record,
                                         {text_of(j, "script"), text_of(j, "script_hash")},
                                         j.at("decide_s").get<double>()));
  }

  /// What exports of earlier schema versions do not have.
  static void take_version_4(const json& j, Decision& decision) {
    if (!j.contains("patterns")) return;
    decision.predict.probability = maybe<double>(j, "predict_probability");
    decision.predict.minutes_lo = maybe<double>(j, "predict_minutes_lo");
    decision.predict.minutes_hi = maybe<double>(j, "predict_minutes_hi");
    decision.rule_numbers = j.at("rule_numbers");
    decision.patterns = j.at("patterns").get<std::vector<std::int64_t>>();
  }

  void take_attempt(const json& j) {
    AttemptRecord record;
    record.campaign = *campaign_;
    if (!j.at("decision").is_null()) record.decision = numbered(decisions_, j.at("decision"), "decision");
    record.candidate = {text_of(j, "kernel"), text_of(j, "variant"), text_of(j, "technique"),
                        config_from_json(j.at("config"))};
    record.workload = text_of(j, "workload");
    record.contract_hash = text_of(j, "contract_hash");
    record.source_hash = text_of(j, "source_hash");
    record.ask = j.at("ask").get<std::int64_t>();
    record.purpose = named<Purpose>(text_of(j, "purpose"));
    if (j.contains("budget_left_s")) record.budget_left_s = maybe<double>(j, "budget_left_s");
    if (j.contains("label")) record.label = maybe<std::string>(j, "label");
    if (j.contains("parent")) record.parent = maybe<std::string>(j, "parent");
    if (j.contains("node")) record.node = maybe<std::string>(j, "node").value_or("");
    if (j.contains("device_uuid")) record.device_uuid = maybe<std::string>(j, "device_uuid").value_or("");
    attempts_.push_back(insert_attempt(connection_, record, j.at("begun_unix").get<double>()));
    candidates_.resize(attempts_.size());
    candidates_.back() = record.candidate;
  }

  void take_iteration(const json& j) {
    const std::int64_t attempt = numbered(attempts_, j.at("attempt"), "attempt");
    IterationRow row = harness::imported(j);
    row.same_as = same_as(j.at("same_as"));
    std::int64_t candidate = 0;
    if (const json& edited = j.at("edited"); !edited.is_null()) {
      candidate = intern_candidate(connection_, candidates_[j.at("attempt").get<std::size_t>() - 1],
                                   text_of(edited, "contract_hash"), text_of(edited, "source_hash"));
    }
    iterations_.push_back(insert_iteration(connection_, attempt, candidate, row));
    ++report_.iterations;
  }

  void take_proposal(json j) {
    const json decision = j.at("decision"), twin = j.at("twin_iteration");
    j["decision"] = 0;
    j["twin_iteration"] = nullptr;
    ProposalRecord record = j.get<ProposalRecord>();
    record.campaign = *campaign_;
    if (!decision.is_null()) record.decision = numbered(decisions_, decision, "decision");
    record.twin_iteration = same_as(twin);
    insert_proposal(connection_, record);
  }

  void take_charge(const json& j) {
    const std::string day = text_of(j, "day");
    if (day.size() != 10) throw bad_input("\"day\" must look like 2025-01-31");
    add_charge(connection_, *campaign_, text_of(j, "stage"), day, j.at("seconds").get<double>(),
               maybe<double>(j, "usd"));
  }

  static std::int64_t numbered(const std::vector<std::int64_t>& ids, const json& number, const char* what) {
    const auto index = number.get<std::int64_t>();
    if (index < 1 || index > static_cast<std::int64_t>(ids.size())) {
      throw bad_input(fmt::format("{} {} does not come before this line in its campaign", what, index));
    }
    return ids[static_cast<std::size_t>(index) - 1];
  }

  /// In this campaign, or in another one if the store has it.
  std::optional<std::int64_t> same_as(const json& j) {
    if (j.is_null()) return std::nullopt;
    const std::string uuid = text_of(j, "campaign");
    if (uuid == uuid_) return numbered(iterations_, j.at("iteration"), "iteration");
    Statement query(connection_,
                    "SELECT i.id FROM iteration i WHERE i.campaign = (SELECT id FROM campaign WHERE uuid = ?) "
                    "ORDER BY i.id LIMIT 1 OFFSET ?",
                    uuid, std::max<std::int64_t>(j.at("iteration").get<std::int64_t>() - 1, 0));
    return query.next() ? std::optional(query.integer(0)) : std::nullopt;
  }

  Connection& connection_;
  const ImportOptions& options_;
  ImportReport report_;
  bool started_ = false;
  std::optional<std::int64_t> campaign_;  // none: its lines are skipped
  std::string uuid_;
  std::vector<std::int64_t> decisions_, attempts_, iterations_;  // ids, by number
  std::vector<Candidate> candidates_;                            // of the attempts
};

/// false: the input has ended.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  auto* buffer = in.rdbuf();
  for (int c = buffer->sbumpc(); c != std::char_traits<char>::eof(); c = buffer->sbumpc()) {
    if (c == '\n') return true;
    if (line.size() >= kLongestLine) throw bad_input("the line is longer than 64 MB");
    line += static_cast<char>(c);
  }
  return !line.empty();
}

/// Whether it is known that they are whole.
bool import_lines(Importer& importer, std::istream& in, std::int64_t& number) {
  ExportChecker form;
  std::string line;
  for (number = 1; read_line(in, line); ++number) {
    const std::optional<json> parsed = parsed_json(line);
    if (!parsed || !parsed->is_object()) throw bad_input("this is not a JSON object");
    if (form.take(line, *parsed)) importer.take(*parsed);
  }
  if (number == 1) throw bad_input("the file is empty");
  form.end();
  return form.has_digest();
}

}  // namespace

ImportReport import_store(Store& store, std::istream& in, const std::string& name, const ImportOptions& options) {
  Write write(store.connection());
  Importer importer(store.connection(), options);
  std::int64_t number = 1;
  ImportReport report;
  const auto refuse = [&](const std::string& why) {
    return bad_input(fmt::format("{}:{}: {}; nothing was imported", name, number, why));
  };
  try {
    const bool whole = import_lines(importer, in, number);
    report = importer.finish();
    report.whole = whole;
  } catch (const json::exception& exception) {
    throw refuse(exception.what());
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::bad_input) throw refuse(error.what());
    throw;
  }
  write.commit();
  return report;
}

ImportReport import_store(Store& store, const std::string& file, const ImportOptions& options) {
  std::ifstream in(file, std::ios::binary);
  if (!in || in.peek() == std::char_traits<char>::eof()) {
    throw bad_input(fmt::format("cannot read {}, or it is empty; name a file made by `harness export`", file));
  }
  return import_store(store, in, file, options);
}

}  // namespace harness::store
