#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/cuda/library/cudnn_api.h"

namespace harness::cuda {

/// cuDNN's own words about its last refusal, after the name of the code.
std::string describe(const CudnnApi& api, CudnnStatus status);

/// One backend descriptor, destroyed with its owner. What cuDNN refuses is NotSupported with its reason.
class CudnnObject {
 public:
  CudnnObject(const CudnnApi& api, int kind);
  CudnnObject(CudnnObject&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  CudnnObject& operator=(CudnnObject&&) = delete;
  ~CudnnObject();

  void set(int attribute, int type, std::int64_t count, const void* values);
  void set(int attribute, int type, int value) { set(attribute, type, 1, &value); }  // an enumeration
  void set_integer(int attribute, std::int64_t value) { set(attribute, kTypeInt64, 1, &value); }
  void set_flag(int attribute, bool value) { set(attribute, kTypeBoolean, 1, &value); }
  void set_object(int attribute, CudnnDescriptor value) { set(attribute, kTypeDescriptor, 1, &value); }
  void finalize();
  CudnnDescriptor get() const { return handle_; }

 private:
  const CudnnApi* api_;
  CudnnDescriptor handle_ = nullptr;
};

/// Extents or strides of a tensor, outermost first: [batch, head, row, column].
using CudnnDims = std::array<std::int64_t, 4>;
CudnnDims contiguous(const CudnnDims& dims);

/// Where plans are made for: the device of a handle or, without a GPU, one described in cuDNN's JSON.
struct CudnnTarget {
  CudnnHandle handle = nullptr;
  CudnnDescriptor device = nullptr;
};

/// Tensors and operations of one graph. Every function adds what it names and finalizes it.
class CudnnGraph {
 public:
  explicit CudnnGraph(const CudnnApi& api) : api_(api) {}

  /// In memory, aligned to 16 bytes, passed under `id` when the plan is executed.
  CudnnDescriptor stored(std::int64_t id, int type, const CudnnDims& dims, const CudnnDims& strides);
  /// One number, read from host memory when the plan is executed.
  CudnnDescriptor number(std::int64_t id, int type);
  /// Between two operations, never in memory.
  CudnnDescriptor between(int type, const CudnnDims& dims);

  /// result = a x b of the last two extents, in fp32.
  void multiply(CudnnDescriptor a, CudnnDescriptor b, CudnnDescriptor result);
  /// result = mode(x, b), computed in `precision`; b may be null. `axis` only where the mode has one.
  void pointwise(int mode, int precision, CudnnDescriptor x, CudnnDescriptor b, CudnnDescriptor result,
                 std::int64_t axis = -1);
  /// result = condition ? x : otherwise.
  void select(CudnnDescriptor condition, CudnnDescriptor x, CudnnDescriptor otherwise, CudnnDescriptor result);
  /// Over the extents that are 1 in `result`, in fp32.
  void reduce(int operation, CudnnDescriptor x, CudnnDescriptor result);
  /// softmax(scale q k^T) v as one operation; `stats` may be null.
  void attention(CudnnDescriptor q, CudnnDescriptor k, CudnnDescriptor v, CudnnDescriptor scale, CudnnDescriptor o,
                 CudnnDescriptor stats);

  /// The engine configurations that the heuristics offer, best guess first.
  std::vector<CudnnObject> engine_configs(const CudnnTarget& target);

 private:
  CudnnObject& add_tensor(std::int64_t id, int type, const CudnnDims& dims, const CudnnDims& strides);
  CudnnObject pointwise_description(int mode, int precision, std::int64_t axis);
  CudnnObject& add_pointwise(CudnnObject description, CudnnDescriptor x, CudnnDescriptor b, CudnnDescriptor t,
                             CudnnDescriptor result);
  std::vector<CudnnObject> ask(CudnnDescriptor graph, const CudnnTarget& target, int mode);

  const CudnnApi& api_;
  std::vector<CudnnObject> objects_;  // all but the operations
  std::vector<CudnnObject> operations_;
  std::vector<CudnnObject> graph_;  // one, once it is asked for: configurations refer to it
  std::int64_t next_between_ = 1000;
};

/// Of a configuration; NotSupported where it cannot be built after all.
CudnnObject execution_plan(const CudnnApi& api, const CudnnTarget& target, const CudnnObject& config);
std::int64_t workspace_bytes(const CudnnApi& api, const CudnnObject& plan);

}  // namespace harness::cuda
