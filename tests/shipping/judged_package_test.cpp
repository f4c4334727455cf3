#include "harness/shipping/judged_package.h"

#include <catch2/catch.hpp>

#include "harness/core/gpu.h"

using namespace harness;

namespace {

package::PackageFolder emulated_package(const std::string& predicts) {
  package::PackageFolder package;
  package.description = {{"stamps", {"emulated"}},
                         {"provenance", {{"devices", {{{"name", "a device"}, {"predicts", predicts}}}}}}};
  return package;
}

DeviceInfo chosen_for(const package::PackageFolder& package, const std::string& asked) {
  DeviceInfo cpu;
  cpu.device = "cpu";
  cpu.name = "a processor";
  cpu.available = cpu.emulation = true;
  Rooms rooms;
  rooms.devices = [&](const Places&) { return std::vector<DeviceInfo>{cpu}; };
  Shell shell{rooms};
  return device_for(shell, package, asked);
}

}  // namespace

TEST_CASE("a package that was chosen by prediction is counted and not timed") {
  read_gpus_by([] {
    GpuFacts gpu;
    gpu.name = "H200";
    return std::vector<GpuFacts>{gpu};
  });
  for (const char* asked : {"auto", "cpu"}) {
    CHECK(chosen_for(emulated_package("H200"), asked).predicts == "H200");
    CHECK(chosen_for(emulated_package(""), asked).predicts.empty());
  }
}
