#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"

// The sizes at which an adopted kernel is checked and timed.
namespace harness::adopt {

struct Workload {
  std::vector<std::int64_t> sizes;
  std::string sets = "default", devices;
};
/// The sizes that were given, else some for each kind of device; no powers of two among them.
std::vector<Workload> workloads_of(const AdoptedKernel& kernel);
/// "n1024_m64_f32"
std::string workload_name(const AdoptedKernel& kernel, const Workload& workload, Dtype dtype);

/// A workload of the manifest that every machine can run.
struct TimedPoint {
  std::string name;
  Values sizes;  // by symbol
  Dtype dtype = Dtype::f32;
};
std::vector<TimedPoint> timed_points(const AdoptedKernel& kernel);

/// Elements of all arrays together.
FormulaPtr total_of(const AdoptedKernel& kernel);
/// The same, at most: so many, and what the sizes that are to be timed have.
std::int64_t domain_elements(const AdoptedKernel& kernel);
/// The end of a size's range: what was found, and where nothing was, what is to be timed at least.
std::int64_t highest(const AdoptedKernel& kernel, const AdoptedSize& size);

}  // namespace harness::adopt
