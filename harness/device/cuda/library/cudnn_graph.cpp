#include "harness/device/cuda/library/cudnn_graph.h"

#include <fmt/format.h>

#include "harness/core/device.h"

namespace harness::cuda {
namespace {

void refuse_unless(const CudnnApi& api, CudnnStatus status, const std::string& what) {
  if (status != kCudnnSuccess)
    throw NotSupported(fmt::format("cuDNN {}: {}: {}", api.version(), what, describe(api, status)));
}

}  // namespace

std::string describe(const CudnnApi& api, CudnnStatus status) {
  char reason[1024] = {};
  api.cudnnGetLastErrorString(reason, sizeof reason);
  return fmt::format("{}{}{}", api.cudnnGetErrorString(status), reason[0] ? ": " : "", reason);
}

CudnnDims contiguous(const CudnnDims& dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

CudnnObject::CudnnObject(const CudnnApi& api, int kind) : api_(&api) {
  refuse_unless(api, api.cudnnBackendCreateDescriptor(kind, &handle_),
                fmt::format("cudnnBackendCreateDescriptor of kind {}", kind));
}

CudnnObject::~CudnnObject() {
  if (handle_) api_->cudnnBackendDestroyDescriptor(handle_);
}

void CudnnObject::set(int attribute, int type, std::int64_t count, const void* values) {
  refuse_unless(*api_, api_->cudnnBackendSetAttribute(handle_, attribute, type, count, values),
                fmt::format("cudnnBackendSetAttribute of attribute {}", attribute));
}

void CudnnObject::finalize() {
  refuse_unless(*api_, api_->cudnnBackendFinalize(handle_), "cudnnBackendFinalize");
}

// ---- tensors

CudnnObject& CudnnGraph::add_tensor(std::int64_t id, int type, const CudnnDims& dims, const CudnnDims& strides) {
  constexpr std::int64_t kAlignment = 16;
  CudnnObject& tensor = objects_.emplace_back(api_, kKindTensor);
  tensor.set(kAttrTensorType, kTypeDataType, type);
  tensor.set(kAttrTensorDimensions, kTypeInt64, 4, dims.data());
  tensor.set(kAttrTensorStrides, kTypeInt64, 4, strides.data());
  tensor.set_integer(kAttrTensorId, id);
  tensor.set_integer(kAttrTensorAlignment, kAlignment);
  return tensor;
}

CudnnDescriptor CudnnGraph::stored(std::int64_t id, int type, const CudnnDims& dims, const CudnnDims& strides) {
  CudnnObject& tensor = add_tensor(id, type, dims, strides);
  tensor.finalize();
  return tensor.get();
}

CudnnDescriptor CudnnGraph::number(std::int64_t id, int type) {
  constexpr CudnnDims kOne = {1, 1, 1, 1};
  CudnnObject& tensor = add_tensor(id, type, kOne, kOne);
  tensor.set_flag(kAttrTensorByValue, true);
  tensor.finalize();
  return tensor.get();
}

CudnnDescriptor CudnnGraph::between(int type, const CudnnDims& dims) {
  CudnnObject& tensor = add_tensor(next_between_++, type, dims, contiguous(dims));
  tensor.set_flag(kAttrTensorVirtual, true);
  tensor.finalize();
  return tensor.get();
}

// ---- operations

void CudnnGraph::multiply(CudnnDescriptor a, CudnnDescriptor b, CudnnDescriptor result) {
  CudnnObject& description = objects_.emplace_back(api_, kKindMatmul);
  description.set(kAttrMatmulType, kTypeDataType, kCudnnFloat);
  description.finalize();
  CudnnObject& operation = operations_.emplace_back(api_, kKindMatmulOperation);
  operation.set_object(kAttrMatmulA, a);
  operation.set_object(kAttrMatmulB, b);
  operation.set_object(kAttrMatmulC, result);
  operation.set_object(kAttrMatmulOf, description.get());
  operation.finalize();
}

CudnnObject CudnnGraph::pointwise_description(int mode, int precision, std::int64_t axis) {
  CudnnObject description(api_, kKindPointwise);
  description.set(kAttrPointwiseMode, kTypePointwiseMode, mode);
  description.set(kAttrPointwisePrecision, kTypeDataType, precision);
  if (axis >= 0) description.set_integer(kAttrPointwiseAxis, axis);
  description.finalize();
  return description;
}

CudnnObject& CudnnGraph::add_pointwise(CudnnObject description, CudnnDescriptor x, CudnnDescriptor b, CudnnDescriptor t,
                                       CudnnDescriptor result) {
  constexpr float kOne = 1;
  CudnnObject& operation = operations_.emplace_back(api_, kKindPointwiseOperation);
  operation.set_object(kAttrPointwiseOf, description.get());
  operation.set_object(kAttrPointwiseX, x);
  if (b) operation.set_object(kAttrPointwiseB, b);
  if (t) operation.set_object(kAttrPointwiseT, t);
  operation.set_object(kAttrPointwiseY, result);
  operation.set(kAttrPointwiseAlpha1, kTypeFloat, 1, &kOne);
  operation.set(kAttrPointwiseAlpha2, kTypeFloat, 1, &kOne);
  operation.finalize();
  objects_.push_back(std::move(description));
  return operation;
}

void CudnnGraph::pointwise(int mode, int precision, CudnnDescriptor x, CudnnDescriptor b, CudnnDescriptor result,
                           std::int64_t axis) {
  add_pointwise(pointwise_description(mode, precision, axis), x, b, nullptr, result);
}

void CudnnGraph::select(CudnnDescriptor condition, CudnnDescriptor x, CudnnDescriptor otherwise,
                        CudnnDescriptor result) {
  add_pointwise(pointwise_description(kSelect, kCudnnFloat, -1), x, otherwise, condition, result);
}

void CudnnGraph::reduce(int operation, CudnnDescriptor x, CudnnDescriptor result) {
  CudnnObject& description = objects_.emplace_back(api_, kKindReduction);
  description.set(kAttrReductionType, kTypeDataType, kCudnnFloat);
  description.set(kAttrReductionOperator, kTypeReductionOperator, operation);
  description.finalize();
  CudnnObject& added = operations_.emplace_back(api_, kKindReductionOperation);
  added.set_object(kAttrReductionX, x);
  added.set_object(kAttrReductionY, result);
  added.set_object(kAttrReductionOf, description.get());
  added.finalize();
}

void CudnnGraph::attention(CudnnDescriptor q, CudnnDescriptor k, CudnnDescriptor v, CudnnDescriptor scale,
                           CudnnDescriptor o, CudnnDescriptor stats) {
  CudnnObject& operation = operations_.emplace_back(api_, kKindAttentionOperation);
  operation.set_object(kAttrAttentionQ, q);
  operation.set_object(kAttrAttentionK, k);
  operation.set_object(kAttrAttentionV, v);
  operation.set_object(kAttrAttentionO, o);
  operation.set_object(kAttrAttentionScale, scale);
  if (stats) operation.set_object(kAttrAttentionStats, stats);
  operation.finalize();
}

// ---- engines

std::vector<CudnnObject> CudnnGraph::ask(CudnnDescriptor graph, const CudnnTarget& target, int mode) {
  CudnnObject heuristics(api_, kKindEngineHeuristics);
  heuristics.set_object(kAttrHeuristicsGraph, graph);
  heuristics.set(kAttrHeuristicsMode, kTypeHeuristicsMode, mode);
  if (target.device) heuristics.set_object(kAttrHeuristicsDevice, target.device);
  heuristics.finalize();
  std::int64_t count = 0;
  refuse_unless(
      api_,
      api_.cudnnBackendGetAttribute(heuristics.get(), kAttrHeuristicsResults, kTypeDescriptor, 0, &count, nullptr),
      "its heuristics");
  std::vector<CudnnObject> configs;
  std::vector<CudnnDescriptor> handles;
  for (std::int64_t i = 0; i < count; ++i) handles.push_back(configs.emplace_back(api_, kKindEngineConfig).get());
  if (count == 0) return {};
  refuse_unless(api_,
                api_.cudnnBackendGetAttribute(heuristics.get(), kAttrHeuristicsResults, kTypeDescriptor, count, &count,
                                              handles.data()),
                "its heuristics");
  while (configs.size() > static_cast<std::size_t>(count)) configs.pop_back();
  return configs;
}

std::vector<CudnnObject> CudnnGraph::engine_configs(const CudnnTarget& target) {
  std::vector<CudnnDescriptor> handles;
  for (const CudnnObject& operation : operations_) handles.push_back(operation.get());
  CudnnObject& graph = graph_.emplace_back(api_, kKindOperationGraph);
  graph.set(kAttrGraphOperations, kTypeDescriptor, static_cast<std::int64_t>(handles.size()), handles.data());
  if (target.handle) graph.set(kAttrGraphHandle, kTypeHandle, 1, &target.handle);
  graph.finalize();
  std::vector<CudnnObject> configs = ask(graph.get(), target, kHeuristicsA);
  return configs.empty() ? ask(graph.get(), target, kHeuristicsFallback) : std::move(configs);
}

CudnnObject execution_plan(const CudnnApi& api, const CudnnTarget& target, const CudnnObject& config) {
  CudnnObject plan(api, kKindExecutionPlan);
  if (target.handle) plan.set(kAttrPlanHandle, kTypeHandle, 1, &target.handle);
  if (target.device) plan.set_object(kAttrPlanDevice, target.device);
  plan.set_object(kAttrPlanConfig, config.get());
  plan.finalize();
  return plan;
}

std::int64_t workspace_bytes(const CudnnApi& api, const CudnnObject& plan) {
  std::int64_t bytes = 0, count = 0;
  refuse_unless(api, api.cudnnBackendGetAttribute(plan.get(), kAttrPlanWorkspace, kTypeInt64, 1, &count, &bytes),
                "the workspace of a plan");
  return bytes;
}

}  // namespace harness::cuda
