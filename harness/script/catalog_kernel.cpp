#include "harness/script/catalog_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/suggest.h"
#include "harness/script/plan_steps.h"
#include "harness/script/space.h"

namespace harness::script {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> variant_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder / "variants", failed)) {
    if (entry.path().extension() == ".lua") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> with_own_folders(const fs::path& folder, const std::vector<fs::path>& include_dirs) {
  std::vector<fs::path> all{folder / "variants", folder};
  all.insert(all.end(), include_dirs.begin(), include_dirs.end());
  return all;
}

Facts facts_of(const std::map<std::string, Value>& values) {
  return {values.begin(), values.end()};
}

Plan make_plan(VariantManifest& variant, const Problem& problem, const Config& config, const DeviceInfo& device) {
  Manifest& manifest = variant.manifest();
  const FactsTable p(manifest, "parameter list", facts_of(config));
  const FactsTable w(manifest, "workload", facts_of(problem.workload.values));
  const FactsTable d(manifest, "device", facts_of(device_values(device)));
  const auto values = variant.names(config, problem.workload);
  const PlanNames names{problem, values};
  Plan plan;
  if (const FunctionRef* workspaces = variant.reader().function("workspaces")) {
    plan.workspaces = read_workspaces(manifest, manifest.call(*workspaces, {&p, &w, &d}), names);
  }
  const FunctionRef& steps = *variant.reader().function("steps");
  plan.steps = read_steps(manifest, manifest.call(steps, {&p, &w, &d}), plan.workspaces, names);
  return plan;
}

}  // namespace

std::string shown_path(const fs::path& path) {
  std::error_code failed;
  const fs::path relative = fs::absolute(path, failed).lexically_normal().lexically_relative(fs::current_path(failed));
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.generic_string() : path.lexically_normal().generic_string();
}

LoadedKernel::LoadedKernel(const fs::path& folder, const std::vector<fs::path>& include_dirs)
    : manifest(folder, shown_path(folder), include_dirs) {
  info = {manifest.name(), manifest.summary(), manifest.file(), manifest.workloads(), {}};
  const auto folders = with_own_folders(folder, include_dirs);
  const std::string base = folder.parent_path().filename().string() + "/" + manifest.name() + "/variants/";
  for (const fs::path& file : variant_files(folder)) {
    const std::string name = variant_name(file);
    if (name.empty())
      throw bad_input(shown_path(file) + ": variants are named NN_name.lua with two digits, such as 10_tiled.lua");
    variants.push_back(std::make_unique<VariantManifest>(file, shown_path(file), base + name + ".cu", folders));
    info.variants.push_back(variants.back()->info());
  }
  if (variants.empty())
    throw bad_input(manifest.file() + ": the kernel has no variant; add variants/00_naive.lua and .cu");
}

VariantManifest& LoadedKernel::variant(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& candidate : variants) {
    if (candidate->info().name == name) return *candidate;
    names.push_back(candidate->info().name);
  }
  std::string help = did_you_mean(name, names);
  if (help.empty()) help = fmt::format("; it has: {}", fmt::join(names, ", "));
  throw bad_input(fmt::format("kernel '{}' has no variant '{}'{}", manifest.name(), name, help));
}

Realized LoadedKernel::realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) {
  VariantManifest& chosen = variant(candidate.variant);
  Realized realized{candidate, manifest.problem(workload), {}, {}, chosen.info().source_hash};
  realized.candidate.technique = chosen.info().technique;
  check_configuration(chosen, realized.problem.workload, device, candidate.config);
  realized.plan = make_plan(chosen, realized.problem, candidate.config, device);
  realized.build = chosen.build(candidate.config, realized.problem.workload, entries_of(realized.plan.steps));
  return realized;
}

}  // namespace harness::script
