#include "harness/shipping/package_rebuild.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/shipping/judged_package.h"
#include "harness/system/files.h"

namespace harness {
namespace {

/// What a package holds of a build: `kind` is "code" or "ptx"; nothing where it has none for the architecture.
std::optional<json> held_code(const json& description, const BuildSpec& build, const char* kind,
                              const std::string& architecture) {
  for (const json& module : description.at("modules")) {
    if (module.at("source") != build.source_name || module.at("options") != json(build.options) ||
        module.at("defines") != json(build.defines) || module.at("entries") != json(build.entries))
      continue;
    for (const json& code : module.value(kind, json::array()))
      if (code.at("architecture") == architecture) return std::optional<json>(std::in_place, code);
  }
  return std::nullopt;
}

/// "sm_90" of "compute_90".
std::string compiled_for(const std::string& ptx) {
  return "sm_" + ptx.substr(ptx.find('_') + 1);
}

class Rebuilding {
 public:
  Rebuilding(const Shell& shell, const package::PackageFolder& package)
      : shell_(shell), package_(package), catalog_(packaged_catalog(shell, package)) {}

  RebuiltCode made;

  /// Every winner's machine code on one architecture, or its PTX ("compute_90").
  void compare(const std::string& architecture, bool ptx) {
    const auto offline = shell_.rooms.offline_device(shell_.places(), ptx ? compiled_for(architecture) : architecture);
    if (!offline || !offline->compiler) {
      made.not_compared = fmt::format("nothing here compiles for {}", architecture);
      return;
    }
    for (const package::PackagedWorkload& each : package_.workloads) {
      if (!each.winner) continue;
      if (!each.workload.declared) catalog_->plugin(package_.kernel).add_shape(each.workload.name, offline->info);
      const Workload& workload =
          *std::ranges::find(catalog_->kernel(package_.kernel).workloads, each.workload.name, &Workload::name);
      const BuildSpec build =
          catalog_->plugin(each.winner->kernel).formulas(*each.winner, workload, offline->info).build;
      const auto held = held_code(package_.description, build, ptx ? "ptx" : "code", architecture);
      if (held)
        compare_one(*offline, build, *held, ptx, fmt::format("{} on {}", each.winner->variant, each.workload.name));
      else if (!ptx)  // what has no PTX was said when it was packaged
        made.different.push_back(
            fmt::format("the package holds no code for {} on {}", each.winner->variant, each.workload.name));
    }
  }

 private:
  void compare_one(const OfflineDevice& offline, const BuildSpec& build, const json& held, bool ptx,
                   const std::string& what) {
    const BuildResult result = offline.compiler->build(build);
    const auto* artifact = std::get_if<Artifact>(&result);
    const char* const key = ptx ? "sha256" : "code_hash";
    if (artifact == nullptr) {
      made.different.push_back(
          fmt::format("{} does not compile for {} any more", build.source_name, offline.info.architecture));
    } else if (held.at("compiler") != artifact->compiler) {
      made.not_compared = fmt::format("the package was compiled by {}, and here is {}",
                                      held.at("compiler").get<std::string>(), artifact->compiler);
    } else if (!held.contains(key)) {
      made.not_compared = "its PTX has no digest of its own: an older program packaged it";
    } else if (held.at(key) == (ptx ? sha256_hex(read_file(artifact->listing)) : artifact->code_hash)) {
      ++made.same;
    } else {
      made.different.push_back(
          fmt::format("{} compiles to other {} than the package holds", what, ptx ? "PTX" : "machine code"));
    }
  }

  const Shell& shell_;
  const package::PackageFolder& package_;
  std::unique_ptr<FormulaCatalog> catalog_;
};

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
  Rebuilding rebuilding(shell, package);
  for (const json& named : package.description.at("architectures")) rebuilding.compare(named, false);
  for (const json& named : package.description.value("ptx", json::array())) rebuilding.compare(named, true);
  return rebuilding.made;
}

}  // namespace harness
