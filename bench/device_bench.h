#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "harness/campaign/arms.h"
#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/device/cuda/cuda_kind.h"
#include "harness/evaluate/evaluator.h"
#include "harness/evaluate/worker_pool.h"
#include "harness/script/catalog/catalog.h"
#include "harness/store/store.h"
#include "harness/worker/processes/process.h"

namespace harness::bench {

inline const DeviceKinds& kinds() {
  static const DeviceKinds all{std::make_shared<cuda::CudaKind>(), std::make_shared<cpu::CpuKind>()};
  return all;
}

inline DeviceInfo find_device(const std::string& name) {
  for (const DeviceInfo& device : probe_devices(kinds()))
    if (device.device == name && device.available) return device;
  throw environment_error("no device " + name);
}

inline Target make_target(const DeviceInfo& device) {
  const char* const cache = std::getenv("HARNESS_CACHE");
  return harness::make_target(find_kind(kinds(), device.device), device, cache != nullptr ? cache : "/tmp/trust-cache",
                              "harness/device/cpu/guest");
}

inline int builder_count() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 2);
}

/// A variant with the values of some of its parameters.
struct Chosen {
  std::string variant;
  Config given;
};

/// "VARIANT,NAME=VALUE,..."
inline Chosen parse_chosen(const std::string& text) {
  std::istringstream words(text);
  Chosen chosen;
  std::getline(words, chosen.variant, ',');
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw bad_input("'" + word + "' is no NAME=VALUE");
    chosen.given[word.substr(0, equals)] = parse_value(word.substr(equals + 1));
  }
  return chosen;
}

inline const VariantInfo& find_variant(const KernelInfo& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.variants, name, &VariantInfo::name);
  if (found == kernel.variants.end()) throw bad_input("no variant '" + name + "' of " + kernel.name);
  return *found;
}

/// What a time says of the work that must be done.
inline void add_rates(json& line, const Work& work, double ns) {
  double flops = 0;
  for (const auto& [unit, count] : work.flops) flops += count;
  line["time_us"] = ns / 1e3;
  line["tflops"] = flops / ns / 1e3;
  line["tb_per_s"] = work.bytes / ns / 1e3;
}

/// The plugins of this folder and a device with its workers, for the programs of bench/ that evaluate candidates. Peaks
/// are measured when it is made, a kernel's gates tried when they are first needed; nothing is recorded.
class Bench {
 public:
  explicit Bench(const std::string& device_name)
      : catalog_({"kernels", "tests/hostile", "tests/fixtures/faulty"}, {"kernels/include"}),
        store_(store::Store::in_memory()),
        device_(find_device(device_name)) {
    PipelineOptions options;
    options.device = {&find_kind(kinds(), device_.device), make_target(device_), device_};
    options.limits = default_limits(device_);
    options.builders = builder_count();
    options.on_wait = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
    evaluator_ = std::make_unique<PipelineEvaluator>(std::move(options));
    evaluator_->use_peaks(known_peaks(*evaluator_, *store_));
  }

  Catalog& catalog() { return catalog_; }
  const DeviceInfo& device() const { return device_; }
  PipelineEvaluator& evaluator() { return *evaluator_; }

  const Admission& admission(const std::string& kernel) {
    auto found = admissions_.find(kernel);
    if (found == admissions_.end()) {
      const auto made = known_admission(catalog_, *evaluator_, *store_, kernel);
      if (!made->passed) fmt::print(stderr, "{}\n", refusal(*made));
      found = admissions_.emplace(kernel, *made).first;
    }
    return found->second;
  }

  /// With all of the variant's gates; its first valid configuration.
  EvaluationRequest request(const std::string& kernel, const VariantInfo& variant, const std::string& workload,
                            bool finalist) {
    const Config config = catalog_.plugin(kernel).default_config(variant.name, workload, device_, {});
    return request({kernel, variant.name, variant.technique, config}, workload, finalist);
  }
  EvaluationRequest request(const Candidate& candidate, const std::string& workload, bool finalist) {
    EvaluationRequest request =
        gated_request(catalog_, *evaluator_, catalog_.plugin(candidate.kernel).realize(candidate, workload, device_),
                      finalist ? Points::finalist : Points::search);
    request.admission = &admission(candidate.kernel);
    return request;
  }

 private:
  script::LuaCatalog catalog_;
  std::unique_ptr<store::Store> store_;
  DeviceInfo device_;
  std::unique_ptr<PipelineEvaluator> evaluator_;
  std::map<std::string, Admission> admissions_;
};

}  // namespace harness::bench
