#pragma once
#include <optional>
#include <string>

#include "harness/core/catalog.h"

namespace harness {

/// How much the workloads of a kernel are like one of them. What was fast on those that are most like it comes first.
class Resemblance {
 public:
  /// An unknown workload is like none but itself.
  Resemblance(const KernelInfo& kernel, const std::string& workload);

  /// The sum of |ln(a / b)| over the numbers of both, and ln 4 for each flag or type that differs: to be causal or not
  /// counts like a factor of four in one size. 0: itself, or the same by another name. nullopt: nobody knows the values
  /// of that workload any more, or they are not the same ones.
  std::optional<double> distance(const std::string& other) const;

 private:
  const KernelInfo& kernel_;
  std::string workload_;
  std::optional<Config> values_;
};

}  // namespace harness
