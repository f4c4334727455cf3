#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/device/cuda/api/driver_api.h"

/// A CUDA driver in memory: device memory is host memory, streams run at once, captures are recorded and graphs played
/// back, and time is what the kernels say they take. Kernels are registered by mangled name.
struct FakeKernel {
  std::vector<std::size_t> parameter_bytes;
  double nanoseconds = 1000;
  std::function<void(void** arguments)> body = [](void**) {};
};

struct FakeDriver {
  std::map<std::string, FakeKernel> kernels;
  std::size_t free_bytes = std::size_t{2} << 30;
  double event_overhead_ns = 2000;  // between two events with nothing in between
  int refuse_launch = 0;            // the code of the next cuLaunchKernelEx, outside of captures
  int resident_blocks = 2;          // of any kernel, on each of 132 multiprocessors
  int resident_clusters = 60;       // of any kernel
  int fault = 0;                    // sticky: what every later call returns

  // What was seen.
  int launches = 0, graph_launches = 0, modules_loaded = 0, live_objects = 0;
  std::int64_t allocated_bytes = 0;
  int largest_dynamic_shared = 0;
  std::vector<unsigned int> last_cluster;
  unsigned int last_grid[3] = {};  // of the kernel that runs or ran last
  bool last_cooperative = false, last_programmatic = false;
  std::vector<std::string> order;  // names of launched kernels

  /// Resets everything and returns its entry points. One at a time.
  static const harness::cuda::DriverApi& install(FakeDriver& driver);
};
