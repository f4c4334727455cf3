#pragma once
#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/dtype.h"
#include "harness/device/cuda/api/objects.h"
#include "harness/device/cuda/library/cublas_api.h"

namespace harness::cuda {

/// A row-major matrix of a strided batch: rows `pitch` elements apart, matrices `stride` elements apart.
struct GemmMatrix {
  Dtype dtype = Dtype::f32;
  std::int64_t pitch = 0, stride = 0;
  unsigned int alignment = 16;  // of the first element, bytes
  friend auto operator<=>(const GemmMatrix&, const GemmMatrix&) = default;
};

/// c[m, n] = act(alpha a[m, k] b[k, n] + beta r + bias[n]) for each of `batch` problems, accumulated in fp32; r is c
/// itself, or the residual. Transposed: a is stored as [k, m], b as [n, k]. act is the identity, or GELU in the form
/// with tanh (cuBLAS Library, cublasLtEpilogue_t).
struct GemmShape {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  bool transpose_a = false, transpose_b = false;
  GemmMatrix a, b, c;
  std::optional<GemmMatrix> residual;
  std::optional<Dtype> bias;
  bool gelu = false;
  friend auto operator<=>(const GemmShape&, const GemmShape&) = default;
};

struct GemmOperands {
  DevicePointer a = 0, b = 0, c = 0, residual = 0, bias = 0;  // the last two where the shape has them
  float alpha = 1, beta = 0;
};

/// The algorithms that cuBLASLt's heuristics offer for a shape, best guess first, which is not always the fastest.
class CublasGemm {
 public:
  /// Throws NotSupported if there is none. `handle` outlives this.
  CublasGemm(const CublasApi& api, CublasHandle handle, const GemmShape& shape);
  ~CublasGemm();
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;

  std::size_t offered() const { return choices_.size(); }
  /// Allocates the workspace of that one. Throws NotSupported if there are not so many.
  void prepare(std::size_t algorithm, const DriverApi& driver);
  /// With a prepared algorithm; also into a capture.
  void enqueue(std::size_t algorithm, Stream stream, const GemmOperands& operands) const;

 private:
  void describe_operation(const GemmShape& shape);
  CublasLayout layout(const GemmMatrix& matrix, std::int64_t rows, std::int64_t columns, std::int64_t batch);
  void ask_heuristics(const GemmShape& shape);
  void set_attribute(int attribute, const void* value, std::size_t bytes) const;
  void refuse_unless(CublasStatus status, const std::string& call) const;

  const CublasApi& api_;
  CublasHandle handle_;
  CublasMatmul operation_ = nullptr;
  std::vector<CublasLayout> layouts_;  // a, b, c, what is added
  bool has_residual_ = false, has_bias_ = false;
  std::vector<CublasChoice> choices_;
  std::vector<OwnedMemory> workspaces_;  // one for each choice; empty until it is prepared
};

}  // namespace harness::cuda
