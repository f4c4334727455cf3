#include "harness/shipping/package_library.h"

#include <fmt/format.h>

#include "harness/package/folder/library.h"
#include "harness/package/launcher/launcher.h"
#include "harness/system/files.h"

namespace harness {
namespace {

/// The files that a launcher is compiled from.
package::PackageFiles launcher_sources(const package::PackageFolder& package) {
  package::PackageFiles files;
  for (const auto& [path, digest] : package.description.at("digests").items())
    if (path.starts_with("include/") || path.starts_with("src/")) files[path] = read_file(package.folder + "/" + path);
  return files;
}

std::string compared(const package::PackageFolder& package, const std::string& library) {
  const std::string by = package.description.at("provenance").value("launcher_compiler", "");
  if (by.empty()) return "kernel.json does not say which g++ compiled it";
  const package::BuiltLibrary built = package::build_library(launcher_sources(package));
  if (built.bytes.empty()) return built.why_not;
  if (built.compiler != by) return fmt::format("it was compiled by {}, and here is {}", by, built.compiler);
  return built.bytes == library ? "same" : "different";
}

}  // namespace

ComparedLauncher compare_launcher(const package::PackageFolder& package, const package::HeldImages& held) {
  const std::string own = package::library_path(package::launcher_name(package.kernel));
  ComparedLauncher launcher{"the package holds none for this processor", {}};
  for (const auto& [path, digest] : package.description.at("digests").items()) {
    if (!path.ends_with(".so")) continue;
    const std::string library = read_file(package.folder + "/" + path);
    for (const package::HeldImage& image : held.images)
      if (library.find(image.bytes) == std::string::npos)
        launcher.different.push_back(fmt::format("{} does not hold the image {}", path, image.name));
    if (path != own) continue;
    launcher.state = compared(package, library);
    if (launcher.state == "different")
      launcher.different.push_back(fmt::format("{} is not what src/ compiles to", path));
  }
  return launcher;
}

}  // namespace harness
