#include "harness/shipping/guard_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/adopt/plugin/changed.h"
#include "harness/adopt/plugin/revision.h"
#include "harness/campaign/arms.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/service/arguments.h"
#include "harness/shipping/git_revision.h"
#include "harness/shipping/judged_package.h"
#include "harness/shipping/package_rebuild.h"
#include "harness/system/files.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBase = "10_base";
constexpr const char* kNow = "11_now";

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fs::temp_directory_path() / ("harness-guard-" + unique_name())) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The kernels that were adopted from this file.
std::vector<std::string> kernels_of(FormulaCatalog& catalog, const std::string& file) {
  std::vector<std::string> all;
  std::error_code failed;
  for (const std::string& name : catalog.kernel_names()) {
    const std::optional<AdoptedFrom> from = catalog.plugin(name).adopted();
    if (!from || from->file != fs::path(file).filename()) continue;
    const std::string noted = adopt::source_of(catalog.plugin(name).folder(), *from);
    if (noted.empty() || fs::equivalent(noted, file, failed)) all.push_back(name);
  }
  if (all.empty())
    throw bad_input(fmt::format("no kernel here was adopted from '{}'; harness adopt makes one of it", file));
  return all;
}

/// The kernel's contract with two more variants, one a revision, in a folder of its own. What the contract compares
/// with is the original as it was adopted: no change of the file changes how it is judged.
void write_both(const fs::path& to, const std::string& plugin, const adopt::Revision& base,
                const adopt::Revision& now) {
  fs::create_directories(to / "variants");
  for (const auto& entry : fs::recursive_directory_iterator(plugin)) {
    const fs::path relative = entry.path().lexically_relative(plugin);
    if (!entry.is_regular_file() || *relative.begin() == "mutants") continue;
    if (*relative.begin() == "variants" && !relative.filename().string().starts_with("00_")) continue;
    fs::create_directories((to / relative).parent_path());
    fs::copy_file(entry.path(), to / relative);
  }
  for (const auto& [name, revision] : {std::pair{kBase, &base}, std::pair{kNow, &now}}) {
    write_file((to / "variants" / (std::string(name) + ".lua")).string(), revision->manifest);
    write_file((to / "variants" / (std::string(name) + ".cu")).string(), revision->source);
  }
}

class FileGuard {
 public:
  FileGuard(Shell& shell, const FileQuestion& question) : shell_(shell), question_(question) {}

  GuardVerdict judge() {
    const auto catalog = shell_.rooms.formula_catalog(shell_.places());
    const std::vector<std::string> kernels = kernels_of(*catalog, question_.file);
    verdict_.kernels = fmt::format("{}", fmt::join(kernels, ", "));
    if (question_.code_only) {
      offline_ = shell_.rooms.offline_device(shell_.places(), question_.architecture);
      if (!offline_)
        throw bad_input(fmt::format("'{}' is no architecture; write it like {}", question_.architecture,
                                    find_gpu("").architecture));
      if (!offline_->compiler)
        throw environment_error(fmt::format("nothing here compiles for {}: NVRTC is needed", question_.architecture));
      verdict_.device = "code for " + question_.architecture;
    } else {
      choose();
    }
    base_file_ = file_at_revision(question_.file, question_.base, (work_.path() / "base").string());
    for (const std::string& kernel : kernels) {
      several_ = kernels.size() > 1;
      one(*catalog, kernel);
      if (interrupted()) {
        verdict_.interrupted = true;
        break;
      }
    }
    return std::move(verdict_);
  }

 private:
  void choose() {
    const std::vector<DeviceInfo> devices = shell_.rooms.devices(shell_.places());
    const auto gpu =
        std::ranges::find_if(devices, [](const DeviceInfo& device) { return device.available && !device.emulation; });
    if (question_.device != "auto") device_ = choose_device(question_.device, devices);
    else if (gpu != devices.end()) device_ = *gpu;
    else
      throw environment_error(
          "there is no GPU here to time on; --code-only compares the code, and --device with the "
          "emulation judges whether it is right");
    verdict_.device = device_.name;
  }

  void one(FormulaCatalog& catalog, const std::string& kernel) {
    const AdoptedFrom from = *catalog.plugin(kernel).adopted();
    std::set<std::string> fields;
    for (const auto& [name, value] : catalog.kernel(kernel).workloads.front().values) fields.insert(name);
    const adopt::Revision base = read(base_file_, from, fields, question_.base);
    const adopt::Revision now = read(question_.file, from, fields, "the file");
    if (base.parameters != now.parameters)
      throw ContractChanged(
          fmt::format("'{}' takes ({}) now and took ({}) at {}, so the two cannot be compared; adopt "
                      "the file anew",
                      from.entry, now.parameters, base.parameters, question_.base));
    const fs::path folder = work_.path() / "kernels";
    write_both(folder / kernel, catalog.plugin(kernel).folder(), base, now);
    const bool same = base.source == now.source && base.manifest == now.manifest;
    Places places = shell_.places();
    places.kernel_folders = {folder.string()};
    if (question_.code_only) return compare_code(*shell_.rooms.formula_catalog(places), kernel);
    auto both = shell_.rooms.formula_catalog(places);
    const std::vector<std::string> workloads = choose_workloads(both->kernel(kernel), {}, device_);
    PackageJudge judge(shell_, std::move(both), kernel, device_);
    for (const std::string& workload : workloads) {
      if (same) {
        PairResult result;
        result.outcome = "same code";
        add(kernel, workload, result, "same code", "neither the kernel nor its launch has changed", false);
        continue;
      }
      compare(judge, kernel, workload);
      if (interrupted()) return;
    }
  }

  static adopt::Revision read(const std::string& file, const AdoptedFrom& from, const std::set<std::string>& fields,
                              const std::string& of) {
    try {
      return adopt::revision_of(file, from, fields);
    } catch (const Error& why) {
      if (why.kind() != Error::Kind::bad_input) throw;
      throw bad_input(fmt::format("{}: {}", of, why.what()));
    }
  }

  Realized realize(FormulaCatalog& catalog, const DeviceInfo& device, const std::string& kernel, const char* variant,
                   const std::string& workload) {
    const Config config = catalog.plugin(kernel).default_config(variant, workload, device, {});
    return catalog.plugin(kernel).realize({kernel, variant, "original", config}, workload, device);
  }

  void compare(PackageJudge& judge, const std::string& kernel, const std::string& workload) {
    PairResult result;
    result.workload = workload;
    try {
      const Realized now = realize(judge.catalog(), device_, kernel, kNow, workload);
      const Realized base = realize(judge.catalog(), device_, kernel, kBase, workload);
      result = judge.judge(judge.catalog(), now, base);
      if (interrupted()) return;
      if (result.right() && result.slower()) return confirm(result, kernel, workload, now, base);
    } catch (const Error& why) {
      if (why.kind() != Error::Kind::bad_input) throw;
      result.outcome = "refused";
      result.detail = why.what();
    }
    if (!result.right())
      add(kernel, workload, result, "wrong", fmt::format("{}: {}", result.outcome, result.detail), true);
    else
      add(kernel, workload, result, result.verdict ? std::string(name(*result.verdict)) : "not compared", times(result),
          false);
  }

  /// Slower counts when fresh processes say so again.
  void confirm(const PairResult& first, const std::string& kernel, const std::string& workload, const Realized& now,
               const Realized& base) {
    Places places = shell_.places();
    places.kernel_folders = {(work_.path() / "kernels").string()};
    PackageJudge fresh(shell_, shell_.rooms.formula_catalog(places), kernel, device_);
    const PairResult second = fresh.judge(fresh.catalog(), now, base);
    if (interrupted()) return;
    if (!second.right())
      add(kernel, workload, second, "wrong", fmt::format("{}: {}", second.outcome, second.detail), true);
    else if (second.slower())
      add(kernel, workload, second, "slower",
          fmt::format("{}; again in fresh processes: {}", times(first), times(second)), true);
    else
      add(kernel, workload, second, "same",
          fmt::format("{}; not confirmed in fresh processes: {}", times(first), times(second)), false);
  }

  void compare_code(FormulaCatalog& both, const std::string& kernel) {
    for (const std::string& workload : choose_workloads(both.kernel(kernel), {}, offline_->info)) {
      PairResult result;
      result.workload = workload;
      try {
        const CodeNumbers base = code_numbers(*offline_, realize(both, offline_->info, kernel, kBase, workload).build);
        const CodeNumbers now = code_numbers(*offline_, realize(both, offline_->info, kernel, kNow, workload).build);
        const bool worse = now.registers > base.registers || now.spill_bytes > base.spill_bytes;
        const bool same = now.code_hash == base.code_hash;
        result.outcome = same ? "same code" : "passed";
        add(kernel, workload, result,
            same    ? "same code"
            : worse ? "more registers or spills"
                    : "other code",
            fmt::format("{} registers ({}: {}), {} bytes spilled ({}: {})", now.registers, question_.base,
                        base.registers, now.spill_bytes, question_.base, base.spill_bytes),
            worse);
      } catch (const Error& why) {
        if (why.kind() != Error::Kind::bad_input) throw;
        result.outcome = "refused";
        result.detail = why.what();
        add(kernel, workload, result, "wrong", why.what(), true);
      }
    }
  }

  std::string times(const PairResult& result) const {
    return fmt::format("{:.3f}x [{:.3f}, {:.3f}] of its speed at {}{}", result.ratio.value_or(0),
                       result.ratio_lo.value_or(0), result.ratio_hi.value_or(0), question_.base,
                       device_.emulation ? " (emulation)" : "");
  }

  void add(const std::string& kernel, const std::string& workload, const PairResult& result, const std::string& verdict,
           const std::string& text, bool failed) {
    verdict_.add(result, {several_ ? kernel + "/" + workload : workload, kernel, verdict, text, failed});
    verdict_.workloads.back().update({{"kernel", kernel}, {"workload", workload}});
  }

  Shell& shell_;
  const FileQuestion& question_;
  TemporaryFolder work_;
  std::string base_file_;
  DeviceInfo device_;
  std::optional<OfflineDevice> offline_;
  GuardVerdict verdict_;
  bool several_ = false;
};

}  // namespace

GuardVerdict guard_file(Shell& shell, const FileQuestion& question) {
  if (!fs::is_regular_file(question.file)) throw bad_input(fmt::format("there is no file '{}'", question.file));
  return FileGuard(shell, question).judge();
}

}  // namespace harness
