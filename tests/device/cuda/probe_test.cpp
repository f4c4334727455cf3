#include "harness/device/cuda/probe.h"

#include <catch2/catch.hpp>

#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/device/cuda/api/shared_library.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

TEST_CASE("without a driver the probe says what is missing and what works all the same") {
  if (driver_library().api) {
    harness::tests::skip("there is a driver here");
    return;
  }
  const auto devices = probe_cuda();
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].device == "cuda:0");
  CHECK_FALSE(devices[0].available);
  CHECK(devices[0].missing.at(0) == "libcuda.so.1, the NVIDIA driver, was not found: it is needed to run on a GPU.");
  const bool says_compiling_works =
      devices[0].missing.back().find("compiling for a named architecture works") != std::string::npos;
  CHECK(says_compiling_works == nvrtc_available());
  CHECK_FALSE(gpu_state(0).has_value());
}

TEST_CASE("the peaks of an H200 at its highest clock are those of its data sheet at that clock") {
  DeviceInfo info;
  info.compute_capability = 90;
  info.multiprocessors = 132;
  set_compute_peaks(info, 1.98e9);
  CHECK(info.peak_flops.at("bf16") == Approx(1.0705e15).epsilon(1e-3));
  CHECK(info.peak_flops.at("f32") == Approx(66.9e12).epsilon(1e-3));
  CHECK(info.peak_flops.at("e4m3") == Approx(2.141e15).epsilon(1e-3));
  CHECK(info.peak_exps_per_s == Approx(4.18e12).epsilon(1e-3));
}

TEST_CASE("peaks of a GPU that is not known for sure stay unknown") {
  DeviceInfo info;
  info.compute_capability = 75;
  info.multiprocessors = 40;
  set_compute_peaks(info, 1.5e9);
  CHECK(info.peak_flops.empty());
  CHECK(info.peak_exps_per_s == 0);
}

TEST_CASE("Hopper and Blackwell are compiled for with all their instructions") {
  CHECK(architecture_of(80) == "sm_80");
  CHECK(architecture_of(90) == "sm_90a");
  CHECK(architecture_of(100) == "sm_100a");
}

TEST_CASE("a library that is nowhere is closed, and one that does not load says why") {
  const SharedLibrary nowhere({"libharness-surely-absent.so.1", "/nowhere/lib.so"});
  CHECK_FALSE(static_cast<bool>(nowhere));
  CHECK(nowhere.reason().empty());
  CHECK(nowhere.symbol("main") == nullptr);
  const SharedLibrary no_library({"/etc/passwd"});
  CHECK_FALSE(static_cast<bool>(no_library));
  CHECK(no_library.reason().find("/etc/passwd") != std::string::npos);
}

TEST_CASE("a symbol that a library lacks is reported by name") {
  const SharedLibrary libc({"libc.so.6"});
  REQUIRE(static_cast<bool>(libc));
  void (*function)() = nullptr;
  std::vector<std::string> absent;
  libc.resolve(function, "getpid", absent);
  CHECK(function != nullptr);
  libc.resolve(function, "cuNoSuchCall", absent);
  CHECK(absent == std::vector<std::string>{"cuNoSuchCall"});
}
