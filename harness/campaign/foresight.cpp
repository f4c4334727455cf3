#include "harness/campaign/foresight.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/printable.h"

namespace harness {
namespace {

template <typename Key>
std::optional<double> find(const std::map<Key, double>& seconds_by_key, const Key& key) {
  const auto at = seconds_by_key.find(key);
  return at == seconds_by_key.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

std::vector<Foreseen> foresee(Catalog& catalog, Evaluator& evaluator, Ledger& ledger, const Arms& arms,
                              const std::vector<std::string>& kernels, bool rivals) {
  std::vector<Foreseen> all;
  const DeviceInfo device = evaluator.device();
  const UsualSeconds usual = stored([&] { return ledger.usual_seconds(device.name, device.admission_key); });
  if (!device.emulation && !stored([&] { return ledger.peaks(device); }))
    all.push_back({"measuring what the device reaches, once for its driver", std::nullopt});
  for (const std::string& kernel : kernels) {
    if (const std::string doing = gates_to_try(catalog, evaluator, ledger, kernel); !doing.empty())
      all.push_back({doing, find(usual.trials, kernel)});
    std::size_t workloads = 0, others = 0;
    for (const WorkloadPlan& plan : arms.workloads) {
      if (plan.kernel != kernel) continue;
      ++workloads;
      others += rivals ? plan.rivals.size() : 0;
    }
    const auto add = [&](std::size_t count, const std::string& thing, Purpose purpose) {
      if (count == 0) return;
      std::optional<double> evaluation_s = find(usual.evaluations, std::pair(kernel, purpose));
      if (evaluation_s) *evaluation_s *= static_cast<double>(count);
      all.push_back({fmt::format("{} of {}", counted(count, thing), kernel), evaluation_s});
    };
    add(workloads, "baseline", Purpose::baseline);
    add(others, "rival", Purpose::rival);
  }
  return all;
}

}  // namespace harness
