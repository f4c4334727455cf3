#pragma once
#include <string>
#include <vector>

#include "harness/service/shell.h"

namespace harness {

/// Somebody else's work on the same workload.
struct Beside {
  std::string title;  // "incumbent", "baseline", "rival"
  Realized realized;
};

/// Whom a candidate's profile is shown beside on a device: the best that the store knows there, the kernel's baseline,
/// and a rival, as far as they are others and can be realized. A store that is not there knows nobody.
std::vector<Beside> others_beside(const Realized& candidate, Catalog& catalog, const DeviceInfo& device, Shell& shell);

}  // namespace harness
