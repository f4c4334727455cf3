#pragma once
#include <string>
#include <vector>

#include "harness/campaign/options.h"
#include "harness/core/catalog.h"
#include "harness/core/strategy.h"

namespace harness {

struct KernelsToTry {
  std::vector<std::string> kernels;  // the most promising first
  std::vector<std::string> notes;    // those left out, and why
};

/// What `harness run` takes where it is told no kernel: each of the catalog's that `options` leave something to try for
/// on this device. A kernel promises what its manifests expect of its best arms, by the weights of its workloads.
/// Throws Error(bad_input) where nothing is left.
KernelsToTry every_kernel(Catalog& catalog, ScriptLibrary& scripts, const CampaignOptions& options,
                          const DeviceInfo& device);

}  // namespace harness
