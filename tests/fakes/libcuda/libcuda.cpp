// A driver without a GPU: it tells on the file FAKE_CUDA_LOG what it is asked to launch. A kernel's symbol says the
// bytes of its parameters, "name:8,4,128". FAKE_CUDA_CC is its compute capability, FAKE_CUDA_NAME its name.
// With FAKE_CUDA_OLD it is one of before CUDA 11.8.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Attribute {
  int id;
  char padding[4];
  alignas(8) unsigned value[16];
};
struct Config {
  unsigned grid[3], block[3], shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};

std::mutex mutex;
std::map<std::string, void*> functions;
std::vector<std::string*> names;
unsigned long long maps = 0;

FILE* log_file() {
  static FILE* const file = std::getenv("FAKE_CUDA_LOG") ? std::fopen(std::getenv("FAKE_CUDA_LOG"), "a") : nullptr;
  return file;
}

template <typename... Values>
void tell(const char* format, Values... values) {
  if (FILE* const file = log_file()) {
    std::fprintf(file, format, values...);
    std::fflush(file);
  }
}

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return 0;
}
int cuDeviceGet(int* device, int) {
  return *device = 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return *context = (void*)0x1000, 0;
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int cuCtxGetCurrent(void** context) {
  *context = std::getenv("FAKE_CUDA_NO_CONTEXT") != nullptr ? nullptr : (void*)0x1000;
  return 0;
}
int cuCtxGetId(void*, unsigned long long* id) {
  return *id = 7, 0;
}
int cuCtxGetDevice(int* device) {
  return *device = 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  const char* const given = std::getenv("FAKE_CUDA_NAME");
  std::snprintf(name, (size_t)bytes, "%s", given != nullptr ? given : "NVIDIA H200");
  return 0;
}
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  for (int i = 0; i < 16; ++i) uuid[i] = (unsigned char)(i + device);
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) {
  return *bytes = 150000000000ull, 0;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  const int cc = number("FAKE_CUDA_CC", 90);
  switch (which) {
    case 1:
      *value = 1024;
      return 0;
    case 16:
      *value = 132;
      return 0;
    case 38:
      *value = 62914560;
      return 0;
    case 75:
      *value = cc / 10;
      return 0;
    case 76:
      *value = cc % 10;
      return 0;
    case 97:
      *value = 232448;
      return 0;
    default:
      return 1;
  }
}
int cuModuleLoadData(void** module, const void* data) {
  const std::lock_guard<std::mutex> lock(mutex);
  tell("load %02x\n", (unsigned)*(const unsigned char*)data);
  *module = const_cast<void*>(data);
  return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  void*& known = functions[name];
  if (known == nullptr) {
    names.push_back(new std::string(name));
    known = names.back();
  }
  *function = known;
  return 0;
}
int cuModuleGetGlobal_v2(unsigned long long* address, size_t* bytes, void*, const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  tell("variable %s\n", name);
  *address = 0xc000;
  *bytes = 65536;
  return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void*) {
  tell("copy %llx %llx %zu\n", to, from, bytes);
  return 0;
}
int cuFuncGetAttribute(int* value, int, void*) {
  return *value = 1024, 0;
}
int cuFuncSetAttribute(void*, int, int) {
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int now = 0;
  std::swap(now, *mode);
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, size_t) {
  return *blocks = threads > 256 ? 1 : 2, 0;
}
int cuOccupancyMaxActiveClusters(int* clusters, void*, const Config*) {
  return *clusters = 33, 0;
}
int cuMemsetD8Async(unsigned long long address, unsigned char value, size_t bytes, void*) {
  tell("memset %llx %d %zu\n", address, (int)value, bytes);
  return 0;
}
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address, const unsigned long long* sizes,
                           const unsigned long long* strides, const unsigned* box, const unsigned* steps,
                           int interleave, int swizzle, int promotion, int fill) {
  if (log_file() == nullptr) return 0;
  std::string text;
  for (unsigned i = 0; i < rank; ++i) text += " " + std::to_string(sizes[i]);
  for (unsigned i = 0; i + 1 < rank; ++i) text += " " + std::to_string(strides[i]);
  for (unsigned i = 0; i < rank; ++i) text += " " + std::to_string(box[i]) + "/" + std::to_string(steps[i]);
  std::memset(map, 0, 128);
  const unsigned long long id = ++maps;
  std::memcpy(map, &id, 8);
  tell("map %llu: %d %p%s %d %d %d %d\n", id, type, address, text.c_str(), interleave, swizzle, promotion, fill);
  return 0;
}
#ifndef FAKE_CUDA_OLD  // a driver of before CUDA 11.8 has none
int cuLaunchKernelEx(const Config* c, void* function, void** parameters, void**) {
  if (log_file() == nullptr) return 0;  // a launcher's own time is measured over this
  const std::string& name = *static_cast<std::string*>(function);
  unsigned cluster[3] = {1, 1, 1};
  int cooperative = 0, programmatic = 0;
  for (unsigned i = 0; i < c->count; ++i) {
    if (c->attributes[i].id == 4) std::memcpy(cluster, c->attributes[i].value, sizeof cluster);
    if (c->attributes[i].id == 2) cooperative = (int)c->attributes[i].value[0];
    if (c->attributes[i].id == 6) programmatic = (int)c->attributes[i].value[0];
  }
  std::string text;
  int place = 0;
  for (const char* at = std::strchr(name.c_str(), ':'); at != nullptr; at = std::strchr(at + 1, ',')) {
    const int bytes = std::atoi(at + 1);
    text += ' ';
    for (int i = 0; i < (bytes > 8 ? 8 : bytes); ++i) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", (unsigned)static_cast<const unsigned char*>(parameters[place])[i]);
      text += digits;
    }
    ++place;
  }
  tell("launch %s grid %u %u %u block %u %u %u cluster %u %u %u shared %u flags %d %d%s stream %p\n",
       name.substr(0, name.find(':')).c_str(), c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
       c->block[2], cluster[0], cluster[1], cluster[2], c->shared, cooperative, programmatic, text.c_str(), c->stream);
  return 0;
}
#endif
int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  return *address = (unsigned long long)(uintptr_t)std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), 0;
}
int cuMemFree_v2(unsigned long long address) {
  return std::free((void*)(uintptr_t)address), 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  return std::memcpy((void*)(uintptr_t)to, from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  return std::memcpy(to, (const void*)(uintptr_t)from, bytes), 0;
}
int cuStreamCreate(void** stream, unsigned) {
  return *stream = (void*)0x5000, 0;
}
int cuStreamSynchronize(void*) {
  return 0;
}

}  // extern "C"
