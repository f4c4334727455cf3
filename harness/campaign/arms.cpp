#include "harness/campaign/arms.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/controls.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/core/torch_call.h"

namespace harness {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// What the instructions of a GPU's architecture cost where they are emulated says nothing of the GPU.
bool is_emulated(const VariantInfo& variant, const DeviceInfo& device) {
  return device.emulation && variant.requirements.contains("arch");
}

/// Variants that may become arms, or rivals: those are never left out by name.
std::vector<VariantInfo> choose_variants(const KernelInfo& kernel, bool rivals, const CampaignOptions& options,
                                         Catalog& catalog, const DeviceInfo& device, std::vector<std::string>& notes) {
  std::vector<VariantInfo> variants;
  std::vector<std::string> emulated;
  for (const VariantInfo& variant : kernel.variants) {
    if (variant.rival != rivals || variant.proposal) continue;
    const bool by_name = contains(options.variants, variant.name);
    if (!rivals && !options.variants.empty() && !by_name) continue;
    const std::string reason = catalog.plugin(kernel.name).unsupported_reason(variant.name, device);
    if (!reason.empty()) notes.push_back(fmt::format("{} {} is left out: {}", kernel.name, variant.name, reason));
    else if (is_emulated(variant, device) && !by_name) emulated.push_back(variant.name);
    else variants.push_back(variant);
  }
  if (!emulated.empty())
    notes.push_back(
        fmt::format("{} {} {} left out: their instructions are emulated on this device, which says nothing "
                    "of their speed (--variant takes them all the same)",
                    kernel.name, fmt::join(emulated, ", "), emulated.size() == 1 ? "is" : "are"));
  return variants;
}

void refuse_unknown_variants(Catalog& catalog, const CampaignOptions& options) {
  std::vector<std::string> names;
  for (const std::string& name : options.kernels)
    for (const VariantInfo& variant : catalog.kernel(name).variants) names.push_back(variant.name);
  for (const std::string& name : options.variants)
    if (!contains(names, name))
      throw bad_input(
          fmt::format("no variant '{}' in {}{}", name, fmt::join(options.kernels, ", "), did_you_mean(name, names)));
}

/// "B=4 Sq=3000": a shape of the user's own, no name.
bool is_shape(const std::string& word) {
  return word.find('=') != std::string::npos;
}

void refuse_unknown_workloads(Catalog& catalog, const CampaignOptions& options) {
  std::vector<std::string> names;
  for (const std::string& name : options.kernels)
    for (const Workload& workload : catalog.kernel(name).workloads) {
      names.push_back(workload.name);
      names.insert(names.end(), workload.sets.begin(), workload.sets.end());
    }
  for (const std::string& word : options.workloads)
    if (!is_shape(word) && !contains(names, word))
      throw bad_input(fmt::format("no workload or set '{}' in {}{}", word, fmt::join(options.kernels, ", "),
                                  did_you_mean(word, names)));
}

// The arm's prior: the widest range and the mean probability of its variants, enough evaluations for all of them.
void merge_prior(ArmState& state, const VariantInfo& variant, const Prior& expected) {
  const bool first = state.variants.empty();
  const auto count = static_cast<double>(state.variants.size());
  Prior& prior = state.prior;
  prior.speedup_lo = first ? expected.speedup_lo : std::min(prior.speedup_lo, expected.speedup_lo);
  prior.speedup_hi = first ? expected.speedup_hi : std::max(prior.speedup_hi, expected.speedup_hi);
  prior.probability = (prior.probability * count + expected.probability) / (count + 1);
  if (first) prior.probability = expected.probability;
  prior.evaluations = first ? expected.evaluations : prior.evaluations + expected.evaluations;
  if (first || variant.risk == "high" || (variant.risk == "medium" && state.risk == "low")) state.risk = variant.risk;
  state.multi_kernel = state.multi_kernel || variant.multi_kernel;
  state.variants.push_back(variant.name);
}

/// Valid configurations; of a space that is too large to list, all combinations of its values.
std::int64_t count_of(const Space& space) {
  if (space.listed()) return static_cast<std::int64_t>(space.points.size());
  constexpr double kMost = 1e15;  // a double still counts by ones there, and 64 bits hold it
  double product = 1;
  for (const Parameter& parameter : space.parameters) product *= static_cast<double>(parameter.values.size());
  return static_cast<std::int64_t>(std::min(product, kMost));
}

void add_variant(Arms& arms, Catalog& catalog, const KernelInfo& kernel, const Workload& workload,
                 const VariantInfo& variant, const DeviceInfo& device) {
  const ArmId id{kernel.name, workload.name, variant.technique};
  Arm* arm = find_arm(arms, id);
  if (arm == nullptr) {
    arm = &arms.arms.emplace_back();
    arm->state.id = arm->space.id = id;
    arm->state.weight = workload.weight;
  }
  Space space = catalog.plugin(kernel.name).space(variant.name, workload.name, device);
  if (space.points.empty()) return;
  merge_prior(arm->state, variant, catalog.plugin(kernel.name).prior(variant.name, workload.name));
  arm->state.space_points += count_of(space);
  arm->state.baseline = arm->state.baseline || variant.name == baseline_of(kernel, device).name;
  arm->space.variants.emplace_back(variant.name, std::move(space));
}

/// Some of a space that is too large to list: nobody wants a rival searched.
std::vector<Candidate> configurations_of(const std::vector<VariantInfo>& rivals, Catalog& catalog,
                                         const std::string& kernel, const std::string& workload,
                                         const DeviceInfo& device) {
  constexpr std::size_t kMost = 32;
  std::vector<Candidate> all;
  for (const VariantInfo& rival : rivals) {
    const Space space = catalog.plugin(kernel).space(rival.name, workload, device);
    for (std::size_t point = 0; point < std::min(space.points.size(), kMost); ++point)
      all.push_back({kernel, rival.name, rival.technique, configuration(space, point)});
  }
  return all;
}

const Workload& find_workload(const KernelInfo& kernel, const std::string& name) {
  return *std::find_if(kernel.workloads.begin(), kernel.workloads.end(),
                       [&](const Workload& w) { return w.name == name; });
}

void add_kernel(Arms& arms, Catalog& catalog, const KernelInfo& kernel, const CampaignOptions& options,
                const DeviceInfo& device) {
  const std::vector<VariantInfo> variants = choose_variants(kernel, false, options, catalog, device, arms.notes);
  std::vector<VariantInfo> rivals;
  if (options.controls && device.emulation) arms.notes.push_back(no_controls(device.device));
  if (options.rivals) rivals = choose_variants(kernel, true, options, catalog, device, arms.notes);
  const VariantInfo& baseline = baseline_of(kernel, device);
  std::erase_if(rivals, [&](const VariantInfo& rival) {
    // Where GPU code is emulated, a call of PyTorch has no time that could be compared.
    return rival.name == baseline.name || (calls_torch(rival) && device.emulation);
  });
  if (const std::string words = torch_baseline_in_words(kernel, device); !words.empty())
    arms.notes.push_back(fmt::format("{}: speedups are over {}", kernel.name, words));
  if (const std::string words = in_words(catalog.plugin(kernel.name).problem(kernel.workloads.front().name).forms);
      !words.empty())
    arms.notes.push_back(fmt::format("{}: hostile forms {}", kernel.name, words));
  if (const std::string words = in_words(catalog.plugin(kernel.name).problem(kernel.workloads.front().name).reference);
      !words.empty())
    arms.notes.push_back(fmt::format("{}: {}", kernel.name, words));
  for (const std::string& name :
       choose_workloads(kernel, with_shapes(catalog, kernel.name, options.workloads, device), device)) {
    const Workload& workload = find_workload(kernel, name);
    const Problem problem = catalog.plugin(kernel.name).problem(name);
    WorkloadPlan plan{kernel.name, name, problem.contract_hash, workload.weight, {}, {}, {}, problem.work.bytes};
    plan.baseline = {kernel.name, baseline.name, baseline.technique,
                     catalog.plugin(kernel.name).default_config(baseline.name, name, device, {})};
    plan.rivals = configurations_of(rivals, catalog, kernel.name, name, device);
    plan.sizes = json::object();
    for (const auto& [size, value] : workload.values) plan.sizes[size] = value_to_json(value);
    arms.workloads.push_back(plan);
    for (const VariantInfo& variant : variants) add_variant(arms, catalog, kernel, workload, variant, device);
  }
}

}  // namespace

std::vector<std::string> with_shapes(Catalog& catalog, const std::string& kernel, std::vector<std::string> words,
                                     const DeviceInfo& device) {
  for (std::string& word : words)
    if (is_shape(word)) word = catalog.plugin(kernel).add_shape(word, device);
  return words;
}

std::vector<std::string> choose_workloads(const KernelInfo& kernel, const std::vector<std::string>& words,
                                          const DeviceInfo& device) {
  const std::vector<std::string> names = words.empty() ? std::vector<std::string>{"default"} : words;
  std::vector<std::string> workloads;
  for (const Workload& workload : kernel.workloads) {
    const bool sensible = is_sensible_on(workload, device);
    for (const std::string& word : names) {
      const bool by_set = contains(workload.sets, word) && (word != "default" || sensible);
      if ((workload.name == word || by_set) && !contains(workloads, workload.name)) workloads.push_back(workload.name);
    }
  }
  if (workloads.empty() && words.empty())
    throw bad_input(fmt::format("kernel '{}' has no workload in the set 'default' for {}; name one with --workload",
                                kernel.name, device_kind(device.device)));
  return workloads;
}

Arms make_arms(Catalog& catalog, ScriptLibrary& scripts, const CampaignOptions& options, const DeviceInfo& device) {
  Arms arms;
  refuse_unknown_variants(catalog, options);
  refuse_unknown_workloads(catalog, options);
  for (const std::string& name : options.kernels) add_kernel(arms, catalog, catalog.kernel(name), options, device);
  std::erase_if(arms.arms, [](const Arm& arm) { return arm.space.variants.empty(); });
  if (arms.arms.empty())
    throw bad_input(fmt::format("nothing to try for {} on {}: {}", fmt::join(options.kernels, ", "), device.device,
                                arms.notes.empty() ? "no workload was chosen" : arms.notes.front()));
  for (std::size_t i = 0; i < arms.arms.size(); ++i)
    arms.arms[i].search = scripts.search(options.search, arms.arms[i].space, options.seed * 1000003 + i);
  return arms;
}

void add_proposed_arms(Arms& arms, Catalog& catalog, ScriptLibrary& scripts, const CampaignOptions& options,
                       const DeviceInfo& device, const ProposalRecord& proposal) {
  constexpr std::uint64_t kApart = 1'000'000;  // seeds of proposals lie beyond those of the arms from folders
  const KernelInfo& kernel = catalog.kernel(proposal.arm.kernel);
  const VariantInfo* const variant = find_variant(kernel, proposal.variant);
  if (variant == nullptr) return;
  std::uint64_t place = 0;
  for (const WorkloadPlan& plan : arms.workloads) {
    ++place;
    if (plan.kernel != kernel.name) continue;
    const std::size_t before = arms.arms.size();
    add_variant(arms, catalog, kernel, find_workload(kernel, plan.workload), *variant, device);
    Arm& arm = arms.arms.back();
    if (arms.arms.size() > before && arm.space.variants.empty()) arms.arms.pop_back();
    if (arms.arms.size() == before) continue;
    arm.state.proposal = proposal.number;
    const std::uint64_t seed = kApart * static_cast<std::uint64_t>(proposal.number) + place;
    arm.search = scripts.search(options.search, arm.space, options.seed * 1000003 + seed);
  }
}

Arm* find_arm(Arms& arms, const ArmId& id) {
  const auto position =
      std::find_if(arms.arms.begin(), arms.arms.end(), [&](const Arm& arm) { return arm.state.id == id; });
  return position == arms.arms.end() ? nullptr : &*position;
}

}  // namespace harness
