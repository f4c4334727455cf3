#pragma once
#include <string>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/plugin/plugin_file.h"

namespace harness::adopt {

/// kernel.lua. `source`: of the device part; `file`: as it was named; `digest`: of its text.
std::string kernel_manifest(const AdoptedKernel& kernel, const std::string& source, const ChosenReference& reference,
                            const std::string& name, const std::string& file, const std::string& digest);

}  // namespace harness::adopt
