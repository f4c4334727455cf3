#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "harness/core/error.h"
#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/device/cuda/compile/cubin_cache.h"
#include "harness/device/cuda/run/separate_run.h"
#include "harness/device/cuda/session.h"
#include "kernels/include/harness/random.cuh"
#include "tests/device/cuda/fake_driver.h"
#include "tests/device/cuda/refresh_twin.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"

// CudaSession on a driver in memory: what is uploaded, launched, restored and timed, with no GPU.
using namespace harness;
using namespace harness::cuda;

namespace {

/// An image of 4096 bytes: x (input, 8 floats at 256), y (output at 512), count (restored, one int at 1024), and a
/// buffer of one pointer to x at 1280. The kernel adds `step` to x into y and counts its runs.
struct Addition {
  Scratch scratch;
  FakeDriver driver;
  const DriverApi& api = FakeDriver::install(driver);
  Executable executable;
  TimingPolicy policy;

  Addition() {
    driver.kernels["_Z3addPfS_Pif"] = {{8, 8, 8, 4}, 5000, add};
    driver.kernels["harness_empty"] = {{}, 500};
    driver.kernels["harness_read"] = {{8, 8, 8}, 33000};
    add_refreshing_kernels(driver);
    executable.artifact.key = "key";
    executable.artifact.entries = {{"add"}};
    executable.artifact.entries[0].spill_bytes = 16;
    CubinCache(scratch.path("cache")).store(executable.artifact, {{"add", "_Z3addPfS_Pif"}}, "cubin");
    executable.layout = {
        4096, {{"x", 256, 32}, {"y", 512, 32}, {"count", 1024, 4, true}, {"pointers", 1280, 8}}, {{1280, 256}}};
    ElementDraw draw;
    draw.extents = {8};
    draw.strides = {1};
    draw.stream = 1;
    draw.offset = 100;  // of x; the poison is around 0
    executable.layout.buffers[0].draw = draw;
    draw.stream = 2;
    draw.offset = 0;
    draw.poison = true;
    executable.layout.buffers[1].draw = draw;
    executable.layout.buffers[1].agreement = 0;
    Launch launch;
    launch.entry = "add";
    launch.block.x = 32;
    launch.args = {NamedArgument{"pointers"}, NamedArgument{"y"}, NamedArgument{"count"},
                   ScalarArgument{Dtype::f32, 1.0}};
    executable.plan.steps = {launch};
    policy.pause_s = 0;
    policy.burst_s = 0.002;
    policy.max_s = 5;
  }

  static void add(void** arguments) {
    float** pointers = *static_cast<float***>(arguments[0]);
    float* y = *static_cast<float**>(arguments[1]);
    int* count = *static_cast<int**>(arguments[2]);
    for (int i = 0; i < 8; ++i) y[i] = pointers[0][i] + *static_cast<float*>(arguments[3]);
    if (*count != 0) y[0] = -1;  // not pristine
    ++*count;
  }
  Launch& launch() { return std::get<Launch>(executable.plan.steps[0]); }
  std::vector<std::byte> image(float first) const {
    std::vector<std::byte> bytes(4096, std::byte{0xab});
    for (int i = 0; i < 8; ++i) {
      const float value = first + static_cast<float>(i);
      std::memcpy(bytes.data() + 256 + 4 * i, &value, 4);
    }
    std::memset(bytes.data() + 1024, 0, 4);
    constexpr std::int64_t kTarget = 256;  // as the judge paints a pointer
    std::memcpy(bytes.data() + 1280, &kTarget, sizeof kTarget);
    return bytes;
  }
};

/// Timing compiles kernels of its own.
bool cannot_time() {
  if (nvrtc_library().api) return false;
  harness::tests::skip(nvrtc_library().missing);
  return true;
}

const std::vector<ImageList> kNoPlaces(1);

/// Two for each kind of call.
struct Places {
  std::vector<std::vector<std::byte>> memory;
  std::vector<ImageList> lists{1};
  explicit Places(const Addition& f)
      : memory(6, std::vector<std::byte>(static_cast<std::size_t>(f.executable.layout.bytes))) {
    for (auto& place : memory) lists[0].push_back(place);
  }
};

float float_at(const std::vector<std::byte>& image, std::size_t at) {
  float value;
  std::memcpy(&value, image.data() + at, 4);
  return value;
}

}  // namespace

TEST_CASE("a run uploads the image with its addresses, and brings back what the kernel wrote and no address") {
  Addition f;
  CudaSession session(f.api, 0);
  auto image = f.image(10);
  const auto before = image;
  session.run(f.executable, image);
  CHECK(float_at(image, 512) == 11);
  CHECK(float_at(image, 512 + 28) == 18);
  CHECK(session.last_run_ns() == Approx(7000).epsilon(1e-3));  // 5000 of the kernel, 2000 of the events
  CHECK(image[1024] == std::byte{1});
  CHECK(std::memcmp(image.data() + 1280, before.data() + 1280, 8) == 0);
  CHECK(std::memcmp(image.data(), before.data(), 512) == 0);
  CHECK(std::memcmp(image.data() + 1288, before.data() + 1288, 4096 - 1288) == 0);
}

TEST_CASE("pages of large memory are held and given back; a refusal is no error") {
  Addition addition;
  CudaSession session(addition.api, 0);
  std::vector<std::byte> large(1 << 20), small(1000);
  const int before = addition.driver.live_objects;
  {
    const auto held = session.hold(large);
    CHECK(held != nullptr);
    CHECK(addition.driver.live_objects == before + 1);
    CHECK(session.hold(small) == nullptr);
  }
  CHECK(addition.driver.live_objects == before);
  addition.driver.fault = kInvalidValue;
  CHECK(session.hold(large) == nullptr);
  addition.driver.fault = kSuccess;
}

TEST_CASE("a pointer that the kernel overwrote is not hidden") {
  Addition f;
  f.driver.kernels["_Z3addPfS_Pif"].body = [](void** arguments) { **static_cast<std::uint64_t**>(arguments[0]) = 42; };
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  session.run(f.executable, image);
  std::uint64_t word = 0;
  std::memcpy(&word, image.data() + 1280, 8);
  CHECK(word == 42);
}

TEST_CASE("steps run in order, memsets within their buffer only") {
  Addition f;
  f.executable.plan.steps.insert(f.executable.plan.steps.begin(), Memset{"y", 0, 32, 0x11});
  f.executable.plan.steps.push_back(Memset{"y", 4, 4, 0});
  CudaSession session(f.api, 0);
  auto image = f.image(10);
  session.run(f.executable, image);
  CHECK(float_at(image, 512) == 11);
  CHECK(float_at(image, 516) == 0);
  f.executable.plan.steps.push_back(Memset{"y", 30, 4, 0});
  REQUIRE_THROWS_WITH(session.run(f.executable, image),
                      "memset of 4 bytes from 30 lies outside of 'y', which has 32 bytes.");
}

TEST_CASE("clusters, cooperative launches and large shared memory are asked of the driver") {
  Addition f;
  f.launch().cluster.x = 2;
  f.launch().cooperative = true;
  f.launch().shared = 100000;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  session.run(f.executable, image);
  CHECK(f.driver.last_cluster == std::vector<unsigned int>{2, 1, 1});
  CHECK(f.driver.last_cooperative);
  CHECK(f.driver.largest_dynamic_shared == 100000);
  f.launch().shared = 300000;
  REQUIRE_THROWS_AS(session.run(f.executable, image), LaunchRefused);
}

TEST_CASE("a programmatic launch is asked of the driver, and only behind another launch of the plan") {
  Addition f;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  f.executable.plan.steps.push_back(f.executable.plan.steps.front());
  std::get<Launch>(f.executable.plan.steps.back()).pdl = true;
  session.run(f.executable, image);
  CHECK(f.driver.last_programmatic);
  CHECK(f.driver.launches == 2);
  f.executable.plan.steps.insert(f.executable.plan.steps.begin() + 1, Memset{"y", 0, 4, 0});
  REQUIRE_THROWS_AS(session.run(f.executable, image), LaunchRefused);
  f.executable.plan.steps.erase(f.executable.plan.steps.begin(), f.executable.plan.steps.begin() + 2);
  REQUIRE_THROWS_AS(session.run(f.executable, image), LaunchRefused);
}

TEST_CASE("a resident grid has as many blocks as the device holds at once, and no more than the plan says") {
  Addition f;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  const auto grid = [&](unsigned limit, int times) {
    f.launch().grid.x = limit;
    f.launch().resident = times;
    session.run(f.executable, image);
    return f.driver.last_grid[0];
  };
  CHECK(grid(1000, 1) == 264);
  CHECK(grid(1000, 2) == 528);
  CHECK(grid(100, 1) == 100);
  CHECK(grid(1000, 0) == 1000);
  f.launch().grid.y = 5;
  CHECK(grid(1000, 1) == 52);
  f.launch().grid.y = 1;
  f.launch().cluster.x = 4;
  CHECK(grid(1000, 1) == 240);
  f.driver.resident_clusters = 0;
  CHECK(grid(1000, 1) == 4);
}

TEST_CASE("a refused launch says what was launched, restores the image and leaves the session usable") {
  Addition f;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  const auto before = image;
  f.launch().block.x = 2048;
  REQUIRE_THROWS_WITH(session.run(f.executable, image),
                      Catch::Contains("cuLaunchKernelEx of add with grid (1, 1, 1), block (2048, 1, 1)"));
  CHECK(image == before);
  f.launch().block.x = 32;
  f.driver.refuse_launch = kLaunchOutOfResources;
  REQUIRE_THROWS_AS(session.run(f.executable, image), LaunchRefused);
  f.driver.refuse_launch = kCooperativeLaunchTooLarge;
  REQUIRE_THROWS_AS(session.run(f.executable, image), LaunchRefused);
  f.driver.refuse_launch = 0;
  REQUIRE_NOTHROW(session.run(f.executable, image));
}

TEST_CASE("arguments are checked before the driver would read past them") {
  Addition f;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  f.launch().args.pop_back();
  REQUIRE_THROWS_WITH(session.run(f.executable, image),
                      Catch::Contains("add takes 4 parameters of [8, 8, 8, 4] bytes"));
  f.launch().entry = "other";
  REQUIRE_THROWS_WITH(session.run(f.executable, image), Catch::Contains("the module has no entry 'other'"));
  f.executable.plan.steps = {LibraryCall{"cufft", "transform"}};
  REQUIRE_THROWS_AS(session.run(f.executable, image), NotSupported);
}

TEST_CASE("sticky codes are faults whose text starts with their kind") {
  const std::pair<int, std::string> kinds[] = {{kIllegalAddress, "illegal_access: cuStreamSynchronize"},
                                               {kMisalignedAddress, "illegal_access: misaligned address"},
                                               {kLaunchFailed, "trap: "},
                                               {kIllegalInstruction, "trap: "},
                                               {kAssert, "assertion: "},
                                               {kDeviceUnavailable, "device_lost: "},
                                               {kLaunchTimeout, "unknown: "}};
  for (const auto& [code, text] : kinds) {
    FakeDriver driver;
    const DriverApi& api = FakeDriver::install(driver);
    try {
      check(api, code, "cuStreamSynchronize");
      FAIL("no exception for " << code);
    } catch (const DeviceFault& fault) {
      CHECK_THAT(fault.what(), Catch::StartsWith(text));
    }
  }
}

TEST_CASE("a kernel that faults ends the run as a fault, and the image has no addresses left") {
  Addition f;
  f.driver.kernels["_Z3addPfS_Pif"].body = [](void**) {};
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  const auto before = image;
  f.driver.kernels["_Z3addPfS_Pif"].body = [&](void**) { f.driver.fault = kIllegalAddress; };
  REQUIRE_THROWS_AS(session.run(f.executable, image), DeviceFault);
  CHECK(image == before);
  REQUIRE_THROWS_AS(session.run(f.executable, image), DeviceFault);
  f.driver.fault = 0;  // for the destructors of the fixture
}

TEST_CASE("memory that is not there is its own exception") {
  Addition f;
  f.driver.free_bytes = 4096;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  REQUIRE_THROWS_AS(session.run(f.executable, image), DeviceMemoryExhausted);
  std::vector<ImageList> images = {{image}};
  REQUIRE_THROWS_AS(session.time(std::span(&f.executable, 1), images, kNoPlaces, f.policy), DeviceMemoryExhausted);
}

TEST_CASE("every run finds a module that nothing ran from, and everything is given back") {
  if (cannot_time()) return;
  Addition f;
  {
    CudaSession session(f.api, 0);
    auto image = f.image(0);
    CHECK(session.resources(f.executable).size() == 1);
    session.run(f.executable, image);
    CHECK(f.driver.modules_loaded == 1);
    for (int i = 0; i < 3; ++i) session.run(f.executable, image);
    CHECK(f.driver.modules_loaded == 4);
    CHECK(session.resources(f.executable).at(0).registers == 32);
    CHECK(session.resources(f.executable).at(0).spill_bytes == 16);
    CHECK(session.resources(f.executable).at(0).parameter_bytes == std::vector<std::int64_t>{8, 8, 8, 4});
    std::vector<ImageList> images = {{image}};
    session.time(std::span(&f.executable, 1), images, kNoPlaces, f.policy);
  }
  CHECK(f.driver.live_objects == 0);
  CHECK(f.driver.allocated_bytes == 0);
}

TEST_CASE("timing gives the kernel's time on sets that have values of their own in every launch") {
  if (cannot_time()) return;
  Addition f;
  FakeKernel& kernel = f.driver.kernels["_Z3addPfS_Pif"];
  int dirty = 0, misplaced = 0, calls = 0;
  std::map<float, int> values, poison;
  kernel.body = [&](void** arguments) {
    const float* x = (*static_cast<float***>(arguments[0]))[0];
    float* y = *static_cast<float**>(arguments[1]);
    int* count = *static_cast<int**>(arguments[2]);
    ++calls;
    dirty += *count != 0;
    misplaced += reinterpret_cast<const char*>(y) - reinterpret_cast<const char*>(x) != 256;
    ++values[x[3]];
    ++poison[y[3]];
    Addition::add(arguments);
  };
  CudaSession session(f.api, 0);
  auto first = f.image(100), second = f.image(200);
  const std::vector<ImageList> images = {{first, second}};
  const Samples samples = session.time(std::span(&f.executable, 1), images, kNoPlaces, f.policy).at(0);
  CHECK(samples.input_sets == 197);  // each call estimated at 5100 ns
  CHECK(samples.calls_per_sample == 197);
  CHECK(samples.rotating_ns.size() >= 12);
  CHECK(samples.clock_mhz.empty());
  CHECK(samples.foreign_processes == 0);
  for (double ns : samples.rotating_ns) CHECK(ns == Approx(5000 + 2000.0 / 197).epsilon(1e-3));
  CHECK(dirty == 0);
  CHECK(misplaced == 0);
  // Of 2^16 and more values a few meet by chance.
  CHECK(static_cast<double>(values.size()) > 0.95 * calls);
  CHECK(static_cast<double>(poison.size()) > 0.95 * calls);
  CHECK(values.begin()->first > 90);
  CHECK_THAT(samples.method, Catch::StartsWith("graph x197, 197 sets, drawn anew and flushed before each launch, "));
  CHECK(samples.cold_ns.size() == 10);
  CHECK(samples.warm_ns.size() == 5);  // single calls: count has to be restored
  CHECK(samples.single_warm_ns.size() == 5);
  for (double ns : samples.cold_ns) CHECK(ns == Approx(5000).epsilon(1e-2));
  for (double ns : samples.warm_ns) CHECK(ns == Approx(5000).epsilon(1e-2));
  CHECK(samples.twice.sets == 0);  // nobody asked
}

TEST_CASE("a call that takes a second is launched four times, once for comparison, and is not timed cold or warm") {
  if (cannot_time()) return;
  Addition f;
  int calls = 0;
  f.driver.kernels["_Z3addPfS_Pif"].nanoseconds = 1e9;
  f.driver.kernels["_Z3addPfS_Pif"].body = [&](void** arguments) {
    ++calls;
    Addition::add(arguments);
  };
  f.policy.burst_s = f.policy.max_s = 0;  // no time passes on this driver
  f.policy.min_samples = 3;
  CudaSession session(f.api, 0);
  auto image = f.image(100);
  const std::vector<ImageList> images = {{image}};
  Places places(f);
  const Samples samples = session.time(std::span(&f.executable, 1), images, places.lists, f.policy).at(0);
  CHECK(calls == 4);
  CHECK(samples.rotating_ns.size() == 3);
  CHECK(samples.twice.sets == 1);
  CHECK(samples.twice.unequal == 0);
  CHECK(samples.cold_ns.empty());
  CHECK(samples.warm_ns.empty());
  for (const KeptCall& kept : samples.kept) CHECK(kept.kind == CallKind::rotating);
}

TEST_CASE("what timed calls of each kind left in their sets comes back, with its seeds and without addresses") {
  if (cannot_time()) return;
  Addition f;
  CudaSession session(f.api, 0);
  auto first = f.image(100), second = f.image(200);
  const auto before = first;
  const std::vector<ImageList> images = {{first, second}};
  Places places(f);
  const Samples samples = session.time(std::span(&f.executable, 1), images, places.lists, f.policy).at(0);
  CHECK(first == before);
  REQUIRE(samples.kept.size() == 6);
  CHECK(samples.twice.unequal == 0);
  CHECK(samples.twice.sets > 12 * 197);
  for (std::size_t k = 0; k < 6; ++k) {
    const KeptCall& kept = samples.kept[k];
    CHECK(kept.place == static_cast<std::int64_t>(k));
    CHECK(kept.kind == static_cast<CallKind>(k / 2));
    const auto& image = places.memory[k];
    for (std::uint64_t i = 0; i < 8; ++i) {
      const auto drawn = static_cast<float>(random::normal(random::words(kept.seeds.values, 1, i)) + 100);
      CHECK(float_at(image, 256 + 4 * i) == drawn);
      CHECK(float_at(image, 512 + 4 * i) == drawn + 1);
    }
    CHECK(image[1024] == std::byte{1});
    CHECK(std::memcmp(image.data() + 1280, before.data() + 1280, 4096 - 1280) == 0);
  }
  CHECK(samples.kept[0].seeds.values != samples.kept[1].seeds.values);
}

TEST_CASE("a kernel that does not do all of its timed calls is found by launching them twice") {
  if (cannot_time()) return;
  const auto unequal = [](const std::function<void(void**)>& body) {
    Addition f;
    f.driver.kernels["_Z3addPfS_Pif"].body = body;
    CudaSession session(f.api, 0);
    auto image = f.image(100);
    const std::vector<ImageList> images = {{image}};
    Places places(f);
    return session.time(std::span(&f.executable, 1), images, places.lists, f.policy).at(0).twice;
  };
  CHECK(unequal(Addition::add).unequal == 0);
  const auto by_address = unequal([](void** arguments) {  // a tenth of the sets
    if (reinterpret_cast<std::uintptr_t>(*static_cast<float**>(arguments[1])) / 4096 % 10 == 3) return;
    Addition::add(arguments);
  });
  CHECK(static_cast<double>(by_address.unequal) / static_cast<double>(by_address.sets) == Approx(0.2).margin(0.1));
  auto calls = std::make_shared<int>(0);
  CHECK(unequal([calls](void** arguments) {  // now and then
          if (++*calls % 100 != 0) Addition::add(arguments);
        })
            .unequal > 0);
  auto remembered = std::make_shared<std::vector<float>>();
  CHECK(unequal([remembered](void** arguments) {  // what it answered first
          float* y = *static_cast<float**>(arguments[1]);
          if (remembered->empty()) {
            Addition::add(arguments);
            remembered->assign(y, y + 8);
          }
          std::copy(remembered->begin(), remembered->end(), y);
        })
            .unequal == 0);  // always the same: the judge sees it in what is kept
}

TEST_CASE("calls are kept also when a graph has one call, and of several images") {
  if (cannot_time()) return;
  Addition f;
  f.driver.kernels["_Z3addPfS_Pif"].nanoseconds = 2e6;
  f.executable.layout.buffers[0].draw.reset();  // its values are those of the image
  f.policy.min_samples = 3;
  f.policy.burst_s = 0;
  f.policy.max_s = 0;
  CudaSession session(f.api, 0);
  std::vector<std::vector<std::byte>> given;
  for (int k = 0; k < 5; ++k) given.push_back(f.image(static_cast<float>(100 * k)));
  std::vector<ImageList> images(1);
  for (auto& image : given) images[0].push_back(image);
  Places places(f);
  const Samples samples = session.time(std::span(&f.executable, 1), images, places.lists, f.policy).at(0);
  CHECK(samples.calls_per_sample == 1);
  REQUIRE(samples.kept.size() == 6);
  CHECK(samples.twice.unequal == 0);
  for (const KeptCall& kept : samples.kept)
    CHECK(float_at(places.memory[static_cast<std::size_t>(kept.place)], 512) ==
          static_cast<float>(100 * kept.image) + 1);
}

TEST_CASE("contenders alternate and each gets its own time") {
  if (cannot_time()) return;
  Addition f;
  f.driver.kernels["slow"] = f.driver.kernels["_Z3addPfS_Pif"];
  f.driver.kernels["slow"].nanoseconds = 9000;
  Executable slow = f.executable;
  slow.artifact.key = "slow";
  CubinCache(f.scratch.path("cache")).store(slow.artifact, {{"add", "slow"}}, "cubin");
  CudaSession session(f.api, 0);
  auto image = f.image(0), other = f.image(0);
  std::vector<ImageList> images = {{image}, {other}};
  const std::vector<Executable> contenders = {f.executable, slow};
  f.policy.cold = false;
  const auto samples = session.time(contenders, images, std::vector<ImageList>(2), f.policy);
  CHECK(samples.at(0).rotating_ns.at(0) == Approx(5000).epsilon(0.01));
  CHECK(samples.at(1).rotating_ns.at(0) == Approx(9000).epsilon(0.01));
  CHECK(samples.at(0).cold_ns.empty());
  std::string turns;  // who ran, without repetitions
  for (const std::string& name : f.driver.order) {
    if (name.starts_with("harness_")) continue;
    const char who = name == "slow" ? 'B' : 'A';
    if (turns.empty() || turns.back() != who) turns += who;
  }
  CHECK_THAT(turns, Catch::StartsWith("ABABA"));  // prepared A, B; round A B, round B A
}

TEST_CASE("with nothing to restore the warm time comes from a graph on one set, and few sets fit into little memory") {
  if (cannot_time()) return;
  Addition f;
  f.executable.layout.buffers[2].restored = false;
  f.executable.layout.relocations.clear();
  f.driver.kernels["_Z3addPfS_Pif"].body = [](void**) {};
  f.driver.free_bytes = (128 << 20) + (1 << 20) + 3 * 4096;  // for the flush, and a megabyte
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  std::vector<ImageList> images = {{image}};
  const Samples samples = session.time(std::span(&f.executable, 1), images, kNoPlaces, f.policy).at(0);
  CHECK(samples.input_sets == 31);  // a quarter of what is free, less the image, and as large a gap beside each
  CHECK(samples.calls_per_sample == 31);
  CHECK(samples.warm_ns.size() == 5);
}

TEST_CASE("a launch refused while capturing leaves no capture behind") {
  if (cannot_time()) return;
  Addition f;
  CudaSession session(f.api, 0);
  auto image = f.image(0);
  int calls = 0;
  f.driver.kernels["_Z3addPfS_Pif"].body = [&](void**) {
    if (++calls == 2) f.driver.refuse_launch = kLaunchOutOfResources;
  };
  std::vector<ImageList> images = {{image}};
  REQUIRE_THROWS_AS(session.time(std::span(&f.executable, 1), images, kNoPlaces, f.policy), LaunchRefused);
  f.driver.refuse_launch = 0;
  REQUIRE_NOTHROW(session.run(f.executable, image));
}

TEST_CASE("run separately, every buffer ends where its allocation does, aligned as in the image") {
  Addition f;
  f.executable.layout.buffers[1].bytes = 30;
  for (const auto& [name, kind] :
       {std::pair{"x", ArgumentKind::input}, std::pair{"y", ArgumentKind::output},
        std::pair{"count", ArgumentKind::inout}, std::pair{"pointers", ArgumentKind::pointers}}) {
    f.executable.problem.arguments.emplace_back().name = name;
    f.executable.problem.arguments.back().kind = kind;
  }
  const auto image = f.image(10);
  std::vector<SeparateBuffer> placed;
  std::vector<std::string> seen;
  f.driver.kernels["_Z3addPfS_Pif"].body = [&](void** a) {
    const auto address = [](void* p) { return reinterpret_cast<DevicePointer>(p); };
    float** pointers = *static_cast<float***>(a[0]);
    CHECK(address(pointers) == placed[3].address);
    CHECK(address(pointers[0]) == placed[0].address);
    CHECK(address(*static_cast<float**>(a[1])) == placed[1].address);
    CHECK(pointers[0][7] == 17);
    CHECK(**static_cast<int**>(a[2]) == 0);
    seen.push_back("ran");
  };
  run_separately(f.api, 0, f.executable, image, true, [&](const auto& buffers) { placed = buffers; });
  REQUIRE(seen.size() == 1);
  REQUIRE(placed.size() == 4);
  CHECK(placed[1].name == "y");
  CHECK(placed[1].bytes == 30);
  CHECK(f.driver.allocated_bytes == 0);
  CHECK(f.driver.live_objects == 0);
}

TEST_CASE("a session of a GPU that is not there is refused in a sentence") {
  Addition f;
  REQUIRE_THROWS_WITH(CudaSession(f.api, 3),
                      "there is no cuda:3: the driver sees 1 GPU; `harness devices` lists them.");
}

namespace {

/// Whether the system itself could write `bytes` there, or read them.
bool can_be_written(const char* at) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const char byte = *at;
  REQUIRE(write(ends[1], &byte, 1) == 1);
  const bool can = read(ends[0], const_cast<char*>(at), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return can;
}
bool can_be_read(const char* at) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const bool can = write(ends[1], at, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return can;
}

}  // namespace

TEST_CASE("behind walls an input can only be read, and nothing lies behind a buffer") {
  static bool input_is_closed, output_is_open, output_ends_at_hole;
  Scratch scratch;
  FakeDriver driver;
  const DriverApi& api = FakeDriver::install(driver);
  driver.kernels["_Z4copyPKcPc"] = {{8, 8}, 1000, [](void** arguments) {
                                      const char* const x = *static_cast<const char**>(arguments[0]);
                                      char* const y = *static_cast<char**>(arguments[1]);
                                      for (int i = 0; i < 8192; ++i) y[i] = x[i];
                                      input_is_closed = !can_be_written(x) && can_be_read(x + 8191) &&
                                                        !can_be_read(x + 8192) && !can_be_read(x + (2 << 20));
                                      output_is_open = can_be_written(y) && can_be_read(y + 8192 + 191);
                                      output_ends_at_hole =
                                          !can_be_read(y + 8192 + 4096) && !can_be_read(y + (2 << 20));
                                    }};
  Executable executable;
  executable.artifact.key = "key";
  executable.artifact.entries = {{"copy"}};
  CubinCache(scratch.path("cache")).store(executable.artifact, {{"copy", "_Z4copyPKcPc"}}, "cubin");
  executable.layout.bytes = 32768;
  executable.layout.buffers = {{"x", 4096, 8192}, {"y", 16384, 8192}, {"z", 24832, 256}};
  executable.layout.read_only = {{0, 12288}};
  executable.layout.closed = {{12288, 4096}};
  Launch launch;
  launch.entry = "copy";
  launch.args = {NamedArgument{"x"}, NamedArgument{"y"}};
  executable.plan.steps = {launch};
  std::vector<std::byte> image(32768);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::byte>(i * 7 + i / 256);
  std::vector<std::byte> expected = image;
  std::copy(image.begin() + 4096, image.begin() + 12288, expected.begin() + 16384);
  {
    CudaSession session(api, 0);
    const int before = driver.live_objects;
    session.run_behind_walls(executable, image);
    CHECK(driver.live_objects == before + 1);  // the loaded module stays
  }
  CHECK(input_is_closed);
  CHECK(output_is_open);
  CHECK(output_ends_at_hole);
  CHECK(image == expected);
}
