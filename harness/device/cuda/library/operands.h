#pragma once
#include <optional>
#include <string>

#include "harness/core/device.h"
#include "harness/device/cuda/library/cublas_gemm.h"
#include "harness/device/cuda/library/cudnn_attention.h"

// The options of a library call against the problem and the memory it runs in.
namespace harness::cuda {

/// Options of library { "cublas", "gemm", ... } with the offsets of its operands within the image.
struct GemmCall {
  GemmShape shape;
  std::int64_t a = 0, b = 0, c = 0, residual = 0, bias = 0;
  float alpha = 1, beta = 0;
  std::size_t algorithm = 0;
};
/// Of library { "cudnn", "attention", ... }.
struct AttentionCall {
  AttentionShape shape;
  std::int64_t q = 0, k = 0, v = 0, o = 0;
  std::optional<std::int64_t> lse;
  float scale = 1;
  std::size_t engine = 0;
};

/// Throw LaunchRefused with a sentence: an option is missing, a name unknown, an operand smaller than the call needs.
GemmCall read_gemm(const LibraryCall& call, const Problem& problem, const ImageLayout& layout);
/// Also NotSupported for tensors that are not contiguous or not aligned to 16 bytes.
AttentionCall read_attention(const LibraryCall& call, const Problem& problem, const ImageLayout& layout);

}  // namespace harness::cuda
