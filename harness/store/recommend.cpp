#include "harness/store/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/store/condition.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

struct Choice {
  std::string variant, config;
  std::map<std::size_t, double> slowdowns;  // by the place of the workload
  double geomean = 0, worst = 0;
  std::size_t worst_at = 0;
};

struct Best {
  std::string workload;
  double time_ns = 0;
  std::string variant, config;
  std::int64_t iteration = 0;
  bool confirmed = false;
};

struct Measured {
  std::string device_name;
  bool emulation = false;
  std::vector<Best> bests;
  std::vector<Choice> choices;
};

struct DeviceChoice {
  std::string name;
  bool emulation = false;
  std::string device;  // "cuda:0", "cpu:H200"

  const char* times() const {
    return !emulation ? "measured" : predicted_gpu(device).empty() ? "emulated" : "predicted";
  }
};

std::optional<DeviceChoice> choose_device(Store& store, const HistoryFilter& filter) {
  Statement query(store.connection(),
                  "SELECT b.device_name, max(i.emulation) AS emulated, max(p.device) FROM rollup_best b "
                  "JOIN iteration i ON i.id = b.iteration JOIN campaign p ON p.id = i.campaign "
                  "WHERE b.kernel = ?1 AND (?2 IS NULL OR ?2 IN (p.device, p.device_name)) "
                  "AND (?3 IS NULL OR b.device_name = (SELECT q.device_name FROM campaign q WHERE q.id = ?3)) "
                  "GROUP BY 1 ORDER BY emulated, count(DISTINCT b.workload) DESC, 1",
                  filter.kernel, filter.device, filter.campaign);
  if (!query.next()) return std::nullopt;
  return DeviceChoice{query.text(0), query.flag(1), query.text(2)};
}

/// The fastest time of each candidate on each workload, under the contract that was measured last there. Of all
/// iterations only the index iteration_fastest is read; rows are looked up for the few that are left of it.
constexpr const char* kFastestTimes = R"sql(
  WITH newest AS (
    SELECT workload, contract_hash FROM (
      SELECT b.workload, b.contract_hash,
             row_number() OVER (PARTITION BY b.workload ORDER BY max(i.ended_unix) DESC, b.contract_hash) AS place
      FROM rollup_best b JOIN iteration i ON i.id = b.iteration
      WHERE b.kernel = ?1 AND b.device_name = ?2 AND ?3 IS NULL GROUP BY b.workload, b.contract_hash)
    WHERE place = 1
    UNION SELECT i.workload, c.contract_hash FROM iteration i JOIN candidate c ON c.id = i.candidate
          WHERE i.campaign = ?3 AND i.kernel = ?1),
  counted AS MATERIALIZED (
    SELECT id FROM campaign WHERE device_name = ?2 AND evidence = 1 AND (?3 IS NULL OR id = ?3)),
  fastest AS MATERIALIZED (
    SELECT workload, candidate, min(time_ns) AS time_ns, id, confirmed
    FROM iteration INDEXED BY iteration_fastest
    WHERE kernel = ?1 AND outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL
      AND campaign IN (SELECT id FROM counted)
    GROUP BY workload, candidate)
  SELECT i.workload, c.variant, c.config, min(i.time_ns) AS time_ns, i.id, i.confirmed
  FROM fastest i JOIN candidate c ON c.id = i.candidate
  JOIN newest n ON n.workload = i.workload AND n.contract_hash = c.contract_hash
  WHERE NOT EXISTS (SELECT 1 FROM refuted f WHERE f.candidate = i.candidate AND f.workload = i.workload
                                              AND f.device_name = ?2)
  GROUP BY i.workload, c.variant, c.config ORDER BY i.workload, time_ns, i.id)sql";

Measured measured(Store& store, const HistoryFilter& filter, const DeviceChoice& device) {
  Measured found{device.name, device.emulation, {}, {}};
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  Statement query(store.connection(), kFastestTimes, filter.kernel, device.name, filter.campaign);
  while (query.next()) {
    const std::string workload = query.text(0), variant = query.text(1), config = query.text(2);
    const double time_ns = query.real(3);
    if (!(time_ns > 0)) continue;
    if (found.bests.empty() || found.bests.back().workload != workload)  // the fastest comes first
      found.bests.push_back({workload, time_ns, variant, config, query.integer(4), query.flag(5)});
    const auto [place, is_new] = places.try_emplace({variant, config}, found.choices.size());
    if (is_new) found.choices.push_back({variant, config, {}});
    found.choices[place->second].slowdowns[found.bests.size() - 1] = time_ns / found.bests.back().time_ns;
  }
  for (Choice& choice : found.choices) {
    double logs = 0;
    for (const auto& [workload, slowdown] : choice.slowdowns) {
      logs += std::log(slowdown);
      if (slowdown > choice.worst) choice.worst = slowdown, choice.worst_at = workload;
    }
    choice.geomean = std::exp(logs / static_cast<double>(choice.slowdowns.size()));
  }
  std::ranges::stable_sort(found.choices, [](const Choice& a, const Choice& b) {
    if (a.slowdowns.size() != b.slowdowns.size()) return a.slowdowns.size() > b.slowdowns.size();
    return a.geomean < b.geomean;
  });
  return found;
}

json config_json(const std::string& config) {
  return parsed_json(config).value_or(json(config));
}

/// A workload that none of the chosen has passed on counts as this many times slower: it must be covered first.
constexpr double kUncovered = 1e6;

/// For each workload the chosen candidate that is fastest there; null: none of them.
std::vector<const Choice*> assign(const std::vector<const Choice*>& chosen, std::size_t workloads) {
  std::vector<const Choice*> table(workloads);
  for (std::size_t w = 0; w < workloads; ++w)
    for (const Choice* choice : chosen)
      if (choice->slowdowns.contains(w) && (table[w] == nullptr || choice->slowdowns.at(w) < table[w]->slowdowns.at(w)))
        table[w] = choice;
  return table;
}

double mean_log(const std::vector<const Choice*>& table) {
  double logs = 0;
  for (std::size_t w = 0; w < table.size(); ++w)
    logs += std::log(table[w] == nullptr ? kUncovered : table[w]->slowdowns.at(w));
  return logs / static_cast<double>(table.size());
}

json dispatch_json(const Measured& found, const std::vector<const Choice*>& chosen) {
  const auto table = assign(chosen, found.bests.size());
  json rows = json::array();
  double worst = 1;
  bool covered = true;
  for (std::size_t w = 0; w < table.size(); ++w) {
    const bool has = table[w] != nullptr;
    covered = covered && has;
    if (has) worst = std::max(worst, table[w]->slowdowns.at(w));
    rows.push_back({{"workload", found.bests[w].workload},
                    {"variant", has ? json(table[w]->variant) : json()},
                    {"config", has ? config_json(table[w]->config) : json()},
                    {"regret", has ? json(table[w]->slowdowns.at(w)) : json()}});
  }
  return {{"candidates", chosen.size()},
          {"geomean", covered ? json(std::exp(mean_log(table))) : json()},
          {"worst", covered ? json(worst) : json()},
          {"table", rows}};
}

/// The best of each workload itself, each once.
std::vector<const Choice*> own_bests(const Measured& found) {
  std::vector<const Choice*> chosen;
  for (const Best& best : found.bests)
    for (const Choice& choice : found.choices)
      if (choice.variant == best.variant && choice.config == best.config &&
          std::ranges::find(chosen, &choice) == chosen.end())
        chosen.push_back(&choice);
  return chosen;
}

/// Greedy: each further candidate is the one that lowers the mean slowdown most. The last table loses nothing.
json dispatch_tables(const Measured& found) {
  json tables = json::array();
  std::vector<const Choice*> chosen;
  double before = std::numeric_limits<double>::infinity();
  while (chosen.size() < found.bests.size()) {
    const Choice* next = nullptr;
    double lowest = before;
    for (const Choice& choice : found.choices) {
      chosen.push_back(&choice);
      const double mean = mean_log(assign(chosen, found.bests.size()));
      chosen.pop_back();
      if (mean < lowest - 1e-12) lowest = mean, next = &choice;
    }
    if (next == nullptr) break;
    chosen.push_back(next);
    before = lowest;
    tables.push_back(dispatch_json(found, chosen));
  }
  if (before <= 1e-12) return tables;
  const auto own = own_bests(found);  // as many as were chosen, or fewer, and better
  while (!tables.empty() && tables.back().at("candidates") >= own.size()) tables.erase(tables.size() - 1);
  tables.push_back(dispatch_json(found, own));
  return tables;
}

}  // namespace

json recommend(Store& store, const HistoryFilter& filter) {
  check_names(store, filter);
  const std::string kernel = filter.kernel.value_or("");
  const Read read(store.connection());
  const auto on = choose_device(store, filter);
  if (!on)
    throw bad_input(fmt::format("nothing of '{}' that counts has passed{} in the store {}", kernel,
                                filter.device ? " on " + *filter.device : "", store.connection().path()));
  const Measured found = measured(store, filter, *on);
  json bests = json::array(), single = json::array();
  for (const Best& best : found.bests)
    bests.push_back({{"workload", best.workload},
                     {"best_ns", best.time_ns},
                     {"variant", best.variant},
                     {"config", config_json(best.config)},
                     {"iteration", best.iteration},
                     {"confirmed", best.confirmed}});
  constexpr std::size_t kShown = 10;
  for (const Choice& choice : found.choices) {
    if (single.size() == kShown) break;
    single.push_back({{"variant", choice.variant},
                      {"config", config_json(choice.config)},
                      {"workloads", choice.slowdowns.size()},
                      {"geomean", choice.geomean},
                      {"worst", choice.worst},
                      {"worst_workload", found.bests[choice.worst_at].workload}});
  }
  return {{"kernel", kernel},
          {"device", found.device_name},
          {"emulation", found.emulation},
          {"times", on->times()},
          {"workloads", bests},
          {"single", single},
          {"candidates", found.choices.size()},
          {"dispatch", dispatch_tables(found)}};
}

}  // namespace harness::store
