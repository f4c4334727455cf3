#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "harness/store/history.h"
#include "harness/store/owner.h"
#include "harness/system/process_stat.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

/// Runs `body` in a child; its exit status, or minus the signal that ended it.
template <typename F>
int in_a_child(F body) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      body();
      _exit(0);
    } catch (const std::exception& error) {
      fprintf(stderr, "a child: %s\n", error.what());
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("two processes create and write one store at once") {
  const Folder folder;
  const std::string path = folder / "x.db";
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(fork());
    if (children.back() == 0) {
      try {
        Store store(Connection::open(path, Mode::read_write, 120'000));  // beside other tests, on a busy disk
        const auto campaign = store.begin_campaign(a_campaign());
        for (int block = 0; block < 50; ++block) record(store, an_attempt(campaign, block), passed(100 + block));
        _exit(0);
      } catch (const std::exception& error) {
        fprintf(stderr, "a child: %s\n", error.what());
        _exit(1);
      }
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  auto store = Store::open(path, Mode::read_write);
  CHECK(value(*store, "SELECT count(*) FROM iteration") == 150);
  CHECK(value(*store, "SELECT sum(iterations) FROM rollup_arm") == 150);
  CHECK(value(*store, "SELECT count(DISTINCT id) FROM candidate") == 50);
  CHECK(value(*store, "PRAGMA integrity_check") == "ok");
}

TEST_CASE("kill -9 loses the running evaluation and nothing else, and names the culprit") {
  const Folder folder;
  const std::string path = folder / "x.db";
  CHECK(in_a_child([&] {
          auto store = Store::open(path, Mode::read_write);
          const auto campaign = store->begin_campaign(a_campaign());
          for (int block = 1; block <= 5; ++block) record(*store, an_attempt(campaign, block), passed(100));
          store->begin_attempt(an_attempt(campaign, 6));
          raise(SIGKILL);
        }) == -SIGKILL);
  auto store = Store::open(path, Mode::read_write);
  REQUIRE(store->latest_resumable() == 1);
  CHECK(store->iterations(1).size() == 5);
  CHECK(store->spent_seconds(1) == Approx(5 * 0.7));
  const auto orphans = store->orphans(1);
  REQUIRE(orphans.size() == 1);
  CHECK(orphans[0].record.ask == 6);
  CHECK(value(*store, "SELECT sum(iterations) FROM rollup_arm") == 5);
}

TEST_CASE("a kill in the middle of recording leaves no part of an iteration") {
  const Folder folder;
  const std::string path = folder / "x.db";
  CHECK(in_a_child([&] {
          auto store = Store::open(path, Mode::read_write);
          const auto attempt = store->begin_attempt(an_attempt(store->begin_campaign(a_campaign())));
          // The last insertion of the transaction kills the process.
          store->connection().database().createFunction("die", 0, false, nullptr,
                                                        [](sqlite3_context*, int, sqlite3_value**) { raise(SIGKILL); });
          store->connection().database().exec(
              "CREATE TEMP TRIGGER last AFTER INSERT ON main.sample BEGIN SELECT die(); END");
          store->end_attempt(attempt, passed(100), false);
        }) == -SIGKILL);
  auto store = Store::open(path, Mode::read_write);
  for (const char* table :
       {"iteration", "gate_result", "sample", "rollup_arm", "rollup_best", "rollup_cost", "source"}) {
    INFO(table);
    CHECK(value(*store, (std::string("SELECT count(*) FROM ") + table).c_str()) == 0);
  }
  CHECK(store->orphans(1).size() == 1);
}

TEST_CASE("a campaign that a living process is writing is not offered for resuming") {
  const Folder folder;
  const std::string path = folder / "x.db";
  int begun[2], end[2];
  REQUIRE(pipe(begun) == 0);
  REQUIRE(pipe(end) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(end[1]);
    Store::open(path, Mode::read_write)->begin_campaign(a_campaign());
    char byte = 1;
    if (write(begun[1], &byte, 1) == 1 && read(end[0], &byte, 1) == 0) _exit(0);
    _exit(1);
  }
  close(begun[1]);
  char byte = 0;
  REQUIRE(read(begun[0], &byte, 1) == 1);
  auto store = Store::open(path, Mode::read_write);
  CHECK_FALSE(store->latest_resumable());
  close(end[1]);
  waitpid(child, nullptr, 0);
  CHECK(store->latest_resumable() == 1);
}

TEST_CASE("this process runs, others of another time or machine do not") {
  CHECK(still_runs(this_process()));
  CHECK_FALSE(still_runs(""));
  CHECK_FALSE(still_runs("another-machine 1 1"));
  CHECK_FALSE(still_runs(this_process() + "0"));
}

TEST_CASE("a process that has ended and that its parent has not asked about does not run") {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  const std::string owner = fmt::format("{} {} {}", this_boot(), child, harness::process_stat(child, 22));
  for (int i = 0; i < 200 && harness::process_stat(child, 3) != "Z"; ++i) usleep(10'000);
  REQUIRE(harness::process_stat(child, 3) == "Z");
  CHECK_FALSE(still_runs(owner));
  CHECK(still_runs(this_process()));
  waitpid(child, nullptr, 0);
}

TEST_CASE("what a killed process spent and did not record is a cost, once") {
  const Folder folder;
  const std::string path = folder / "x.db";
  const auto begin = std::chrono::steady_clock::now();
  CHECK(in_a_child([&] {
          auto store = Store::open(path, Mode::read_write);
          const auto campaign = store->begin_campaign(a_campaign());
          Evaluation evaluation = passed(100);
          evaluation.cost.wall_s = 0.1;
          record(*store, an_attempt(campaign, 1), evaluation);
          usleep(800'000);
          raise(SIGKILL);
        }) == -SIGKILL);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  auto store = Store::open(path, Mode::read_write);
  store->settle_lost_time();
  // Nothing is counted twice; of a moment in which nothing of the child ran, half a second counts.
  CHECK(store->spent_seconds(1) <= wall_s + 0.05);
  CHECK(store->spent_seconds(1) >= 0.6);
  CHECK(value(*store, "SELECT count(*) FROM charge WHERE stage = 'lost'") == 1);
  const double settled = store->spent_seconds(1);
  store->settle_lost_time();
  CHECK(store->spent_seconds(1) == settled);
  const auto left = std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()), {});
  CHECK(left <= 3);  // the store and its log; no pulse
}
