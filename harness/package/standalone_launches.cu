// ---------------------------------------------------------------- memory and launches

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// Device memory by the name of its argument or workspace.
using Memory = std::map<std::string, unsigned char*>;

inline unsigned char* allocated(long long bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, (std::size_t)std::max(1LL, bytes)), "cudaMalloc");
  check(cudaMemset(pointer, 0, (std::size_t)std::max(1LL, bytes)), "cudaMemset");
  return (unsigned char*)pointer;
}
inline unsigned char* uploaded(const Bytes& bytes) {
  unsigned char* pointer = allocated((long long)bytes.size());
  check(cudaMemcpy(pointer, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  return pointer;
}
inline Bytes downloaded(const unsigned char* pointer, const Tensor& tensor) {
  Bytes bytes((std::size_t)(std::max(1LL, tensor.elements) * bytes_of(tensor.type)));
  check(cudaMemcpy(bytes.data(), pointer, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
  return bytes;
}

/// The parameters of a launch, each as the bytes that the kernel receives.
class Parameters {
 public:
  Parameters& bytes(const void* from, std::size_t size) {
    kept_.emplace_back();
    std::memcpy(kept_.back().bytes, from, size);
    return *this;
  }
  template <typename T>
  Parameters& value(T value) {
    return bytes(&value, sizeof value);
  }
  Parameters& raw(std::initializer_list<unsigned char> list) { return bytes(list.begin(), list.size()); }
  void** pointers() {
    pointers_.clear();
    for (Slot& slot : kept_) pointers_.push_back(slot.bytes);
    return pointers_.data();
  }

 private:
  struct Slot {
    alignas(64) unsigned char bytes[4096];
  };
  std::deque<Slot> kept_;
  std::vector<void*> pointers_;
};

struct Shape {
  dim3 grid, block, cluster;
  unsigned shared = 0;  // bytes of dynamic shared memory
  bool cooperative = false, programmatic = false;
  int resident = 0;  // above 0: grid.x is cut to so many times the blocks that the device holds at once
};

inline int attributes_of(const Shape& shape, cudaLaunchAttribute* list) {
  int count = 0;
  if (shape.cluster.x * shape.cluster.y * shape.cluster.z > 1) {
    list[count].id = cudaLaunchAttributeClusterDimension;
    list[count].val.clusterDim.x = shape.cluster.x;
    list[count].val.clusterDim.y = shape.cluster.y;
    list[count++].val.clusterDim.z = shape.cluster.z;
  }
  if (shape.cooperative) {
    list[count].id = cudaLaunchAttributeCooperative;
    list[count++].val.cooperative = 1;
  }
  if (shape.programmatic) {
    list[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    list[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  return count;
}

/// As many blocks as fit at once, times `resident`, in whole clusters.
inline unsigned resident_blocks(const void* kernel, const Shape& shape, const cudaLaunchConfig_t& config) {
  int at_once = 0, device = 0, processors = 0;
  const unsigned cluster = shape.cluster.x * shape.cluster.y * shape.cluster.z;
  if (cluster > 1) {
    check(cudaOccupancyMaxActiveClusters(&at_once, kernel, &config), "cudaOccupancyMaxActiveClusters");
    at_once *= (int)cluster;
  } else {
    const int threads = (int)(shape.block.x * shape.block.y * shape.block.z);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, threads, shape.shared), "occupancy");
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    at_once *= processors;
  }
  const unsigned most = (unsigned)at_once * (unsigned)shape.resident / std::max(1u, shape.grid.y * shape.grid.z);
  const unsigned step = std::max(1u, shape.cluster.x);
  return std::min(shape.grid.x, std::max(step, most / step * step));
}

inline void launch(const void* kernel, const Shape& shape, Parameters& parameters, cudaStream_t stream) {
  cudaLaunchAttribute attributes[3];
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = (unsigned)attributes_of(shape, attributes);
  if (shape.shared > 0)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape.shared),
          "dynamic shared memory");
  if (shape.cluster.x * shape.cluster.y * shape.cluster.z > 8)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "a cluster of this size");
  if (shape.resident > 0) config.gridDim.x = resident_blocks(kernel, shape, config);
  check(cudaLaunchKernelExC(&config, kernel, parameters.pointers()), "launch");
}

/// Of a kernel, which may be the instantiation of a template.
template <typename... Arguments>
const void* address(void (*kernel)(Arguments...)) {
  return (const void*)kernel;
}
