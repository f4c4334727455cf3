#include "harness/system/deadline.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "harness/system/child.h"

using namespace harness;

namespace {

[[noreturn]] int spin() {
  for (volatile unsigned long i = 0;;) {
    const unsigned long next = i + 1;
    i = next;
  }
}

int sleep_long() {
  sleep(100);
  return 0;
}

/// Seconds until the deadline is no longer "running"; at most `longest`.
double seconds_until_over(Deadline& deadline, double longest, Deadline::State& state) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  while ((state = deadline.look()) == Deadline::State::running && seconds() < longest) usleep(10'000);
  return seconds();
}

}  // namespace

TEST_CASE("a deadline counts the core time of the busiest thread, of whatever the process has started") {
  const bool in_a_child = GENERATE(false, true);
  const Child child({}, [=] {
    if (in_a_child && fork() != 0) return sleep_long();
    spin();
  });
  Deadline deadline(child.id(), {.seconds = 0.5, .asleep_factor = 100});
  Deadline::State state{};
  CHECK(seconds_until_over(deadline, 30, state) >= 0.5);
  CHECK(state == Deadline::State::passed);
  CHECK(look_at_tree(child.id()).threads.size() == (in_a_child ? 2 : 1));
}

TEST_CASE("one that sleeps has longer, and not for ever; where time counts it has as long as it takes") {
  const Child child({}, sleep_long);
  Deadline of_core_time(child.id(), {.seconds = 0.2, .asleep_factor = 5});
  Deadline::State state{};
  CHECK(seconds_until_over(of_core_time, 30, state) >= 1);
  CHECK(state == Deadline::State::passed);
  Deadline of_time(child.id(), {.seconds = 0.2, .of_core_time = false});
  CHECK(seconds_until_over(of_time, 30, state) < 1);
  CHECK(state == Deadline::State::passed);
}

TEST_CASE("many that want the same core are not late") {
  std::vector<Child> others;
  for (unsigned i = 0; i < 3 * std::max(1u, std::thread::hardware_concurrency()); ++i)
    others.emplace_back(ChildSetup{}, spin);
  Deadline deadline(others.front().id(), {.seconds = 0.5, .asleep_factor = 1});
  Deadline::State state{};
  const double passed = seconds_until_over(deadline, 30, state);
  const ProcessTree tree = look_at_tree(others.front().id());
  CHECK(state == Deadline::State::passed);
  CHECK(tree.threads.begin()->second.ran_s >= 0.4);
  CHECK(passed >= 0.9);
}

TEST_CASE("what starts one process after the other does not sleep, though each is gone before it is looked at again") {
  const Child child({}, [] {
    for (;;) {
      if (const pid_t next = fork(); next == 0) {
        usleep(100'000);
        _exit(0);
      } else {
        waitpid(next, nullptr, 0);
      }
    }
    return 0;
  });
  Deadline deadline(child.id(), {.seconds = 0.3, .asleep_factor = 1});
  Deadline::State state{};
  seconds_until_over(deadline, 2, state);
  CHECK(state == Deadline::State::running);
  CHECK(seconds_until_over(deadline, 30, state) < 20);  // and not for ever
  CHECK(state == Deadline::State::passed);
}

TEST_CASE("one that the kernel holds does not sleep") {
  const Child child({}, [] {
    if (vfork() == 0) {  // holds this thread until the other process ends
      usleep(3'000'000);
      _exit(0);
    }
    return sleep_long();
  });
  usleep(500'000);
  CHECK(look_at_tree(child.id()).blocked);
  Deadline deadline(child.id(), {.seconds = 0.3, .asleep_factor = 1});
  Deadline::State state{};
  seconds_until_over(deadline, 1.8, state);
  CHECK(state == Deadline::State::running);
  CHECK(seconds_until_over(deadline, 30, state) < 20);
  CHECK(state == Deadline::State::passed);
  CHECK_FALSE(look_at_tree(child.id()).blocked);
}

TEST_CASE("the time in which a process is stopped does not count, and a stop without end is told") {
  const Child child({}, spin);
  Deadline deadline(child.id(), {.seconds = 0.6, .of_core_time = false});
  deadline.look();
  usleep(300'000);
  deadline.look();
  kill(child.id(), SIGSTOP);
  Deadline::State state{};
  seconds_until_over(deadline, 1.5, state);
  CHECK(state == Deadline::State::running);
  CHECK(look_at_tree(child.id()).stopped);
  kill(child.id(), SIGCONT);
  seconds_until_over(deadline, 30, state);
  CHECK(state == Deadline::State::passed);
  kill(child.id(), SIGSTOP);
  Deadline held(child.id(), {.seconds = 0.1});
  CHECK(seconds_until_over(held, 30, state) > 5);
  CHECK(state == Deadline::State::stopped);
}
