#include "harness/report/live_row.h"

#include <atomic>
#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/report/live_view.h"
#include "harness/report/readers.h"

// What a campaign does now, for other processes.
using namespace harness;
using namespace std::chrono_literals;

namespace {

/// Counts what is written.
struct FakeLive : LiveCampaigns {
  void tell(const CampaignLive& live) override {
    if (broken) throw environment_error("the disk is full");
    const std::lock_guard lock(mutex);
    last_phase = live.phase;
    ++written;
  }
  std::string phase() {
    const std::lock_guard lock(mutex);
    return last_phase;
  }
  void end(std::int64_t) override { ++ended; }
  std::vector<LiveRow> all() override { return {}; }
  std::mutex mutex;
  std::string last_phase;
  std::atomic<int> written = 0, ended = 0;
  bool broken = false;
};

AttemptRecord attempt_of(const std::string& variant) {
  AttemptRecord attempt;
  attempt.candidate = {"softmax", variant, "warp-per-row", {{"ROWS", std::int64_t{4}}}};
  attempt.workload = "m64n512_f32";
  return attempt;
}

Evaluation passed(double time_ns, double speedup) {
  Timing timing;
  timing.time_ns = time_ns;
  timing.speedup = speedup;
  Evaluation evaluation;
  evaluation.outcome = Passed{timing};
  return evaluation;
}

CampaignStarted started() {
  CampaignStarted event;
  event.campaign = 7;
  event.record.budget_s = 300;
  event.workloads = 2;
  event.ahead = {{"trying the gates of softmax", 12.0}};
  return event;
}

/// A campaign 10 s into its second evaluation.
CampaignLive at_work() {
  report::LiveFold fold;
  fold.started(started(), 1000);
  const AttemptRecord first = attempt_of("10_warp_row"), second = attempt_of("20_online");
  fold.begun({1, &first}, 1010);
  const Evaluation evaluation = passed(5120, 2);
  fold.iteration({1, first, &evaluation, {}, "cpu", false, true, 1}, 1020);
  fold.progress({25, 300, 1, {{"passed", 1}}, "softmax 20_online ROWS=4 on m64n512_f32", 2, {}, "build", "", ""}, 1025);
  fold.begun({2, &second}, 1025);
  fold.phase({"build", 60}, 1026);
  fold.live.told_unix = 1030;
  return fold.live;
}

}  // namespace

TEST_CASE("events fold into what is under way, since when, and the best so far") {
  const CampaignLive live = at_work();
  CHECK(live.campaign == 7);
  REQUIRE(live.flights.size() == 1);
  CHECK(live.flights[0].attempt == 2);
  CHECK(live.flights[0].variant == "20_online");
  CHECK(live.flights[0].begun_unix == 1025);
  CHECK(live.phase == "build");
  CHECK(live.phase_unix == 1026);
  CHECK(live.phase_deadline_unix == 1086);
  CHECK(live.iterations == 1);
  REQUIRE(live.best.size() == 1);
  CHECK(live.best[0].speedup == 2);
  REQUIRE(live.last);
  CHECK(live.last->outcome == "passed");
  CHECK(live.last->time_ns == 5120);
}

TEST_CASE("what is lost on a node is no flight any more, and a rival is no best") {
  report::LiveFold fold;
  fold.started(started(), 0);
  AttemptRecord rival = attempt_of("90_library");
  rival.purpose = Purpose::rival;
  fold.begun({1, &rival}, 1);
  const Evaluation evaluation = passed(100, 9);
  fold.iteration({1, rival, &evaluation, {}, "cpu", false, true, 1}, 2);
  CHECK(fold.live.flights.empty());
  CHECK(fold.live.best.empty());
  CHECK(fold.live.phase.empty());
}

TEST_CASE("a row is read back as it was written, and one that lacks a field has its default") {
  const json object = at_work();
  const auto back = object.get<CampaignLive>();
  CHECK(json(back) == object);
  CHECK(json{{"campaign", 3}}.get<CampaignLive>().campaign == 3);
}

TEST_CASE("a row is written at most once a period, however much happens, and its last state is") {
  const auto rows = std::make_shared<FakeLive>();
  {
    report::LiveRowWriter writer([&] { return rows; }, {.period = 100ms, .heartbeat = 10s});
    report::Readers readers({&writer});
    const auto begin = std::chrono::steady_clock::now();
    readers.started(started());
    for (int i = 0; i < 5000; ++i) readers.phase({i % 2 == 0 ? "gates" : "timing", {}});
    readers.phase({"build", 60});
    while (rows->phase() != "build") std::this_thread::sleep_for(1ms);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    CHECK(rows->written <= 2 + took / 100ms);
    readers.finished({});
    CHECK(rows->ended == 1);
  }
  CHECK(rows->ended == 1);
}

TEST_CASE("a row is renewed while nothing happens") {
  const auto rows = std::make_shared<FakeLive>();
  report::LiveRowWriter writer([&] { return rows; }, {.period = 1ms, .heartbeat = 20ms});
  writer.started(started());
  const int before = rows->written;
  for (int i = 0; i < 2000 && rows->written < before + 3; ++i) std::this_thread::sleep_for(5ms);
  CHECK(rows->written >= before + 3);
}

TEST_CASE("a store that cannot be written ends the row, not the campaign") {
  const auto rows = std::make_shared<FakeLive>();
  rows->broken = true;
  report::LiveRowWriter writer([&] { return rows; });
  writer.started(started());
  writer.phase({"build", {}});
  writer.finished({});
  CHECK(rows->written == 0);
}

TEST_CASE("a campaign under way is one line: what it does, for how long, its budget, its best") {
  LiveRow row{at_work(), "nightly", "cpu", "AMD EPYC", {"softmax"}, Liveness::running};
  CHECK(report::live_rows_text({row}, 1038) ==
        "campaign 7 (nightly) on cpu: build for 12 s (given up after 60 s): softmax 20_online ROWS=4 on m64n512_f32; "
        "38 s of 5m00s; 1 iteration; best 2x on 1 of 2 workloads\n");
  row.state = Liveness::stale;
  CHECK_THAT(report::live_rows_text({row}, 1330), Catch::Contains("killed, last heard of 5m00s ago at: build for 4 s"));
}

TEST_CASE("for programs a campaign under way is numbers") {
  const LiveRow row{at_work(), "", "cpu", "AMD EPYC", {"softmax"}, Liveness::running};
  const json object = report::live_rows_json({row}, 1038).at(0);
  CHECK(object["state"] == "running");
  CHECK(object["name"].is_null());
  CHECK(object["phase_s"] == 12);
  CHECK(object["phase_deadline_s"] == 60);
  CHECK(object["spent_s"] == 38);
  CHECK(object["in_flight"][0]["age_s"] == 13);
  CHECK(object["speedup"] == Approx(2));
  CHECK(object["told_s"] == 8);
}
