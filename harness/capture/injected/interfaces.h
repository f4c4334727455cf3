#pragma once
#include <cstddef>
#include <cstdint>

// The entry points of CUPTI and the driver that are used here, as the toolkit's headers declare them (CUDA 12.4 to
// 13.0). They are looked up in what the program has loaded, else in NVIDIA's libraries. This library is loaded into
// programs that know nothing of it: it includes nothing of the house and links nothing.
namespace harness::injected {

constexpr int kDriverDomain = 1;       // CUPTI_CB_DOMAIN_DRIVER_API
constexpr int kConcurrentKernel = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr int kEnter = 0, kExit = 1;   // CUpti_ApiCallbackSite

// CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel and its kin.
constexpr std::uint32_t kLaunchKernel = 307, kLaunchKernelPtsz = 442, kLaunchKernelEx = 652, kLaunchKernelExPtsz = 653;

/// CUpti_CallbackData.
struct CallbackData {
  int site;
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;  // of a launch: the kernel's name as it is linked
  void* context;
  std::uint32_t context_id;
  std::uint64_t* own;
  std::uint32_t correlation;
};

/// The first fields of CUpti_ActivityKernel10; they have been the same since CUpti_ActivityKernel5.
struct __attribute__((packed, aligned(8))) KernelRecord {
  std::uint32_t kind;
  std::uint8_t cache, shared_config;
  std::uint16_t registers;
  std::uint32_t partition_asked, partition_got;
  std::uint64_t start, end, completed;  // nanoseconds
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3], static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
};

struct LaunchParameters {  // cuLaunchKernel_params
  void* function;
  unsigned grid[3], block[3], shared;
  void* stream;
  void** values;
  void** extra;
};
struct LaunchConfig {  // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void* stream;
  void* attributes;
  unsigned count;
};
struct LaunchExParameters {  // cuLaunchKernelEx_params
  const LaunchConfig* config;
  void* function;
  void** values;
  void** extra;
};

using Callback = void (*)(void* own, int domain, std::uint32_t id, const CallbackData* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                 std::size_t valid);

struct Cupti {
  int (*subscribe)(void** subscriber, Callback callback, void* own);
  int (*enable_callback)(std::uint32_t enable, void* subscriber, int domain, std::uint32_t id);
  int (*activity_enable)(int kind);
  int (*register_callbacks)(BufferRequested requested, BufferCompleted completed);
  int (*next_record)(std::uint8_t* buffer, std::size_t valid, void** record);
  int (*flush_all)(std::uint32_t flag);
  int (*result_string)(int result, const char** text);
};

struct Driver {
  int (*function_parameter)(void* function, std::size_t index, std::size_t* offset, std::size_t* bytes);
  int (*kernel_parameter)(void* kernel, std::size_t index, std::size_t* offset, std::size_t* bytes);
  int (*address_range)(std::uint64_t* base, std::size_t* bytes, std::uint64_t address);
  int (*copy_to_host)(void* to, std::uint64_t from, std::size_t bytes);
  int (*stream_synchronize)(void* stream);
  int (*stream_is_capturing)(void* stream, int* status);
};

/// Filled in; false: CUPTI is not here, and `missing` names what was looked for.
bool load_cupti(Cupti& cupti, const char*& missing);
/// What is missing stays null.
void load_driver(Driver& driver);

}  // namespace harness::injected
