#include "harness/shipping/package_rebuild.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/package/folder/images.h"
#include "harness/shipping/judged_package.h"
#include "harness/shipping/package_library.h"
#include "harness/system/files.h"

namespace harness {
namespace {

/// "sm_90" of "compute_90".
std::string compiled_for(const std::string& ptx) {
  return "sm_" + ptx.substr(ptx.find('_') + 1);
}

/// Whether a module of kernel.json is of a build, whose entries may be some of the module's.
bool is_of(const json& module, const BuildSpec& build) {
  return module.at("source") == build.source_name && module.at("options") == json(build.options) &&
         module.at("defines") == json(build.defines) && std::ranges::all_of(build.entries, [&](const auto& entry) {
           return std::ranges::find(module.at("entries"), json(entry)) != module.at("entries").end();
         });
}

std::vector<std::string> names_of(const json& defines) {
  std::vector<std::string> names;
  for (const json& define : defines) names.push_back(define.at(0));
  return names;
}

/// Whether the two differ in values of defines and in entries alone: a module for flags or types of other workloads.
bool is_kin_of(const json& module, const BuildSpec& build) {
  return module.at("source") == build.source_name && module.at("options") == json(build.options) &&
         names_of(module.at("defines")) == names_of(json(build.defines));
}

/// PTX without its lines `.file N "PATH"`, which name folders of the machine that compiled it.
std::string without_folders(const std::string& ptx) {
  std::string text;
  for (std::size_t begin = 0; begin < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size());
    if (ptx.compare(begin, 5, ".file") != 0 && ptx.compare(begin, 6, "\t.file") != 0)
      text.append(ptx, begin, end + 1 - begin);
    begin = end + 1;
  }
  return text;
}

bool is_image_of(const OfflineDevice& offline, const std::string& image, const Artifact& artifact) {
  try {
    return offline.image_hash(image) == offline.image_hash(read_file(artifact.path));
  } catch (const Error&) {
    return false;  // it is no image
  }
}

class Rebuilding {
 public:
  Rebuilding(const Shell& shell, const package::PackageFolder& package)
      : shell_(shell),
        package_(package),
        catalog_(packaged_catalog(shell, package)),
        held_(package::held_images(package)) {
    made.different = held_.wrong;
    if (!held_.listed) made.not_compared = "an older program packaged it, which listed no images";
  }

  RebuiltCode made;
  const package::HeldImages& held() const { return held_; }

  /// All machine code for one architecture, or all PTX ("compute_90").
  void compare(const std::string& architecture, bool ptx) {
    const auto offline = shell_.rooms.offline_device(shell_.places(), ptx ? compiled_for(architecture) : architecture);
    if (!offline || !offline->compiler) {
      made.not_compared = fmt::format("nothing here compiles for {}", architecture);
      return;
    }
    const std::vector<Named> builds = builds_on(offline->info);
    std::size_t without_build = 0;
    for (const json& module : package_.description.at("modules"))
      for (const json& listed : module.value(ptx ? "ptx" : "code", json::array())) {
        if (listed.at("architecture") != architecture) continue;
        auto named = std::ranges::find_if(builds, [&](const Named& each) { return is_of(module, each.build); });
        std::string what = named == builds.end() ? "" : named->what;
        if (named == builds.end()) {
          named = std::ranges::find_if(builds, [&](const Named& each) { return is_kin_of(module, each.build); });
          what = fmt::format("{} of {}", fmt::join(module.at("entries").get<std::vector<std::string>>(), ", "),
                             module.at("source").get<std::string>());
        }
        if (named == builds.end()) {
          ++without_build;
          continue;
        }
        BuildSpec build = named->build;
        build.entries = module.at("entries").get<std::vector<std::string>>();
        build.defines = module.at("defines").get<decltype(build.defines)>();
        compare_one(*offline, build, listed, ptx, what);
      }
    if (without_build > 0)
      made.not_compared =
          fmt::format("{} images are of a source or options that no packaged workload has", without_build);
    if (!ptx) find_all(builds, architecture);  // what has no PTX was said when it was packaged
  }

 private:
  struct Named {
    BuildSpec build;
    std::string what;
    bool winner;
  };

  /// Of each winner on its workload, and of the originals on all.
  std::vector<Named> builds_on(const DeviceInfo& device) {
    std::vector<Named> builds;
    for (const package::PackagedWorkload& each : package_.workloads) {
      if (!each.workload.declared) catalog_->plugin(package_.kernel).add_shape(each.workload.name, device);
      const Workload& workload =
          *std::ranges::find(catalog_->kernel(package_.kernel).workloads, each.workload.name, &Workload::name);
      const auto add = [&](const Candidate& candidate, bool winner) {
        builds.push_back({catalog_->plugin(candidate.kernel).formulas(candidate, workload, device).build,
                          fmt::format("{} on {}", candidate.variant, each.workload.name), winner});
      };
      if (each.winner) add(*each.winner, true);
      for (const json& one : package_.description.at("configurations"))
        if (one.at("original") == true)
          add({package_.kernel, one.at("variant"), one.at("technique"), config_from_json(one.at("config"))}, false);
    }
    return builds;
  }

  /// Each winner has code.
  void find_all(const std::vector<Named>& builds, const std::string& architecture) {
    for (const Named& each : builds) {
      const auto& modules = package_.description.at("modules");
      const bool there = std::ranges::any_of(modules, [&](const json& module) {
        return is_of(module, each.build) && std::ranges::any_of(module.at("code"), [&](const json& code) {
                 return code.at("architecture") == architecture;
               });
      });
      if (each.winner && !there) made.different.push_back(fmt::format("the package holds no code for {}", each.what));
    }
  }

  const package::HeldImage* image_of(const json& listed) const {
    const std::string name = listed.value("image", "");
    const auto image = std::ranges::find(held_.images, name, &package::HeldImage::name);
    return image == held_.images.end() ? nullptr : &*image;
  }

  void compare_one(const OfflineDevice& offline, const BuildSpec& build, const json& listed, bool ptx,
                   const std::string& what) {
    const BuildResult result = offline.compiler->build(build);
    const auto* artifact = std::get_if<Artifact>(&result);
    const package::HeldImage* image = image_of(listed);
    if (const auto* const failure = std::get_if<CompileFailure>(&result); failure != nullptr && failure->missing) {
      made.not_compared = fmt::format("what built {} is not here: {}", what, failure->log.substr(0, 300));
    } else if (artifact == nullptr) {
      made.different.push_back(
          fmt::format("{} does not compile for {} any more", build.source_name, offline.info.architecture));
    } else if (listed.at("compiler") != artifact->compiler) {
      made.not_compared = fmt::format("the package was compiled by {}, and here is {}",
                                      listed.at("compiler").get<std::string>(), artifact->compiler);
    } else if (image == nullptr) {
      if (!ptx && listed.at("code_hash") != artifact->code_hash) tell_different(what, ptx);
    } else if (ptx ? without_folders(image->bytes) == without_folders(read_file(artifact->listing))
                   : is_image_of(offline, image->bytes, *artifact)) {
      ++made.same;
    } else {
      tell_different(what, ptx);
    }
  }

  void tell_different(const std::string& what, bool ptx) {
    made.different.push_back(
        fmt::format("{} compiles to other {} than the package holds", what, ptx ? "PTX" : "machine code"));
  }

  const Shell& shell_;
  const package::PackageFolder& package_;
  std::unique_ptr<FormulaCatalog> catalog_;
  package::HeldImages held_;
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
  const ComparedLauncher launcher = compare_launcher(package, rebuilding.held());
  rebuilding.made.launcher = launcher.state;
  rebuilding.made.different.insert(rebuilding.made.different.end(), launcher.different.begin(),
                                   launcher.different.end());
  return rebuilding.made;
}

}  // namespace harness
