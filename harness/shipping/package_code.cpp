#include "harness/shipping/package_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/system/files.h"

namespace harness {

std::vector<std::string> architectures_of(std::vector<std::string> asked, const std::vector<DeviceInfo>& devices) {
  if (!asked.empty()) return asked;
  for (const DeviceInfo& device : devices)
    if (!device.emulation && std::ranges::find(asked, device.architecture) == asked.end())
      asked.push_back(device.architecture);
  if (asked.empty()) asked.push_back(find_gpu("").architecture);
  return asked;
}

namespace {

std::shared_ptr<OfflineDevice> compiler_of(const Shell& shell, const Places& places, const std::string& architecture) {
  auto device = shell.rooms.offline_device(places, architecture);
  if (!device)
    throw bad_input(fmt::format("'{}' is no architecture; write it like {}", architecture, find_gpu("").architecture));
  if (!device->compiler)
    throw environment_error(fmt::format("nothing here compiles for {}: {}; a package holds machine code", architecture,
                                        fmt::join(device->info.missing, "; ")));
  return std::make_shared<OfflineDevice>(std::move(*device));
}

/// "sm_90" of "sm_90a": PTX with the suffix runs on no other architecture.
std::string without_suffix(std::string architecture) {
  while (!architecture.empty() && std::isalpha(static_cast<unsigned char>(architecture.back())) != 0)
    architecture.pop_back();
  return architecture;
}

package::CompiledCode code_of(const OfflineDevice& offline, const Artifact& artifact, const std::string& path) {
  return {artifact, read_file(path), offline.linked_names(artifact)};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

PackageCompilers::PackageCompilers(const Shell& shell, const Places& places,
                                   const std::vector<std::string>& architectures, bool ptx) {
  for (const std::string& architecture : architectures) {
    devices_[architecture] = compiler_of(shell, places, architecture);
    const std::string later = without_suffix(architecture);
    if (ptx && !ptx_devices_.contains(later)) ptx_devices_[later] = compiler_of(shell, places, later);
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
    return code_of(offline, artifact, artifact.path);
  };
  for (const auto& [architecture, device] : ptx_devices_) maker.ptx_devices.push_back(device->info);
  maker.ptx = [devices = ptx_devices_](const DeviceInfo& device,
                                       const BuildSpec& build) -> std::variant<package::CompiledCode, std::string> {
    const OfflineDevice& offline = *devices.at(device.architecture);
    const BuildResult result = offline.compiler->build(build);
    if (const auto* failure = std::get_if<CompileFailure>(&result)) return first_line(failure->log).substr(0, 300);
    const Artifact& artifact = std::get<Artifact>(result);
    return code_of(offline, artifact, artifact.listing);
  };
  return maker;
}

}  // namespace harness
