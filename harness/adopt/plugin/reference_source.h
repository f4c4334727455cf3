#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/source/slice.h"

// reference.cu: the original as a function of the device, or a function of the host, in a kernel of its own.
namespace harness::adopt {

/// The launch's source compiled in double: what stands before and after the original.
std::string widened(const DeviceSource& device, const std::string& text);
/// How much more dynamic shared memory a source needs when it computes in double.
std::int64_t wide_factor(const AdoptedKernel& kernel);

/// reference.cu of the kernel's own source: `wide` in double, else as it is.
std::string own_reference(const AdoptedKernel& kernel, const DeviceSource& device, bool wide);
/// reference.cu around a function of the host, whose parameters are the kernel's by name or by place. Nothing: they are
/// not.
std::optional<std::string> host_reference(const AdoptedKernel& kernel, const Declaration& function,
                                          const DeviceSource& text);

}  // namespace harness::adopt
