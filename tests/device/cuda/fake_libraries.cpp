#include "tests/device/cuda/fake_libraries.h"

#include <cstring>
#include <set>

using namespace harness::cuda;

namespace library_fakes {
namespace {

FakeCublas* cublas = nullptr;
FakeCudnn* cudnn = nullptr;

struct FakeMatmul {
  std::map<int, std::uint64_t> attributes;  // pointers among them
};
struct FakeLayout {
  std::uint64_t rows = 0, columns = 0;
  std::int64_t pitch = 0, stride = 0;
  std::int32_t batch = 1;
};
struct FakePreference {
  std::map<int, std::uint64_t> attributes;
};

template <typename Object, typename Handle>
CublasStatus give(Handle* handle, Object object) {
  ++cublas->live_objects;
  *handle = reinterpret_cast<Handle>(new Object(std::move(object)));
  return kCublasSuccess;
}

template <typename Object, typename Handle>
CublasStatus take(Handle handle) {
  --cublas->live_objects;
  delete reinterpret_cast<Object*>(handle);
  return kCublasSuccess;
}

const FakeLayout& of(CublasLayout layout) {
  return *reinterpret_cast<FakeLayout*>(layout);
}

/// Element (row, column) of op(matrix), column-major.
float element(const void* data, const FakeLayout& layout, bool transposed, std::int64_t batch, std::uint64_t row,
              std::uint64_t column) {
  if (transposed) std::swap(row, column);
  const auto place = static_cast<std::int64_t>(row) + static_cast<std::int64_t>(column) * layout.pitch;
  return static_cast<const float*>(data)[batch * layout.stride + place];
}

CublasStatus product(CublasHandle, CublasMatmul matmul, const void* alpha, const void* a, CublasLayout of_a,
                     const void* b, CublasLayout of_b, const void* beta, const void* c, CublasLayout of_c, void* d,
                     CublasLayout of_d, const CublasAlgorithm* algorithm, void*, std::size_t, Stream) {
  auto& attributes = reinterpret_cast<FakeMatmul*>(matmul)->attributes;
  const bool transpose_a = attributes[kAttrMatmulTransposeA] == kCublasTransposed;
  const bool transpose_b = attributes[kAttrMatmulTransposeB] == kCublasTransposed;
  const FakeLayout& out = of(of_d);
  const bool adds_bias = attributes[kAttrMatmulEpilogue] == kEpilogueBias;
  const auto* const bias = adds_bias ? reinterpret_cast<const float*>(attributes[kAttrMatmulBias]) : nullptr;
  const std::uint64_t inner = transpose_a ? of(of_a).rows : of(of_a).columns;
  for (std::int64_t batch = 0; batch < out.batch; ++batch) {
    for (std::uint64_t row = 0; row < out.rows; ++row) {
      for (std::uint64_t column = 0; column < out.columns; ++column) {
        float sum = 0;
        for (std::uint64_t i = 0; i < inner; ++i)
          sum += element(a, of(of_a), transpose_a, batch, row, i) * element(b, of(of_b), transpose_b, batch, i, column);
        const float before = element(c, of(of_c), false, batch, row, column);
        float* result = static_cast<float*>(d) + batch * out.stride;
        result[static_cast<std::int64_t>(row) + static_cast<std::int64_t>(column) * out.pitch] =
            *static_cast<const float*>(alpha) * sum + *static_cast<const float*>(beta) * before +
            (bias ? bias[row] : 0.0f);
      }
    }
  }
  cublas->used = algorithm->data[0];
  return kCublasSuccess;
}

CublasStatus heuristics(CublasHandle, CublasMatmul, CublasLayout, CublasLayout, CublasLayout, CublasLayout,
                        CublasPreference preference, int wanted, CublasChoice* choices, int* found) {
  const auto& attributes = reinterpret_cast<FakePreference*>(preference)->attributes;
  cublas->alignments.clear();
  for (const int matrix : {kAttrPreferenceAlignmentA, kAttrPreferenceAlignmentB, kAttrPreferenceAlignmentC})
    cublas->alignments.push_back(static_cast<unsigned int>(attributes.at(matrix)));
  *found = std::min(wanted, cublas->algorithms);
  for (int i = 0; i < *found; ++i) {
    choices[i] = {};
    choices[i].algorithm.data[0] = static_cast<std::uint64_t>(i);
    choices[i].workspace_bytes = 1024;
  }
  return kCublasSuccess;
}

CublasApi cublas_functions() {
  CublasApi api;
  api.cublasLtGetVersion = [] { return std::size_t{130000}; };
  api.cublasLtGetStatusString = [](CublasStatus) { return "a status"; };
  api.cublasLtCreate = [](CublasHandle* handle) { return give(handle, 0); };
  api.cublasLtDestroy = [](CublasHandle handle) { return take<int>(handle); };
  api.cublasLtMatmulDescCreate = [](CublasMatmul* matmul, int, int) { return give(matmul, FakeMatmul{}); };
  api.cublasLtMatmulDescDestroy = [](CublasMatmul matmul) { return take<FakeMatmul>(matmul); };
  api.cublasLtMatmulDescSetAttribute = [](CublasMatmul matmul, int attribute, const void* value, std::size_t bytes) {
    std::memcpy(&reinterpret_cast<FakeMatmul*>(matmul)->attributes[attribute], value, bytes);
    return kCublasSuccess;
  };
  api.cublasLtMatrixLayoutCreate = [](CublasLayout* layout, int, std::uint64_t rows, std::uint64_t columns,
                                      std::int64_t pitch) {
    return give(layout, FakeLayout{rows, columns, pitch});
  };
  api.cublasLtMatrixLayoutDestroy = [](CublasLayout layout) { return take<FakeLayout>(layout); };
  api.cublasLtMatrixLayoutSetAttribute = [](CublasLayout layout, int attribute, const void* value, std::size_t bytes) {
    auto* const fake = reinterpret_cast<FakeLayout*>(layout);
    if (attribute == kAttrLayoutBatch) std::memcpy(&fake->batch, value, bytes);
    else std::memcpy(&fake->stride, value, bytes);
    return kCublasSuccess;
  };
  api.cublasLtMatmulPreferenceCreate = [](CublasPreference* preference) { return give(preference, FakePreference{}); };
  api.cublasLtMatmulPreferenceDestroy = [](CublasPreference preference) { return take<FakePreference>(preference); };
  api.cublasLtMatmulPreferenceSetAttribute = [](CublasPreference preference, int attribute, const void* value,
                                                std::size_t bytes) {
    std::memcpy(&reinterpret_cast<FakePreference*>(preference)->attributes[attribute], value, bytes);
    return kCublasSuccess;
  };
  api.cublasLtMatmulAlgoGetHeuristic = heuristics;
  api.cublasLtMatmul = product;
  return api;
}

// ---- cuDNN

struct FakeDescriptor {
  int kind = 0;
  std::map<int, std::vector<std::byte>> values;
  std::map<int, std::int64_t> counts;
  std::int64_t number = 0;  // of an engine configuration

  template <typename T>
  std::vector<T> list(int attribute) const {
    const auto found = values.find(attribute);
    std::vector<T> all(found == values.end() ? 0 : found->second.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), found->second.data(), all.size() * sizeof(T));
    return all;
  }
};

FakeDescriptor& fake(CudnnDescriptor descriptor) {
  return *static_cast<FakeDescriptor*>(descriptor);
}

std::size_t bytes_of(int type) {
  if (type == kTypeBoolean || type == kTypeChar) return 1;
  const std::set<int> wide = {kTypeInt64, kTypePointer, kTypeDescriptor, kTypeHandle};
  return wide.contains(type) ? 8 : 4;
}

CudnnStatus set_attribute(CudnnDescriptor descriptor, int attribute, int type, std::int64_t count, const void* values) {
  const auto* bytes = static_cast<const std::byte*>(values);
  fake(descriptor).values[attribute].assign(bytes, bytes + static_cast<std::size_t>(count) * bytes_of(type));
  return kCudnnSuccess;
}

CudnnStatus get_attribute(CudnnDescriptor descriptor, int attribute, int, std::int64_t wanted, std::int64_t* count,
                          void* values) {
  if (attribute == kAttrPlanWorkspace) {
    std::memcpy(values, &cudnn->workspace_bytes, sizeof cudnn->workspace_bytes);
    return kCudnnSuccess;
  }
  const bool fallback = fake(descriptor).list<int>(kAttrHeuristicsMode).at(0) == kHeuristicsFallback;
  *count = fallback ? 0 : cudnn->configs;
  for (std::int64_t i = 0; i < std::min(wanted, *count); ++i) fake(static_cast<CudnnDescriptor*>(values)[i]).number = i;
  return kCudnnSuccess;
}

CudnnStatus finalize(CudnnDescriptor descriptor) {
  const FakeDescriptor& self = fake(descriptor);
  if (self.kind == kKindOperationGraph) {
    cudnn->operations.clear();
    for (CudnnDescriptor operation : self.list<CudnnDescriptor>(kAttrGraphOperations)) {
      const auto of_pointwise = fake(operation).list<CudnnDescriptor>(kAttrPointwiseOf);
      cudnn->operations.push_back(of_pointwise.empty() ? -fake(operation).kind
                                                       : fake(of_pointwise[0]).list<int>(kAttrPointwiseMode).at(0));
    }
  }
  if (self.kind != kKindExecutionPlan) return kCudnnSuccess;
  if (fake(self.list<CudnnDescriptor>(kAttrPlanConfig).at(0)).number == cudnn->unbuildable) return 3000;
  ++cudnn->plans_built;
  return kCudnnSuccess;
}

Stream current_stream = nullptr;

CudnnStatus execute(CudnnHandle, CudnnDescriptor plan, CudnnDescriptor pack) {
  FakeCudnn::Execution execution;
  execution.config = fake(fake(plan).list<CudnnDescriptor>(kAttrPlanConfig).at(0)).number;
  execution.stream = current_stream;
  const auto ids = fake(pack).list<std::int64_t>(kAttrPackIds);
  const auto pointers = fake(pack).list<void*>(kAttrPackPointers);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    execution.pointers[ids[i]] = pointers[i];
    if (ids[i] == 6 || ids[i] == 7) execution.floats[ids[i]] = *static_cast<float*>(pointers[i]);
  }
  cudnn->executions.push_back(std::move(execution));
  return kCudnnSuccess;
}

CudnnApi cudnn_functions() {
  CudnnApi api;
  api.cudnnGetVersion = [] { return std::size_t{91900}; };
  api.cudnnGetErrorString = [](CudnnStatus) { return "CUDNN_STATUS_NOT_SUPPORTED"; };
  api.cudnnGetLastErrorString = [](char* text, std::size_t) { std::strcpy(text, "no engine of mine"); };
  api.cudnnCreate = [](CudnnHandle* handle) {
    ++cudnn->live_objects;
    *handle = reinterpret_cast<CudnnHandle>(cudnn);
    return kCudnnSuccess;
  };
  api.cudnnDestroy = [](CudnnHandle) { return --cudnn->live_objects, kCudnnSuccess; };
  api.cudnnSetStream = [](CudnnHandle, Stream stream) { return current_stream = stream, kCudnnSuccess; };
  api.cudnnBackendCreateDescriptor = [](int kind, CudnnDescriptor* descriptor) {
    ++cudnn->live_objects;
    *descriptor = new FakeDescriptor{kind, {}, {}, 0};
    return kCudnnSuccess;
  };
  api.cudnnBackendDestroyDescriptor = [](CudnnDescriptor descriptor) {
    --cudnn->live_objects;
    delete &fake(descriptor);
    return kCudnnSuccess;
  };
  api.cudnnBackendSetAttribute = set_attribute;
  api.cudnnBackendGetAttribute = get_attribute;
  api.cudnnBackendFinalize = finalize;
  api.cudnnBackendExecute = execute;
  return api;
}

}  // namespace
}  // namespace library_fakes

const CublasLibrary& FakeCublas::install(FakeCublas& fake_cublas) {
  static const CublasApi api = library_fakes::cublas_functions();
  static const CublasLibrary library{&api, ""};
  library_fakes::cublas = &fake_cublas;
  return library;
}

const CudnnLibrary& FakeCudnn::install(FakeCudnn& fake_cudnn) {
  static const CudnnApi api = library_fakes::cudnn_functions();
  static const CudnnLibrary library{&api, ""};
  library_fakes::cudnn = &fake_cudnn;
  return library;
}
