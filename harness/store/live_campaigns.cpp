#include "harness/store/live_campaigns.h"

#include <sys/utsname.h>

#include "harness/store/columns.h"
#include "harness/store/owner.h"
#include "harness/store/statement.h"

namespace harness::store {
namespace {

/// A writer tells at least every 10 s; whoever is not heard of for that long has ended, or has lost the store.
constexpr double kSilentS = 60;

bool of_this_machine(const json& facts) {
  utsname own{};
  uname(&own);
  const json host = facts.is_object() ? facts.value("host", json()) : json();
  return !host.is_string() || host == own.nodename;
}

/// Columns: live, name, device, device_name, kernels, owner, facts, told_unix.
LiveRow read_row(const Statement& query, std::int64_t campaign) {
  LiveRow row;
  const json live = query.parsed(0);
  if (live.is_object()) row.live = live.get<CampaignLive>();
  row.live.campaign = campaign;
  row.name = query.text(1);
  row.device = query.text(2);
  row.device_name = query.text(3);
  const json kernels = query.parsed(4);
  for (const json& kernel : kernels)
    if (kernel.is_string()) row.kernels.push_back(kernel);
  const bool alive =
      of_this_machine(query.parsed(6)) ? still_runs(query.text(5)) : now_unix() - query.real(7) < kSilentS;
  row.state = alive && !query.null(5) ? Liveness::running : Liveness::stale;
  return row;
}

}  // namespace

void StoredLive::tell(const CampaignLive& live) {
  Write write(store_.connection());
  Statement(store_.connection(),
            "INSERT INTO campaign_live (campaign, told_unix, live) VALUES (?1, ?2, ?3) "
            "ON CONFLICT (campaign) DO UPDATE SET told_unix = excluded.told_unix, live = excluded.live",
            live.campaign, live.told_unix, json_text(json(live)))
      .run();
  write.commit();
}

/// Rows of killed campaigns that have been settled go with it: what they did last is in the record by then.
void StoredLive::end(std::int64_t campaign) {
  Write write(store_.connection());
  Statement(store_.connection(),
            "DELETE FROM campaign_live WHERE campaign = ? OR campaign IN (SELECT id FROM campaign WHERE owner IS NULL)",
            campaign)
      .run();
  write.commit();
}

std::vector<LiveRow> StoredLive::all() {
  std::vector<LiveRow> rows;
  Statement query(
      store_.connection(),
      "SELECT l.live, c.name, c.device, c.device_name, c.kernels, c.owner, e.facts, l.told_unix, l.campaign "
      "FROM campaign_live l JOIN campaign c ON c.id = l.campaign "
      "LEFT JOIN environment e ON e.campaign = c.id ORDER BY l.campaign DESC");
  while (query.next()) rows.push_back(read_row(query, query.integer(8)));
  return rows;
}

}  // namespace harness::store
