#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>

#include "harness/core/error.h"
#include "harness/system/run_in_child.h"
#include "harness/system/run_program.h"
#include "tests/support/program.h"

using namespace harness;

namespace {

ProcessResult shell(const std::string& script, const CompileLimits& limits = {}) {
  return run_process({"/bin/sh", "-c", script}, "/tmp/scratch", limits);
}

}  // namespace

TEST_CASE("a program runs with a small environment, in the root folder, and both its outputs are kept") {
  setenv("HARNESS_TEST_SECRET", "s3cret", 1);
  const ProcessResult result = shell("pwd; echo $TMPDIR; echo $HARNESS_TEST_SECRET; echo oh >&2; exit 5");
  CHECK(result.exit_status == 5);
  CHECK(result.output == "/\n/tmp/scratch\n\noh\n");
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("a program that writes without end, or whose child does, is cut off at the deadline") {
  const ProcessResult result = shell("yes & yes", {.deadline_s = 0.3});
  CHECK(result.timed_out);
  CHECK(result.exit_status == 128 + SIGKILL);
  CHECK(result.output.size() < 100'000);
}

TEST_CASE("a program that closes its output has no more time than another") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(shell("exec >&- 2>&-; sleep 60", {.deadline_s = 0.3}).timed_out);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a program that is not there ends with 127") {
  CHECK(run_process({"/nonexistent/program"}, "/tmp", {}).exit_status == 127);
}

TEST_CASE("programs are found in PATH and then elsewhere; folders and what cannot be run are passed over") {
  const tests::Scratch scratch;
  scratch.write("bin/only-text", "");
  scratch.write("bin/tool-as-folder/x", "");
  CHECK(find_program("sh").ends_with("/sh"));
  CHECK(find_program("only-text", {scratch.path("bin")}).empty());
  CHECK(find_program("tool-as-folder", {scratch.path("bin")}).empty());
  CHECK(find_program("cat", {scratch.path("bin")}) == find_program("cat"));
}

TEST_CASE("work in a child answers with its text, or with what it wrote before it failed") {
  const ChildAnswer answer = run_in_child([] { return std::string(300'000, 'x'); }, {});
  CHECK(answer.answered);
  CHECK(answer.text == std::string(300'000, 'x'));

  const ChildAnswer killed = run_in_child(
      []() -> std::string {
        (void)!write(STDERR_FILENO, "last words", 10);
        raise(SIGUSR1);
        return "";
      },
      {});
  CHECK_FALSE(killed.answered);
  CHECK(killed.signal == SIGUSR1);
  CHECK(killed.text == "last words");

  const ChildAnswer late = run_in_child([] { return sleep(60), std::string(); }, {.deadline_s = 0.3});
  CHECK(late.timed_out);
  CHECK_FALSE(late.answered);
}

TEST_CASE("an error of work in a child is thrown here, and it writes no file") {
  CHECK_THROWS_WITH(run_in_child([]() -> std::string { throw environment_error("no toolkit"); }, {}), "no toolkit");
  const tests::Scratch scratch;
  scratch.write("old", "");
  const ChildAnswer answer = run_in_child(
      [&] {
        signal(SIGXFSZ, SIG_IGN);
        return std::string(truncate(scratch.path("old").c_str(), 1) == 0 ? "grew" : "refused");
      },
      {});
  CHECK(answer.text == "refused");
}

TEST_CASE("walls that cannot be entered keep the work from being begun") {
  const Confinement confinement(Walls{.landlock = true}, {});
  if (!walls_here().landlock) CHECK_THROWS_AS(run_in_child([] { return "done"; }, {}, confinement), Error);
  else CHECK(run_in_child([] { return "done"; }, {}, confinement).text == "done");
}
