#include "harness/device/cuda/library/cudnn_attention.h"

#include <fmt/format.h>

#include <limits>

#include "harness/core/device.h"

namespace harness::cuda {
namespace {

// Names of the tensors that a call passes.
enum Id : std::int64_t { kQ = 1, kK, kV, kO, kLse, kScale, kMinusInfinity, kShift };

int data_type(Dtype dtype) {
  if (dtype == Dtype::f16) return kCudnnHalf;
  if (dtype == Dtype::bf16) return kCudnnBfloat16;
  throw NotSupported(fmt::format("cuDNN's attention takes f16 and bf16, not {}.", name(dtype)));
}

/// Scores below the diagonal that ends in the last row and column. The index of a row is moved by keys - queries, which
/// cuDNN reads as a bound to the right of the main diagonal.
CudnnDescriptor mask_scores(CudnnGraph& graph, const AttentionShape& shape, const CudnnDims& dims,
                            CudnnDescriptor scores) {
  CudnnDescriptor row = graph.between(kCudnnInt32, dims);
  graph.pointwise(kIndexAlong, kCudnnFloat, scores, nullptr, row, 2);
  const CudnnDescriptor column = graph.between(kCudnnInt32, dims);
  graph.pointwise(kIndexAlong, kCudnnFloat, scores, nullptr, column, 3);
  if (shape.keys != shape.queries) {
    const CudnnDescriptor moved = graph.between(kCudnnInt32, dims);
    graph.pointwise(kAdd, kCudnnInt32, row, graph.number(kShift, kCudnnInt32), moved, 3);
    row = moved;
  }
  const CudnnDescriptor visible = graph.between(kCudnnBoolean, dims);
  graph.pointwise(kGreaterOrEqual, kCudnnBoolean, row, column, visible);
  const CudnnDescriptor masked = graph.between(kCudnnFloat, dims);
  graph.select(visible, scores, graph.number(kMinusInfinity, kCudnnFloat), masked);
  return masked;
}

/// The softmax of the last extent in the type of the tensors. The log-sum-exp is computed even where nobody wants it:
/// without it no engine knows the graph.
CudnnDescriptor softmax(CudnnGraph& graph, const AttentionShape& shape, const CudnnDims& dims, CudnnDescriptor scores) {
  const CudnnDims rows = {dims[0], dims[1], dims[2], 1};
  const auto of_rows = [&] { return graph.between(kCudnnFloat, rows); };
  const auto of_scores = [&] { return graph.between(kCudnnFloat, dims); };
  const CudnnDescriptor largest = of_rows(), below = of_scores(), exponentials = of_scores(), sum = of_rows(),
                        log_of_sum = of_rows();
  graph.reduce(kReduceMax, scores, largest);
  graph.pointwise(kSubtract, kCudnnFloat, scores, largest, below);
  graph.pointwise(kExponential, kCudnnFloat, below, nullptr, exponentials);
  graph.reduce(kReduceAdd, exponentials, sum);
  graph.pointwise(kLogarithm, kCudnnFloat, sum, nullptr, log_of_sum);
  const CudnnDescriptor lse = shape.log_sum_exp ? graph.stored(kLse, kCudnnFloat, rows, contiguous(rows)) : of_rows();
  graph.pointwise(kAdd, kCudnnFloat, largest, log_of_sum, lse);
  const CudnnDescriptor weights = graph.between(data_type(shape.dtype), dims);
  graph.pointwise(kDivide, kCudnnFloat, exponentials, sum, weights);
  return weights;
}

/// From single operations, which cuDNN recognizes and fuses.
void build_of_parts(CudnnGraph& graph, const AttentionShape& shape) {
  const int type = data_type(shape.dtype);
  const CudnnDims q = {shape.batch, shape.query_heads, shape.queries, shape.width};
  const CudnnDims kv = {shape.batch, shape.kv_heads, shape.keys, shape.width};
  const CudnnDims transposed = {kv[0], kv[1], kv[3], kv[2]},
                  of_transposed = {kv[1] * kv[2] * kv[3], kv[2] * kv[3], 1, kv[3]};
  const CudnnDims dims = {shape.batch, shape.query_heads, shape.queries, shape.keys};
  const CudnnDescriptor products = graph.between(kCudnnFloat, dims), scores = graph.between(kCudnnFloat, dims);
  graph.multiply(graph.stored(kQ, type, q, contiguous(q)), graph.stored(kK, type, transposed, of_transposed), products);
  graph.pointwise(kMultiply, kCudnnFloat, products, graph.number(kScale, kCudnnFloat), scores);
  const CudnnDescriptor masked = shape.causal ? mask_scores(graph, shape, dims, scores) : scores;
  const CudnnDescriptor weights = softmax(graph, shape, dims, masked);
  graph.multiply(weights, graph.stored(kV, type, kv, contiguous(kv)), graph.stored(kO, type, q, contiguous(q)));
}

/// One operation; before cuDNN 9.21 it cannot say causal.
void build_unified(CudnnGraph& graph, const AttentionShape& shape) {
  const int type = data_type(shape.dtype);
  const CudnnDims q = {shape.batch, shape.query_heads, shape.queries, shape.width};
  const CudnnDims kv = {shape.batch, shape.kv_heads, shape.keys, shape.width};
  const CudnnDims rows = {q[0], q[1], q[2], 1};
  graph.attention(graph.stored(kQ, type, q, contiguous(q)), graph.stored(kK, type, kv, contiguous(kv)),
                  graph.stored(kV, type, kv, contiguous(kv)), graph.number(kScale, kCudnnFloat),
                  graph.stored(kO, type, q, contiguous(q)),
                  shape.log_sum_exp ? graph.stored(kLse, kCudnnFloat, rows, contiguous(rows)) : nullptr);
}

void refuse_hopeless(const AttentionShape& shape) {
  if (shape.causal && shape.queries > shape.keys)
    throw NotSupported(
        "cuDNN's attention is not asked for causal attention with more queries than keys: rows that "
        "see no key have no defined result there.");
}

}  // namespace

CudnnAttention::CudnnAttention(const CudnnApi& api, const CudnnTarget& target, const AttentionShape& shape)
    : api_(api), target_(target), shape_(shape), graph_(api) {
  refuse_hopeless(shape);
  if (shape.causal) build_of_parts(graph_, shape);
  else build_unified(graph_, shape);
  configs_ = graph_.engine_configs(target);
}

void CudnnAttention::prepare(std::size_t engine, const DriverApi& driver) {
  while (engines_.size() <= engine && tried_ < configs_.size()) {
    try {
      engines_.push_back({execution_plan(api_, target_, configs_[tried_++]), {}});
    } catch (
        const NotSupported& refusal) {  // heuristics may offer what the device cannot run: the next takes its number
      refused_ = refusal.what();
    }
  }
  if (engines_.size() <= engine) {
    throw NotSupported(fmt::format("cuDNN {} has {} engine configurations for this attention; there is no number {}.{}",
                                   api_.version(), engines_.size(), engine, refused_.empty() ? "" : " " + refused_));
  }
  Engine& chosen = engines_[engine];
  const std::int64_t bytes = workspace_bytes(api_, chosen.plan);
  if (bytes > 0 && !chosen.workspace) chosen.workspace = allocate(driver, static_cast<std::size_t>(bytes));
}

void CudnnAttention::enqueue(std::size_t engine, Stream stream, const AttentionOperands& operands, float scale) const {
  float minus_infinity = -std::numeric_limits<float>::infinity();
  auto shift = static_cast<std::int32_t>(shape_.keys - shape_.queries);
  std::vector<std::int64_t> ids = {kQ, kK, kV, kO, kScale};
  const auto on_device = [](DevicePointer pointer) { return reinterpret_cast<void*>(pointer); };
  std::vector<void*> pointers = {on_device(operands.q), on_device(operands.k), on_device(operands.v),
                                 on_device(operands.o), &scale};
  const auto pass = [&](std::int64_t id, void* pointer) {
    ids.push_back(id);
    pointers.push_back(pointer);
  };
  if (shape_.log_sum_exp) pass(kLse, on_device(operands.lse));
  if (shape_.causal) pass(kMinusInfinity, &minus_infinity);
  if (shape_.causal && shape_.keys != shape_.queries) pass(kShift, &shift);
  const Engine& chosen = engines_.at(engine);
  void* workspace = on_device(chosen.workspace.get());
  CudnnObject pack(api_, kKindVariantPack);
  pack.set(kAttrPackPointers, kTypePointer, static_cast<std::int64_t>(pointers.size()), pointers.data());
  pack.set(kAttrPackIds, kTypeInt64, static_cast<std::int64_t>(ids.size()), ids.data());
  pack.set(kAttrPackWorkspace, kTypePointer, 1, &workspace);
  pack.finalize();
  CudnnStatus status = api_.cudnnSetStream(target_.handle, stream);
  if (status == kCudnnSuccess) status = api_.cudnnBackendExecute(target_.handle, chosen.plan.get(), pack.get());
  if (status != kCudnnSuccess) throw LaunchRefused(fmt::format("cudnnBackendExecute: {}", describe(api_, status)));
}

}  // namespace harness::cuda
