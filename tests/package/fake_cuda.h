#pragma once
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/package/launcher/launcher.h"
#include "tests/support/program.h"

// Launchers compiled by this machine's compiler, over a driver without a GPU (tests/fakes/libcuda).
namespace harness::package::test {

/// libcuda.so.1 in a folder; `environment` makes programs find it and tell what it launches.
class FakeCuda {
 public:
  /// `old`: one of CUDA 11.7, without what came later.
  explicit FakeCuda(const tests::Scratch& scratch, bool old = false)
      : folder_(scratch.path(old ? "old" : "fake")), log_(scratch.path("launches.log")) {
    tests::run_program({"mkdir", "-p", folder_}, "/");
    const auto built = tests::run_program(
        {"c++", "-std=c++17", "-O1", "-shared", "-fPIC", old ? "-DFAKE_CUDA_OLD" : "-DFAKE_CUDA_NEW",
         std::string(HARNESS_SOURCE_DIR) + "/tests/fakes/libcuda/libcuda.cpp", "-o", folder_ + "/libcuda.so.1"},
        "/");
    INFO(built.err);
    REQUIRE(built.status == 0);
  }
  std::vector<std::string> environment() const { return {"LD_LIBRARY_PATH=" + folder_, "FAKE_CUDA_LOG=" + log_}; }
  const std::string& log() const { return log_; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_, log_;
};

/// The device that tests/fakes/libcuda describes.
inline DeviceInfo fake_h200() {
  DeviceInfo device;
  device.device = "cuda:0";
  device.name = "NVIDIA H200";
  device.architecture = "sm_90a";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.max_threads_per_block = 1024;
  device.max_shared_bytes = 232448;
  device.l2_bytes = 62914560;
  device.memory_bytes = 150000000000;
  return device;
}

}  // namespace harness::package::test
