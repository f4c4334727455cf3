#include "harness/store/lookups.h"

#include <cmath>
#include <map>
#include <set>

#include "harness/core/proposal.h"
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

namespace {

// A line each request: what its variant cost the device, and by how much it was at most faster than the best of the
// time.
constexpr const char* kRequests = R"sql(
  WITH done AS (SELECT q.id, sum(i.wall_s) AS device_s, sum(i.usd) AS device_usd, max(i.outcome = 'passed') AS passed,
                       max(iif(i.outcome = 'passed' AND i.verdict = 'faster', i.incumbent_ns / i.time_ns, NULL)) AS gain
                FROM proposal q JOIN candidate c ON c.kernel = q.kernel AND c.variant = q.variant
                JOIN iteration i ON i.candidate = c.id AND i.campaign = q.campaign
                WHERE q.outcome = 'accepted' GROUP BY q.id)
  SELECT q.proposer, q.campaign, q.second_to IS NULL, q.outcome = 'accepted', q.tokens_in, q.tokens_out, q.usd,
         q.latency_s, done.device_s, done.device_usd, done.passed, done.gain
  FROM proposal q LEFT JOIN done ON done.id = q.id
  WHERE q.proposer <> 'record' AND q.outcome <> 'interrupted' AND (?1 IS NULL OR q.campaign = ?1) ORDER BY q.id)sql";

struct ProposerSums {
  std::set<std::int64_t> campaigns;
  std::int64_t requests = 0, asked = 0, accepted = 0, passed = 0, improved = 0, tokens_in = 0, tokens_out = 0;
  double log_gain = 0, usd = 0, waited_s = 0, device_s = 0, device_usd = 0;
  bool all_priced = true;

  void add(const Statement& request) {
    ++requests;
    campaigns.insert(request.integer(1));
    asked += request.integer(2);
    accepted += request.integer(3);
    tokens_in += request.maybe_integer(4).value_or(0);
    tokens_out += request.maybe_integer(5).value_or(0);
    all_priced = all_priced && request.maybe_real(6);
    usd += request.maybe_real(6).value_or(0);
    waited_s += request.real(7);
    device_s += request.maybe_real(8).value_or(0);
    device_usd += request.maybe_real(9).value_or(0);
    passed += request.maybe_integer(10).value_or(0);
    if (const auto gain = request.maybe_real(11)) ++improved, log_gain += std::log(*gain);
  }
};

}  // namespace

json proposer_table(Store& store, const std::optional<std::int64_t>& campaign) {
  std::map<std::string, ProposerSums> sums;
  for (Statement query(store.connection(), kRequests, campaign); query.next();) sums[query.text(0)].add(query);
  json rows = json::array();
  for (const auto& [spec, of] : sums) {
    const double usd = of.usd + of.device_usd;
    rows.push_back({{"proposer", proposer_name(spec)},
                    {"spec", spec},
                    {"campaigns", of.campaigns.size()},
                    {"asked", of.asked},
                    {"accepted", of.accepted},
                    {"passed", of.passed},
                    {"became_best", of.improved},
                    {"gain", std::exp(of.log_gain)},
                    {"tokens_in", of.tokens_in},
                    {"tokens_out", of.tokens_out},
                    {"usd", of.all_priced ? json(of.usd) : json()},
                    {"waited_s", of.waited_s},
                    {"device_s", of.device_s},
                    {"device_usd", of.device_usd},
                    {"log_gain_per_usd", of.all_priced && usd > 0 ? json(of.log_gain / usd) : json()}});
  }
  return rows;
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
