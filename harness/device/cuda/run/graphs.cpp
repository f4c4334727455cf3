#include "harness/device/cuda/run/graphs.h"

namespace harness::cuda {

OwnedGraphExec capture_graph(const DriverApi& api, Stream stream, const std::function<void()>& enqueue) {
  check(api, api.cuStreamBeginCapture_v2(stream, kCaptureThreadLocal), "cuStreamBeginCapture");
  try {
    enqueue();
  } catch (...) {
    Graph broken = nullptr;
    if (api.cuStreamEndCapture(stream, &broken) == kSuccess && broken) api.cuGraphDestroy(broken);
    throw;
  }
  Graph captured = nullptr;
  check_launch(api, api.cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
  const OwnedGraph graph(api, captured);
  GraphExec executable = nullptr;
  check_launch(api, api.cuGraphInstantiateWithFlags(&executable, graph.get(), 0), "cuGraphInstantiateWithFlags");
  return {api, executable};
}

void synchronize(const DriverApi& api, Stream stream) {
  check(api, api.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

}  // namespace harness::cuda
