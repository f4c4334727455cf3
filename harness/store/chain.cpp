#include "harness/store/chain.h"

#include <fmt/format.h>

#include "harness/core/hash.h"
#include "harness/store/statement.h"

namespace harness::store {
namespace {

constexpr std::size_t kMostSentences = 20;

// Everything that was found and of what. Named columns: a later version may add some, which are not of the chain.
constexpr const char* kRow =
    "SELECT i.attempt, i.campaign, i.kernel, i.workload, i.purpose, i.ended_unix, i.outcome, i.confirmed, i.time_ns, "
    "i.time_lo_ns, i.time_hi_ns, i.cold_ns, i.warm_ns, i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, "
    "i.incumbent_ns, i.floor_ns, i.verdict, i.emulation, i.error, i.fingerprint, i.same_as, i.source, i.build_log, "
    "i.seeds, i.wall_s, i.usd, a.begun_unix, a.label, a.parent, c.variant, c.technique, c.config, c.contract_hash, "
    "c.source_hash, (SELECT hash FROM binary b WHERE b.id = i.binary) "
    "FROM iteration i JOIN attempt a ON a.id = i.attempt JOIN candidate c ON c.id = i.candidate WHERE i.id = ?";
constexpr const char* kGates =
    "SELECT position, name, passed, detail, checked FROM gate_result WHERE iteration = ? ORDER BY position";

void add_rows(Sha256& hash, Connection& connection, const char* sql, std::int64_t iteration) {
  Statement query(connection, sql, iteration);
  while (query.next())
    for (int column = 0; column < query.columns(); ++column) hash.field(json_text(query.value(column)));
}

std::string link_hash(Connection& connection, std::int64_t iteration, const std::string& before) {
  Sha256 hash;
  hash.field(before).field(std::to_string(iteration));
  add_rows(hash, connection, kRow, iteration);
  add_rows(hash, connection, kGates, iteration);
  return hash.hex();
}

/// Iterations of this store's own, younger than the chain, that have no link.
void find_unlinked(Connection& connection, std::vector<std::string>& wrong) {
  Statement query(connection,
                  "SELECT i.id FROM iteration i JOIN campaign p ON p.id = i.campaign "
                  "WHERE p.imported = 0 AND i.id > (SELECT min(iteration) FROM iteration_link) "
                  "AND NOT EXISTS (SELECT 1 FROM iteration_link l WHERE l.iteration = i.id) ORDER BY i.id");
  while (query.next() && wrong.size() < kMostSentences)
    wrong.push_back(
        fmt::format("iteration {} has no link in the chain: nothing of harness recorded it", query.integer(0)));
}

}  // namespace

void add_link(Connection& connection, std::int64_t iteration) {
  const std::string hash = link_hash(connection, iteration, chain_head(connection));
  Statement(connection, "INSERT INTO iteration_link VALUES (?, ?)", iteration, hash).run();
}

std::string chain_head(Connection& connection) {
  Statement query(connection, "SELECT hash FROM iteration_link ORDER BY iteration DESC LIMIT 1");
  return query.next() ? query.text(0) : "";
}

std::vector<std::string> broken_links(Connection& connection) {
  std::vector<std::string> wrong;
  std::string before;
  std::vector<std::pair<std::int64_t, std::string>> links;
  for (Statement query(connection, "SELECT iteration, hash FROM iteration_link ORDER BY iteration"); query.next();)
    links.emplace_back(query.integer(0), query.text(1));
  for (const auto& [iteration, hash] : links) {
    if (wrong.size() < kMostSentences && link_hash(connection, iteration, before) != hash)
      wrong.push_back(
          fmt::format("iteration {} is not what was recorded, or one before it was taken away: its link in the chain "
                      "does not agree",
                      iteration));
    before = hash;
  }
  find_unlinked(connection, wrong);
  return wrong;
}

}  // namespace harness::store
