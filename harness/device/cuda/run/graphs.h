#pragma once
#include <functional>

#include "harness/device/cuda/api/objects.h"

namespace harness::cuda {

/// Captures what `enqueue` puts on `stream` into an executable graph; nothing runs. If `enqueue` throws, the capture is
/// ended and the stream stays usable.
OwnedGraphExec capture_graph(const DriverApi& api, Stream stream, const std::function<void()>& enqueue);

/// Two events around work on a stream.
class EventPair {
 public:
  explicit EventPair(const DriverApi& api) : api_(&api), start_(create_event(api)), end_(create_event(api)) {}
  void record_start(Stream stream) const { check(*api_, api_->cuEventRecord(start_.get(), stream), "cuEventRecord"); }
  void record_end(Stream stream) const { check(*api_, api_->cuEventRecord(end_.get(), stream), "cuEventRecord"); }
  Event start() const { return start_.get(); }
  Event end() const { return end_.get(); }
  /// After the stream was waited for.
  double ns() const { return elapsed_ns(*api_, start_.get(), end_.get()); }

 private:
  const DriverApi* api_;
  OwnedEvent start_, end_;
};

/// Waits for everything on the stream; the place where faults of kernels come to light.
void synchronize(const DriverApi& api, Stream stream);

}  // namespace harness::cuda
