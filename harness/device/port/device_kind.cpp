#include "harness/device/port/device_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"
#include "harness/system/walls.h"

namespace harness {

const DeviceKind& find_kind(const DeviceKinds& kinds, const std::string& device) {
  const auto found = std::ranges::find_if(kinds, [&](const auto& kind) { return kind->name() == device_kind(device); });
  if (found == kinds.end()) throw environment_error(fmt::format("this program has no device of the kind '{}'", device));
  return **found;
}

std::vector<DeviceInfo> probe_devices(const DeviceKinds& kinds) {
  std::vector<DeviceInfo> devices;
  for (const auto& kind : kinds)
    for (DeviceInfo& device : kind->probe()) devices.push_back(std::move(device));
  return devices;
}

std::unique_ptr<Compiler> make_compiler(const DeviceKind& kind, const Target& target) {
  return kind.make_compiler(target, walls_here());
}

Target make_target(const DeviceKind& kind, const DeviceInfo& device, const std::string& cache_folder,
                   const std::string& own_headers) {
  return {device.device, device.architecture, cache_folder, kind.find_headers(own_headers), device.native, {}};
}

HARNESS_JSON(Target, device, architecture, cache_folder, headers, native, compile, trust_source, beside)
HARNESS_JSON(PlacedBuffer, name, address, bytes, element_bytes)

}  // namespace harness
