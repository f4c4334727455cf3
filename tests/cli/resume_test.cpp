#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

std::int64_t ended(const std::string& db) {
  if (!std::filesystem::exists(db)) return 0;
  const Finished count =
      run_harness({"query", "select count(*) as n from v_iterations", "--format", "json", "--db", db});
  return count.status == 0 ? parse_json(count.out)[0]["n"].get<std::int64_t>() : 0;
}

// Starts a campaign and waits until some iterations are recorded.
int start_and_wait(const Scratch& scratch, std::int64_t iterations) {
  // The budget is more than a busy machine needs: the campaign ends when its space does.
  const int process =
      start_harness({"run", "vector_scale", "--device", "cpu", "--emulated", "--workload", "odd_n1003_f32", "--budget",
                     "600s", "--strategy", "exhaustive", "--search", "exhaustive", "--db", scratch.db(), "--json"},
                    scratch.path("out"));
  for (int i = 0; i < 600 && ended(scratch.db()) < iterations; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return process;
}

void check_resumed(const Scratch& scratch, std::int64_t before) {
  const Finished finished = run_harness({"run", "--resume", "--db", scratch.db(), "--json"});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  CHECK(finished.lines().front()["resumed"] == true);
  CHECK(finished.lines().back()["reason"] == "exhausted");
  CHECK(finished.lines().back()["iterations"].get<std::int64_t>() > before);
  const Finished twice = run_harness(
      {"query",
       "select count(*) as n from (select 1 from v_iterations where outcome <> 'interrupted' and purpose <> "
       "'confirm' group by kernel, workload, variant, config having count(*) > 1)",
       "--format", "json", "--db", scratch.db()});
  INFO(twice.err);
  CHECK(parse_json(twice.out)[0]["n"] == 0);
}

}  // namespace

TEST_CASE("a program that its shell starts late has its whole budget") {
  const Scratch scratch;
  constexpr double kShellS = 3;
  const auto begun = std::chrono::steady_clock::now();
  const std::string program = std::string("sleep 3; exec ") + HARNESS_BINARY +
                              " run vector_scale --device cpu --emulated --workload odd_n1003_f32 --budget 1s --json"
                              " --db " +
                              scratch.db();
  const Finished finished = run_program({"bash", "-c", program}, HARNESS_SOURCE_DIR);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
  INFO(finished.err);
  CHECK(finished.lines().back()["spent_s"].get<double>() < wall.count() - kShellS + 0.05);
}

TEST_CASE("kill -9 of everything loses at most the running iteration, and --resume goes on") {
  const Scratch scratch;
  const int process = start_and_wait(scratch, 3);
  kill(process, SIGKILL);
  CHECK(wait_for(process) == 128 + SIGKILL);
  const std::int64_t before = ended(scratch.db());
  REQUIRE(before >= 3);
  check_resumed(scratch, before);
}

TEST_CASE("Ctrl-C saves, prints how to resume and exits 130") {
  const Scratch scratch;
  const int process = start_and_wait(scratch, 2);
  kill(process, SIGINT);
  CHECK(wait_for(process) == 130);
  check_resumed(scratch, ended(scratch.db()) - 1);
}
