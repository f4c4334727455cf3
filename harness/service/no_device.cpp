#include "harness/service/no_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace harness {

std::string no_device(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> missing;
  for (const DeviceInfo& device : devices)
    if (device.emulation) missing.insert(missing.end(), device.missing.begin(), device.missing.end());
  return fmt::format("no device is available: no GPU is found{}; see harness devices",
                     missing.empty() ? "" : fmt::format(", and {}", fmt::join(missing, "; ")));
}

}  // namespace harness
