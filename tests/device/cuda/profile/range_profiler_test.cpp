#include "harness/device/cuda/profile/range_profiler.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "harness/core/error.h"
#include "harness/device/cuda/compile/cubin_cache.h"
#include "harness/device/cuda/profile/counters.h"
#include "harness/device/cuda/profile/profiled_device.h"
#include "tests/device/cuda/fake_driver.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

namespace {

/// CUPTI in memory. It knows every counter of the table but `unknown`, wants `passes` runs, and the value of the
/// counter with number k of the range with number r is 100 * r + k.
struct FakeCupti {
  std::string unknown;
  std::size_t passes = 3;
  CuptiStatus start_answers = kCuptiSuccess;
  std::vector<std::string> calls;
  std::size_t ranges = 0, pass = 0;
  bool user = false, endless = false;
  std::vector<std::string> pushed;
  std::size_t asked = 0;
} fake_cupti;

template <typename Params>
CuptiStatus noted(const char* call) {
  fake_cupti.calls.emplace_back(call);
  return kCuptiSuccess;
}

const CuptiApi& install(FakeCupti made) {
  fake_cupti = std::move(made);
  static CuptiApi api;
#define X(symbol, params, ...) api.symbol = [](params*) { return noted<params>(#symbol); };
  HARNESS_CUPTI_CALLS(X)
#undef X
  api.cuptiDeviceGetChipName = [](CuptiChip* chip) {
    chip->name = "GH100";
    return kCuptiSuccess;
  };
  api.cuptiProfilerHostInitialize = [](CuptiHostInitialize* initialize) {
    initialize->host = reinterpret_cast<CuptiHost>(8);
    return kCuptiSuccess;
  };
  api.cuptiProfilerHostConfigAddMetrics = [](CuptiAddMetrics* added) {
    fake_cupti.asked = added->count;
    for (std::size_t i = 0; i < added->count; ++i)
      if (added->metrics[i] == fake_cupti.unknown) return kCuptiInvalidParameter;
    return kCuptiSuccess;
  };
  api.cuptiProfilerHostGetConfigImageSize = [](CuptiConfigSize* size) {
    size->size = 64;
    return kCuptiSuccess;
  };
  api.cuptiProfilerHostGetNumOfPasses = [](CuptiPasses* passes) {
    passes->passes = fake_cupti.passes;
    return kCuptiSuccess;
  };
  api.cuptiRangeProfilerSetConfig = [](CuptiConfig* config) {
    fake_cupti.user = config->range == kCuptiUserRange;
    fake_cupti.pushed.clear();
    if (!fake_cupti.user)  // CUPTI names the kernels itself
      for (std::size_t i = 0; i < config->most_ranges; ++i)
        fake_cupti.pushed.insert(fake_cupti.pushed.begin(), std::to_string(i));
    fake_cupti.ranges = fake_cupti.pushed.size();
    fake_cupti.pass = 0;
    return noted<CuptiConfig>("cuptiRangeProfilerSetConfig");
  };
  api.cuptiRangeProfilerStart = [](CuptiOnRanges*) {
    noted<CuptiOnRanges>("cuptiRangeProfilerStart");
    return fake_cupti.start_answers;
  };
  api.cuptiRangeProfilerPushRange = [](CuptiPush* push) {
    if (fake_cupti.pass == 0)
      fake_cupti.pushed.insert(fake_cupti.pushed.begin(), push->name);  // told in another order than pushed
    fake_cupti.ranges = fake_cupti.pushed.size();
    return kCuptiSuccess;
  };
  api.cuptiRangeProfilerStop = [](CuptiStop* stop) {
    stop->all_passes = ++fake_cupti.pass == fake_cupti.passes && !fake_cupti.endless;
    return noted<CuptiStop>("cuptiRangeProfilerStop");
  };
  api.cuptiRangeProfilerGetCounterDataInfo = [](CuptiDataInfo* info) {
    info->ranges = fake_cupti.ranges;
    return kCuptiSuccess;
  };
  api.cuptiRangeProfilerCounterDataGetRangeInfo = [](CuptiRangeName* range) {
    range->name = fake_cupti.pushed[range->index].c_str();
    return kCuptiSuccess;
  };
  api.cuptiProfilerHostEvaluateToGpuValues = [](CuptiEvaluate* evaluate) {
    const double of = std::stod(fake_cupti.pushed[evaluate->range]);
    for (std::size_t k = 0; k < evaluate->count; ++k) evaluate->values[k] = 100 * of + static_cast<double>(k);
    return kCuptiSuccess;
  };
  return api;
}

std::ptrdiff_t times(const char* call) {
  return std::count(fake_cupti.calls.begin(), fake_cupti.calls.end(), call);
}

/// A plan of one kernel on 4 KiB that must find a 7 in its first byte, whatever earlier runs left there.
struct Counting {
  Scratch scratch;
  FakeDriver driver;
  const DriverApi& api = FakeDriver::install(driver);
  Executable executable;
  std::vector<std::byte> image{4096, std::byte{7}};
  static inline int clean = 0, dirty = 0;

  explicit Counting(int launches) {
    clean = dirty = 0;
    driver.kernels["_Z5countPh"] = {{8}, 5000, [](void** arguments) {
                                      auto* byte = *static_cast<unsigned char**>(arguments[0]);
                                      ++(*byte == 7 ? clean : dirty);
                                      if (*byte == 7) *byte = 8;
                                    }};
    executable.artifact.key = "key";
    executable.artifact.entries = {{"count", 40}};
    executable.artifact.entries[0].spill_bytes = 16;
    CubinCache(scratch.path("cache")).store(executable.artifact, {{"count", "_Z5countPh"}}, "cubin");
    executable.layout = {4096, {{"x", 0, 64}}};
    Launch launch;
    launch.entry = "count";
    launch.grid.x = 300;
    launch.block.x = 64;
    launch.args = {NamedArgument{"x"}};
    for (int i = 0; i < launches; ++i) executable.plan.steps.emplace_back(launch);
  }
  ProfiledDevice device() {
    plan = {&executable, image};
    return ProfiledDevice(api, 0, {&plan, 1});
  }
  ProfiledPlan plan;
};

}  // namespace

TEST_CASE("counters that a chip lacks are left out, and the others are collected") {
  const CuptiApi& api = install({.unknown = "dram__bytes.sum"});
  const CounterConfig config(api, "GH100", counter_names());
  CHECK(config.metrics().size() == counter_names().size() - 1);
  CHECK(config.passes() == 3);
}

TEST_CASE("one kernel is counted in one session, and says its launch as well") {
  Counting f(1);
  const auto profiles = f.device().with_counters(install({}), "");
  REQUIRE(profiles.size() == 1);
  const Profile& profile = profiles[0];
  CHECK(profile.source == ProfileSource::cupti);
  CHECK(profile.number("time_ns") == 0);  // the first counter of the table
  CHECK(profile.number("blocks") == 300);
  CHECK(profile.number("spill_bytes") == 16);
  CHECK(profile.number("waves") == Approx(300 / 264.0));  // the fake_cupti holds 2 of any kernel on each of 132
  CHECK(profile.number("tail_share") == Approx(1 - 36 / 264.0));
  CHECK(times("cuptiRangeProfilerStart") == 3);
  CHECK(times("cuptiRangeProfilerDisable") == 1);
  CHECK(Counting::dirty == 0);
}

TEST_CASE("several launches are counted apart in one session, run anew for each pass on the image as it was painted") {
  Counting f(3);
  const auto profiles = f.device().with_counters(install({}), "");
  const Profile& profile = profiles.at(0);
  REQUIRE(profile.launches.size() == 3);
  const auto second = counter_names().at(1);  // its number within the table is 1
  std::vector<ProfileNumber> expected;
  add_counter(second, 201, expected);
  CHECK(std::ranges::find(profile.launches[2].numbers, expected[0]) != profile.launches[2].numbers.end());
  CHECK(times("cuptiRangeProfilerStart") == 3);
  CHECK(Counting::clean == 4);  // a run before, and three passes: the first launch of each finds a fresh image
}

TEST_CASE("what CUPTI refuses is told with the call, the code and what mends it") {
  Counting f(1);
  auto device = f.device();
  const auto refusal = [&](CuptiStatus status) -> std::string {
    try {
      device.with_counters(install({.start_answers = status}), "");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(kCuptiHardwareBusy).find("cuptiRangeProfilerStart failed with code 26") == 0);
  CHECK(refusal(kCuptiHardwareBusy).find("another process profiles this GPU") != std::string::npos);
  CHECK(refusal(kCuptiNoPrivileges).find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
}

TEST_CASE("a profiler that never has enough ends with a sentence") {
  Counting f(2);
  CHECK_THROWS_WITH(f.device().with_counters(install({.endless = true}), ""), Catch::Contains("is not satisfied"));
}

TEST_CASE("without counters a plan is run twice, and the second run is timed") {
  Counting f(1);
  const auto profiles = f.device().without_counters(true);
  CHECK(profiles.at(0).number("time_ns") == Approx(7000).epsilon(1e-3));
  CHECK(Counting::clean == 2);
  CHECK(f.device().without_counters(false).at(0).number("time_ns") == std::nullopt);
}

TEST_CASE("shares are shares, and the numbers of launches add up or are weighted by their times") {
  std::vector<LaunchProfile> launches(2);
  launches[0].numbers = {{"time_ns", 1000}, {"dram_bytes", 10}, {"issue_share", 0.5}};
  launches[1].numbers = {{"time_ns", 3000}, {"dram_bytes", 30}, {"issue_share", 0.1}, {"registers", 8}};
  const auto sum = sum_of_launches(launches);
  REQUIRE(sum.size() == 3);  // registers are known of one launch alone
  CHECK(sum[0] == ProfileNumber{"time_ns", 4000});
  CHECK(sum[1] == ProfileNumber{"dram_bytes", 40});
  CHECK(sum[2].value == Approx(0.2));
  std::vector<ProfileNumber> numbers;
  add_counter("dram__throughput.avg.pct_of_peak_sustained_elapsed", 50, numbers);
  add_counter("no_such_counter", 50, numbers);
  add_counter("dram__bytes.sum", std::nan(""), numbers);
  CHECK(numbers == std::vector<ProfileNumber>{{"dram_share", 0.5}});
}

// CUPTI's host part needs no GPU.
TEST_CASE("CUPTI knows every counter of the table on an H200, and needs few passes for all") {
  if (!cupti_library().api) return harness::tests::skip(cupti_library().missing);
  const CounterConfig config(*cupti_library().api, "GH100", counter_names());
  CHECK(config.metrics() == counter_names());
  CHECK(config.passes() <= 5);
  CHECK(config.image().size() > 100);
}
