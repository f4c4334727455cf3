#include "harness/script/catalog/catalog_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/controls.h"
#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/hash.h"
#include "harness/core/suggest.h"
#include "harness/core/torch_call.h"
#include "harness/script/catalog/admitted.h"
#include "harness/script/catalog/formulas.h"
#include "harness/script/contract/constants.h"
#include "harness/script/plan/steps.h"
#include "harness/script/plan/uses.h"
#include "harness/script/space/constraint.h"
#include "harness/script/space/space.h"
#include "harness/system/files.h"

namespace harness::script {
namespace {

// Of a launch at a point that is drawn for the gates: with emulated tensor cores it takes some seconds.
constexpr std::int64_t kMostEmulatedThreads = 1 << 19;

namespace fs = std::filesystem;

std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".lua") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> include_folders(const fs::path& own, const fs::path& kernel,
                                      const std::vector<fs::path>& others) {
  std::vector<fs::path> all{own, kernel};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

constexpr int kNeighbourTries = 32;
constexpr int kDrawsOfAPoint = 3;

/// Judged in milliseconds, also where the reference runs on a CPU.
bool is_small(const Problem& problem) {
  constexpr double kBytes = 2 << 20, kOperations = 2e7;
  double bytes = 0;
  for (const Argument& a : problem.arguments)
    if (is_tensor(a.kind) && !a.absent) bytes += static_cast<double>(span_elements(a) * storage_bytes(a.dtype));
  return bytes <= kBytes && amount_of(problem.work) <= kOperations;
}

/// "B=1 Sq=37 causal=true": a point of the domain in words.
std::string shape_text(const Workload& point) {
  std::string text;
  for (const auto& [name, value] : point.values) text += (text.empty() ? "" : " ") + name + "=" + to_text(value);
  return text;
}

void add_plan(VariantManifest& variant, const Problem& problem, const Config& config, const DeviceInfo& device,
              Realized& realized) {
  Manifest& manifest = variant.manifest();
  const FactsTable p(manifest, "parameter list", facts_of(config));
  const FactsTable w(manifest, "workload", facts_of(problem.workload.values));
  const FactsTable d(manifest, "device", facts_of(device_values(device)));
  const auto values = variant.names(config, problem.workload);
  const PlanNames names{problem, values, variant.builder_sets_blocks()};
  Plan& plan = realized.plan;
  if (const FunctionRef* workspaces = variant.reader().function("workspaces")) {
    plan.workspaces = read_workspaces(manifest, manifest.call(*workspaces, {&p, &w, &d}), names);
  }
  const FunctionRef& steps = *variant.reader().function("steps");
  plan.steps = read_steps(manifest, manifest.call(steps, {&p, &w, &d}), plan.workspaces, names);
  plan.constants = read_constants(variant.reader(), problem.arguments);
  const FunctionRef* const stages = variant.reader().function("stages");
  if (stages == nullptr) return;
  realized.stages = read_stages(manifest, manifest.call(*stages, {&p, &w, &d}), plan, names);
  std::vector<Step> references;
  for (const Stage& stage : realized.stages.parts) references.emplace_back(stage.reference);
  realized.stages.build = variant.stages_build(entries_of(references));
}

}  // namespace

Problem unnamed(Problem problem) {
  problem.workload.name = shape_text(problem.workload);
  problem.reference.golden.clear();
  return problem;
}

std::string shown_path(const fs::path& path) {
  std::error_code failed;
  const fs::path relative = fs::absolute(path, failed).lexically_normal().lexically_relative(fs::current_path(failed));
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.generic_string() : path.lexically_normal().generic_string();
}

LoadedKernel::LoadedKernel(const fs::path& folder, const std::vector<fs::path>& include_dirs,
                           const std::vector<std::string>& device_kinds)
    : manifest(folder, shown_path(folder), include_dirs, device_kinds),
      include_dirs_(include_dirs),
      device_kinds_(device_kinds) {
  info_ = {manifest.name(), manifest.summary(), manifest.file(), manifest.workloads(), {}, {}};
  // The same whatever folder holds the kernel: a package keeps it as kernels/NAME, and its code is found by this name.
  const std::string base = "kernels/" + manifest.name() + "/";
  const auto load = [&](const fs::path& file, const std::string& name) {
    const fs::path own = file.parent_path();
    return std::make_unique<VariantManifest>(file, shown_path(file),
                                             base + own.filename().string() + "/" + name + ".cu",
                                             include_folders(own, folder, include_dirs), device_kinds);
  };
  for (const fs::path& file : manifests_in(folder / "variants")) {
    const std::string name = variant_name(file);
    if (name.empty())
      throw bad_input(shown_path(file) + ": variants are named NN_name.lua with two digits, such as 10_tiled.lua");
    variants.push_back(load(file, name));
    info_.variants.push_back(variants.back()->info());
  }
  for (const fs::path& file : manifests_in(folder / "mutants")) {
    mutants.push_back(load(file, file.stem().string()));
    info_.mutants.push_back(mutants.back()->info());
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
  for (const auto* others : {&proposed, &mutants})
    for (const auto& other : *others)
      if (other->info().name == name) return *other;
  std::string help = did_you_mean(name, names);
  if (help.empty()) help = fmt::format("; it has: {}", fmt::join(names, ", "));
  throw bad_input(fmt::format("kernel '{}' has no variant '{}'{}", manifest.name(), name, help));
}

Prior LoadedKernel::prior(const std::string& name, const std::string& workload) {
  return variant(name).prior(manifest.workload(workload));
}

VariantTexts LoadedKernel::variant_texts(const std::string& name) {
  return variant(name).texts(manifest.folder());
}

std::string LoadedKernel::unsupported_reason(const std::string& name, const DeviceInfo& device) {
  return variant(name).unsupported_reason(device);
}

Space LoadedKernel::space(const std::string& name, const std::string& workload, const DeviceInfo& device) {
  VariantManifest& chosen = variant(name);
  Space space = enumerate_space(chosen, manifest.workload(workload), device);
  const bool baseline = name == baseline_of(info_, device).name;
  if (space.points.empty() && baseline)  // says which parameter leaves nothing
    first_configuration(chosen, manifest.workload(workload), device, {});
  return space;
}

bool LoadedKernel::has_configuration(const std::string& name, const std::string& workload, const DeviceInfo& device) {
  return script::has_configuration(variant(name), manifest.workload(workload), device);
}

Config LoadedKernel::default_config(const std::string& name, const std::string& workload, const DeviceInfo& device,
                                    const Config& given) {
  Config config = first_configuration(variant(name), manifest.workload(workload), device, without_controls(given));
  for (const std::string& control : controls_of(given)) config = with_control(std::move(config), control);
  return config;
}

std::string LoadedKernel::add_shape(const std::string& text, const DeviceInfo& device) {
  auto& workloads = info_.workloads;
  const auto like = std::ranges::find_if(workloads, [&](const Workload& w) { return is_sensible_on(w, device); });
  const Workload shape = manifest.add_shape(like == workloads.end() ? workloads.front() : *like, text);
  const auto known = std::ranges::find(workloads, shape.name, &Workload::name);
  if (known == workloads.end()) workloads.push_back(shape);
  else known->weight = shape.weight;
  return shape.name;
}

AdmissionParts LoadedKernel::admitted(const std::string& device_key) {
  return AdmittedFile(manifest.folder(), baseline_hash()).read(device_key);
}

void LoadedKernel::keep_admitted(const std::string& device_key, const AdmissionParts& parts) {
  AdmittedFile(manifest.folder(), baseline_hash()).write(device_key, parts);
}

std::vector<FieldLimits> LoadedKernel::fields() {
  return field_limits(manifest);
}

FormulaPlan LoadedKernel::formulas(const Candidate& candidate, const Workload& point, const DeviceInfo& device) {
  FormulaPlan plan = formula_plan(manifest, this->variant(candidate.variant), candidate, point, device);
  if (!plan.build.builder.empty())  // it compiles for the arguments that the launch has there
    if (const auto realized = at_point(candidate, point, device))
      plan.build.uses = uses_of(realized->plan, realized->problem);
  return plan;
}

Workload LoadedKernel::random_point(const Workload& base, std::uint64_t seed) {
  return manifest.random_workload(base, seed);
}

void LoadedKernel::use_source(const std::string& name, const std::string& text) {
  VariantManifest& chosen = variant(name);
  chosen.use_source(text);
  for (std::vector<VariantInfo>* listed : {&info_.variants, &info_.mutants})
    for (VariantInfo& each : *listed)
      if (each.name == name) each.source_hash = chosen.info().source_hash;
}

void LoadedKernel::add_variant(const NewVariant& made) {
  const auto is_named = [&](const auto& known) { return known->info().name == made.name; };
  for (const auto* others : {&variants, &mutants})
    if (std::ranges::any_of(*others, is_named))
      throw bad_input(fmt::format("kernel '{}' has a variant '{}' in its folder already", manifest.name(), made.name));
  auto added = std::make_unique<VariantManifest>(variant(made.parent), made, device_kinds_);
  std::erase_if(info_.variants, [&](const VariantInfo& known) { return known.name == made.name; });
  std::erase_if(proposed, is_named);
  info_.variants.push_back(added->info());
  proposed.push_back(std::move(added));
}

Realized LoadedKernel::realize_on(VariantManifest& chosen, const Candidate& candidate, Problem problem,
                                  const DeviceInfo& device) {
  Realized realized{candidate, std::move(problem), {}, {}, chosen.info().source_hash, {}, {}};
  realized.candidate.technique = chosen.info().technique;
  check_configuration(chosen, realized.problem.workload, device, candidate.config);
  add_plan(chosen, realized.problem, candidate.config, device, realized);
  realized.build = chosen.build(candidate.config, realized.problem.workload, entries_of(realized.plan.steps));
  realized.build.constants = symbols_of(realized.plan.constants);
  for (Step& step : realized.plan.steps)
    if (auto* const call = std::get_if<LibraryCall>(&step); call != nullptr && call->library == kTorch) {
      if (chosen.info().builder != kTorch)
        throw bad_input(
            fmt::format("{}: PyTorch is called by a whole variant: return rival {{ \"torch\", call = \"FILE.py\" }}",
                        chosen.info().file));
      call->options["text"] = realized.build.source;  // wherever it runs, no file is there
    }
  if (!realized.build.builder.empty()) realized.build.uses = uses_of(realized.plan, realized.problem);
  realized.sources = chosen.sources_inside(manifest.folder());
  return realized;
}

/// The original of an adopted kernel is the baseline, and what the reference is made of: where it is edited in place,
/// both say what the edit says.
void LoadedKernel::refuse_changed_original() {
  const std::optional<AdoptedFrom> from = manifest.adopted();
  if (!from || from->original.empty()) return;
  const std::string path = (std::filesystem::path(manifest.folder()) / "variants/00_original.cu").string();
  if (const auto text = read_file_if_any(path); text && sha256_hex(*text) == from->original) return;
  throw bad_input(fmt::format(
      "{} is no longer what was adopted from {}, so it is no baseline, and the reference is made of it; put "
      "it back, and write the change as a variant of its own (harness new variant) or try it with --source",
      path, from->file));
}

Realized LoadedKernel::realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) {
  refuse_changed_original();
  return realize_on(variant(candidate.variant), candidate, manifest.problem(workload), device);
}

std::optional<Realized> LoadedKernel::at_point(const Candidate& candidate, const Workload& point,
                                               const DeviceInfo& device) {
  VariantManifest& chosen = variant(candidate.variant);
  std::vector<Value> values;
  for (const auto& [name, value] : without_controls(candidate.config))
    values.push_back(value);  // sorted by name, as parameters are
  if (!Constraint(chosen, point, device).allows(values)) return std::nullopt;
  Realized realized{candidate, manifest.bare_problem(point), {}, {}, chosen.info().source_hash, {}, {}};
  add_plan(chosen, realized.problem, candidate.config, device, realized);
  realized.build.entries = entries_of(realized.plan.steps);
  return realized;
}

/// Nothing where it takes too long to judge, or the domain is wider than its arguments allow.
std::optional<Problem> LoadedKernel::small_problem(const Workload& point) {
  try {
    Problem problem = manifest.make_problem(point);
    if (is_small(problem)) return unnamed(std::move(problem));
  } catch (const Error&) {
  }
  return std::nullopt;
}

/// `point` with flags turned and sizes exchanged as long as it becomes less like the points that are covered.
Workload LoadedKernel::unlike(const Coverage& coverage, Workload point, const std::set<std::string>& kept) {
  std::size_t fresh = coverage.fresh(point);
  constexpr int kSteps = 4;
  for (int step = 0; step < kSteps; ++step) {
    std::optional<Workload> best;
    for (Workload& other : manifest.exchanged(point, kept))
      if (const std::size_t its = coverage.fresh(other); its > fresh) {
        fresh = its;
        best = std::move(other);
      }
    if (!best) break;
    point = std::move(*best);
  }
  return point;
}

std::vector<Realized> LoadedKernel::neighbours(const Candidate& candidate, const std::string& workload,
                                               const DeviceInfo& device, int count, std::uint64_t seed) {
  VariantManifest& chosen = variant(candidate.variant);
  const Realized timed = realize(candidate, workload, device);
  const std::set<std::string> kept = fields_of_build(chosen, timed, device);
  std::vector<Realized> found;
  Coverage coverage;
  // From long to tiny, where a tile, a warp or a row is not filled. Of a few points, each made unlike those before it,
  // the one with the most work, so that most have several tiles; every fourth as it comes.
  constexpr std::int64_t kLargest[] = {1500, 200, 40, 400};
  for (int attempt = 0; attempt < kNeighbourTries && static_cast<int>(found.size()) < count; ++attempt) {
    std::vector<Workload> drawn;
    for (int draw = 0; draw < (attempt % 4 == 3 ? 1 : kDrawsOfAPoint); ++draw)
      drawn.push_back(unlike(
          coverage,
          manifest.random_neighbour(timed.problem.workload, seed + (attempt * kDrawsOfAPoint + draw) * 1000003ull,
                                    kLargest[attempt % 4], kept),
          kept));
    std::optional<Problem> most;
    for (const Workload& point : drawn) {
      std::optional<Problem> problem = small_problem(point);
      if (problem && (!most || amount_of(problem->work) > amount_of(most->work))) most = std::move(problem);
    }
    if (!most) continue;
    const Workload point = most->workload;
    try {
      Realized realized = realize_on(chosen, candidate, std::move(*most), device);
      if (device.emulation && launched_threads(realized.plan) > kMostEmulatedThreads) continue;
      if (!of_one_text(realized.build, timed.build)) continue;
      coverage.add(point);
      found.push_back(std::move(realized));
    } catch (const Error&) {  // the variant is not valid there
    }
  }
  return found;
}

/// One size halved, the largest that allows it; nothing where none does.
std::optional<Problem> LoadedKernel::halved_problem(const Workload& point, double below_bytes, std::int64_t elements) {
  for (const Workload& halved : manifest.halved(point)) {
    try {
      Problem problem = manifest.make_problem(halved);
      if (problem.work.bytes < below_bytes && fewest_output_elements(problem) >= elements) return problem;
    } catch (const Error&) {  // its arguments do not allow it
    }
  }
  return std::nullopt;
}

std::optional<Realized> LoadedKernel::smaller(const Candidate& candidate, const std::string& workload,
                                              const DeviceInfo& device, double bytes, std::int64_t elements) {
  Problem problem = manifest.problem(workload);
  while (problem.work.bytes > bytes) {
    std::optional<Problem> halved = halved_problem(problem.workload, problem.work.bytes, elements);
    if (!halved) return std::nullopt;
    problem = std::move(*halved);
  }
  try {
    return realize_on(variant(candidate.variant), candidate, unnamed(std::move(problem)), device);
  } catch (const Error&) {  // the variant is not valid there
    return std::nullopt;
  }
}

/// Of the first kernel, where PyTorch is the first variant: it is the baseline where calls are not timed. "" elsewhere.
std::string LoadedKernel::first_kernel_hash() const {
  if (!calls_torch(variants.front()->info())) return "";
  const auto first = std::ranges::find_if(variants, [](const auto& each) { return !calls_torch(each->info()); });
  return first == variants.end() ? "" : (*first)->info().source_hash;
}

std::string LoadedKernel::baseline_hash() const {
  Sha256 hash;
  hash.field(std::to_string(kTrialsVersion));
  for (const Workload& workload : info_.workloads)
    if (workload.declared) hash.field(manifest.problem(workload.name).contract_hash);
  hash.field(variants.front()->info().source_hash);
  if (const std::string first = first_kernel_hash(); !first.empty()) hash.field(first);
  return hash.hex();
}

std::string LoadedKernel::admission_hash() {
  Sha256 hash;
  for (const Workload& workload : info_.workloads)
    if (workload.declared) hash.field(manifest.problem(workload.name).contract_hash);
  hash.field(variants.front()->info().source_hash);
  if (const std::string first = first_kernel_hash(); !first.empty()) hash.field(first);
  for (const auto& mutant : mutants) hash.field(mutant->info().name).field(mutant->info().source_hash);
  return hash.hex();
}

}  // namespace harness::script
