#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "harness/core/dtype.h"
#include "harness/device/cuda/api/objects.h"
#include "harness/device/cuda/library/cudnn_graph.h"

namespace harness::cuda {

/// softmax(scale q k^T) v with contiguous q, o [batch, query_heads, queries, width] and k, v [batch, kv_heads, keys,
/// width]. `causal`: query i sees the keys j <= i + keys - queries (the mask ends in the last row and column).
struct AttentionShape {
  Dtype dtype = Dtype::f16;
  std::int64_t batch = 1, query_heads = 1, kv_heads = 1, queries = 1, keys = 1, width = 64;
  bool causal = false;
  bool log_sum_exp = false;  // also written: [batch, query_heads, queries], fp32, natural logarithm
  friend auto operator<=>(const AttentionShape&, const AttentionShape&) = default;
};

/// Where the tensors of one call lie; `lse` is 0 where it is not written.
struct AttentionOperands {
  DevicePointer q = 0, k = 0, v = 0, o = 0, lse = 0;
};

/// The engine configurations that cuDNN's heuristics offer for a shape. Those that can be built are counted from 0, in
/// the order of the heuristics; the first is not always the fastest.
class CudnnAttention {
 public:
  /// Throws NotSupported with cuDNN's reason if it has no engine for the shape. `handle` outlives this.
  CudnnAttention(const CudnnApi& api, const CudnnTarget& target, const AttentionShape& shape);

  std::size_t offered() const { return configs_.size(); }
  /// Builds what is not built yet of the configurations up to that one (25 to 400 ms each) and allocates the workspace.
  /// Throws NotSupported if there are not so many.
  void prepare(std::size_t engine, const DriverApi& driver);
  /// Of a prepared engine; also into a capture.
  void enqueue(std::size_t engine, Stream stream, const AttentionOperands& operands, float scale) const;

 private:
  struct Engine {
    CudnnObject plan;
    OwnedMemory workspace;
  };
  const CudnnApi& api_;
  CudnnTarget target_;
  AttentionShape shape_;
  CudnnGraph graph_;
  std::vector<CudnnObject> configs_;
  std::size_t tried_ = 0;  // of the configurations
  std::vector<Engine> engines_;
  std::string refused_;  // by the last that could not be built
};

}  // namespace harness::cuda
