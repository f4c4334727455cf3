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
  CHECK(live(700'000, false).wait(20).status() == 128 + SIGKILL);
  REQUIRE(last_pulse(path));
  CHECK(*last_pulse(path) == Approx(0.7).margin(0.15));
  CHECK(live(10'000, true).wait(20).status() == 0);
  CHECK_FALSE(last_pulse(path));
  scratch.write("pulse", "no time");
  CHECK_FALSE(last_pulse(path));  // damage
}
