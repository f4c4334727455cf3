#include "harness/campaign/gatekeeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <random>

#include "harness/campaign/arms.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"

namespace harness {
namespace {

constexpr int kAdmissionNeighbours = 6;  // other points of the domain at which a trial judges mutants
constexpr int kPreflightChoice = 16;     // points of which the cheapest is tried on the cpu device
// Beyond this traffic a trial, which judges a hundred images, is made at a smaller point of the domain.
constexpr double kTrialBytes = 4 << 20;

std::uint64_t fresh_choice() {  // of shapes: never the seed of a strategy, and nothing that a candidate could know
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) >> 1;
}

/// Telling ones before others, then by traffic.
bool better_for_trial(const Problem& a, const Problem& b) {
  const bool a_tells = fewest_output_elements(a) >= kTellingElements;
  const bool b_tells = fewest_output_elements(b) >= kTellingElements;
  if (a_tells != b_tells) return a_tells;
  return a_tells ? a.work.bytes < b.work.bytes : a.work.bytes > b.work.bytes;
}

/// By group: the workload that its trial is made on.
std::map<std::string, std::string> trial_workloads(Catalog& catalog, const KernelInfo& kernel,
                                                   const DeviceInfo& device) {
  std::map<std::string, std::string> smallest;
  for (const Workload& workload : kernel.workloads) {
    if (!workload.declared || !is_sensible_on(workload, device)) continue;
    std::string& best = smallest[workload_group(workload)];
    if (best.empty() ||
        better_for_trial(catalog.plugin(kernel.name).problem(workload.name), catalog.plugin(kernel.name).problem(best)))
      best = workload.name;
  }
  return smallest;
}

/// Of a group's workloads among `names`, the one with the most work: sums are longest there, and errors largest.
std::string largest_of(Catalog& catalog, const KernelInfo& kernel, const std::vector<std::string>& names,
                       const std::string& group) {
  std::string largest;
  double most = 0;
  for (const std::string& name : names) {
    const Problem problem = catalog.plugin(kernel.name).problem(name);
    if (workload_group(problem.workload) != group || problem.work.bytes <= most) continue;
    most = problem.work.bytes;
    largest = name;
  }
  return largest;
}

/// What the gates are tried with: the baseline, or PyTorch as long as nobody has written a kernel.
const VariantInfo& trial_variant(Catalog& catalog, const KernelInfo& kernel, const DeviceInfo& device) {
  const VariantInfo& baseline = baseline_of(kernel, device);
  const bool written =
      calls_torch(baseline) || !calls_torch(kernel.variants.front()) ||
      catalog.plugin(kernel.name).variant_texts(baseline.name).source.find(kNoKernel) == std::string::npos;
  return written ? baseline : kernel.variants.front();
}

Realized realize_default(Catalog& catalog, const KernelInfo& kernel, const VariantInfo& variant,
                         const std::string& workload, const DeviceInfo& device) {
  const Config config = catalog.plugin(kernel.name).default_config(variant.name, workload, device, {});
  return catalog.plugin(kernel.name).realize({kernel.name, variant.name, variant.technique, config}, workload, device);
}

/// The baseline where a trial is made for the group of `workload`: there, or at a point like it that takes less.
Realized trial_baseline(Catalog& catalog, const KernelInfo& kernel, const std::string& workload,
                        const DeviceInfo& device) {
  Realized there = realize_default(catalog, kernel, trial_variant(catalog, kernel, device), workload, device);
  if (there.problem.work.bytes <= kTrialBytes) return there;
  const std::int64_t elements = std::min(kTellingElements, fewest_output_elements(there.problem));
  auto smaller =
      catalog.plugin(there.candidate.kernel).smaller(there.candidate, workload, device, kTrialBytes, elements);
  return smaller ? std::move(*smaller) : std::move(there);
}

/// What has more than a few elements before what has not, then by threads: an instrumented run grows with these, and
/// little with the bytes. Where they are few, by what each of them does.
bool cheaper_to_emulate(const Realized& a, const Realized& b) {
  constexpr std::int64_t kFewThreads = 2048;
  const bool a_tells = fewest_output_elements(a.problem) >= kTellingElements;
  const bool b_tells = fewest_output_elements(b.problem) >= kTellingElements;
  if (a_tells != b_tells) return a_tells;
  const std::int64_t threads = launched_threads(a.plan), others = launched_threads(b.plan);
  if (threads > kFewThreads || others > kFewThreads) return threads < others;
  return amount_of(a.problem.work) < amount_of(b.problem.work);
}

bool is_torch(const KernelInfo& kernel, const std::string& name) {
  const VariantInfo* const variant = find_variant(kernel, name);
  return variant != nullptr && calls_torch(*variant);
}

std::optional<Realized> preflight_of(Catalog& catalog, Evaluator& evaluator, const Candidate& candidate,
                                     const std::string& workload) {
  const auto cpu = evaluator.preflight_device();
  if (!cpu || is_torch(catalog.kernel(candidate.kernel), candidate.variant)) return std::nullopt;
  try {
    if (!catalog.plugin(candidate.kernel).unsupported_reason(candidate.variant, *cpu).empty()) return std::nullopt;
    auto found =
        catalog.plugin(candidate.kernel).neighbours(candidate, workload, *cpu, kPreflightChoice, fresh_choice());
    if (found.empty()) return std::nullopt;
    return std::move(*std::ranges::min_element(found, cheaper_to_emulate));
  } catch (const Error&) {  // no configuration of it is valid there
    return std::nullopt;
  }
}

constexpr std::size_t kOtherConfigurations = 6;  // of which one that is compiled may do

/// The one to begin with, which a search has built, or any others.
std::vector<Realized> other_configurations(Catalog& catalog, const Candidate& candidate, const std::string& workload,
                                           const DeviceInfo& device) {
  std::vector<Realized> others;
  const Space space = catalog.plugin(candidate.kernel).space(candidate.variant, workload, device);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < space.points.size(); ++i)
    if (i != space.start) order.push_back(i);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(fresh_choice()));
  order.insert(order.begin(), space.start);
  for (const std::size_t point : order) {
    if (others.size() == kOtherConfigurations || space.points.empty()) break;
    Candidate other = candidate;
    other.config = configuration(space, point);
    if (to_text(other.config) != to_text(candidate.config))
      others.push_back(catalog.plugin(candidate.kernel).realize(other, workload, device));
  }
  return others;
}

OtherPoints other_points(Catalog& catalog, Evaluator& evaluator, const Candidate& candidate,
                         const std::string& workload, bool finalist) {
  const DeviceInfo device = evaluator.device();
  OtherPoints points;
  points.neighbours =
      catalog.plugin(candidate.kernel)
          .neighbours(candidate, workload, device, finalist ? kFinalNeighbours : kSearchNeighbours, fresh_choice());
  for (Realized& point :
       catalog.plugin(candidate.kernel).distant_points(candidate, workload, device, finalist, fresh_choice()))
    points.neighbours.push_back(std::move(point));
  points.ranges = catalog.plugin(candidate.kernel).size_ranges(workload);
  // Directed inputs are looked for on the cpu device while a GPU works for other gates, and both ask for points: the
  // manifests' Lua state has one thread at a time.
  const auto one_at_a_time = std::make_shared<std::mutex>();
  if (finalist) {
    points.along = [&catalog, candidate, workload, device, one_at_a_time](const std::string& size) {
      const std::scoped_lock lock(*one_at_a_time);
      return catalog.plugin(candidate.kernel).along(candidate, workload, device, size);
    };
    points.other_configurations = [&catalog, candidate, workload, device, one_at_a_time] {
      const std::scoped_lock lock(*one_at_a_time);
      return other_configurations(catalog, candidate, workload, device);
    };
  }
  if (finalist)
    points.valid_share = catalog.plugin(candidate.kernel).valid_share(candidate, workload, device, fresh_choice());
  const std::optional<DeviceInfo> cpu = device.emulation ? device : evaluator.preflight_device();
  if (cpu)
    points.tiny_at = [&catalog, workload, cpu = *cpu, one_at_a_time](const Candidate& candidate, const Config& fixed) {
      const std::scoped_lock lock(*one_at_a_time);
      return catalog.plugin(candidate.kernel).tiny_at(candidate, workload, cpu, fixed, fresh_choice());
    };
  const VariantTexts baseline =
      catalog.plugin(candidate.kernel).variant_texts(first_kernel_of(catalog.plugin(candidate.kernel).info()).name);
  points.baseline.push_back({"", baseline.source});
  for (const auto& [name, text] : baseline.headers) points.baseline.push_back({name, text});
  // Which form of the inputs meets which size is nothing that a candidate could count on.
  std::shuffle(points.neighbours.begin(), points.neighbours.end(), std::mt19937_64(fresh_choice()));
  points.preflight = preflight_of(catalog, evaluator, candidate, workload);
  return points;
}

}  // namespace

EvaluationRequest gated_request(Catalog& catalog, Evaluator& evaluator, Realized realized, Points points) {
  EvaluationRequest request;
  request.realized = std::move(realized);
  request.points = points;
  if (points == Points::none) return request;
  request.other_points = [&catalog, &evaluator, points, candidate = request.realized.candidate,
                          workload = request.realized.problem.workload.name] {
    return other_points(catalog, evaluator, candidate, workload, points == Points::finalist);
  };
  return request;
}

AdmissionRequest admission_request(Catalog& catalog, Evaluator& evaluator, const std::string& kernel_name) {
  const KernelInfo& kernel = catalog.kernel(kernel_name);
  const DeviceInfo device = evaluator.device();
  AdmissionRequest request;
  request.kernel = kernel_name;
  request.hash = catalog.plugin(kernel_name).admission_hash();
  const std::vector<std::string> timed = choose_workloads(kernel, {}, device);
  std::vector<std::string> workloads = timed;
  for (const auto& [group, workload] : trial_workloads(catalog, kernel, device)) {
    AdmissionRequest::Group trial;
    trial.baseline = trial_baseline(catalog, kernel, workload, device);
    trial.others = catalog.plugin(trial.baseline.candidate.kernel)
                       .neighbours(trial.baseline.candidate, workload, device, kAdmissionNeighbours, fresh_choice());
    const std::string largest = largest_of(catalog, kernel, timed, group);
    if (!largest.empty() && largest != trial.baseline.problem.workload.name)
      trial.others.push_back(realize_default(catalog, kernel, trial_variant(catalog, kernel, device), largest, device));
    request.groups.push_back(std::move(trial));
    if (std::find(workloads.begin(), workloads.end(), workload) == workloads.end()) workloads.push_back(workload);
  }
  for (const VariantInfo& mutant : kernel.mutants) {
    if (!catalog.plugin(kernel_name).unsupported_reason(mutant.name, device).empty()) continue;
    std::vector<std::string> on = workloads;
    std::erase_if(on, [&](const std::string& workload) {
      return !catalog.plugin(kernel_name).has_configuration(mutant.name, workload, device);
    });
    request.mutants.push_back(
        {mutant.name, mutant.source_hash, std::move(on),
         [&catalog, &evaluator, &kernel, &mutant](const std::string& on) {
           EvaluationRequest trial = gated_request(
               catalog, evaluator, realize_default(catalog, kernel, mutant, on, evaluator.device()), Points::finalist);
           trial.other_points = [found = trial.other_points] {
             OtherPoints points = found();
             points.preflight.reset();  // the device's own gates are on trial
             return points;
           };
           return trial;
         }});
  }
  return request;
}

namespace {

AdmissionParts found_elsewhere(Catalog& catalog, AdmissionRecord& admissions, const std::string& kernel,
                               const std::string& hash, const std::string& key) {
  AdmissionParts parts = stored([&] { return admissions.imported_admission(hash, key); });
  parts.merge(catalog.plugin(kernel).admitted(key));
  return parts;
}

}  // namespace

std::vector<Realized> trial_baselines(Catalog& catalog, Evaluator& evaluator, const std::string& kernel_name) {
  const KernelInfo& kernel = catalog.kernel(kernel_name);
  const DeviceInfo device = evaluator.device();
  std::vector<Realized> all;
  for (const auto& [group, workload] : trial_workloads(catalog, kernel, device))
    all.push_back(trial_baseline(catalog, kernel, workload, device));
  return all;
}

namespace {

/// The baseline at points that the cpu device affords.
std::vector<Realized> small_points(Catalog& catalog, Evaluator& evaluator, const std::string& kernel_name) {
  const KernelInfo& kernel = catalog.kernel(kernel_name);
  const DeviceInfo device = evaluator.device();
  const std::optional<DeviceInfo> cpu = device.emulation ? device : evaluator.preflight_device();
  const std::vector<std::string> workloads = choose_workloads(kernel, {}, device);
  if (!cpu || workloads.empty()) return {};
  try {
    const Realized there =
        realize_default(catalog, kernel, trial_variant(catalog, kernel, device), workloads.front(), device);
    return catalog.plugin(kernel.name)
        .neighbours(there.candidate, workloads.front(), *cpu, kPreflightChoice, fresh_choice());
  } catch (const Error&) {  // no configuration of it is valid there
    return {};
  }
}

}  // namespace

// Threads of one block race in other ways than blocks do: it has two of them where any point has.
std::optional<Realized> small_baseline(Catalog& catalog, Evaluator& evaluator, const std::string& kernel_name) {
  constexpr std::int64_t kTwoBlocks = 256;
  std::vector<Realized> points = small_points(catalog, evaluator, kernel_name);
  if (points.empty()) return std::nullopt;
  return std::move(*std::ranges::min_element(points, [](const Realized& a, const Realized& b) {
    const std::int64_t mine = a.problem.reference.threads, other = b.problem.reference.threads;
    if ((mine < kTwoBlocks) != (other < kTwoBlocks)) return mine >= kTwoBlocks;
    return mine < kTwoBlocks ? mine > other : amount_of(a.problem.work) < amount_of(b.problem.work);
  }));
}

std::vector<Realized> review_baselines(Catalog& catalog, Evaluator& evaluator, const std::string& kernel_name) {
  if (evaluator.device().emulation) return trial_baselines(catalog, evaluator, kernel_name);
  std::vector<Realized> points = small_points(catalog, evaluator, kernel_name);
  if (points.empty()) return trial_baselines(catalog, evaluator, kernel_name);
  // The reference runs on a core, dozens of times: the largest that it gets through at once, else the smallest.
  constexpr double kMostWork = 4e6;
  const auto suits = [](const Realized& point) {
    const double amount = amount_of(point.problem.work);
    return amount <= kMostWork ? amount : -amount;
  };
  return {std::move(*std::ranges::max_element(points, {}, suits))};
}

GateTrial gate_trial(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions, const std::string& kernel) {
  const std::string hash = catalog.plugin(kernel).admission_hash(), key = evaluator.device().admission_key;
  if (stored([&] { return admissions.admission(hash, key); })) return GateTrial::none;
  return found_elsewhere(catalog, admissions, kernel, hash, key).empty() ? GateTrial::whole : GateTrial::spot_check;
}

std::string gates_to_try(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions,
                         const std::string& kernel) {
  switch (gate_trial(catalog, evaluator, admissions, kernel)) {
    case GateTrial::none:
      return "";
    case GateTrial::spot_check:
      return fmt::format("spot-checking the gates of {}, which were tried elsewhere", kernel);
    case GateTrial::whole:
      break;
  }
  return fmt::format("trying the gates of {} with its mutants, once for this contract", kernel);
}

std::optional<Admission> known_admission(Catalog& catalog, Evaluator& evaluator, AdmissionRecord& admissions,
                                         const std::string& kernel) {
  const std::string hash = catalog.plugin(kernel).admission_hash();
  const std::string key = evaluator.device().admission_key;
  if (auto recorded = stored([&] { return admissions.admission(hash, key); })) return recorded;
  AdmissionRequest request = admission_request(catalog, evaluator, kernel);
  request.elsewhere = found_elsewhere(catalog, admissions, kernel, hash, key);
  request.known = [&](const std::string& part) {
    return stored([&] { return admissions.admission_part(hash, key, part); });
  };
  request.keep = [&](const std::string& part, const json& evidence) {
    stored([&] { admissions.keep_admission_part(hash, key, kernel, part, evidence); });
  };
  const auto admission = evaluator.admit(request);
  if (admission) stored([&] { admissions.record_admission(*admission); });
  return admission;
}

MeasuredPeaks known_peaks(Evaluator& evaluator, DeviceRecord& record) {
  const DeviceInfo device = evaluator.device();
  if (device.emulation) return {};
  const auto recorded = stored([&] { return record.peaks(device); });
  if (recorded && recorded->memory_trip_ns > 0) return *recorded;  // else it is of a program that measured less
  const MeasuredPeaks measured = evaluator.measure_peaks();
  stored([&] { record.record_peaks(device, measured); });
  return measured;
}

std::string refusal(const Admission& admission) {
  std::string sentence = fmt::format("kernel '{}' is refused on {}", admission.kernel, admission.device_name);
  const std::size_t shown = std::min<std::size_t>(3, admission.problems.size());
  for (std::size_t i = 0; i < shown; ++i) sentence += (i == 0 ? ": " : "; ") + admission.problems[i];
  if (admission.problems.size() > shown) sentence += fmt::format("; and {} more", admission.problems.size() - shown);
  return sentence + fmt::format("; see: harness check {}", admission.kernel);
}

}  // namespace harness
