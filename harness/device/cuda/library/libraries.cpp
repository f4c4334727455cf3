#include "harness/device/cuda/library/libraries.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/device/cuda/library/operands.h"

namespace harness::cuda {
namespace {

constexpr std::size_t kKept = 16;  // shapes of each library

/// What is kept under `key`, made if need be, and moved to the front.
template <typename Key, typename Made, typename Make>
std::shared_ptr<Made> kept(std::list<std::pair<Key, std::shared_ptr<Made>>>& list, const Key& key, Make make) {
  const auto entry = std::ranges::find(list, key, &std::pair<Key, std::shared_ptr<Made>>::first);
  if (entry != list.end()) list.splice(list.begin(), list, entry);
  else list.emplace_front(key, make());
  if (list.size() > kKept) list.pop_back();
  return list.front().second;
}

DevicePointer at(DevicePointer base, std::int64_t offset) {
  return base + static_cast<DevicePointer>(offset);
}

}  // namespace

Libraries::~Libraries() {
  gemms_.clear();
  attentions_.clear();
  if (cublas_handle_) cublas_library_->api->cublasLtDestroy(cublas_handle_);
  if (cudnn_handle_) cudnn_library_->api->cudnnDestroy(cudnn_handle_);
}

const CublasApi& Libraries::cublas() {
  if (!cublas_library_) cublas_library_ = &cublas_library();
  if (!cublas_library_->api) throw NotSupported(cublas_library_->missing);
  const CublasApi& api = *cublas_library_->api;
  if (cublas_handle_) return api;
  if (const CublasStatus status = api.cublasLtCreate(&cublas_handle_); status != kCublasSuccess)
    throw NotSupported(fmt::format("cublasLtCreate: {}", api.cublasLtGetStatusString(status)));
  return api;
}

const CudnnApi& Libraries::cudnn() {
  if (!cudnn_library_) cudnn_library_ = &cudnn_library();
  if (!cudnn_library_->api) throw NotSupported(cudnn_library_->missing);
  const CudnnApi& api = *cudnn_library_->api;
  if (cudnn_handle_) return api;
  if (const CudnnStatus status = api.cudnnCreate(&cudnn_handle_); status != kCudnnSuccess)
    throw NotSupported(fmt::format("cudnnCreate of cuDNN {}: {}", api.version(), describe(api, status)));
  return api;
}

LibraryStep Libraries::prepare(const LibraryCall& call, const Problem& problem, const ImageLayout& layout) {
  if (call.library == "cublas" && call.operation == "gemm") return prepare_gemm(call, problem, layout);
  if (call.library == "cudnn" && call.operation == "attention") return prepare_attention(call, problem, layout);
  throw NotSupported(fmt::format("there is no library step {} {}; there are cublas gemm and cudnn attention.",
                                 call.library, call.operation));
}

LibraryStep Libraries::prepare_gemm(const LibraryCall& call, const Problem& problem, const ImageLayout& layout) {
  const GemmCall given = read_gemm(call, problem, layout);
  const CublasApi& api = cublas();
  const auto gemm =
      kept(gemms_, given.shape, [&] { return std::make_shared<CublasGemm>(api, cublas_handle_, given.shape); });
  gemm->prepare(given.algorithm, driver_);
  return [gemm, given](Stream stream, DevicePointer base) {
    gemm->enqueue(given.algorithm, stream,
                  {at(base, given.a), at(base, given.b), at(base, given.c), at(base, given.residual),
                   at(base, given.bias), given.alpha, given.beta});
  };
}

LibraryStep Libraries::prepare_attention(const LibraryCall& call, const Problem& problem, const ImageLayout& layout) {
  const AttentionCall given = read_attention(call, problem, layout);
  const CudnnApi& api = cudnn();
  const auto attention = kept(attentions_, given.shape, [&] {
    return std::make_shared<CudnnAttention>(api, CudnnTarget{cudnn_handle_, nullptr}, given.shape);
  });
  attention->prepare(given.engine, driver_);
  return [attention, given](Stream stream, DevicePointer base) {
    const AttentionOperands operands{at(base, given.q), at(base, given.k), at(base, given.v), at(base, given.o),
                                     given.lse ? at(base, *given.lse) : 0};
    attention->enqueue(given.engine, stream, operands, given.scale);
  };
}

}  // namespace harness::cuda
