#include "harness/script/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/script/catalog/admitted.h"
#include "harness/script/catalog/catalog_kernel.h"
#include "harness/script/catalog/formulas.h"
#include "harness/script/catalog/trace.h"
#include "harness/script/space/space.h"

namespace harness::script {
namespace {

namespace fs = std::filesystem;

/// Adds what goes wrong in `action` to `problems`, each sentence once.
template <typename Action>
void collect(std::vector<std::string>& problems, Action action) {
  try {
    action();
  } catch (const Error& failure) {
    if (std::ranges::find(problems, failure.what()) == problems.end()) problems.emplace_back(failure.what());
  }
}

/// What a header says of itself: the first comment that a whole line is of.
std::string first_comment(const std::string& text) {
  std::istringstream lines(text);
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    const bool is_comment = line.starts_with("// ");
    if (!is_comment && !comment.empty()) break;
    if (is_comment) comment += (comment.empty() ? "" : " ") + line.substr(3);
  }
  return comment;
}

int braces(const std::string& line) {
  return static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
}

/// What a header declares in its namespace, without bodies: "__device__ inline void f(int x);", a line each.
std::string declarations(const std::string& text) {
  std::istringstream lines(text);
  std::string all, declaration;
  int depth = 0;  // 1: in the namespace
  for (std::string line; std::getline(lines, line);) {
    const int before = depth;
    depth += braces(line);
    if (before != 1 || line.empty() || line.front() == '#' || line.starts_with("//") || line.front() == '}') continue;
    const std::size_t words = line.find_first_not_of(' ');
    declaration += (declaration.empty() ? "" : " ") + line.substr(words);
    const std::size_t end = declaration.find_first_of("{;");
    if (end == std::string::npos) continue;
    all += declaration.substr(0, declaration.find_last_not_of(' ', end - 1) + 1) + ";\n";
    declaration.clear();
  }
  for (std::size_t at; (at = all.find(" HARNESS_SITE")) != std::string::npos;) all.erase(at, 13);
  return all;
}

/// A table of a manifest as it is written: from `name = {` to the brace that closes it; "" where there is none.
std::string table_text(const std::string& manifest, const std::string& name) {
  const std::size_t line = manifest.find("\n  " + name);
  const std::size_t open = line == std::string::npos ? line : manifest.find('{', line);
  int depth = 0;
  for (std::size_t at = open; at < manifest.size(); ++at) {
    depth += manifest[at] == '{' ? 1 : manifest[at] == '}' ? -1 : 0;
    if (depth == 0) return manifest.substr(line + 3, at - line - 2);
  }
  return "";
}

/// Of use to whoever writes a source: not what two halves of a header or the emulation are made of.
bool is_for_authors(const std::string& name) {
  return !name.ends_with("_begin.cuh") && !name.ends_with("_end.cuh") && !name.ends_with("/site.cuh");
}

/// The headers that every device source may include, by the name to include, in order.
std::vector<std::pair<std::string, std::string>> wrappers_in(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".cuh") continue;
    const std::string name = relative_name(entry.path(), folder);
    if (!is_for_authors(name)) continue;
    constexpr std::size_t kShort = 1600;
    std::string text = read_text(entry.path(), name);
    found.emplace_back(name, text.size() <= kShort ? std::move(text) : first_comment(text) + "\n" + declarations(text));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

LuaCatalog::LuaCatalog(const std::vector<fs::path>& kernel_folders, std::vector<fs::path> include_dirs,
                       std::vector<std::string> device_kinds)
    : include_dirs_(std::move(include_dirs)), device_kinds_(std::move(device_kinds)) {
  for (const fs::path& folder : kernel_folders) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      if (!fs::exists(entry.path() / "kernel.lua")) continue;
      const std::string name = entry.path().filename().string();
      const auto [other, fresh] = folders_.emplace(name, entry.path());
      if (!fresh) {
        throw bad_input(fmt::format("kernel '{}' is in two places, {} and {}; rename one", name,
                                    shown_path(other->second), shown_path(entry.path())));
      }
    }
    if (failed)
      throw bad_input(
          fmt::format("{}: this folder of kernels cannot be read ({})", shown_path(folder), failed.message()));
  }
}

LuaCatalog::~LuaCatalog() = default;

std::vector<std::string> LuaCatalog::kernel_names() {
  std::vector<std::string> names;
  for (const auto& [name, folder] : folders_) names.push_back(name);
  return names;
}

LoadedKernel& LuaCatalog::load(const std::string& name) {
  const auto folder = folders_.find(name);
  if (folder == folders_.end()) {
    std::string help = did_you_mean(name, kernel_names());
    if (help.empty()) help = fmt::format("; there are: {}", fmt::join(kernel_names(), ", "));
    throw bad_input(fmt::format("there is no kernel '{}'{}", name, help));
  }
  auto& kept = loaded_[name];
  if (!kept) kept = std::make_unique<LoadedKernel>(folder->second, include_dirs_, device_kinds_);
  return *kept;
}

const KernelInfo& LuaCatalog::kernel(const std::string& name) {
  return load(name).info;
}

Problem LuaCatalog::problem(const std::string& kernel, const std::string& workload) {
  return load(kernel).manifest.problem(workload);
}

Prior LuaCatalog::prior(const std::string& kernel, const std::string& variant, const std::string& workload) {
  LoadedKernel& loaded = load(kernel);
  return loaded.variant(variant).prior(loaded.manifest.workload(workload));
}

Space LuaCatalog::space(const std::string& kernel, const std::string& variant, const std::string& workload,
                        const DeviceInfo& device) {
  LoadedKernel& loaded = load(kernel);
  VariantManifest& chosen = loaded.variant(variant);
  Space space = enumerate_space(chosen, loaded.manifest.workload(workload), device);
  const bool baseline = &chosen == loaded.variants.front().get();
  if (space.points.empty() && baseline)  // says which parameter leaves nothing
    first_configuration(chosen, loaded.manifest.workload(workload), device, {});
  return space;
}

bool LuaCatalog::has_configuration(const std::string& kernel, const std::string& variant, const std::string& workload,
                                   const DeviceInfo& device) {
  LoadedKernel& loaded = load(kernel);
  return script::has_configuration(loaded.variant(variant), loaded.manifest.workload(workload), device);
}

Config LuaCatalog::default_config(const std::string& kernel, const std::string& variant, const std::string& workload,
                                  const DeviceInfo& device, const Config& given) {
  LoadedKernel& loaded = load(kernel);
  return first_configuration(loaded.variant(variant), loaded.manifest.workload(workload), device, given);
}

std::string LuaCatalog::add_shape(const std::string& kernel, const std::string& text, const DeviceInfo& device) {
  LoadedKernel& loaded = load(kernel);
  const auto& known = loaded.info.workloads;
  const auto like = std::ranges::find_if(known, [&](const Workload& each) { return is_sensible_on(each, device); });
  const Workload shape = loaded.manifest.add_shape(like == known.end() ? known.front() : *like, text);
  if (std::ranges::find(known, shape.name, &Workload::name) == known.end()) loaded.info.workloads.push_back(shape);
  return shape.name;
}

void LuaCatalog::use_source(const std::string& kernel, const std::string& variant, const std::string& text) {
  load(kernel).use_source(variant, text);
}

void LuaCatalog::add_variant(const NewVariant& made) {
  load(made.kernel).add_variant(made);
}

VariantTexts LuaCatalog::variant_texts(const std::string& kernel, const std::string& variant) {
  LoadedKernel& loaded = load(kernel);
  return loaded.variant(variant).texts(loaded.manifest.folder());
}

KernelTexts LuaCatalog::kernel_texts(const std::string& kernel) {
  LoadedKernel& loaded = load(kernel);
  KernelTexts texts;
  texts.reference = read_text(loaded.manifest.problem(loaded.info.workloads.front().name).reference.source, kernel);
  texts.domain = table_text(read_text(folders_.at(kernel) / "kernel.lua", kernel), "domain");
  for (const fs::path& folder : include_dirs_) {
    const auto found = wrappers_in(folder);
    texts.wrappers.insert(texts.wrappers.end(), found.begin(), found.end());
  }
  return texts;
}

Realized LuaCatalog::realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) {
  return load(candidate.kernel).realize(candidate, workload, device);
}

std::vector<Realized> LuaCatalog::neighbours(const Candidate& candidate, const std::string& workload,
                                             const DeviceInfo& device, int count, std::uint64_t seed) {
  return load(candidate.kernel).neighbours(candidate, workload, device, count, seed);
}

std::vector<Realized> LuaCatalog::distant_points(const Candidate& candidate, const std::string& workload,
                                                 const DeviceInfo& device, bool finalist, std::uint64_t seed) {
  return load(candidate.kernel).distant_points(candidate, workload, device, finalist, seed);
}

std::optional<Realized> LuaCatalog::smaller(const Candidate& candidate, const std::string& workload,
                                            const DeviceInfo& device, double bytes, std::int64_t elements) {
  return load(candidate.kernel).smaller(candidate, workload, device, bytes, elements);
}

std::string LuaCatalog::admission_hash(const std::string& kernel) {
  return load(kernel).admission_hash();
}

AdmissionParts LuaCatalog::admitted(const std::string& kernel, const std::string& device_key) {
  return read_admitted(load(kernel), device_key);
}

void LuaCatalog::keep_admitted(const std::string& kernel, const std::string& device_key, const AdmissionParts& parts) {
  write_admitted(load(kernel), device_key, parts);
}

std::string LuaCatalog::unsupported_reason(const std::string& kernel, const std::string& variant,
                                           const DeviceInfo& device) {
  return load(kernel).variant(variant).unsupported_reason(device);
}

std::vector<FieldLimits> LuaCatalog::fields(const std::string& kernel) {
  return field_limits(load(kernel).manifest);
}

FormulaPlan LuaCatalog::formulas(const Candidate& candidate, const Workload& point, const DeviceInfo& device) {
  return formula_plan(load(candidate.kernel), candidate, point, device);
}

std::optional<Realized> LuaCatalog::at_point(const Candidate& candidate, const Workload& point,
                                             const DeviceInfo& device) {
  return load(candidate.kernel).at_point(candidate, point, device);
}

Workload LuaCatalog::random_point(const std::string& kernel, const Workload& base, std::uint64_t seed) {
  return load(kernel).manifest.random_workload(base, seed);
}

std::optional<AdoptedFrom> LuaCatalog::adopted(const std::string& kernel) {
  return load(kernel).manifest.adopted();
}

std::string LuaCatalog::folder(const std::string& kernel) {
  return load(kernel).manifest.folder().string();
}

std::vector<std::string> LuaCatalog::inspect(const std::string& name, const DeviceInfo& device) {
  std::vector<std::string> problems;
  if (!folders_.contains(name)) load(name);
  collect(problems, [&] {
    LoadedKernel& loaded = load(name);
    for (const auto& variant : loaded.variants) {
      if (!variant->unsupported_reason(device).empty()) continue;
      std::vector<Workload> workloads;
      for (const Workload& workload : loaded.manifest.workloads())
        if (is_sensible_on(workload, device)) workloads.push_back(workload);
      // What a variant cannot do is no fault, unless it is the baseline or can do nothing at all.
      const auto cannot = [&](const Workload& workload) {
        return !script::has_configuration(*variant, workload, device);
      };
      const bool baseline = variant == loaded.variants.front();
      collect(problems, [&] {
        if (!baseline && !std::ranges::all_of(workloads, cannot)) std::erase_if(workloads, cannot);
      });
      for (const Workload& workload : workloads) {
        collect(problems, [&] {
          variant->prior(workload);
          const Config config = first_configuration(*variant, workload, device, {});
          loaded.realize({name, variant->info().name, "", config}, workload.name, device);
        });
      }
      for (std::string& problem : trace_problems(loaded.manifest, *variant, device)) {
        if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
      }
    }
  });
  return problems;
}

}  // namespace harness::script
