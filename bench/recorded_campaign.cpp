#include "bench/recorded_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/campaign/options.h"
#include "harness/core/error.h"
#include "harness/simulate/read_space.h"

namespace harness::bench {
namespace {

constexpr const char* kBaseline = "00_typical";
constexpr double kNoise = 0.01;  // a time's 95 % interval: the spaces keep means
// Nobody wrote a manifest: each technique may be slower than a typical configuration or much faster.
constexpr Prior kUnknown{1, 6, 0.8, 30};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string workload_of(const simulate::RecordedSpace& recorded) {
  return recorded.name.substr(recorded.name.rfind('/') + 1);
}

/// The point that is neither fast nor slow: half of what passes is faster.
std::size_t typical(const std::vector<simulate::Record>& records) {
  std::vector<std::size_t> passed;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].time_ms) passed.push_back(i);
  if (passed.empty()) throw bad_input("nothing has passed in a recorded space");
  const auto middle = passed.begin() + static_cast<std::ptrdiff_t>(passed.size() / 2);
  std::nth_element(passed.begin(), middle, passed.end(),
                   [&](std::size_t a, std::size_t b) { return *records[a].time_ms < *records[b].time_ms; });
  return *middle;
}

}  // namespace

SpaceSet space_set(const std::string& text) {
  const std::size_t names = text.find(':'), files = text.find('=');
  if (names == std::string::npos || files == std::string::npos || names > files)
    throw bad_input(fmt::format("'{}' is no set of spaces; write KERNEL:PARAMETER,...=FILE,...", text));
  return {text.substr(0, names), split(text.substr(names + 1, files - names - 1), ','),
          split(text.substr(files + 1), ',')};
}

SpacesCatalog::SpacesCatalog(const std::vector<SpaceSet>& sets) {
  for (const SpaceSet& set : sets) {
    SpacesKernel& kernel = kernels_.emplace_back();
    kernel.description.name = set.kernel;
    VariantInfo baseline;
    baseline.name = kBaseline;
    baseline.technique = "typical";
    baseline.risk = "low";
    kernel.description.variants.push_back(baseline);
    for (const std::string& file : set.files) {
      const simulate::RecordedSpace recorded = simulate::read_space(file);
      Workload workload;
      workload.name = workload_of(recorded);
      workload.sets = {"default"};
      kernel.description.workloads.push_back(workload);
      kernel.add_baseline(workload.name, recorded);
      kernel.add(set, recorded);
    }
  }
}

std::vector<std::string> SpacesCatalog::kernel_names() {
  std::vector<std::string> names;
  for (const SpacesKernel& kernel : kernels_) names.push_back(kernel.description.name);
  return names;
}

KernelPlugin& SpacesCatalog::plugin(const std::string& kernel) {
  return *std::ranges::find_if(kernels_, [&](const SpacesKernel& k) { return k.description.name == kernel; });
}

void SpacesKernel::add_baseline(const std::string& workload, const simulate::RecordedSpace& recorded) {
  const Space& space = recorded.arm.variants.front().second;
  const std::size_t point = typical(recorded.records);
  parts.push_back({description.name,
                   kBaseline,
                   "typical",
                   workload,
                   {space.parameters, {space.points[point]}},
                   {recorded.records[point]}});
}

void SpacesKernel::add(const SpaceSet& set, const simulate::RecordedSpace& recorded) {
  const Space& space = recorded.arm.variants.front().second;
  const std::string workload = workload_of(recorded);
  std::vector<VariantInfo>& variants = description.variants;
  for (std::size_t point = 0; point < space.points.size(); ++point) {
    const Config config = configuration(space, point);
    std::string technique;
    for (const std::string& name : set.splits)
      if (config.contains(name)) technique += (technique.empty() ? "" : "-") + name + to_text(config.at(name));
    if (std::ranges::find(variants, technique, &VariantInfo::technique) == variants.end()) {
      VariantInfo variant;
      variant.name = fmt::format("{}_{}", 10 + variants.size(), technique);
      variant.technique = technique;
      variant.risk = "low";
      variant.prior = kUnknown;
      variants.push_back(variant);
    }
    const std::string name = std::ranges::find(variants, technique, &VariantInfo::technique)->name;
    auto part =
        std::ranges::find_if(parts, [&](const SpacePart& p) { return p.variant == name && p.workload == workload; });
    if (part == parts.end())
      part = parts.insert(parts.end(), {set.kernel, name, technique, workload, {space.parameters, {}}, {}});
    part->space.points.push_back(space.points[point]);
    part->records.push_back(recorded.records[point]);
  }
}

const SpacePart* SpacesKernel::find(const std::string& variant, const std::string& workload) const {
  const auto part =
      std::ranges::find_if(parts, [&](const SpacePart& p) { return p.variant == variant && p.workload == workload; });
  return part == parts.end() ? nullptr : &*part;
}

Problem SpacesKernel::problem(const std::string& workload) {
  Problem problem;
  problem.kernel = description.name;
  problem.workload.name = workload;
  return problem;
}

Prior SpacesKernel::prior(const std::string& variant, const std::string&) {
  return variant == kBaseline ? Prior{1, 1, 1, 1} : kUnknown;
}

Space SpacesKernel::space(const std::string& variant, const std::string& workload, const DeviceInfo&) {
  const SpacePart* const part = find(variant, workload);
  return part == nullptr ? Space{} : part->space;
}

bool SpacesKernel::has_configuration(const std::string& variant, const std::string& workload, const DeviceInfo&) {
  return find(variant, workload) != nullptr;
}

Config SpacesKernel::default_config(const std::string& variant, const std::string& workload, const DeviceInfo&,
                                    const Config& given) {
  return given.empty() ? configuration(find(variant, workload)->space, 0) : given;
}

Realized SpacesKernel::realize(const Candidate& candidate, const std::string& workload, const DeviceInfo&) {
  Realized realized;
  realized.candidate = candidate;
  realized.problem = problem(workload);
  return realized;
}

Recording SpacesCatalog::recording(double budget_s) {
  Recording recording;
  recording.campaign = 1;
  CampaignOptions options;
  options.kernels = kernel_names();
  recording.record.kernels = options.kernels;
  recording.record.options = options;
  recording.record.strategy = "none";
  recording.record.device = "cuda:0";
  recording.record.device_name = "others' GPUs";
  recording.spent_s = budget_s;
  std::map<std::pair<std::string, std::string>, double> baselines;
  for (const SpacesKernel& kernel : kernels_) {
    for (const SpacePart& part : kernel.parts) {
      for (std::size_t point = 0; point < part.records.size(); ++point) {
        const simulate::Record& record = part.records[point];
        IterationSummary row;
        row.iteration = static_cast<std::int64_t>(recording.iterations.size()) + 1;
        row.candidate = {part.kernel, part.variant, part.technique, configuration(part.space, point)};
        row.workload = part.workload;
        row.purpose = part.variant == kBaseline ? Purpose::baseline : Purpose::search;
        row.outcome = record.outcome;
        row.wall_s = record.cost_s;
        if (record.time_ms) {
          row.time_ns = 1e6 * *record.time_ms;
          row.time_lo_ns = *row.time_ns * (1 - kNoise / 2);
          row.time_hi_ns = *row.time_ns * (1 + kNoise / 2);
          double& baseline = baselines[{part.kernel, part.workload}];
          if (row.purpose == Purpose::baseline) baseline = *row.time_ns;
          row.baseline_ns = baseline;
          row.speedup = baseline / *row.time_ns;
          row.speedup_lo = baseline / *row.time_hi_ns;
          row.speedup_hi = baseline / *row.time_lo_ns;
        }
        recording.iterations.push_back(std::move(row));
      }
    }
  }
  return recording;
}

}  // namespace harness::bench
