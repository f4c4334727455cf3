#include <fmt/format.h>

#include <algorithm>

#include "harness/store/agent_sessions.h"
#include "harness/store/statement.h"

namespace harness::store {
namespace {

// Iterations of a kernel that are looked at, the newest; fewer where their configurations are compared. Some 50 ms
// each.
constexpr std::int64_t kLookedAt = 20'000, kCompared = 5000;

constexpr const char* kNewest =
#include "embedded/harness/store/similar_newest.sql"
    ;
constexpr const char* kByFingerprint =
#include "embedded/harness/store/similar_fingerprint.sql"
    ;

struct Nearest {
  std::int64_t same = 0;  // values of the configuration that agree
  json row;
};

std::int64_t agreeing(const json& config, const Config& wanted) {
  std::int64_t same = 0;
  for (const auto& [name, value] : wanted)
    if (config.is_object() && config.contains(name) && config.at(name) == json(value)) ++same;
  return same;
}

json row_of(const Statement& query, const json& config) {
  return {{"iteration", query.integer(0)},
          {"workload", query.text(1)},
          {"variant", query.text(2)},
          {"technique", query.text(3)},
          {"config", config},
          {"outcome", query.text(5)},
          {"time_ns", query.value(6)},
          {"speedup", query.value(7)},
          {"error_class", query.value(8)},
          {"fingerprint", query.text(9)},
          {"label", query.maybe_text(10)},
          {"device", query.text(11)},
          {"emulation", query.flag(12)}};
}

/// The best few by how much of the configuration agrees, the newest first among equals.
json nearest(Connection& connection, const AttemptLikeness& likeness) {
  Statement query(connection, likeness.fingerprint ? kByFingerprint : kNewest, likeness.kernel, likeness.workload,
                  likeness.variant, likeness.technique, likeness.outcome, likeness.fingerprint,
                  likeness.config.empty() ? kLookedAt : kCompared);
  const auto limit = static_cast<std::size_t>(likeness.limit);
  std::vector<Nearest> kept;
  while (query.next()) {
    if (likeness.config.empty() && kept.size() == limit) break;
    const json config = query.parsed(4);
    const std::int64_t same = agreeing(config, likeness.config);
    if (kept.size() == limit && same <= kept.back().same) continue;
    const auto place = std::find_if(kept.begin(), kept.end(), [&](const Nearest& each) { return each.same < same; });
    kept.insert(place, {same, row_of(query, config)});
    if (kept.size() > limit) kept.pop_back();
  }
  json rows = json::array();
  for (Nearest& each : kept) rows.push_back(std::move(each.row));
  return rows;
}

json techniques(Connection& connection, const AttemptLikeness& likeness) {
  json rows = json::array();
  Statement query(connection,
                  "SELECT technique, sum(iterations), sum(passed), max(best_speedup) FROM rollup_device_technique "
                  "WHERE kernel = ?1 AND (?2 IS NULL OR technique = ?2) GROUP BY technique ORDER BY 4 DESC LIMIT 12",
                  likeness.kernel, likeness.technique);
  while (query.next())
    rows.push_back({{"technique", query.text(0)},
                    {"attempts", query.integer(1)},
                    {"passed", query.integer(2)},
                    {"best_speedup", query.value(3)}});
  return rows;
}

}  // namespace

json StoredSessions::similar_attempts(const AttemptLikeness& likeness) {
  const Read one_moment(store_.connection());
  return {{"techniques", techniques(store_.connection(), likeness)},
          {"attempts", nearest(store_.connection(), likeness)}};
}

}  // namespace harness::store
