#pragma once
#include <string>
#include <string_view>

#include "harness/core/catalog.h"
#include "harness/core/plan.h"

// PyTorch beside kernels: a variant whose builder is `torch` calls a Python program on the arguments of the contract.
// Its plan is one library step; its options hold the program's text.
namespace harness {

inline constexpr std::string_view kTorch = "torch";

bool calls_torch(const Plan& plan);
bool calls_torch(const VariantInfo& variant);
/// Seconds that a launch of this plan may need besides: PyTorch starts, and torch.compile compiles. 0 of others.
double torch_start_s(const Plan& plan);

/// What a compiler of kernels gets for such a variant: a source without any.
BuildSpec nothing_to_compile(const BuildSpec& spec);

/// What speedups are over on this device: the kernel's first variant. Where calls of PyTorch are not timed, because
/// GPU code is emulated, the first one that is a kernel.
const VariantInfo& baseline_of(const KernelInfo& kernel, const DeviceInfo& device);
/// The first variant that is a kernel of ours; the first of all where none is.
const VariantInfo& first_kernel_of(const KernelInfo& kernel);

/// The line that stands in the source of a problem's first kernel until somebody has written it.
inline constexpr const char* kNoKernel = "#error \"no kernel yet";

/// "PyTorch, as it stands in the reference's program (00_eager)"; "" where the baseline is a kernel.
std::string torch_baseline_in_words(const KernelInfo& kernel, const DeviceInfo& device);

}  // namespace harness
