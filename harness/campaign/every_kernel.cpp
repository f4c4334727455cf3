#include "harness/campaign/every_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/campaign/arms.h"
#include "harness/core/error.h"

namespace harness {
namespace {

/// The logarithm of the speedup that an author expects, times how likely he holds it.
double expected_gain(const Prior& prior) {
  return prior.probability * std::log(std::max(1.0, std::sqrt(prior.speedup_lo * prior.speedup_hi)));
}

/// The mean over workloads, by weight, of what the best arm there is expected to gain.
double promise(const Arms& arms) {
  std::map<std::string, double> best;
  for (const Arm& arm : arms.arms) {
    double& gain = best[arm.state.id.workload];
    gain = std::max(gain, expected_gain(arm.state.prior));
  }
  double sum = 0, weights = 0;
  for (const WorkloadPlan& workload : arms.workloads) {
    sum += workload.weight * best[workload.workload];
    weights += workload.weight;
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace

KernelsToTry every_kernel(Catalog& catalog, ScriptLibrary& scripts, const CampaignOptions& options,
                          const DeviceInfo& device) {
  KernelsToTry kernels;
  std::vector<std::pair<double, std::string>> by_promise;
  for (const std::string& name : catalog.kernel_names()) {
    CampaignOptions alone = options;
    alone.kernels = {name};
    try {
      by_promise.emplace_back(promise(make_arms(catalog, scripts, alone, device)), name);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::bad_input) throw;
      kernels.notes.push_back(fmt::format("{} is left out: {}", name, error.what()));
    }
  }
  std::ranges::stable_sort(by_promise, std::greater<>{}, [](const auto& entry) { return entry.first; });
  for (auto& [gain, name] : by_promise) kernels.kernels.push_back(std::move(name));
  if (!kernels.kernels.empty()) return kernels;
  throw bad_input(kernels.notes.empty() ? "there is no kernel to optimize; see harness kernels"
                                        : kernels.notes.front());
}

}  // namespace harness
