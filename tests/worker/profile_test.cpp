#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/device/cuda/cuda_kind.h"
#include "harness/worker/processes/process.h"
#include "harness/worker/profile/device_profile.h"
#include "tests/support/skip.h"

// Counters are read by a process of its own. Without a GPU it says what is missing, for each way to them.
using namespace harness;

TEST_CASE("where no way to counters works, the error says of each why") {
  const cuda::CudaKind kind;
  if (kind.probe().front().available) return harness::tests::skip("there is a GPU here");
  Process::set_program(HARNESS_BINARY);
  Target target;
  target.device = "cuda:0";
  CHECK_THROWS_WITH(profile_on_device(kind, target, {}, 20, {}),
                    Catch::Contains("no cupti: ") && Catch::Contains("no ncu: ") && Catch::Contains("no binary: "));
}

TEST_CASE("a kind of device without counters is told so") {
  CHECK_THROWS_WITH(profile_on_device(cpu::CpuKind(), {.device = "cpu"}, {}, 20, {}), "cpu has no counters");
}
