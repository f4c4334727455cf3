#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "harness/core/archive.h"
#include "harness/store/archive.h"
#include "harness/store/live_campaigns.h"
#include "tests/store/recorded.h"

// The row of a campaign that is under way.
using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

CampaignLive doing(std::int64_t campaign, const std::string& what) {
  CampaignLive live;
  live.campaign = campaign;
  live.told_unix = 1700000000;
  live.doing = what;
  live.phase = "build";
  return live;
}

}  // namespace

TEST_CASE("another process sees what a campaign does now, and nothing once it has ended") {
  const Folder folder;
  const auto writer = Store::open(folder / "s.db", Mode::read_write);
  const auto campaign = writer->begin_campaign(a_campaign());
  StoredLive live(*writer);
  live.tell(doing(campaign, "softmax on m64"));
  live.tell(doing(campaign, "softmax on m128"));
  const auto reader = open_archive(folder / "s.db", ArchiveAccess::read);
  const std::vector<LiveRow> rows = reader->live().all();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].live.doing == "softmax on m128");
  CHECK(rows[0].live.campaign == campaign);
  CHECK(rows[0].name == "nightly");
  CHECK(rows[0].kernels == std::vector<std::string>{"attention"});
  CHECK(rows[0].state == Liveness::running);
  live.end(campaign);
  CHECK(reader->live().all().empty());
}

TEST_CASE("the row of a killed campaign is stale, and goes when it has been settled and another one ends") {
  const Folder folder;
  const auto store = Store::open(folder / "s.db", Mode::read_write);
  const auto killed = store->begin_campaign(a_campaign()), other = store->begin_campaign(a_campaign());
  StoredLive live(*store);
  live.tell(doing(killed, "a build that hangs"));
  live.tell(doing(other, "softmax"));
  Statement(store->connection(), "UPDATE campaign SET owner = 'no-boot/1/2 0 0' WHERE id = ?", killed).run();
  const std::vector<LiveRow> rows = live.all();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].state == Liveness::running);
  CHECK(rows[1].state == Liveness::stale);
  CHECK(rows[1].live.doing == "a build that hangs");
  store->settle_lost_time();
  live.end(other);
  CHECK(live.all().empty());
}

// What a row costs, in milliseconds: printed, never checked. test_store "[cost]"
TEST_CASE("what the row of a campaign costs", "[.cost]") {
  const Folder folder;
  const auto store = Store::open(folder / "s.db", Mode::read_write);
  StoredLive live(*store);
  CampaignLive row = doing(store->begin_campaign(a_campaign()), "softmax 20_online ROWS=4 on m64n512_f32");
  for (int i = 0; i < 8; ++i) {
    row.flights.push_back({i, "softmax", "20_online", "ROWS=4", "m64n512_f32", "search", "gpu1", 1700000000});
    row.best.push_back({"softmax", "m64n512_f32", "20_online", 5120, 2, true});
  }
  constexpr int kWrites = 2000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kWrites; ++i) {
    row.told_unix += 0.5;
    live.tell(row);
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::cout << json(row).dump().size() << " bytes a row, " << took.count() / kWrites << " ms a write, "
            << kWrites / took.count() * 1000 << " writes/s\n";
}
