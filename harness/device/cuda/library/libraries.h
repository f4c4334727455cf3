#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>

#include "harness/core/device.h"
#include "harness/device/cuda/library/cublas_gemm.h"
#include "harness/device/cuda/library/cudnn_attention.h"

namespace harness::cuda {

/// A library step with everything decided: enqueues its work over the image at `base`; does not wait. May be enqueued
/// into a capture. Throws LaunchRefused.
using LibraryStep = std::function<void(Stream stream, DevicePointer base)>;

/// The libraries that plans may call, opened when one first does, in the current context. What was prepared last for a
/// shape is kept, since a plan of cuDNN takes up to 400 ms; a step keeps alive what it uses.
class Libraries {
 public:
  explicit Libraries(const DriverApi& driver) : driver_(driver) {}
  /// With libraries of the caller's, which must outlive this.
  Libraries(const DriverApi& driver, const CublasLibrary& cublas, const CudnnLibrary& cudnn)
      : driver_(driver), cublas_library_(&cublas), cudnn_library_(&cudnn) {}
  ~Libraries();
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  /// Throws NotSupported: no such library here, no such operation in it, or it has no way to do this. LaunchRefused:
  /// operands that do not fit.
  LibraryStep prepare(const LibraryCall& call, const Problem& problem, const ImageLayout& layout);

 private:
  LibraryStep prepare_gemm(const LibraryCall& call, const Problem& problem, const ImageLayout& layout);
  LibraryStep prepare_attention(const LibraryCall& call, const Problem& problem, const ImageLayout& layout);
  const CublasApi& cublas();
  const CudnnApi& cudnn();

  const DriverApi& driver_;
  const CublasLibrary* cublas_library_ = nullptr;  // null: not opened yet, which takes a tenth of a second
  const CudnnLibrary* cudnn_library_ = nullptr;
  CublasHandle cublas_handle_ = nullptr;
  CudnnHandle cudnn_handle_ = nullptr;
  std::list<std::pair<GemmShape, std::shared_ptr<CublasGemm>>> gemms_;  // the last used first
  std::list<std::pair<AttentionShape, std::shared_ptr<CudnnAttention>>> attentions_;
};

}  // namespace harness::cuda
