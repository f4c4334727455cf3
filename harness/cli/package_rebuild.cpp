#include "harness/cli/package_rebuild.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/cli/judged_package.h"
#include "harness/core/error.h"

namespace harness {
namespace {

/// The recorded module of a build, on an architecture; null where the package has none.
const json* module_of(const json& description, const BuildSpec& build, const std::string& architecture) {
  for (const json& module : description.at("modules")) {
    if (module.at("source") != build.source_name || module.at("options") != json(build.options) ||
        module.at("defines") != json(build.defines) || module.at("entries") != json(build.entries))
      continue;
    for (const json& code : module.at("code"))
      if (code.at("architecture") == architecture) return &code;
  }
  return nullptr;
}

}  // namespace

CodeNumbers code_numbers(const OfflineDevice& device, const BuildSpec& build) {
  const BuildResult result = device.compiler->build(build);
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw bad_input(fmt::format("{} does not compile for {}: {}", build.source_name, device.info.architecture,
                                failure->log.substr(0, 600)));
  const Artifact& artifact = std::get<Artifact>(result);
  CodeNumbers numbers{artifact.code_hash, 0, 0};
  for (const EntryResources& entry : artifact.entries) {
    numbers.registers = std::max(numbers.registers, entry.registers);
    numbers.spill_bytes = std::max(numbers.spill_bytes, entry.spill_bytes);
  }
  return numbers;
}

RebuiltCode rebuild(const Shell& shell, const package::PackageFolder& package) {
  RebuiltCode made;
  const auto catalog = packaged_catalog(shell, package);
  for (const json& named : package.description.at("architectures")) {
    const std::string architecture = named.get<std::string>();
    const auto offline = shell.rooms.offline_device(shell.places(), architecture);
    if (!offline || !offline->compiler) {
      made.not_compared = fmt::format("nothing here compiles for {}", architecture);
      continue;
    }
    for (const package::PackagedWorkload& each : package.workloads) {
      if (!each.winner) continue;
      if (!each.workload.declared) catalog->add_shape(package.kernel, each.workload.name, offline->info);
      const Workload& workload =
          *std::ranges::find(catalog->kernel(package.kernel).workloads, each.workload.name, &Workload::name);
      const BuildSpec build = catalog->formulas(*each.winner, workload, offline->info).build;
      const json* module = module_of(package.description, build, architecture);
      if (module == nullptr) {
        made.different.push_back(
            fmt::format("the package holds no code for {} on {}", each.winner->variant, each.workload.name));
        continue;
      }
      const BuildResult result = offline->compiler->build(build);
      const auto* artifact = std::get_if<Artifact>(&result);
      if (artifact == nullptr) {
        made.different.push_back(fmt::format("{} does not compile for {} any more", build.source_name, architecture));
      } else if (module->at("compiler") != artifact->compiler) {
        made.not_compared = fmt::format("the package was compiled by {}, and here is {}",
                                        module->at("compiler").get<std::string>(), artifact->compiler);
      } else if (module->at("code_hash") == artifact->code_hash) {
        ++made.same;
      } else {
        made.different.push_back(fmt::format("{} on {} compiles to other machine code than the package holds",
                                             each.winner->variant, each.workload.name));
      }
    }
  }
  return made;
}

}  // namespace harness
