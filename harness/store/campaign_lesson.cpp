#include "harness/store/campaign_lesson.h"

#include <algorithm>

#include "harness/store/statement.h"

namespace harness::store {
namespace {

void read_header(Store& store, CampaignLesson& lesson) {
  const CampaignRecord record = store.campaign(lesson.campaign);
  lesson.device_name = record.device_name;
  lesson.strategy = record.strategy;
  lesson.kernels = record.kernels;
  lesson.emulation = in_emulation(record);
  lesson.spent_s = store.spent_seconds(lesson.campaign);
  Statement query(store.connection(), "SELECT coalesce(reason, ''), cost_usd FROM campaign WHERE id = ?",
                  lesson.campaign);
  if (!query.next()) return;
  lesson.reason = query.text(0);
  lesson.cost_usd = query.maybe_real(1);
}

TechniqueLesson& technique_of(CampaignLesson& lesson, const std::string& kernel, const std::string& technique) {
  for (TechniqueLesson& each : lesson.techniques)
    if (each.kernel == kernel && each.technique == technique) return each;
  return lesson.techniques.emplace_back(TechniqueLesson{kernel, technique});
}

void read_outcomes(Store& store, CampaignLesson& lesson) {
  Statement query(store.connection(),
                  "SELECT i.kernel, c.technique, i.outcome, count(*), sum(i.wall_s), sum(i.usd), count(i.usd) "
                  "FROM iteration i JOIN candidate c ON c.id = i.candidate "
                  "WHERE i.campaign = ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
                  lesson.campaign);
  std::map<std::pair<std::string, std::string>, std::int64_t> priced;
  while (query.next()) {
    TechniqueLesson& technique = technique_of(lesson, query.text(0), query.text(1));
    const std::int64_t count = query.integer(3);
    technique.outcomes[query.text(2)] += count;
    technique.evaluations += count;
    if (query.text(2) == "passed") technique.passed += count;
    technique.seconds += query.real(4);
    if (query.integer(6) > 0) technique.usd = technique.usd.value_or(0) + query.real(5);
    priced[{technique.kernel, technique.technique}] += query.integer(6);
  }
  for (TechniqueLesson& technique : lesson.techniques)
    if (priced[{technique.kernel, technique.technique}] < technique.evaluations) technique.usd.reset();
}

/// Each technique's best on a workload beside the best of the others there.
void read_gains(Store& store, CampaignLesson& lesson) {
  Statement query(
      store.connection(),
      "WITH best AS (SELECT kernel, workload, technique, max(best_speedup) AS speedup FROM rollup_arm "
      "              WHERE campaign = ? GROUP BY kernel, workload, technique) "
      "SELECT a.kernel, a.technique, a.speedup, (SELECT max(b.speedup) FROM best b WHERE b.kernel = a.kernel "
      "  AND b.workload = a.workload AND b.technique <> a.technique) FROM best a",
      lesson.campaign);
  while (query.next()) {
    TechniqueLesson& technique = technique_of(lesson, query.text(0), query.text(1));
    ++technique.workloads;
    const std::optional<double> own = query.maybe_real(2), others = query.maybe_real(3);
    if (!own) continue;
    technique.best_speedup = std::max(technique.best_speedup.value_or(*own), *own);
    if (!others || *others <= 0) continue;
    technique.gain_lo = std::min(technique.gain_lo.value_or(*own / *others), *own / *others);
    technique.gain_hi = std::max(technique.gain_hi.value_or(*own / *others), *own / *others);
  }
}

void read_rules(Store& store, CampaignLesson& lesson) {
  // With min(id), SQLite takes `why` from the row that holds it.
  Statement query(store.connection(),
                  "SELECT rule, action, count(*), min(id), why FROM decision "
                  "WHERE campaign = ? AND rule IS NOT NULL GROUP BY rule, action ORDER BY min(id)",
                  lesson.campaign);
  while (query.next())
    lesson.rules.push_back({query.text(0), query.text(1), query.integer(2), query.integer(3), query.text(4)});
}

}  // namespace

CampaignLesson campaign_lesson(Store& store, std::int64_t campaign) {
  CampaignLesson lesson;
  lesson.campaign = campaign;
  const Read read(store.connection());
  read_header(store, lesson);
  read_outcomes(store, lesson);
  read_gains(store, lesson);
  read_rules(store, lesson);
  std::stable_sort(lesson.techniques.begin(), lesson.techniques.end(),
                   [](const TechniqueLesson& a, const TechniqueLesson& b) { return a.seconds > b.seconds; });
  return lesson;
}

}  // namespace harness::store
