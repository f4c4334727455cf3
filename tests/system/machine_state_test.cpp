#include "harness/system/machine_state.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("a machine is complained of when it is slowed down, hot or busy, and else not") {
  MachineState calm;
  calm.load = 1;
  calm.cores = 4;
  calm.hottest_c = 60;
  calm.throttled = 7;
  CHECK(complaint_of(calm, calm, 0).empty());
  MachineState busy = calm;
  busy.load = 9;
  CHECK(complaint_of(busy, calm, 0) ==
        "this machine is busy: load 9.0 on 4 cores; times are noisy and building takes longer");
  CHECK(complaint_of(busy, calm, 5).empty());  // of which five are ours
  MachineState hot = calm;
  hot.hottest_c = 97;
  CHECK(complaint_of(hot, calm, 0) == "this machine is hot: 97 degrees");
  MachineState slowed = calm;
  slowed.throttled = 9;
  CHECK_THAT(complaint_of(slowed, calm, 0), Catch::Contains("slowed down for their heat 2 times"));
  const MachineState here = machine_state();
  CHECK(here.cores >= 1);
  CHECK(here.load >= 0);
}
