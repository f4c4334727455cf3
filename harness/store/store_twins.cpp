#include <cmath>

#include "harness/store/columns.h"
#include "harness/store/store.h"

// What earlier campaigns know of a proposal: the same source, the same machine code, and how its proposer did.
namespace harness::store {
namespace {

/// Of these the one that says most: what passed, the fastest first. The unary plus keeps SQLite from walking over all
/// earlier campaigns, or a whole kernel: what it is to begin with is the key.
constexpr const char* kBestFirst =
    " AND p.device_name = ?3 AND +i.campaign < ?4 "
    "AND c.contract_hash IN (SELECT value FROM json_each(?2)) AND i.outcome <> 'interrupted' "
    "ORDER BY i.outcome = 'passed' DESC, i.outcome = 'screened' DESC, i.speedup DESC, i.id LIMIT 1";

constexpr const char* kFate =
    "SELECT i.campaign, i.id, c.variant, i.outcome, i.speedup FROM iteration i JOIN candidate c ON c.id = i.candidate "
    "JOIN campaign p ON p.id = i.campaign WHERE ";

/// Of the iterations that `where` says, which may name the kernel ?1 and the key ?5.
std::optional<RecordedTwin> best_of(Connection& connection, const TwinQuery& asked, const std::string& where,
                                    const std::string& key) {
  const std::string text = kFate + where + kBestFirst;
  Statement query(connection, text.c_str(), asked.kernel, json_text(asked.contract_hashes), asked.device_name,
                  asked.before_campaign, key);
  if (!query.next()) return std::nullopt;
  return RecordedTwin{query.integer(0), query.integer(1), query.text(2), query.text(3), query.maybe_real(4)};
}

}  // namespace

std::vector<RecordedSource> Store::recorded_sources(const TwinQuery& asked) {
  std::vector<RecordedSource> sources;
  Statement query(
      connection_,
      "SELECT c.source_hash, s.text FROM (SELECT min(id) AS id, source_hash FROM candidate WHERE kernel = ? "
      "AND contract_hash IN (SELECT value FROM json_each(?)) GROUP BY source_hash) c "
      "JOIN iteration i ON i.candidate = c.id JOIN source s ON s.hash = i.source GROUP BY c.source_hash",
      asked.kernel, json_text(asked.contract_hashes));
  while (query.next()) sources.push_back({query.text(0), query.text(1)});
  return sources;
}

std::optional<RecordedTwin> Store::same_source(const TwinQuery& asked, const std::string& source_hash) {
  return best_of(connection_, asked, "i.candidate IN (SELECT id FROM candidate WHERE kernel = ?1 AND source_hash = ?5)",
                 source_hash);
}

std::optional<RecordedTwin> Store::same_proposal(const TwinQuery& asked, const std::string& normal_hash) {
  return best_of(connection_, asked,
                 "i.campaign IN (SELECT campaign FROM proposal WHERE kernel = ?1 AND normal_hash = ?5 AND "
                 "outcome = 'accepted') AND (+i.campaign, +c.variant) IN (SELECT campaign, variant FROM proposal WHERE "
                 "kernel = ?1 AND normal_hash = ?5 AND outcome = 'accepted') AND +c.kernel = ?1",
                 normal_hash);
}

std::int64_t Store::same_binary_before(const TwinQuery& asked, const std::string& binary_hash) {
  if (binary_hash.empty()) return 0;
  const auto twin = best_of(connection_, asked,
                            "i.binary IN (SELECT id FROM binary WHERE hash = ?5) AND +c.kernel = ?1", binary_hash);
  return twin ? twin->iteration : 0;
}

ProposerHistory Store::proposer_history(const std::string& spec, const std::string& device_name,
                                        std::int64_t before_campaign) {
  ProposerHistory history;
  Statement counts(connection_,
                   "SELECT count(*) FILTER (WHERE q.second_to IS NULL), count(*), sum(q.latency_s), count(q.usd), "
                   "sum(q.usd) FROM proposal q JOIN campaign p ON p.id = q.campaign "
                   "WHERE q.proposer = ? AND p.device_name = ? AND p.evidence = 1 AND q.campaign < ? "
                   "AND q.outcome <> 'interrupted'",
                   spec, device_name, before_campaign);
  if (counts.next() && counts.integer(1) > 0) {
    const auto requests = static_cast<double>(counts.integer(1));
    history.asked = counts.integer(0);
    history.latency_s = counts.real(2) / requests;
    if (counts.integer(3) == counts.integer(1)) history.usd_each = counts.real(4) / requests;
  }
  Statement gains(connection_,
                  "SELECT min(i.time_ns / i.incumbent_ns) FROM proposal q JOIN campaign p ON p.id = q.campaign "
                  "JOIN candidate c ON c.kernel = q.kernel AND c.variant = q.variant "
                  "JOIN iteration i ON i.candidate = c.id AND i.campaign = q.campaign "
                  "WHERE q.proposer = ? AND p.device_name = ? AND p.evidence = 1 AND q.campaign < ? "
                  "AND q.outcome = 'accepted' AND i.outcome = 'passed' AND i.verdict = 'faster' GROUP BY q.id",
                  spec, device_name, before_campaign);
  while (gains.next()) {
    ++history.improved;
    history.log_gain -= std::log(gains.real(0));
  }
  if (history.improved > 0) history.log_gain /= static_cast<double>(history.improved);
  return history;
}

}  // namespace harness::store
