#include "harness/core/catalog.h"

#include <algorithm>

namespace harness {

Config configuration(const Space& space, std::size_t point) {
  Config config;
  const auto& indices = space.points.at(point);
  for (std::size_t p = 0; p < indices.size(); ++p)
    config[space.parameters[p].name] = space.parameters[p].values[indices[p]];
  return config;
}

bool is_sensible_on(const Workload& workload, const DeviceInfo& device) {
  const std::string kind = device.device.starts_with("cuda") ? "cuda" : "cpu";
  return workload.devices.empty() || std::ranges::find(workload.devices, kind) != workload.devices.end();
}

}  // namespace harness
