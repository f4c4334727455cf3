#pragma once
#include <functional>

#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/measuring_kernels.h"

namespace harness::cuda {

/// What an empty kernel takes as a node of a long graph of them: nanoseconds.
double empty_node_ns(const DriverApi& api, Stream stream, const MeasuringKernels& kernels);

/// Times one call: a graph of an event node, the call and an event node. Such a pair of nodes reads about 2.2 us too
/// long; the excess is measured once with an empty kernel and subtracted.
class SingleCallTimer {
 public:
  /// Measures the overhead. The stream is idle afterwards.
  SingleCallTimer(const DriverApi& api, Stream stream, const MeasuringKernels& kernels);

  /// Enqueues `before` (a flush, say) and one call right behind it, waits, and returns nanoseconds, at least 0.
  double time_ns(const std::function<void()>& before, const std::function<void()>& call) const;
  double overhead_ns() const { return overhead_ns_; }

 private:
  const DriverApi& api_;
  Stream stream_;
  EventPair events_;
  double overhead_ns_ = 0;
};

}  // namespace harness::cuda
