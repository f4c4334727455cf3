#include "harness/serve_mcp/agent_gpu_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/candidate_digest.h"

namespace harness {
namespace {

using mcp::Answer;

constexpr std::int64_t kJobsLookedAt = 200;
constexpr std::string_view kPredicted = "predicted_";

/// What the parts of a prediction would take alone, as numbers of a profile have them.
json parts_of(const Profile& profile) {
  json parts = json::object();
  for (const ProfileNumber& number : profile.numbers)
    if (number.value > 0 && number.name.starts_with(kPredicted) && number.name != "predicted_lo_ns" &&
        number.name != "predicted_hi_ns")
      parts[number.name.substr(kPredicted.size())] = std::round(number.value);
  return parts;
}

Profile profile_of(const json& parts) {
  Profile profile;
  for (const auto& [part, ns] : parts.items()) profile.numbers.push_back({std::string(kPredicted) + part, ns});
  return profile;
}

/// What jobs of the session were told of a GPU's size.
struct Told {
  std::optional<double> baseline_ns, best_ns;
  std::optional<DigestParent> parent;
};

Told told_before(const AgentJob& job, const std::string& baseline, const std::string& workload, Archive& archive) {
  Told told;
  for (const AgentJob& other : archive.sessions().jobs(job.campaign, kJobsLookedAt)) {
    const json size = other.answer.is_object() ? other.answer.value("gpu_size", json()) : json();
    if (!size.is_object() || other.request.value("kernel", "") != job.request.at("kernel") ||
        size.value("workload", "") != workload)
      continue;
    const double ns = size.at("predicted_ns");
    const std::string variant = other.answer.value("variant", "");
    // The first that was tried is the baseline: jobs come newest first.
    if (variant == baseline && other.answer.value("is_baseline", false)) told.baseline_ns = ns;
    if (!told.best_ns || ns < *told.best_ns) told.best_ns = ns;
    if (variant == job.request.at("variant").get<std::string>() && (!told.parent || ns < told.parent->time_ns))
      told.parent = DigestParent{fmt::format("{} (iteration {})", variant, other.answer.value("iteration", 0)), ns,
                                 profile_of(size.value("parts_ns", json::object()))};
  }
  return told;
}

bool is_for_others(const Workload& workload, const std::string& kind) {
  return !workload.devices.empty() && std::ranges::find(workload.devices, kind) == workload.devices.end();
}

}  // namespace

std::optional<std::string> gpu_workload(const AgentJob& job, const AgentCandidate& asked, const DeviceInfo& device) {
  if (device.predicts.empty()) return std::nullopt;
  const std::string kind = device_kind(device.device);
  std::optional<std::string> first;
  for (const Workload& workload : asked.own->kernel(job.request.at("kernel")).workloads) {
    if (workload.name == asked.workload && is_for_others(workload, kind)) return std::nullopt;
    if (!first && is_for_others(workload, kind)) first = workload.name;
  }
  return first;
}

std::optional<GpuSize> at_gpu_size(const AgentJob& job, const AgentCandidate& asked, const Candidate& candidate,
                                   const DeviceInfo& device, const CountCandidate& count, Archive& archive,
                                   Shell& shell) {
  const auto workload = gpu_workload(job, asked, device);
  if (!workload) return std::nullopt;
  try {
    const Realized realized = realize(candidate, *workload, *asked.edited, device);
    const auto profile = count(realized);
    const auto ns = profile ? profile->number("predicted_ns") : std::nullopt;
    if (!ns) return std::nullopt;
    const std::string& baseline = first_kernel_of(asked.own->kernel(candidate.kernel)).name;
    const Told told = told_before(job, baseline, *workload, archive);
    GpuSize size;
    size.answer = {{"workload", *workload}, {"predicted_ns", std::round(*ns)}};
    if (told.baseline_ns) size.answer["speedup"] = *told.baseline_ns / *ns;
    size.best_before_ns = told.best_ns;
    if (told.best_ns) size.answer["best_ns"] = std::min(*told.best_ns, *ns);
    size.answer["parts_ns"] = Answer(parts_of(*profile));
    size.digest = fmt::format("At {}:\n", *workload) +
                  candidate_digest({&*profile, realized.problem.work, device, std::nullopt, told.parent}, shell);
    return size;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    return std::nullopt;  // it has no configuration there, or cannot be counted
  }
}

}  // namespace harness
