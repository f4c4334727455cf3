#include "harness/capture/injected/interfaces.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

namespace harness::injected {
namespace {

/// The first of these libraries that opens; null: none.
void* open_any(const char* named, std::initializer_list<const char*> names) {
  if (named != nullptr && *named != '\0')
    if (void* const library = dlopen(named, RTLD_NOW | RTLD_LOCAL)) return library;
  for (const char* name : names)
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <typename Function>
bool find(Function& function, void* library, const char* name) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == nullptr && library != nullptr) symbol = dlsym(library, name);
  function = reinterpret_cast<Function>(symbol);
  return symbol != nullptr;
}

}  // namespace

bool load_cupti(Cupti& cupti, const char*& missing) {
  void* library = nullptr;
  if (dlsym(RTLD_DEFAULT, "cuptiSubscribe") == nullptr)
    library = open_any(std::getenv("HARNESS_CAPTURE_CUPTI"),
                       {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib64/libcupti.so"});
  missing = "libcupti.so (CUPTI, part of the CUDA toolkit and of PyTorch)";
  if (!find(cupti.subscribe, library, "cuptiSubscribe")) return false;
  missing = "an entry point of CUPTI";
  find(cupti.result_string, library, "cuptiGetResultString");
  return find(cupti.enable_callback, library, "cuptiEnableCallback") &&
         find(cupti.activity_enable, library, "cuptiActivityEnable") &&
         find(cupti.register_callbacks, library, "cuptiActivityRegisterCallbacks") &&
         find(cupti.next_record, library, "cuptiActivityGetNextRecord") &&
         find(cupti.flush_all, library, "cuptiActivityFlushAll");
}

void load_driver(Driver& driver) {
  void* const library = open_any(nullptr, {"libcuda.so.1"});
  find(driver.function_parameter, library, "cuFuncGetParamInfo");
  find(driver.kernel_parameter, library, "cuKernelGetParamInfo");
  find(driver.address_range, library, "cuMemGetAddressRange_v2");
  find(driver.copy_to_host, library, "cuMemcpyDtoH_v2");
  find(driver.stream_synchronize, library, "cuStreamSynchronize");
  find(driver.stream_is_capturing, library, "cuStreamIsCapturing");
}

}  // namespace harness::injected
