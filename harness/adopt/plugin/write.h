#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/plugin/plugin_file.h"
#include "harness/adopt/source/slice.h"

namespace harness::adopt {

/// kernel.lua, the variant and the reference. `file`: as it was named; `digest`: of its text.
std::vector<PluginFile> plugin_files(const AdoptedKernel& kernel, const DeviceSource& device,
                                     const ChosenReference& reference, const std::string& name, const std::string& file,
                                     const std::string& digest);

}  // namespace harness::adopt
