#include "harness/core/torch_call.h"

#include <algorithm>

namespace harness {

bool calls_torch(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& step) {
    const auto* const call = std::get_if<LibraryCall>(&step);
    return call != nullptr && call->library == kTorch;
  });
}

double torch_start_s(const Plan& plan) {
  constexpr double kStartSeconds = 180;
  return calls_torch(plan) ? kStartSeconds : 0;
}

bool calls_torch(const VariantInfo& variant) {
  return variant.builder == kTorch;
}

BuildSpec nothing_to_compile(const BuildSpec&) {
  BuildSpec empty;
  empty.source_name = "torch.cu";
  empty.source = "// PyTorch does the work.\n";
  return empty;
}

const VariantInfo& first_kernel_of(const KernelInfo& kernel) {
  const auto found = std::ranges::find_if(kernel.variants, [](const VariantInfo& each) { return !calls_torch(each); });
  return found == kernel.variants.end() ? kernel.variants.front() : *found;
}

const VariantInfo& baseline_of(const KernelInfo& kernel, const DeviceInfo& device) {
  return device.emulation ? first_kernel_of(kernel) : kernel.variants.front();
}

std::string torch_baseline_in_words(const KernelInfo& kernel, const DeviceInfo& device) {
  const VariantInfo& baseline = baseline_of(kernel, device);
  return calls_torch(baseline) ? "PyTorch as its owner wrote it (" + baseline.name + ")" : "";
}

}  // namespace harness
