#include "tests/device/cuda/fake_driver.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace harness::cuda;

// The handles of the driver are opaque to everybody else.
struct harness::cuda::ContextObject {};
struct harness::cuda::ModuleObject {};
struct harness::cuda::FunctionObject {
  std::string name;
  int dynamic_shared = 48 * 1024;
};
struct harness::cuda::StreamObject {
  std::unique_ptr<std::vector<std::function<void()>>> capture;
};
struct harness::cuda::EventObject {
  double at_ns = -1;
};
struct harness::cuda::GraphObject {
  std::vector<std::function<void()>> nodes;
};
struct harness::cuda::GraphExecObject {
  std::vector<std::function<void()>> nodes;
};

namespace {

FakeDriver* fake = nullptr;
double now_ns = 0;
ContextObject context;
std::map<std::string, FunctionObject> functions;
std::map<DevicePointer, std::size_t> allocations;

/// Runs `work` now, or records it if the stream captures.
Status submit(Stream stream, std::function<void()> work) {
  if (stream->capture) stream->capture->push_back(std::move(work));
  else work();
  return fake->fault;
}

template <typename T>
Status make(T** out, T* object) {
  if (fake->fault) {
    delete object;
    return fake->fault;
  }
  ++fake->live_objects;
  *out = object;
  return kSuccess;
}

template <typename T>
Status destroy(T* object) {
  --fake->live_objects;
  delete object;
  return fake->fault;
}

int device_attribute(int which) {
  switch (which) {
    case kCapabilityMajor:
      return 9;
    case kMultiprocessorCount:
      return 132;
    case kMaxThreadsPerBlock:
      return 1024;
    case kMaxSharedOptin:
      return 232448;
    case kL2CacheBytes:
      return 1 << 20;
    case kClockRateKhz:
      return 1980000;
    case kMemoryClockRateKhz:
      return 3201000;
    case kMemoryBusWidth:
      return 6144;
    default:
      return 0;
  }
}

constexpr std::size_t kGranule = 2 << 20;

Status allocate_memory(DevicePointer* pointer, std::size_t bytes) {
  if (fake->fault) return fake->fault;
  if (bytes > fake->free_bytes) return kOutOfMemory;
  *pointer = reinterpret_cast<DevicePointer>(std::malloc(bytes));
  allocations[*pointer] = bytes;
  fake->free_bytes -= bytes;
  fake->allocated_bytes += static_cast<std::int64_t>(bytes);
  return kSuccess;
}

Status free_memory(DevicePointer pointer) {
  fake->free_bytes += allocations.at(pointer);
  fake->allocated_bytes -= static_cast<std::int64_t>(allocations.at(pointer));
  allocations.erase(pointer);
  std::free(reinterpret_cast<void*>(pointer));
  return fake->fault;
}

void note_attributes(const LaunchConfig& config) {
  fake->last_cluster.clear();
  fake->last_cooperative = fake->last_programmatic = false;
  for (unsigned int i = 0; i < config.attribute_count; ++i) {
    const LaunchAttribute& attribute = config.attributes[i];
    if (attribute.id == kAttributeCluster) fake->last_cluster.assign(attribute.value, attribute.value + 3);
    if (attribute.id == kAttributeCooperative) fake->last_cooperative = attribute.value[0] == 1;
    if (attribute.id == kAttributeProgrammatic) fake->last_programmatic = attribute.value[0] == 1;
  }
}

Status launch_kernel(const LaunchConfig* config, Function function, void** parameters, void**) {
  if (fake->fault) return fake->fault;
  if (fake->refuse_launch) return fake->refuse_launch;
  if (config->block_x * config->block_y * config->block_z > 1024 || config->grid_x == 0) return kInvalidValue;
  note_attributes(*config);
  const FakeKernel& kernel = fake->kernels.at(function->name);
  auto values = std::make_shared<std::vector<std::vector<char>>>();
  for (std::size_t i = 0; i < kernel.parameter_bytes.size(); ++i) {
    const char* bytes = static_cast<const char*>(parameters[i]);
    values->emplace_back(bytes, bytes + kernel.parameter_bytes[i]);
  }
  return submit(config->stream, [values, &kernel, name = function->name, shape = *config] {
    std::vector<void*> pointers;
    for (auto& value : *values) pointers.push_back(value.data());
    ++fake->launches;
    fake->last_grid[0] = shape.grid_x;
    fake->last_grid[1] = shape.grid_y;
    fake->last_grid[2] = shape.grid_z;
    fake->order.push_back(name);
    now_ns += kernel.nanoseconds;
    kernel.body(pointers.data());
  });
}

Status parameter_info(Function function, std::size_t index, std::size_t* offset, std::size_t* size) {
  const auto& sizes = fake->kernels.at(function->name).parameter_bytes;
  if (index >= sizes.size()) return kInvalidValue;
  *offset = 0;
  *size = sizes[index];
  return kSuccess;
}

Status set_function_attribute(Function function, int attribute, int value) {
  if (attribute == kFunctionMaxDynamicShared) {
    if (value > 232448) return kInvalidValue;
    function->dynamic_shared = value;
    fake->largest_dynamic_shared = std::max(fake->largest_dynamic_shared, value);
  }
  return fake->fault;
}

Status end_capture(Stream stream, Graph* graph) {
  if (!stream->capture) return kInvalidValue;
  auto nodes = std::move(stream->capture);
  return make(graph, new GraphObject{std::move(*nodes)});
}

Status record(Event event, Stream stream) {
  return submit(stream, [event] {
    now_ns += fake->event_overhead_ns / 2;
    event->at_ns = now_ns;
    now_ns += fake->event_overhead_ns / 2;
  });
}

DriverApi make_api() {
  DriverApi api;
  api.cuInit = [](unsigned int) -> Status { return fake->fault; };
  api.cuDriverGetVersion = [](int* version) -> Status { return *version = 13000, kSuccess; };
  api.cuGetErrorName = [](Status, const char** name) -> Status { return *name = "CUDA_ERROR_FAKE", kSuccess; };
  api.cuGetErrorString = [](Status, const char** text) -> Status { return *text = "as the test wanted", kSuccess; };
  api.cuDeviceGetCount = [](int* count) -> Status { return *count = 1, kSuccess; };
  api.cuDeviceGet = [](Device* device, int ordinal) -> Status { return *device = ordinal, kSuccess; };
  api.cuDeviceGetName = [](char* name, int, Device) -> Status { return std::strcpy(name, "Fake GPU"), kSuccess; };
  api.cuDeviceGetUuid_v2 = [](Uuid* uuid, Device) -> Status { return *uuid = {{7}}, kSuccess; };
  api.cuDeviceGetPCIBusId = [](char* id, int, Device) -> Status { return std::strcpy(id, ""), kSuccess; };
  api.cuDeviceTotalMem_v2 = [](std::size_t* bytes, Device) -> Status { return *bytes = 2ull << 30, kSuccess; };
  api.cuDeviceGetAttribute = [](int* value, int which, Device) -> Status {
    return *value = device_attribute(which), kSuccess;
  };
  api.cuDevicePrimaryCtxRetain = [](Context* out, Device) -> Status {
    ++fake->live_objects;
    return *out = &context, fake->fault;
  };
  api.cuDevicePrimaryCtxRelease_v2 = [](Device) -> Status { return --fake->live_objects, fake->fault; };
  api.cuCtxSetCurrent = [](Context) -> Status { return fake->fault; };
  api.cuCtxGetDevice = [](Device* device) -> Status { return *device = 0, fake->fault; };
  api.cuCtxSetLimit = [](int, std::size_t) -> Status { return fake->fault; };
  api.cuMemGetInfo_v2 = [](std::size_t* free, std::size_t* total) -> Status {
    return *free = fake->free_bytes, *total = 2ull << 30, fake->fault;
  };
  api.cuMemHostRegister_v2 = [](void*, std::size_t, unsigned int) -> Status {
    if (fake->fault == kSuccess) ++fake->live_objects;
    return fake->fault;
  };
  api.cuMemHostUnregister = [](void*) -> Status { return --fake->live_objects, fake->fault; };
  api.cuMemAlloc_v2 = allocate_memory;
  api.cuMemFree_v2 = free_memory;
  api.cuMemGetAllocationGranularity = [](std::size_t* bytes, const AllocationProperties*, int) -> Status {
    return *bytes = kGranule, fake->fault;
  };
  api.cuMemCreate = [](unsigned long long* handle, std::size_t bytes, const AllocationProperties*,
                       unsigned long long) -> Status {
    if (bytes % kGranule != 0) return kInvalidValue;
    const int memory = memfd_create("fake device memory", 0);
    if (memory < 0 || ftruncate(memory, static_cast<off_t>(bytes)) != 0) return kOutOfMemory;
    ++fake->live_objects;
    return *handle = static_cast<unsigned long long>(memory), fake->fault;
  };
  api.cuMemRelease = [](unsigned long long handle) -> Status {
    --fake->live_objects;
    return close(static_cast<int>(handle)), fake->fault;
  };
  api.cuMemAddressReserve = [](DevicePointer* address, std::size_t bytes, std::size_t, DevicePointer,
                               unsigned long long) -> Status {
    void* const place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ++fake->live_objects;
    return *address = reinterpret_cast<DevicePointer>(place), fake->fault;
  };
  api.cuMemAddressFree = [](DevicePointer address, std::size_t bytes) -> Status {
    --fake->live_objects;
    return munmap(reinterpret_cast<void*>(address), bytes), fake->fault;
  };
  api.cuMemMap = [](DevicePointer address, std::size_t bytes, std::size_t, unsigned long long handle,
                    unsigned long long) -> Status {
    mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, static_cast<int>(handle), 0);
    return fake->fault;
  };
  api.cuMemUnmap = [](DevicePointer address, std::size_t bytes) -> Status {
    mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return fake->fault;
  };
  api.cuMemSetAccess = [](DevicePointer address, std::size_t bytes, const AccessDescription* access,
                          std::size_t) -> Status {
    const int rights = access->access == kAccessReadWrite ? PROT_READ | PROT_WRITE : PROT_READ;
    return mprotect(reinterpret_cast<void*>(address), bytes, rights), fake->fault;
  };
  api.cuMemcpyHtoDAsync_v2 = [](DevicePointer to, const void* from, std::size_t n, Stream s) -> Status {
    return submit(s, [=] { std::memcpy(reinterpret_cast<void*>(to), from, n); });
  };
  api.cuMemcpyDtoHAsync_v2 = [](void* to, DevicePointer from, std::size_t n, Stream s) -> Status {
    return submit(s, [=] { std::memcpy(to, reinterpret_cast<void*>(from), n); });
  };
  api.cuMemcpyDtoDAsync_v2 = [](DevicePointer to, DevicePointer from, std::size_t n, Stream s) -> Status {
    return submit(s, [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), n); });
  };
  api.cuMemsetD8Async = [](DevicePointer to, unsigned char value, std::size_t n, Stream s) -> Status {
    return submit(s, [=] { std::memset(reinterpret_cast<void*>(to), value, n); });
  };
  api.cuModuleLoadData = [](Module* module, const void*) -> Status {
    return ++fake->modules_loaded, make(module, new ModuleObject);
  };
  api.cuModuleUnload = destroy<ModuleObject>;
  api.cuModuleGetFunction = [](Function* function, Module, const char* name) -> Status {
    if (!fake->kernels.contains(name)) return kNotFound;
    functions[name].name = name;
    return *function = &functions[name], fake->fault;
  };
  api.cuFuncGetAttribute = [](int* value, int attribute, Function function) -> Status {
    *value = attribute == kFunctionMaxDynamicShared ? function->dynamic_shared
             : attribute == kFunctionRegisters      ? 32
                                                    : 0;
    return fake->fault;
  };
  api.cuFuncSetAttribute = set_function_attribute;
  api.cuLaunchKernelEx = launch_kernel;
  api.cuStreamCreate = [](Stream* stream, unsigned int) -> Status { return make(stream, new StreamObject); };
  api.cuStreamDestroy_v2 = destroy<StreamObject>;
  api.cuStreamSynchronize = [](Stream stream) -> Status { return stream->capture ? 900 : fake->fault; };
  api.cuStreamBeginCapture_v2 = [](Stream stream, int) -> Status {
    if (stream->capture) return kInvalidValue;
    stream->capture = std::make_unique<std::vector<std::function<void()>>>();
    return fake->fault;
  };
  api.cuStreamEndCapture = end_capture;
  api.cuGraphInstantiateWithFlags = [](GraphExec* out, Graph graph, unsigned long long) -> Status {
    return make(out, new GraphExecObject{graph->nodes});
  };
  api.cuGraphLaunch = [](GraphExec graph, Stream) -> Status {
    ++fake->graph_launches;
    for (const auto& node : graph->nodes) node();
    return fake->fault;
  };
  api.cuGraphExecDestroy = destroy<GraphExecObject>;
  api.cuGraphDestroy = destroy<GraphObject>;
  api.cuEventCreate = [](Event* event, unsigned int) -> Status { return make(event, new EventObject); };
  api.cuEventDestroy_v2 = destroy<EventObject>;
  api.cuEventRecord = record;
  api.cuEventRecordWithFlags = [](Event event, Stream stream, unsigned int) -> Status { return record(event, stream); };
  api.cuEventElapsedTime = [](float* ms, Event start, Event end) -> Status {
    if (start->at_ns < 0 || end->at_ns < 0) return kInvalidValue;
    return *ms = static_cast<float>((end->at_ns - start->at_ns) * 1e-6), fake->fault;
  };
  api.cuFuncGetParamInfo = parameter_info;
  api.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, Function, int, std::size_t) -> Status {
    return *blocks = fake->resident_blocks, fake->fault;
  };
  api.cuOccupancyMaxActiveClusters = [](int* clusters, Function, const LaunchConfig*) -> Status {
    return *clusters = fake->resident_clusters, fake->fault;
  };
  api.cuCtxResetPersistingL2Cache = []() -> Status { return fake->fault; };
  return api;
}

}  // namespace

const DriverApi& FakeDriver::install(FakeDriver& driver) {
  static const DriverApi api = make_api();
  fake = &driver;
  now_ns = 0;
  functions.clear();
  return api;
}
