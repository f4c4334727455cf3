#pragma once
#include <chrono>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// What an attempt to understand a kernel works with, and so each guess that makes attempts. All of it outlives it.
class Observing {
 public:
  Observing(AdoptedKernel& kernel, const Subject& subject, Observer& observer, const Artifact& artifact, Seen& seen)
      : kernel_(kernel), subject_(subject), observer_(observer), artifact_(artifact), seen_(seen) {}

  /// The same device and subject, with another idea of the kernel.
  Observing with_kernel(AdoptedKernel& kernel) const { return {kernel, subject_, observer_, artifact_, seen_}; }

  AdoptedKernel& kernel() const { return kernel_; }

 protected:
  std::vector<Observation> look(const std::vector<ObservedLaunch>& launches) const {
    seen_.runs += static_cast<int>(launches.size());
    return observer_.run(artifact_, launches);
  }

  AdoptedKernel& kernel_;
  const Subject& subject_;
  Observer& observer_;
  const Artifact& artifact_;
  Seen& seen_;
};

inline bool ended_well(const Observation& observed) {
  return observed.failure.empty() && observed.findings.empty();
}

inline bool did_not_end(const Observation& observed) {
  return observed.failure.find("did not end") != std::string::npos;
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace harness::adopt
