#include "harness/system/awake_clock.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/system/child.h"
#include "harness/system/pulse.h"
#include "tests/support/program.h"

using namespace harness;

TEST_CASE("the clock stands still while the process is stopped") {
  Child child({}, [] {
    watch_for_stops();
    usleep(100'000);
    const double before = awake_seconds();
    raise(SIGSTOP);
    const double at_once = awake_seconds() - before;
    usleep(200'000);
    const double later = awake_seconds() - before;
    return at_once < 0.7 && later < 1 && later >= at_once ? 0 : 1;
  });
  usleep(500'000);
  usleep(1'500'000);
  kill(child.id(), SIGCONT);
  CHECK(child.wait(20).status() == 0);
}

TEST_CASE("the clock goes on in a child of a process that watches, though nobody watches there") {
  Child watched({}, [] {
    watch_for_stops();
    Child child({}, [] {
      const double before = awake_seconds();
      usleep(700'000);
      return awake_seconds() - before > 0.65 ? 0 : 1;
    });
    return child.wait(20).status();
  });
  CHECK(watched.wait(20).status() == 0);
}

TEST_CASE("time begins when the program begins, and what was waited for is left out") {
  Child child({}, [] {
    const double begun = awake_at_start();
    usleep(300'000);
    if (awake_at_start() != begun || awake_seconds() - begun < 0.3) return 1;
    leave_uncharged(0.3);
    return awake_at_start() == begun + 0.3 ? 0 : 2;
  });
  CHECK(child.wait(20).status() == 0);
}

TEST_CASE("a pulse tells how long a process lived, also after kill -9, and is gone where it ends by itself") {
  const tests::Scratch scratch;
  const std::string path = scratch.path("pulse");
  const auto live = [&](unsigned microseconds, bool ends) {
    return Child({}, [&path, microseconds, ends] {
      watch_for_stops();
      const Pulse pulse(path);
      usleep(microseconds);
      if (!ends) raise(SIGKILL);
      return 0;
    });
  };
  const double begun = awake_seconds();
  CHECK(live(700'000, false).wait(20).status() == 128 + SIGKILL);
  REQUIRE(last_pulse(path));
  CHECK(*last_pulse(path) >= 0.5);
  CHECK(*last_pulse(path) <= awake_seconds() - begun);
  CHECK(live(10'000, true).wait(20).status() == 0);
  CHECK_FALSE(last_pulse(path));
  scratch.write("pulse", "no time");
  CHECK_FALSE(last_pulse(path));  // damage
}
