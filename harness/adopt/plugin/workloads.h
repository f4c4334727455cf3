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
/// How far the sizes of a kernel go.
struct Coverage {
  std::vector<std::int64_t> highest;  // of each size: what was found, and where nothing was, what is to be timed
  FormulaPtr total;                   // elements of all arrays together
  std::int64_t elements = 0;          // the same, at most
  std::vector<Workload> workloads;    // that were given, else some for each kind of device
};
Coverage coverage_of(const AdoptedKernel& kernel);
/// "n1024_m64_f32"
std::string workload_name(const AdoptedKernel& kernel, const Workload& workload, Dtype dtype);

/// A workload of the manifest that every machine can run.
struct TimedPoint {
  std::string name;
  Values sizes;  // by symbol
  Dtype dtype = Dtype::f32;
};
std::vector<TimedPoint> timed_points(const AdoptedKernel& kernel);

}  // namespace harness::adopt
