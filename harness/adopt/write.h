#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/adopt/kernel.h"
#include "harness/adopt/slice.h"

namespace harness::adopt {

/// A file of the plugin's folder by its path there.
using PluginFile = std::pair<std::string, std::string>;

/// What the judge compares with, and how much it proves.
struct ChosenReference {
  std::string text;     // reference.cu
  bool wide = false;    // in double; else every argument has its stored type
  bool serial = false;  // one thread does it all
  std::string weak;     // why it proves less than a reference of its own; "" where it does not
  std::string words;    // which it is: "host function layernorm_cpu in double"
  std::map<std::string, std::string> golden = {};  // workload -> folder of recorded inputs and outputs
  std::vector<PluginFile> files = {};              // these arrays
};

/// A workload of the manifest that every machine can run.
struct TimedPoint {
  std::string name;
  Values sizes;  // by symbol
  Dtype dtype = Dtype::f32;
};
std::vector<TimedPoint> timed_points(const AdoptedKernel& kernel);

/// kernel.lua, the variant and the reference. `file`: as it was named; `digest`: of its text.
std::vector<PluginFile> plugin_files(const AdoptedKernel& kernel, const DeviceSource& device,
                                     const ChosenReference& reference, const std::string& name, const std::string& file,
                                     const std::string& digest);

/// Sizes for which a block of the launches, or of the reference's in double, would need more dynamic shared memory than
/// there is are none of the domain.
void add_shared_conditions(AdoptedKernel& kernel, bool wide);

/// The variant's alone: how the file launches its kernel.
std::string variant_manifest(const AdoptedKernel& kernel);

/// The launch's source compiled in double: what stands before and after the original.
std::string widened(const DeviceSource& device, const std::string& text);
/// How much more dynamic shared memory a source needs when it computes in double.
std::int64_t wide_factor(const AdoptedKernel& kernel);

/// The kernel of reference.cu that stands for launch `i` of the original.
std::string reference_entry(std::size_t i);

/// reference.cu of the kernel's own source: `wide` in double, else as it is.
std::string own_reference(const AdoptedKernel& kernel, const DeviceSource& device, bool wide);
/// reference.cu around a function of the host, whose parameters are the kernel's by name or by place. Nothing: they are
/// not.
std::optional<std::string> host_reference(const AdoptedKernel& kernel, const Declaration& function,
                                          const DeviceSource& text);

/// Shapes as people read them: "[rows, cols]".
std::string shape_text(const AdoptedKernel& kernel, const AdoptedParameter& parameter);

}  // namespace harness::adopt
