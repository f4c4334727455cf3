#include "harness/store/lookups.h"

#include "harness/store/condition.h"
#include "harness/store/statement.h"

namespace harness::store {

RecordSize record_size(Store& store) {
  Statement query(store.connection(), "SELECT (SELECT count(*) FROM campaign), (SELECT count(*) FROM iteration)");
  return query.next() ? RecordSize{query.integer(0), query.integer(1)} : RecordSize{};
}

SqlAnswer proposal_table(Store& store, const std::optional<std::int64_t>& campaign, std::int64_t limit) {
  Statement query(
      store.connection(),
      "SELECT proposal, campaign, number, second_to, kernel, workload, outcome, variant, label, iterations, became, "
      "best_speedup, latency_s, tokens_in, tokens_out, usd, message FROM v_proposals "
      "WHERE ?1 IS NULL OR campaign = ?1 ORDER BY proposal DESC LIMIT ?2",
      campaign, limit);
  SqlAnswer answer;
  for (int column = 0; column < query.columns(); ++column) answer.columns.push_back(query.column_name(column));
  while (query.next()) {
    json row = json::array();
    for (int column = 0; column < query.columns(); ++column) row.push_back(query.value(column));
    answer.rows.push_back(std::move(row));
  }
  return answer;
}

std::optional<std::int64_t> campaign_of_proposal(Store& store, std::int64_t proposal) {
  Statement query(store.connection(), "SELECT campaign FROM proposal WHERE id = ?", proposal);
  return query.next() ? query.maybe_integer(0) : std::nullopt;
}

json timed_iterations(Store& store, const std::string& kernel) {
  Statement query(
      store.connection(),
      "SELECT iteration, campaign, workload, variant, technique, config, device_name, purpose, time_ns, baseline_ns, "
      "speedup_lo, confirmed, emulation, contract_hash, source_hash FROM v_iterations WHERE kernel = ? "
      "AND outcome = 'passed' AND time_ns IS NOT NULL AND purpose IN ('baseline', 'search', 'confirm', 'eval') "
      "ORDER BY iteration DESC LIMIT 20000",
      kernel);
  return all_rows(query);
}

}  // namespace harness::store
