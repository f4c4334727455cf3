// A program that uses a GPU as far as `harness capture` can tell: it has a driver and CUPTI of its own, loads what
// CUDA_INJECTION64_PATH names and launches a transpose of 40 x 56 three times. Its memory is the host's. With the
// argument "child" it launches what a library would; with "parent" it starts that as a child first.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/capture/injected/interfaces.h"

using namespace harness::injected;

namespace {

constexpr int kWidth = 40, kHeight = 56;
constexpr std::size_t kAllocation = 16384;  // more than the arrays: allocators round up

struct Fake {
  Callback callback = nullptr;
  void* own = nullptr;
  BufferRequested requested = nullptr;
  BufferCompleted completed = nullptr;
  std::vector<KernelRecord> records;
  std::size_t read = 0;
  std::uint32_t correlation = 0;
  float *in = nullptr, *out = nullptr;
} fake;

const char* const kTranspose = "_Z9transposePfPKfii";

void transpose() {
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) fake.out[x * kHeight + y] = fake.in[y * kWidth + x];
}

void launch(const char* name, std::uint64_t ns, void** values, void (*effect)()) {
  LaunchParameters parameters{const_cast<char*>(name), {2, 2, 1}, {32, 8, 1}, 0, nullptr, values, nullptr};
  CallbackData data{};
  data.site = kEnter;
  data.parameters = &parameters;
  data.symbol = name;
  data.correlation = ++fake.correlation;
  if (fake.callback != nullptr) fake.callback(fake.own, kDriverDomain, kLaunchKernel, &data);
  effect();
  data.site = kExit;
  if (fake.callback != nullptr) fake.callback(fake.own, kDriverDomain, kLaunchKernel, &data);
  KernelRecord record{};
  record.kind = kConcurrentKernel;
  record.registers = 20;
  record.start = 1000 * fake.correlation;
  record.end = record.start + ns;
  std::memcpy(record.grid, parameters.grid, sizeof(record.grid));
  std::memcpy(record.block, parameters.block, sizeof(record.block));
  record.static_shared = 4224;
  record.correlation = fake.correlation;
  record.name = name;
  fake.records.push_back(record);
}

}  // namespace

extern "C" {

int cuptiSubscribe(void** subscriber, Callback callback, void* own) {
  if (std::getenv("FAKE_CUPTI_BUSY") != nullptr) return 39;
  *subscriber = &fake;
  fake.callback = callback;
  fake.own = own;
  return 0;
}
int cuptiGetResultString(int, const char** text) {
  *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
  return 0;
}
int cuptiEnableCallback(std::uint32_t, void*, int, std::uint32_t) {
  return 0;
}
int cuptiActivityEnable(int) {
  return 0;
}
int cuptiActivityRegisterCallbacks(BufferRequested requested, BufferCompleted completed) {
  fake.requested = requested;
  fake.completed = completed;
  return 0;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, void** record) {
  const std::size_t count = valid / sizeof(KernelRecord);
  if (fake.read == count) return 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED
  *record = buffer + fake.read++ * sizeof(KernelRecord);
  return 0;
}
int cuptiActivityFlushAll(std::uint32_t) {
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0, records = 0;
  if (fake.requested == nullptr || fake.records.empty()) return 0;
  fake.requested(&buffer, &bytes, &records);
  const std::size_t valid = fake.records.size() * sizeof(KernelRecord);
  std::memcpy(buffer, fake.records.data(), valid);
  fake.read = 0;
  fake.records.clear();
  fake.completed(nullptr, 0, buffer, bytes, valid);
  return 0;
}
int cuFuncGetParamInfo(void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  constexpr std::size_t kOffsets[] = {0, 8, 16, 20}, kBytes[] = {8, 8, 4, 4};
  if (function != static_cast<const void*>(kTranspose) || index >= 4) return 1;
  *offset = kOffsets[index];
  *bytes = kBytes[index];
  return 0;
}
int cuMemGetAddressRange_v2(std::uint64_t* base, std::size_t* bytes, std::uint64_t address) {
  for (float* const memory : {fake.in, fake.out})
    if (address >= reinterpret_cast<std::uint64_t>(memory) &&
        address < reinterpret_cast<std::uint64_t>(memory) + kAllocation) {
      *base = reinterpret_cast<std::uint64_t>(memory);
      *bytes = kAllocation;
      return 0;
    }
  return 1;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
int cuStreamSynchronize(void*) {
  return 0;
}
int cuStreamIsCapturing(void*, int* status) {
  *status = fake.correlation == 1 && std::getenv("FAKE_CUDA_GRAPH") != nullptr ? 1 : 0;
  return 0;
}

}  // extern "C"

int main(int count, char** words) {
  const char* const role = count > 1 ? words[1] : "";
  if (std::strcmp(role, "parent") == 0) {
    const pid_t child = fork();
    if (child == 0) execl("/proc/self/exe", words[0], "child", nullptr);
    waitpid(child, nullptr, 0);
  }
  if (const char* const path = std::getenv("CUDA_INJECTION64_PATH")) {
    void* const library = dlopen(path, RTLD_NOW);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    else reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
  }
  if (std::strcmp(role, "idle") == 0) return 0;
  if (std::strcmp(role, "child") == 0) {
    launch("sm90_xmma_gemm_f32_tn_cublas", 4000, nullptr, [] {});
    return 0;
  }
  fake.in = static_cast<float*>(std::calloc(1, kAllocation));
  fake.out = static_cast<float*>(std::calloc(1, kAllocation));
  for (int i = 0; i < kWidth * kHeight; ++i) fake.in[i] = static_cast<float>(i % 97) / 7;
  int width = kWidth, height = kHeight;
  void* values[] = {&fake.out, &fake.in, &width, &height};
  for (int i = 0; i < 3; ++i) launch(kTranspose, 2000, values, transpose);
  std::printf("the program's own words\n");
  return std::strcmp(role, "failing") == 0 ? 7 : 0;
}
