#include "harness/store/columns.h"

namespace harness::store {
namespace {

constexpr const char* kAddProposalText = "INSERT OR IGNORE INTO proposal_text VALUES (?, ?)";

std::optional<std::string> kept(Connection& connection, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return intern_text(connection, kAddProposalText, text);
}

template <typename T>
std::optional<T> unless_zero(T value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

}  // namespace

std::int64_t insert_proposal(Connection& connection, const ProposalRecord& record) {
  const ProposalUsage& usage = record.usage;
  Statement(connection,
            "INSERT INTO proposal (campaign, decision, number, second_to, kernel, workload, technique, ask, parents, "
            "proposer, request, reply, log, model, tokens_in, tokens_out, tokens_cached, usd, usd_source, latency_s, "
            "asked_unix, outcome, message, hypothesis, label, predict_lo, predict_hi, twin, twin_iteration, variant, "
            "source, manifest, normal_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            record.campaign, unless_zero(record.decision), record.number, record.second_to, record.arm.kernel,
            record.arm.workload, record.arm.technique, record.ask, json_text(record.parents), record.proposer,
            kept(connection, record.request), kept(connection, record.reply), kept(connection, record.log), usage.model,
            usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.usd, usage.usd_source, record.latency_s,
            record.asked_unix, name(record.outcome), record.message, record.hypothesis, record.label, record.predict_lo,
            record.predict_hi, record.twin, record.twin_iteration, record.variant, kept(connection, record.source),
            kept(connection, record.manifest), record.normal_hash)
      .run();
  return connection.database().getLastInsertRowid();
}

std::vector<ProposalRecord> read_proposals(Connection& connection, std::int64_t campaign) {
  std::vector<ProposalRecord> records;
  Statement query(
      connection,
      "SELECT id, decision, number, second_to, kernel, workload, technique, ask, parents, proposer, "
      "(SELECT text FROM proposal_text WHERE hash = request), "
      "(SELECT text FROM proposal_text WHERE hash = reply), "
      "(SELECT text FROM proposal_text WHERE hash = log), model, tokens_in, tokens_out, tokens_cached, usd, "
      "usd_source, latency_s, asked_unix, outcome, message, hypothesis, label, predict_lo, predict_hi, "
      "twin, twin_iteration, variant, (SELECT text FROM proposal_text WHERE hash = source), "
      "(SELECT text FROM proposal_text WHERE hash = manifest), normal_hash "
      "FROM proposal WHERE campaign = ? ORDER BY number",
      campaign);
  while (query.next()) {
    ProposalRecord record;
    record.id = query.integer(0);
    record.campaign = campaign;
    record.decision = query.integer(1);
    record.number = query.integer(2);
    record.second_to = query.maybe_integer(3);
    record.arm = {query.text(4), query.text(5), query.text(6)};
    record.ask = query.text(7);
    for (const json& parent : query.parsed(8))
      if (parent.is_string()) record.parents.push_back(parent);
    record.proposer = query.text(9);
    record.request = query.text(10);
    record.reply = query.text(11);
    record.log = query.text(12);
    record.usage = {query.maybe_text(13),    query.maybe_integer(14), query.maybe_integer(15),
                    query.maybe_integer(16), query.maybe_real(17),    query.text(18)};
    record.latency_s = query.real(19);
    record.asked_unix = query.real(20);
    record.outcome = named<ProposalOutcome>(query.text(21));
    record.message = query.text(22);
    record.hypothesis = query.text(23);
    record.label = query.maybe_text(24);
    record.predict_lo = query.maybe_real(25);
    record.predict_hi = query.maybe_real(26);
    record.twin = query.text(27);
    record.twin_iteration = query.maybe_integer(28);
    record.variant = query.text(29);
    record.source = query.text(30);
    record.manifest = query.text(31);
    record.normal_hash = query.text(32);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace harness::store
