#include "harness/device/cuda/library/cublas_gemm.h"

#include <fmt/format.h>

#include "harness/core/device.h"

// cuBLASLt is told of column-major matrices. A row-major one is, read so, its transpose; and c^T = b^T a^T. So b is
// passed as the first factor and a as the second, and nothing is copied.
namespace harness::cuda {
namespace {

constexpr int kMostAlgorithms = 10;
constexpr std::uint64_t kMostWorkspace = 64 << 20;  // bytes

int gemm_type(Dtype dtype) {
  if (dtype == Dtype::f32) return kCudaF32;
  if (dtype == Dtype::f16) return kCudaF16;
  if (dtype == Dtype::bf16) return kCudaBf16;
  throw NotSupported(fmt::format("the library step cublas gemm takes f32, f16 and bf16, not {}.", name(dtype)));
}

const void* on_device(DevicePointer pointer) {
  return reinterpret_cast<const void*>(pointer);
}

}  // namespace

CublasGemm::CublasGemm(const CublasApi& api, CublasHandle handle, const GemmShape& shape)
    : api_(api), handle_(handle), has_residual_(shape.residual.has_value()), has_bias_(shape.bias.has_value()) {
  describe_operation(shape);
  const auto stored = [&](const GemmMatrix& matrix, bool transposed, std::int64_t rows, std::int64_t columns) {
    layouts_.push_back(layout(matrix, transposed ? columns : rows, transposed ? rows : columns, shape.batch));
  };
  stored(shape.a, shape.transpose_a, shape.m, shape.k);
  stored(shape.b, shape.transpose_b, shape.k, shape.n);
  stored(shape.c, false, shape.m, shape.n);
  stored(shape.residual.value_or(shape.c), false, shape.m, shape.n);
  ask_heuristics(shape);
  workspaces_.resize(choices_.size());
}

CublasGemm::~CublasGemm() {
  for (CublasLayout layout : layouts_) api_.cublasLtMatrixLayoutDestroy(layout);
  if (operation_) api_.cublasLtMatmulDescDestroy(operation_);
}

void CublasGemm::refuse_unless(CublasStatus status, const std::string& call) const {
  if (status == kCublasSuccess) return;
  throw NotSupported(
      fmt::format("{} of cuBLASLt {}: {}", call, api_.cublasLtGetVersion(), api_.cublasLtGetStatusString(status)));
}

void CublasGemm::describe_operation(const GemmShape& shape) {
  refuse_unless(api_.cublasLtMatmulDescCreate(&operation_, kCublasComputeF32, kCudaF32), "cublasLtMatmulDescCreate");
  const auto set = [&](int attribute, std::int32_t value) { set_attribute(attribute, &value, sizeof value); };
  set(kAttrMatmulTransposeA, shape.transpose_b ? kCublasTransposed : kCublasPlain);
  set(kAttrMatmulTransposeB, shape.transpose_a ? kCublasTransposed : kCublasPlain);
  if (shape.bias) set(kAttrMatmulBiasType, gemm_type(*shape.bias));
  if (shape.bias || shape.gelu)
    set(kAttrMatmulEpilogue, !shape.gelu ? kEpilogueBias : shape.bias ? kEpilogueGeluBias : kEpilogueGelu);
}

void CublasGemm::set_attribute(int attribute, const void* value, std::size_t bytes) const {
  refuse_unless(api_.cublasLtMatmulDescSetAttribute(operation_, attribute, value, bytes),
                "cublasLtMatmulDescSetAttribute");
}

CublasLayout CublasGemm::layout(const GemmMatrix& matrix, std::int64_t rows, std::int64_t columns, std::int64_t batch) {
  CublasLayout layout = nullptr;
  refuse_unless(api_.cublasLtMatrixLayoutCreate(&layout, gemm_type(matrix.dtype), static_cast<std::uint64_t>(columns),
                                                static_cast<std::uint64_t>(rows), matrix.pitch),
                "cublasLtMatrixLayoutCreate");
  const auto count = static_cast<std::int32_t>(batch);
  CublasStatus status = api_.cublasLtMatrixLayoutSetAttribute(layout, kAttrLayoutBatch, &count, sizeof count);
  if (status == kCublasSuccess)
    status =
        api_.cublasLtMatrixLayoutSetAttribute(layout, kAttrLayoutBatchStride, &matrix.stride, sizeof matrix.stride);
  if (status != kCublasSuccess) api_.cublasLtMatrixLayoutDestroy(layout);
  refuse_unless(status, "cublasLtMatrixLayoutSetAttribute");
  return layout;
}

void CublasGemm::ask_heuristics(const GemmShape& shape) {
  CublasPreference preference = nullptr;
  refuse_unless(api_.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  CublasStatus status = kCublasSuccess;
  const auto prefer = [&](int attribute, const auto& value) {
    if (status == kCublasSuccess)
      status = api_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
  };
  prefer(kAttrPreferenceWorkspace, kMostWorkspace);
  prefer(kAttrPreferenceAlignmentA, std::uint32_t{shape.b.alignment});
  prefer(kAttrPreferenceAlignmentB, std::uint32_t{shape.a.alignment});
  prefer(kAttrPreferenceAlignmentC, std::uint32_t{shape.residual.value_or(shape.c).alignment});
  prefer(kAttrPreferenceAlignmentD, std::uint32_t{shape.c.alignment});
  int algorithms = 0;
  choices_.resize(kMostAlgorithms);
  if (status == kCublasSuccess)
    status =
        api_.cublasLtMatmulAlgoGetHeuristic(handle_, operation_, layouts_[1], layouts_[0], layouts_[3], layouts_[2],
                                            preference, kMostAlgorithms, choices_.data(), &algorithms);
  api_.cublasLtMatmulPreferenceDestroy(preference);
  refuse_unless(status, "cublasLtMatmulAlgoGetHeuristic");
  choices_.resize(static_cast<std::size_t>(algorithms));
  std::erase_if(choices_, [](const CublasChoice& choice) { return choice.state != kCublasSuccess; });
}

void CublasGemm::prepare(std::size_t algorithm, const DriverApi& driver) {
  if (algorithm >= choices_.size())
    throw NotSupported(fmt::format("cuBLASLt {} has {} algorithms for this gemm; there is no number {}.",
                                   api_.cublasLtGetVersion(), choices_.size(), algorithm));
  const std::size_t bytes = choices_[algorithm].workspace_bytes;
  if (bytes > 0 && !workspaces_[algorithm]) workspaces_[algorithm] = allocate(driver, bytes);
}

void CublasGemm::enqueue(std::size_t algorithm, Stream stream, const GemmOperands& operands) const {
  const CublasChoice& choice = choices_.at(algorithm);
  void* c = reinterpret_cast<void*>(operands.c);
  const void* added = has_residual_ ? on_device(operands.residual) : c;
  if (has_bias_) set_attribute(kAttrMatmulBias, &operands.bias, sizeof operands.bias);  // read when the call is made
  const CublasStatus status = api_.cublasLtMatmul(
      handle_, operation_, &operands.alpha, on_device(operands.b), layouts_[1], on_device(operands.a), layouts_[0],
      &operands.beta, added, layouts_[3], c, layouts_[2], &choice.algorithm,
      reinterpret_cast<void*>(workspaces_.at(algorithm).get()), choice.workspace_bytes, stream);
  if (status != kCublasSuccess)
    throw LaunchRefused(fmt::format("cublasLtMatmul: {}", api_.cublasLtGetStatusString(status)));
}

}  // namespace harness::cuda
