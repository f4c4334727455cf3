#include "harness/cli/package_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace harness {

std::vector<std::string> architectures_of(std::vector<std::string> asked, const std::vector<DeviceInfo>& devices) {
  if (!asked.empty()) return asked;
  for (const DeviceInfo& device : devices)
    if (!device.emulation && std::ranges::find(asked, device.architecture) == asked.end())
      asked.push_back(device.architecture);
  if (asked.empty()) asked.emplace_back("sm_90a");
  return asked;
}

PackageCompilers::PackageCompilers(const Shell& shell, const Places& places,
                                   const std::vector<std::string>& architectures) {
  for (const std::string& architecture : architectures) {
    auto device = shell.rooms.offline_device(places, architecture);
    if (!device) throw bad_input(fmt::format("'{}' is no architecture; write it like sm_90a", architecture));
    if (!device->compiler)
      throw environment_error(fmt::format("nothing here compiles for {}: {}; a package holds machine code",
                                          architecture, fmt::join(device->info.missing, "; ")));
    devices_[architecture] = std::make_shared<OfflineDevice>(std::move(*device));
  }
}

package::CodeMaker PackageCompilers::maker() const {
  package::CodeMaker maker;
  for (const auto& [architecture, device] : devices_) maker.devices.push_back(device->info);
  maker.compile = [devices = devices_](const DeviceInfo& device, const BuildSpec& build) {
    const OfflineDevice& offline = *devices.at(device.architecture);
    const BuildResult result = offline.compiler->build(build);
    if (const auto* failure = std::get_if<CompileFailure>(&result))
      throw bad_input(fmt::format("{} does not compile for {}: {}", build.source_name, device.architecture,
                                  failure->log.substr(0, 600)));
    const Artifact& artifact = std::get<Artifact>(result);
    return package::CompiledCode{artifact, read_file(artifact.path), offline.linked_names(artifact)};
  };
  return maker;
}

}  // namespace harness
